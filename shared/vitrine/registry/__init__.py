"""The fields of a source as one profile sees them: the one list that all read."""
