"""Randomization: what chance does to cells, and what can be computed back from them."""
