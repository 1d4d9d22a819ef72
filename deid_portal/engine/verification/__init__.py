"""Verification of the claims of a package about its table, from the package alone."""
