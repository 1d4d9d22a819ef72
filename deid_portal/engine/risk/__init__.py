"""What the classes of a table say about the risk of the people in it."""
