"""Remedies: changes after which a plan works that nothing satisfied."""

from deid_portal.engine.remedies.search import find_remedies

__all__ = ["find_remedies"]
