"""Microaggregation: groups of at least k records, each record replaced by what its group shares."""
