"""The rule tree: the product's one language."""
