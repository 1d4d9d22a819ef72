"""Checks a report against a team's rules: pure functions, one gate per rule, failing ones first.

Board, report, protection page and review all use it, so that they cannot disagree.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from deid_portal.engine.privacy import sensitive_columns_of
from deid_portal.engine.publication import band_of
from deid_portal.engine.report import Report
from deid_portal.engine.report.left_out import PayingColumn, PayingGroup
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.summary import PayingGroups, RunSummary
from deid_portal.engine.wording.numbers import middle_cut, percent
from deid_portal.engine.wording.words import counted, listed
from deid_portal.policies.rules import Rules, attack_words

JudgedReport = Report | RunSummary

ROUNDING = 1e-9
FEW = 5  # people
HIDING_TREATMENTS = ("pseudonym", "reversible", "mask")


class GateResult(StrEnum):
    FAIL = "fail"
    WAIT = "wait"  # what it asks about is still at work
    WAIVED = "waived"
    PASS = "pass"  # noqa: S105 - a word, no password


@dataclass(frozen=True)
class Gate:
    """One rule of the policy, the figure of the release, and whether it is sufficient."""

    name: str
    asks: str
    has: str
    result: GateResult
    # Replaces `has` outside the stewards if `has` depends on the original.
    outside: str = ""
    # Replaces `outside` on pages of the team, where more may be told than to the public.
    banded: str = ""

    @property
    def fails(self) -> bool:
        return self.result is GateResult.FAIL

    @property
    def has_outside(self) -> str:
        """The figure of the release in words that may be published."""
        return self.outside or self.has

    def has_for(self, *, sees_values: bool) -> str:
        """The figure of the release, in words for a viewer with or without row access."""
        return self.has if sees_values else self.banded or self.has_outside


@dataclass(frozen=True)
class AttackStanding:
    """The state of one attack on a run; `success` is None if it has not been made."""

    success: float | None
    reason: str = ""  # why it could not be made
    is_possible: bool = True
    is_applicable: bool = True  # False for attacks on tables if it is a network, and vice versa
    is_at_work: bool = False
    limit: float = 1.0  # of the policy, else the usual one
    is_over: bool = False  # over this limit
    crosses_releases: bool = False  # what it tries is what the gate about earlier releases asks


@dataclass(frozen=True)
class GateTally:
    """All gates of a request in one sentence, the same wherever it is told.

    `attacks` is how many attacks were carried out, None if that may not be told; `over` is how many
    of them are over their limit.
    """

    passed: int
    waived: int
    failed: int
    waiting: int = 0
    attacks: int | None = None
    over: int = 0

    @property
    def sentence(self) -> str:
        waiting = f", {self.waiting} waiting" if self.waiting else ""
        gates = f"{counted(self.passed, 'gate')} passed, {self.waived} waived, {self.failed} failed"
        return f"{gates}{waiting}{self._attacks_words}"

    @property
    def _attacks_words(self) -> str:
        if self.attacks is None:
            return ""
        if self.waiting and not self.attacks:
            return "; no attack has ended yet"
        return f"; {attacks_in_words(self.attacks, self.over)}"


def attacks_in_words(made: int, over: int) -> str:
    """Say how many of the attacks that were made are over their limit."""
    if not made:
        return "no attack was made"
    if made == 1:
        return f"the one attack made is {'over' if over else 'within'} its limit"
    if not over:
        return f"none of the {made:,} attacks made is over its limit"
    which = "its limit" if over == 1 else "their limits"
    return f"{over:,} of the {made:,} attacks made {'is' if over == 1 else 'are'} over {which}"


@dataclass(frozen=True)
class CrossingResult:
    """The protection that remains when a run is combined with other releases of the same people."""

    releases: int
    smallest: int | None  # size of the smallest class after crossing; None: nothing to cross
    people: int = 0  # people in classes smaller than the policy allows
    problem: str = ""  # why crossing was not possible
    how: str = ""  # how people of other versions were matched


def check_gates(
    rules: Rules,
    report: JudgedReport,
    *,
    attacks: Mapping[str, AttackStanding] | None = None,
    crossing: CrossingResult | None = None,
) -> list[Gate]:
    """Return the gates of all rules in force.

    Attacks and crossing are checked only if given; the board, which compares runs, omits them.
    """
    said = rules.sentences()
    gates = [
        _gate(name, said[name].rstrip("."), *check(rules, report))
        for name, check in CHECKS.items()
        if name in said
    ]
    if attacks is not None:
        gates.extend(_attack_gates(rules, attacks))
    if crossing is not None and rules.cross_releases:
        asks = said["cross_releases"].rstrip(".")
        gates.append(_gate("cross_releases", asks, *_check_crossing(rules, crossing)))
    return sorted(gates, key=lambda gate: ORDER[gate.result])


def is_allowed(rules: Rules, report: JudgedReport) -> bool:
    """Say whether a run passes the gates that can be checked from its report alone."""
    return bool(report.solution) and not any(g.fails for g in check_gates(rules, report))


def _gate(
    name: str, asks: str, passes: bool, has: str, outside: str = "", banded: str = ""
) -> Gate:
    return Gate(name, asks, has, GateResult.PASS if passes else GateResult.FAIL, outside, banded)


# Passes or not, the figure, and in which words others read it: see `Gate`.
Checked = tuple[bool, str] | tuple[bool, str, str] | tuple[bool, str, str, str]
ORDER = {result: place for place, result in enumerate(GateResult)}


def outside_words(passes: bool) -> str:
    """Return the words that replace figures about the original for viewers without row access."""
    return "within the limit" if passes else "over the limit"


# Gates whose figures depend on the original; only stewards may see these figures.
ATTACK = "attacks."  # begins the name of a gate about one attack
ABOUT_THE_ORIGINAL = ("most_left_out_of_group", ATTACK, "cross_releases")


def _check_k(rules: Rules, report: JudgedReport) -> Checked:
    highest = report.risk.after.prosecutor.highest
    if not report.rows.released:
        return False, "nobody is in the release"
    hides = round(1 / highest) if highest else report.rows.released
    groups = report.classes.count
    return hides >= rules.least_k, f"{hides:,} in the smallest group, {groups:,} groups"


def _check_risk(rules: Rules, report: JudgedReport) -> Checked:
    risk = report.risk.after.prosecutor
    words = f"{percent(risk.highest)}, average {percent(risk.average)}"
    return risk.highest <= rules.highest_risk + ROUNDING, words


def _check_left_out(rules: Rules, report: JudgedReport) -> Checked:
    left, total = report.rows.suppressed, report.input.rows
    share = left / total if total else 0.0
    return share <= rules.most_left_out + ROUNDING, f"{percent(share)}, {left:,} of {total:,}"


def _check_groups(rules: Rules, report: JudgedReport) -> Checked:
    if not report.rows.suppressed:
        return True, "nobody was left out"
    if report.who_pays is None:
        return False, "not measured; run the plan again"
    return _check_worst_group(rules, report.who_pays)


def _check_worst_group(rules: Rules, who_pays: Sequence[PayingColumn | PayingGroups]) -> Checked:
    groups = [
        (group.suppressed / group.records, table.column, group)
        for table in who_pays
        for group in table.groups
        if group.records >= max(rules.smallest_group_judged, 1)
    ]
    if not groups:
        return True, "no group is large enough to be judged", outside_words(True)
    share, column, group = max(groups, key=lambda found: found[0])
    words = _group_words(column, group, share)
    passes = share <= rules.most_left_out_of_group + ROUNDING
    return passes, words, outside_words(passes)


def _group_words(column: str, group: PayingGroup, share: float) -> str:
    """Name the group with the largest share left out, unless these are few; for stewards only."""
    if 0 < group.suppressed < FEW:
        return f"{middle_cut(column)}, in one of its groups: {percent(share)} left out"
    return (
        f"{middle_cut(column)} “{middle_cut(str(group.value))}”: "
        f"{group.suppressed:,} of {group.records:,} left out, {percent(share)}"
    )


def _sensitive_columns(report: JudgedReport) -> list[str]:
    columns = report.columns.items()
    return [name for name, column in columns if column.role == "sensitive" and column.released]


def _rules_about(report: JudgedReport, column: str) -> list[RuleVerdict]:
    """Return the rules about a column that hold."""
    return [
        rule for rule in report.models if rule.holds and column in sensitive_columns_of(rule.rule)
    ]


def _check_sensitive(rules: Rules, report: JudgedReport) -> Checked:
    columns = _sensitive_columns(report)
    if not columns:
        return True, "no sensitive column is released"
    accepted = set(rules.sensitive_models)
    bare = [
        name
        for name in columns
        if not any(not accepted or r.model in accepted for r in _rules_about(report, name))
    ]
    if bare:
        return False, f"{middle_cut(bare[0])} has no such rule"
    names = ", ".join(middle_cut(name) for name in columns[:3])
    return True, f"{names}{' and others' if len(columns) > 3 else ''}: protected"


def _check_guess(rules: Rules, report: JudgedReport) -> Checked:
    columns = _sensitive_columns(report)
    if not columns:
        return True, "no sensitive column is released"
    guesses = {name: _surest_guess(report, name) for name in columns}
    unknown = [name for name, share in guesses.items() if share is None]
    if unknown:
        return False, f"no promise about {middle_cut(unknown[0])}"
    worst = max(guesses, key=lambda name: guesses[name] or 0.0)
    share = guesses[worst] or 0.0
    return share <= rules.surest_guess + ROUNDING, f"{middle_cut(worst)}: {percent(share)}"


def _surest_guess(report: JudgedReport, column: str) -> float | None:
    """Return the figure measured on released cells; None in reports of earlier versions."""
    measured = (report.sensitive or {}).get(column)
    return None if measured is None else measured.surest_guess


def _check_identifiers(rules: Rules, report: JudgedReport) -> Checked:
    left = [
        name
        for name, column in report.columns.items()
        if column.role == "identifier"
        and column.released
        and report.plan["columns"].get(name, {}).get("treatment") not in HIDING_TREATMENTS
    ]
    if left:
        return False, f"{middle_cut(left[0])} is in the release"
    roles = {name: column.role for name, column in report.columns.items()}
    found = [
        finding.column
        for finding in report.risk.safe_harbor or ()
        if finding.identifier in DIRECT and roles.get(finding.column) != "identifier"
    ]
    if found:
        return False, f"{middle_cut(found[0])} looks like an identifier"
    gone = sum(1 for column in report.columns.values() if column.role == "identifier")
    kept = sum(1 for column in report.columns.values() if column.released)
    return True, f"{gone:,} removed or replaced; {kept:,} columns released"


# Direct identifiers. Dates, places and ages identify only in combination, which other gates
# measure.
DIRECT = frozenset(
    {
        "names",
        "telephone numbers",
        "fax numbers",
        "e-mail addresses",
        "social security numbers",
        "medical record numbers",
        "health plan numbers",
        "account numbers",
        "vehicle identifiers",
        "web addresses",
        "internet addresses",
    }
)


def _attack_gates(rules: Rules, attacks: Mapping[str, AttackStanding]) -> Iterator[Gate]:
    """Return a gate per attack that is demanded or over its limit, and one for all others."""
    for name, limit in rules.attacks.items():
        standing = attacks.get(name, AttackStanding(None))
        if standing.is_applicable and not standing.is_at_work:
            asks = f"Attack made: {attack_words(name)}, success at most {percent(limit)}"
            yield _gate(f"{ATTACK}{name}", asks, *_check_attack(limit, standing))
    others = {name: own for name, own in attacks.items() if name not in rules.attacks}
    if rules.attacks_within_limits:
        yield from _gates_of_others(rules, others)
    counts = others if rules.attacks_within_limits else {}
    demanded = {name: own for name, own in attacks.items() if name in rules.attacks}
    if waiting := [name for name, own in {**counts, **demanded}.items() if own.is_at_work]:
        yield _waiting_gate(waiting)


def _gates_of_others(rules: Rules, attacks: Mapping[str, AttackStanding]) -> Iterator[Gate]:
    """Each attack over its limit is a gate of its own, so that each waiver has its own reason."""
    judged = {
        name: own
        for name, own in attacks.items()
        # The gate about earlier releases measures the same anew, so one waiver is enough.
        if not (own.crosses_releases and rules.cross_releases)
    }
    over = {name: own for name, own in judged.items() if own.is_over and not own.is_at_work}
    for name, own in over.items():
        asks = f"Attack that was made: {attack_words(name)}, success at most {percent(own.limit)}"
        yield _gate(f"{ATTACK}{name}", asks, *_check_attack(own.limit, own))
    if not over:
        which = "No other attack" if rules.attacks else "No attack"
        asks = f"{which} that was made is over its limit"
        yield _gate("attacks_within_limits", asks, True, _within_words(rules, judged))


def _within_words(rules: Rules, attacks: Mapping[str, AttackStanding]) -> str:
    made = sum(own.success is not None for own in attacks.values())
    attack = "other attack" if rules.attacks else "attack"
    if made:
        return f"{counted(made, attack)} made, none over its limit"
    is_any_at_work = any(own.is_at_work for own in attacks.values())
    return f"no {attack} {'has ended yet' if is_any_at_work else 'was made on this run'}"


def _waiting_gate(names: Sequence[str]) -> Gate:
    more = [f"{len(names) - 3} more"] if len(names) > 3 else []
    return Gate(
        "attacks_at_work",
        "No attack on this run is still at work",
        f"at work: {listed([*map(attack_words, names[:3]), *more])}",
        GateResult.WAIT,
    )


def _check_attack(limit: float, standing: AttackStanding) -> Checked:
    if not standing.is_possible:
        return True, standing.reason or "not possible on this release"
    if standing.success is None:
        return False, standing.reason or "not made yet"
    passes = standing.success <= limit + ROUNDING
    words = outside_words(passes)
    return passes, percent(standing.success), words, f"{words}: success {band_of(standing.success)}"


def _check_crossing(rules: Rules, crossing: CrossingResult) -> Checked:
    if crossing.problem:
        return False, crossing.problem
    if crossing.smallest is None:
        return True, "no earlier release of these people"
    count = (
        "1 earlier release" if crossing.releases == 1 else f"{crossing.releases} earlier releases"
    )
    how = f"; {crossing.how}" if crossing.how else ""
    if crossing.people:
        people = "1 person" if crossing.people == 1 else f"{crossing.people:,} people"
        return False, f"{people}, crossed with {count}{how}", outside_words(False)
    passes = crossing.smallest >= rules.least_k
    words = f"at least {crossing.smallest:,} with {count}{how}"
    return passes, words, f"{outside_words(passes)}; crossed with {count}"


CHECKS: dict[str, Callable[[Rules, JudgedReport], Checked]] = {
    "least_k": _check_k,
    "highest_risk": _check_risk,
    "most_left_out": _check_left_out,
    "most_left_out_of_group": _check_groups,
    "protect_sensitive": _check_sensitive,
    "surest_guess": _check_guess,
    "no_identifier_left": _check_identifiers,
}


def failing(gates: Sequence[Gate]) -> list[Gate]:
    return [gate for gate in gates if gate.fails]
