"""Re-identification risk from the equivalence classes of a table."""
