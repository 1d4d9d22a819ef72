"""Perturbation: random changes of cells, and estimates that correct for them."""
