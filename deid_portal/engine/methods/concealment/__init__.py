"""Concealment: rows with labels of their own, under which everybody may be behind k of them."""
