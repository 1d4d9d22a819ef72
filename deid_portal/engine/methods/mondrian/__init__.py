"""Cutting the table into boxes, each as small as the rules allow (Mondrian)."""
