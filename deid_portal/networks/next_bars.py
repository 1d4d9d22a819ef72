"""The bar at the bottom of the pages of a network: what is next, and its link."""

from collections.abc import Sequence

from django.urls import reverse

from deid_portal.datasets.models import Dataset
from deid_portal.versions.selectors import CarriedCounts, Misfit
from deid_portal.web.next_bar import Act, NextBar


def _everything() -> Act:
    return Act("All networks", url=reverse("networks:list"))


def bar_of_network_upload() -> NextBar:
    return NextBar(
        "Both files are encrypted while they arrive.",
        "After the upload you see how they were read and can correct it.",
        icon="lock",
        secondary=_everything(),
        primary=Act("Upload and read it", form_id="upload-form"),
    )


def bar_of_files(dataset: Dataset) -> NextBar:
    if dataset.is_forgotten:
        rest = "Its reports and releases are still there."
        return NextBar("The network was deleted.", rest, "trash", secondary=_everything())
    if dataset.state == Dataset.State.READING:
        rest = "You can close this page; the reading goes on."
        return NextBar("The network is being read.", rest, "clock", secondary=_everything())
    if not dataset.is_ready:
        rest = "Read it with other settings, or discard it and mend the file."
        return NextBar(
            "The network was not read.", rest, "circle-x", "bad", secondary=_everything()
        )
    if dataset.file_format.get("header_is_guessed"):
        rest = "Look at its first line; whether it is a header is only a guess."
        return NextBar(
            "The network is read.",
            rest,
            icon="alert-triangle",
            tone="warn",
            primary=Act("It looks right", url=reverse("networks:risk", args=[dataset.id])),
        )
    return NextBar(
        "The network is read.",
        "Next, see who stands out by their links.",
        icon="circle-check",
        tone="ok",
        primary=Act("See who stands out", url=reverse("networks:risk", args=[dataset.id])),
    )


def bar_of_changes(
    dataset: Dataset, misfits: Sequence[Misfit], carried: CarriedCounts, *, can_change: bool
) -> NextBar:
    risk = Act("See who stands out", url=reverse("networks:risk", args=[dataset.id]))
    if misfits:
        count = "One thing does" if len(misfits) == 1 else f"{len(misfits)} things do"
        rest = "A run can start when all of it is mended." if can_change else "Stewards mend it."
        mend = Act(misfits[0].act, url=misfits[0].url) if can_change else None
        return NextBar(f"{count} not fit.", rest, "alert-triangle", "warn", mend, risk)
    lead = "Everything that was carried over fits."
    if not can_change:
        return NextBar(lead, "A steward starts the run.", "circle-check", "ok", primary=risk)
    protection = reverse("networks:protection", args=[dataset.id])
    if not carried.has_plan:
        there = Act("Choose the protection", url=protection)
        rest = "The version before had no plan yet."
        return NextBar(lead, rest, "circle-check", "ok", there, risk)
    start = reverse("runs:start", args=[dataset.id])
    return NextBar(
        "Everything fits.",
        "The plan of the version before can be run on this one as it is.",
        icon="circle-check",
        tone="ok",
        secondary=Act("Look at the plan", url=protection),
        primary=Act("Run the plan on this version", form_action=start),
    )


def bar_of_risk(dataset: Dataset, refusal: str) -> NextBar:
    if refusal and dataset.is_ready:
        columns = Act("Decide the columns", url=reverse("datasets:columns", args=[dataset.id]))
        return NextBar(refusal, icon="clipboard-check", primary=columns)
    if refusal:
        return NextBar(refusal, icon="trash", secondary=_everything())
    there = reverse("networks:protection", args=[dataset.id])
    return NextBar(
        "Without names people are still recognized by their links.",
        "Next, choose what somebody may know and among how many everybody shall hide.",
        primary=Act("Choose the protection", url=there),
    )


def bar_of_protection(dataset: Dataset, problem: str, fails: str, *, can_change: bool) -> NextBar:
    save = Act("Save and go on to the run", form_id="protection", blocked=bool(problem))
    back = Act("Back to the risk", url=reverse("networks:risk", args=[dataset.id]))
    if not can_change:
        return NextBar("Stewards choose the protection.", icon="lock", secondary=back)
    if problem:
        return NextBar(problem, icon="alert-triangle", tone="warn", secondary=back, primary=save)
    rest = fails or "A run freezes it, protects the network and measures what came out."
    return NextBar("This plan can run.", rest, "circle-check", "ok", save, back)
