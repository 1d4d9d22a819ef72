"""The bar at the bottom of the attack page."""

from django.urls import reverse

from deid_portal.attacks.selectors import Summary
from deid_portal.common.next_bar import Act, NextBar
from deid_portal.common.templatetags.numbers import duration_words
from deid_portal.runs.models import Run

NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def bar_of_attacks(run: Run, summary: Summary, *, refusal: str, seconds: float) -> NextBar:
    """Say what the attacks mean for what is next; `refusal` is why this person cannot attack."""
    report = Act("Back to the report", url=reverse("reports:report", args=[run.id]))
    if refusal and not summary.is_made:
        return NextBar("No attack has been made yet.", refusal, icon="lock", primary=report)
    if summary.at_work:
        attacks = "1 attack is" if summary.at_work == 1 else f"{summary.at_work} attacks are"
        rest = "You can close this page; the work goes on."
        return NextBar(f"{attacks} at work.", rest, icon="loader", secondary=report)
    if not summary.is_made:
        start = reverse("attacks:start", args=[run.id])
        return NextBar(
            "No attack has been made yet.",
            f"All of them take {duration_words(seconds)}.",
            icon="swords",
            secondary=report,
            primary=Act("Run all", form_action=start, icon="player-play"),
        )
    if refusal:
        return NextBar(summary.words, refusal, icon="lock", primary=report)
    return _bar_of_results(run, summary)


def _bar_of_results(run: Run, summary: Summary) -> NextBar:
    review = reverse("reviews:ask", args=[run.id])
    change = Act("Change the plan", url=reverse("plans:protection", args=[run.dataset_id]))
    if summary.over:
        count = len(summary.over)
        return NextBar(
            f"{_count(count)} attack{' is' if count == 1 else 's are'} over the limit.",
            "Change the plan, or ask for review with a waiver request.",
            icon="shield-x",
            tone="bad",
            secondary=Act("Ask for review with a waiver", url=review),
            primary=change,
        )
    ask = Act("Ask for review", url=review)
    if summary.weak:
        count = len(summary.weak)
        spots = f"{_count(count).lower()} weak spot{'' if count == 1 else 's'}"
        return NextBar(
            f"No attack is over its limit; {spots}.",
            "A colleague decides whether that is acceptable.",
            icon="alert-triangle",
            tone="warn",
            secondary=change,
            primary=ask,
        )
    return NextBar(
        "Every attack that could be made was resisted.",
        "An attack that fails proves nothing about a better one; the rules of the plan do.",
        icon="shield-check",
        tone="ok",
        secondary=change,
        primary=ask,
    )


def _count(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)
