"""From a sentence to a turn: one model's job, bounded in calls, time and money."""
