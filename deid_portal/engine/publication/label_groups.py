"""What stands below the labels a release shows, as far as a published taxonomy names it."""

from typing import Any

import numpy as np

from deid_portal.engine.plan import Plan
from deid_portal.engine.privacy.hidden_names import is_hidden_name
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies import FileTaxonomy

NAMED = "named, because the taxonomy is public knowledge"
NUMBERED = "numbered"
MOST_GROUPS = 200


def describe_label_groups(column: Column, plan: Plan) -> dict[str, Any]:
    """Return the entries of a dictionary about what the labels of a released column stand for.

    `plan` is the published one. Values without a name are counted: people who have them were left
    out, or nobody has them.
    """
    planned = plan.column(column.name)
    recipe = None if planned is None else planned.taxonomy
    if planned is None or not isinstance(recipe, FileTaxonomy):
        return {}
    if not planned.public_labels:
        return {"labelsBelow": NUMBERED}
    present = [column.values[code] for code in np.flatnonzero(column.counts)]
    groups: dict[str, dict[str, Any]] = {
        label: {"label": label, "values": [], "unnamed": 0}
        for label in sorted(filter(None, present))
    }
    for path in recipe.rows:
        for label in dict.fromkeys(path[1:-1]):
            if label in groups and label != path[0]:
                _enter(groups[label], path[0])
    told = [own for own in groups.values() if own["values"] or own["unnamed"]]
    for own in told:
        own["values"].sort()
    return {"labelsBelow": NAMED} | ({"groups": told} if 0 < len(told) <= MOST_GROUPS else {})


def _enter(group: dict[str, Any], value: str) -> None:
    if is_hidden_name(value):
        group["unnamed"] += 1
    elif value:
        group["values"].append(value)
