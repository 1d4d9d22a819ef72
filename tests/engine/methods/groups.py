"""Groups written out, to be compared with those found by hand."""

from deid_portal.engine.methods.microaggregation.groups import Groups


def as_lists(groups: Groups) -> list[list[int]]:
    """Return the records of each group, the group of the first record first."""
    found: dict[int, list[int]] = {}
    for record, group in enumerate(groups.of_record.tolist()):
        found.setdefault(group, []).append(record)
    return list(found.values())
