from django.db.models import Model


def is_prefetched(row: Model, relation: str) -> bool:
    """Say whether `row.<relation>.all()` is prefetched; then filter in Python, not by a query."""
    return relation in getattr(row, "_prefetched_objects_cache", {})
