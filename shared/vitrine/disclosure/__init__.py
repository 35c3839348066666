"""What may leave: budgets, counts, projection, and the one way out."""
