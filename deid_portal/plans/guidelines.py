"""Usual limits for each kind of recipient, which choices are compared with.

They are advice, not a gate: a plan below them can run, with a note.
"""

from dataclasses import dataclass

from django.db.models import TextChoices

from deid_portal.engine.wording.numbers import middle_cut, percent


class Audience(TextChoices):
    PUBLIC = "public", "Anyone: a public download"
    PARTNERS = "partners", "Partners under contract"
    INSIDE = "inside", "People inside the house"


@dataclass(frozen=True)
class Guideline:
    """The usual limits for one kind of recipient."""

    who: str
    least_k: int
    surest_guess: float  # share of right guesses about a sensitive value
    most_left_out: float  # share of the rows
    why: str


GUIDELINES = {
    Audience.PUBLIC: Guideline(
        "a public download",
        least_k=11,
        surest_guess=0.5,
        most_left_out=0.1,
        why="Nobody can be held to a promise, so the file alone has to protect.",
    ),
    Audience.PARTNERS: Guideline(
        "partners under contract",
        least_k=5,
        surest_guess=0.6,
        most_left_out=0.1,
        why="A contract forbids looking people up; a risk of one in five is usual.",
    ),
    Audience.INSIDE: Guideline(
        "people inside the house",
        least_k=3,
        surest_guess=0.8,
        most_left_out=0.2,
        why="Access is controlled and logged; chance finds are what is left to prevent.",
    ),
}


@dataclass(frozen=True)
class GuidelineCheck:
    """One line of the comparison with what is usual."""

    is_met: bool
    usual: str
    chosen: str


def hold_against(
    guideline: Guideline, *, k: int, left_out: float, guesses: dict[str, float]
) -> list[GuidelineCheck]:
    """Compare answers with the usual limits; `guesses` holds a share per sensitive column."""
    lines = [
        GuidelineCheck(
            k >= guideline.least_k, f"Hides among at least {guideline.least_k}", f"you chose {k:,}"
        ),
        GuidelineCheck(
            left_out <= guideline.most_left_out,
            f"Leaves out at most {percent(guideline.most_left_out)}",
            f"you allow {percent(left_out)}",
        ),
    ]
    for column, share in guesses.items():
        lines.append(
            GuidelineCheck(
                share <= guideline.surest_guess,
                f"Guesses of {middle_cut(column)} right at most {percent(guideline.surest_guess)}",
                f"you allow {percent(share)}" if share < 1 else "no promise",
            )
        )
    return lines
