"""Summaries of invented runs, small enough to be checked by eye."""

from typing import Any
from uuid import UUID

from deid_portal.engine.report.summary import RunSummary
from deid_portal.reports.scenarios import Scenario

HEIGHTS = {"age": 3, "sex": 1}


def make_summary(
    *,
    k: int | None = 5,
    limit: float | None = 0.05,
    levels: dict[str, int] | None = None,
    loss: float = 0.3,
    average: float = 0.02,
    highest: float = 0.2,
    suppressed: int = 0,
    smallest_left_out: int | None = None,
    rows: int = 1000,
    groups: int = 50,
) -> RunSummary:
    """What a finished run of two columns keeps; the smallest group is the 40 of sex "x"."""
    levels = levels if levels is not None else {"age": 1, "sex": 0}
    summary: dict[str, Any] = {
        "solution": True,
        "asked": {"k": k, "limit": limit, "methods": ["full-domain"], "rules": []},
        "input": {"rows": rows},
        "rows": {"released": rows - suppressed, "suppressed": suppressed},
        "classes": {"count": groups, "smallest": round(1 / highest), "largest": 90, "mean": 20},
        "models": [],
        "risk": {"after": {"prosecutor": {"highest": highest, "average": average}}},
        "utility": {"loss": loss, "precision": 1 - loss, "entropy": loss},
        "levels": levels,
        "plan": {"columns": {}},
        "columns": {
            name: {
                "role": "quasi-identifier",
                "released": True,
                "level": level,
                "height": HEIGHTS.get(name, 2),
                "level_name": f"step {level}",
                "loss": level / HEIGHTS.get(name, 2),
                "distinct_before": 8,
                "distinct_after": 8 - 2 * level,
            }
            for name, level in levels.items()
        },
    }
    if smallest_left_out is not None:
        group = {"value": "x", "records": 40, "suppressed": smallest_left_out, "loss": 0.1}
        summary["who_pays"] = [{"column": "sex", "groups": [group]}]
    return RunSummary.from_document(summary)


def make_scenario(number: int, *, is_allowed: bool = True, **summary: Any) -> Scenario:
    return Scenario(UUID(int=number), number, make_summary(**summary), is_allowed=is_allowed)
