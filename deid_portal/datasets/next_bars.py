"""The bar at the bottom of the pages of a dataset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.urls import reverse

from deid_portal.datasets.column_list import MANY
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.roles import ROLE_CHOICES
from deid_portal.engine.wording.numbers import middle_cut
from deid_portal.web.next_bar import Act, NextBar

NUMBER_WORDS = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class ColumnStanding:
    """How many columns are decided, which are open, and why the next step is blocked."""

    total: int
    decided: int
    refusal: str
    dangerous: int = 0  # open columns of high danger
    lines: int = 0  # lines of the page for the open columns
    suggested: Mapping[str, int] = field(default_factory=dict)  # role -> open columns
    free_texts: tuple[str, ...] = ()  # open columns for which no role is safe

    @property
    def open(self) -> int:
        return self.total - self.decided

    @property
    def open_and_calm(self) -> int:
        return self.open - self.dangerous

    @property
    def is_many(self) -> bool:
        return self.total > MANY


def bar_of_table_upload() -> NextBar:
    return NextBar(
        "Nothing is kept until you say so.",
        "After the upload you see how the file was read and can correct it.",
        icon="lock",
        secondary=Act("All datasets", url=reverse("datasets:list")),
        primary=Act("Upload and look at it", form_id="upload-form"),
    )


def bar_of_preview(
    dataset: Dataset,
    *,
    unreadable: str,
    failed: str,
    can_change: bool,
    doubtful: Sequence[str] = (),
) -> NextBar:
    """The bar of step 1: `unreadable` blocks the next step, after `failed` it can be tried again.

    `doubtful` are the columns the preview asks about.
    """
    if dataset.is_ready:
        return _bar_of_kept_table(dataset)
    if waiting := _bar_without_choice(dataset, can_change):
        return waiting
    if unreadable:
        lead, rest = "The file cannot be kept with these settings.", "Change one, or mend the file."
    elif failed:
        lead, rest = (
            "The whole file could not be read.",
            "Change a setting, mend the file or retry.",
        )
    elif doubtful:
        lead, rest = _open_questions(doubtful)
    else:
        lead, rest = "It is not kept yet.", "Keeping it reads every row and encrypts each column."
    is_bad = bool(unreadable or failed)
    return NextBar(
        lead,
        rest,
        icon="circle-x" if is_bad else "info-circle",
        tone="bad" if is_bad else "",
        secondary=Act("Discard upload", form_action=reverse("datasets:discard", args=[dataset.id])),
        primary=Act(
            "Keep and see what changed" if dataset.previous_id else "Keep and tag columns",
            form_id="keep-form",
            blocked=bool(unreadable),
            focus="#preview-settings",
        ),
    )


def _bar_without_choice(dataset: Dataset, can_change: bool) -> NextBar | None:
    """Return the bar for a person who cannot keep the file now, with the reason."""
    everything = Act("All datasets", url=reverse("datasets:list"))
    if dataset.is_forgotten:
        rest = "Its reports and releases are still there."
        return NextBar("The table was deleted.", rest, "trash", secondary=everything)
    if dataset.state == Dataset.State.READING:
        rest = "You can close this page; the reading goes on."
        return NextBar("The whole file is being read.", rest, "clock", secondary=everything)
    if not can_change:
        lead = "A steward looks at the preview next."
        return NextBar(lead, icon="clock", secondary=everything)
    return None


def _open_questions(names: Sequence[str]) -> tuple[str, str]:
    if len(names) == 1:
        return f"One open question: {names[0]}.", "The safe answer is already chosen."
    count = NUMBER_WORDS[len(names)].capitalize() if len(names) < len(NUMBER_WORDS) else len(names)
    shown = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) < 4 else names[0]
    more = f" and {len(names) - 1} more" if len(names) > 3 else ""
    return f"{count} open questions: {shown}{more}.", "The safe answers are already chosen."


def _bar_of_kept_table(dataset: Dataset) -> NextBar:
    return NextBar(
        "The table is kept.",
        "Next, say what each column is.",
        icon="circle-check",
        tone="ok",
        primary=Act("Continue to columns", url=reverse("datasets:columns", args=[dataset.id])),
    )


def bar_of_columns(dataset: Dataset, standing: ColumnStanding, can_change: bool) -> NextBar:
    go_on = Act(
        "Continue to taxonomies",
        url=reverse("taxonomies:overview", args=[dataset.id]),
        blocked=bool(standing.refusal),
        focus="#columns-body tr[data-role='']",
    )
    if not standing.refusal:
        lead = f"All {standing.total} columns are decided."
        rest = "Next, say how each quasi-identifier may be made coarser."
        return NextBar(lead, rest, "circle-check", "ok", primary=go_on)
    if not standing.open:
        return NextBar(standing.refusal, icon="alert-triangle", tone="warn", primary=go_on)
    lead = f"{standing.decided} of {standing.total} columns decided."
    rest = _what_is_left(standing) if can_change else "Stewards decide what each column is."
    accept = None
    suggested = sum(standing.suggested.values())
    if suggested and can_change:
        count = "the suggestion" if suggested == 1 else f"{suggested} suggestions"
        there = reverse("datasets:accept", args=[dataset.id])
        accept = Act(f"Accept {count}", form_action=there)
        if standing.is_many:
            lead, rest = _what_accepting_does(standing)
        if standing.free_texts:
            rest = f"Accepting leaves {free_text_words(standing.free_texts)}."
    return NextBar(lead, rest, "clipboard-check", primary=go_on, secondary=accept)


def free_text_words(names: Sequence[str]) -> str:
    """Say which columns of free text stay open, and whose decision they are."""
    if len(names) == 1:
        return f"{middle_cut(names[0])} open: free text is yours to decide"
    return f"{len(names)} columns of free text open: they are yours to decide"


def _what_accepting_does(standing: ColumnStanding) -> tuple[str, str]:
    left = f"{standing.open} column{'s' if standing.open > 1 else ''} left"
    rows = f", in {standing.lines} row{'s' if standing.lines > 1 else ''}"
    words = [
        f"{count} {role.label.lower()}{'s' if role.is_noun and count > 1 else ''}"
        for role in ROLE_CHOICES
        if (count := standing.suggested.get(role.value))
    ]
    listed = " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    return (
        f"{left}{rows if standing.lines < standing.open else ''}.",
        f"Accepting all suggestions tags {listed}; one step undoes it.",
    )


def _what_is_left(standing: ColumnStanding) -> str:
    reason = "a column without a role is never released."
    if standing.open == standing.total:
        return f"Decide every column to go on; {reason}"
    if standing.open == 1:
        return f"Decide the other one to go on; {reason}"
    small = standing.open < len(NUMBER_WORDS)
    count = NUMBER_WORDS[standing.open] if small else str(standing.open)
    return f"Decide the other {count} to go on; {reason}"
