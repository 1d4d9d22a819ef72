"""The bar at the bottom of the attack page."""

from django.urls import reverse

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.permissions import has_role
from deid_portal.attacks.limits import limits_of_team
from deid_portal.attacks.selectors import Summary, standings_of
from deid_portal.policies.gates import AttackStanding
from deid_portal.reports.selectors import OPEN_REQUESTS
from deid_portal.runs.models import Run
from deid_portal.web.next_bar import Act, NextBar
from deid_portal.web.templatetags.numbers import duration_words

NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def bar_of_attacks(run: Run, summary: Summary, *, refusal: str, seconds: float) -> NextBar:
    """Return the bar with the next step; `refusal` is why this person cannot attack."""
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


def bar_before_review(bar: NextBar, run: Run, person: User) -> NextBar:
    """Point stewards to the attacks that the policy requires before a review.

    If a review was already asked for, or the person is not a steward, the bar is not changed.
    """
    if not run.has_release or not has_role(person, run.dataset.team, Role.STEWARD):
        return bar
    if run.requests.filter(status__in=OPEN_REQUESTS).exists():
        return bar
    known = standings_of(run)
    demanded = limits_of_team(run.dataset.team).rules.attacks
    wanted = [name for name in demanded if name not in known or known[name].is_applicable]
    missing = [name for name in wanted if name not in known or not _is_answered(known[name])]
    if not missing:
        return bar
    still = _missing(len(missing), len(wanted))
    return NextBar(
        "Before asking for review:",
        f"the policy wants {_attacks(len(wanted))} on this run; {still}.",
        secondary=Act("Open scenario board", url=reverse("reports:board", args=[run.dataset_id])),
        primary=Act("Attack this release", url=reverse("attacks:show", args=[run.id])),
    )


def _is_answered(standing: AttackStanding) -> bool:
    return standing.success is not None or not standing.is_possible


def _attacks(count: int) -> str:
    return "one attack" if count == 1 else f"{_count(count).lower()} attacks"


def _missing(missing: int, wanted: int) -> str:
    if missing == wanted:
        words = {1: "it has", 2: "neither has"}.get(wanted, "none has")
        return f"{words} been made yet" if wanted > 1 else "it has not been made yet"
    return f"{_count(missing).lower()} {'has' if missing == 1 else 'have'} not been made yet"


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
