"""Remedies against an attack: candidate changes, each applied and attacked again.

Cheap and promising candidates come first, because the number tried depends on how long a run of
this plan takes. Only changes that were measured to help are shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from deid_portal.attacks.results import TriedRemedy
from deid_portal.engine import Cancelled, ColumnType, EngineError, Plan, Table
from deid_portal.engine.attack_cases.case import AttackAnswer, Case
from deid_portal.engine.attack_cases.change_price import ChangePrice, price_change
from deid_portal.engine.attack_cases.verdict import AttackVerdict, judge_attack
from deid_portal.engine.attacks import Attack
from deid_portal.engine.methods import METHODS
from deid_portal.engine.privacy.fitting_numbers import AmountColumn
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.risk.lone_values import ValueVariety
from deid_portal.engine.table.values import NUMERIC
from deid_portal.engine.wording.numbers import percent
from deid_portal.plans.basis import Basis
from deid_portal.plans.changes import (
    AddRule,
    Change,
    HideAmong,
    RoundNumbers,
    SetLevel,
    SetMethod,
    SetRule,
    UseMethod,
    apply_changes,
    write_changes,
)

MOST_TRIED = 12
MOST_SHOWN = 3
SECONDS = 60  # time for trying candidates, estimated from the time of the run
LEAVE_OUT_FREELY = 1.0
USUAL_LOOK_ALIKES = 5
# In how many steps a rounding divides the middle half of the people, None for as fine as leaves few
# lone values, and the share of the people at each end who are shown the same number.
ROUNDINGS = ((None, 0.0), (5, 0.1), (2, 0.2), (1, 0.25))
ORDERED = (*NUMERIC, ColumnType.DATE)


@dataclass(frozen=True)
class RemedyCandidate:
    title: str
    changes: tuple[Change, ...]
    searches: bool = False  # needs a new search for levels, which can take as long as the run


@dataclass(frozen=True, eq=False)
class SuccessfulAttack:
    """A successful attack, with the data needed for trying changes against it."""

    attack: Attack
    answer: AttackAnswer
    case: Case
    basis: Basis
    limit: float
    earlier: Mapping[int, Mapping[str, int]]  # levels of earlier releases by number


def most_tried(run_seconds: float) -> int:
    """Return how many candidates can be tried in the time."""
    return max(2, min(MOST_TRIED, int(SECONDS / max(run_seconds, 1.0))))


def find_remedy_candidates(finding: SuccessfulAttack) -> Iterator[RemedyCandidate]:
    """Yield changes that could help against this attack, the most specific first."""
    yield from _of_earlier_releases(finding)
    yield from _about_exact_numbers(finding)
    yield from _about_different_values(finding)
    yield from _about_tilted_groups(finding)
    yield from _about_look_alikes(finding)
    yield from _about_noise(finding)
    yield from _about_levels(finding)


def _of_earlier_releases(finding: SuccessfulAttack) -> Iterator[RemedyCandidate]:
    """Suggest the levels of an earlier release, which leaves nothing to intersect."""
    if not finding.case.has_one_level:
        return
    for number, levels in finding.earlier.items():
        if set(levels) == set(finding.case.levels) and dict(levels) != dict(finding.case.levels):
            differing = [name for name in levels if levels[name] != finding.case.levels[name]]
            shown = differing[0] if len(differing) == 1 else "the levels"
            yield RemedyCandidate(f"Show {shown} as release {number} does", (_fixed(dict(levels)),))


def _about_exact_numbers(finding: SuccessfulAttack) -> Iterator[RemedyCandidate]:
    """Suggest to round numbers that find people by themselves, finely first."""
    if not finding.attack.finds_by_exact_values:
        return
    columns = _telling_numbers(finding.case)
    for step in range(len(ROUNDINGS)):
        changes = [own for name, column in columns.items() for own in _round(name, column, step)]
        if not changes:
            continue
        title = " and ".join(_rounding_words(change) for change in changes)
        pinned = (_fixed(dict(finding.case.levels)),) if finding.case.has_one_level else ()
        yield RemedyCandidate(title, (*changes, *pinned), searches=not pinned)


def _telling_numbers(case: Case) -> dict[str, AmountColumn]:
    """Return the numbers beside the quasi-identifiers that some released records alone show."""
    shown = [column for column in case.released.columns if column.name not in case.names]
    return {
        column.name: AmountColumn.of(case.original[column.name])
        for column in shown
        if column.name in case.original
        and case.original[column.name].type in NUMERIC
        and ValueVariety.of(column).lone
    }


def _round(name: str, column: AmountColumn, step: int) -> list[RoundNumbers]:
    """Return one of the roundings to try; from the second on the far ends become one number."""
    of_middle, ends = ROUNDINGS[step]
    base = column.proposed_base() if of_middle is None else column.base_for(of_middle)
    return [] if base is None else [RoundNumbers(name, base, ends)]


def _rounding_words(change: RoundNumbers) -> str:
    ends = f", its highest and lowest {percent(change.ends)} as one number" if change.ends else ""
    return f"Round {change.column} to {change.base:,.10g}{ends}"


def _about_different_values(finding: SuccessfulAttack) -> Iterator[RemedyCandidate]:
    wanted, column = finding.attack.different_values, finding.answer.column
    if column is None or wanted is None:
        return
    people = finding.answer.stake.records
    rule = _different_values(finding.basis, column, wanted)
    if finding.case.has_one_level:
        words = "this person" if people == 1 else f"these {people:,} people"
        yield RemedyCandidate(
            f"Leave {words} out as well", (rule, _fixed(dict(finding.case.levels)))
        )
    yield RemedyCandidate(f"Ask for {wanted} different values of {column}", (rule,), searches=True)


def _about_tilted_groups(finding: SuccessfulAttack) -> Iterator[RemedyCandidate]:
    """Suggest t-closeness: a class with the distribution of the table reveals nothing new."""
    column, t = finding.answer.column, finding.attack.distance_needed
    if column is None or t is None:
        return
    is_ordered = finding.case.original[column].type in ORDERED
    distance = "ordered" if is_ordered else "equal"
    rule = AddRule({"model": "t-closeness", "t": t, "distance": distance, "column": column})
    if finding.case.has_one_level:
        yield RemedyCandidate(
            f"Leave out groups whose {column} differs much from everybody’s",
            (rule, _fixed(dict(finding.case.levels))),
        )
    yield RemedyCandidate(f"Keep {column} of every group near everybody’s", (rule,), searches=True)


def _different_values(basis: Basis, column: str, wanted: int) -> Change:
    """Raise the l of the l-diversity rule about a column, or add such a rule."""
    for rule in basis.rules:
        is_it = rule["model"] == "l-diversity" and rule.get("variant", "distinct") == "distinct"
        if is_it and rule.get("column") == column:
            return SetRule("l-diversity", "l", wanted, column)
    return AddRule({"model": "l-diversity", "variant": "distinct", "l": wanted, "column": column})


def _about_look_alikes(finding: SuccessfulAttack) -> Iterator[RemedyCandidate]:
    before = finding.basis.look_alikes
    k = 2 * before if before else USUAL_LOOK_ALIKES
    if k > finding.case.original.rows:
        return
    if finding.case.has_one_level:
        yield RemedyCandidate(
            f"Leave out who hides among fewer than {k:,}",
            (HideAmong(k), _fixed(dict(finding.case.levels))),
        )
    yield RemedyCandidate(f"Let everybody hide among {k:,}", (HideAmong(k),), searches=True)


def _about_noise(finding: SuccessfulAttack) -> Iterator[RemedyCandidate]:
    for method in finding.basis.methods:
        kind = METHODS[method["name"]]
        amount = method.get(kind.amount)
        if isinstance(amount, int | float):
            twice = SetMethod(kind.amount, 2 * amount)
            yield RemedyCandidate(f"Use twice the {kind.title.lower()}", (twice,))


def _about_levels(finding: SuccessfulAttack) -> Iterator[RemedyCandidate]:
    if not finding.case.has_one_level:
        return
    for name, level in finding.case.levels.items():
        if level < finding.basis.heights.get(name, level):
            yield RemedyCandidate(f"Make {name} one step coarser", (SetLevel(name, level + 1),))


def _fixed(levels: dict[str, int]) -> Change:
    """Fix the levels, and suppress records that then violate a rule."""
    method = {"name": "levels", "levels": levels, "suppression_limit": LEAVE_OUT_FREELY}
    return UseMethod(method)


def price_remedies(
    finding: SuccessfulAttack,
    table: Table,
    attack_again: Callable[[Case], AttackAnswer],
    *,
    run_seconds: float,
    key: bytes | None,
    before_each: Callable[[int, int], None],
    progress: ProgressCallback,
) -> tuple[list[TriedRemedy], int]:
    """Try candidates and return those that help, cheapest first, and how many were tried."""
    allowed = most_tried(run_seconds)
    chosen = [
        own
        for own in find_remedy_candidates(finding)
        if not own.searches or run_seconds < SECONDS / MOST_TRIED
    ][:allowed]
    helpful = []
    for number, candidate in enumerate(chosen):
        before_each(number, len(chosen))
        price = _price(finding, candidate, table, attack_again, key, progress)
        if price is not None and price.share < finding.answer.stake.share:
            helpful.append(_remedy(finding, candidate, price))
    return _cheapest(helpful), len(chosen)


def _price(
    finding: SuccessfulAttack,
    candidate: RemedyCandidate,
    table: Table,
    attack_again: Callable[[Case], AttackAnswer],
    key: bytes | None,
    progress: ProgressCallback,
) -> ChangePrice | None:
    """Return the effect of a candidate; None if its plan is invalid or has no solution."""
    try:
        changed, _ = apply_changes(finding.basis, candidate.changes)
        plan = Plan.from_document(
            dict(changed.plan), read_file=lambda name: changed.files[name].encode()
        )
        return price_change(table, plan, attack_again, key=key, progress=progress)
    except Cancelled:
        raise
    except EngineError:
        return None


def _remedy(
    finding: SuccessfulAttack, candidate: RemedyCandidate, price: ChangePrice
) -> TriedRemedy:
    return TriedRemedy(
        title=candidate.title,
        change=write_changes(*candidate.changes),
        share=price.share,
        records=price.records,
        left_out=price.left_out,
        loss=price.loss,
        is_enough=_is_enough(finding, price),
    )


def _is_enough(finding: SuccessfulAttack, price: ChangePrice) -> bool:
    """Say whether a remedy suffices: within the limit again or, if it was, no finding at all."""
    if judge_attack(finding.answer.stake, finding.limit) == AttackVerdict.OVER_LIMIT:
        return price.share <= finding.limit
    return not price.is_found


def _cheapest(remedies: Sequence[TriedRemedy]) -> list[TriedRemedy]:
    """Return the remedies that suffice, then those that only help, each cheapest first.

    Of remedies with the same effect and cost only one is returned.
    """
    ranked = sorted(remedies, key=lambda own: (not own.is_enough, own.loss, own.left_out))
    seen: set[tuple[int, float, int]] = set()
    kept = []
    for remedy in ranked:
        what = (remedy.records, round(remedy.loss, 6), remedy.left_out)
        if what not in seen:
            seen.add(what)
            kept.append(remedy)
    return kept[:MOST_SHOWN]
