"""The bar at the bottom of the page with the changes of a new version."""

from collections.abc import Sequence

from django.urls import reverse

from deid_portal.datasets.models import Dataset
from deid_portal.versions.selectors import CarriedCounts, Misfit
from deid_portal.web.next_bar import Act, NextBar

COUNTS = ("", "One thing does", "Two things do", "Three things do")


def bar_of_drift(
    dataset: Dataset, misfits: Sequence[Misfit], carried: CarriedCounts, *, can_change: bool
) -> NextBar:
    columns = Act("See the columns", url=reverse("datasets:columns", args=[dataset.id]))
    if misfits:
        return NextBar(
            f"{_count(len(misfits))} not fit.",
            "Stewards mend it." if not can_change else "A run can start when all of it is mended.",
            icon="alert-triangle",
            tone="warn",
            secondary=columns,
            primary=Act(misfits[0].act, url=misfits[0].url) if can_change else None,
        )
    if not can_change:
        lead = "Everything that was carried over fits."
        return NextBar(lead, "A steward starts the run.", "circle-check", "ok", primary=columns)
    if not carried.has_plan:
        there = Act("Choose the protection", url=reverse("plans:protection", args=[dataset.id]))
        lead = "Everything that was carried over fits."
        rest = "The version before had no plan yet."
        return NextBar(lead, rest, "circle-check", "ok", secondary=columns, primary=there)
    return NextBar(
        "Everything fits.",
        "The plan of the version before can be run on this one as it is.",
        icon="circle-check",
        tone="ok",
        secondary=Act("Look at the plan", url=reverse("plans:protection", args=[dataset.id])),
        primary=Act(
            "Run the plan on this version", form_action=reverse("runs:start", args=[dataset.id])
        ),
    )


def _count(things: int) -> str:
    return COUNTS[things] if things < len(COUNTS) else f"{things} things do"
