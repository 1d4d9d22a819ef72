from django.db.models import Model


def is_prefetched(row: Model, relation: str) -> bool:
    """True when `row.<relation>.all()` costs no query; a filter on it would throw that away."""
    return relation in getattr(row, "_prefetched_objects_cache", {})
