"""The verdict on a report in one sentence, and its key numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from deid_portal.engine.methods import METHODS, Method
from deid_portal.engine.report import Report
from deid_portal.engine.report.left_out import KeptPeople
from deid_portal.engine.report.risk import ClassRisk
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.sensitive import SensitiveSpread
from deid_portal.engine.report.utility import UtilityMeasures
from deid_portal.engine.utility import METRICS
from deid_portal.engine.wording.numbers import middle_cut, one_in, percent, thousands
from deid_portal.engine.wording.words import capital, listed, number_words, share_words
from deid_portal.policies.gates import Gate, check_gates, failing
from deid_portal.policies.rules import Rules

MOST_NAMED = 3
LONGEST_LABEL = 24  # characters of a column in the label of a number
# What a failing gate means, in the middle of a sentence.
GATE_WORDS = {
    "least_k": "people hide among too few",
    "highest_risk": "the highest risk is above the limit",
    "most_left_out": "too many people are left out",
    "most_left_out_of_group": "small groups pay most",
    "protect_sensitive": "a sensitive column has no rule",
    "surest_guess": "a secret can be guessed too surely",
    "no_identifier_left": "an identifier is left",
}
SHIELDS = {"ok": "shield-check", "warn": "shield-half", "bad": "shield-x"}


@dataclass(frozen=True)
class ReportNumber:
    """A formatted key number: before, after, and what the plan asks for."""

    label: str
    value: str
    before: str = ""
    note: str = ""


@dataclass(frozen=True)
class ReportVerdict:
    """The head of the page: an icon, a sentence, whether the rules hold, failing gates."""

    tone: str  # ok, warn or bad
    icon: str
    sentence: str
    rules: str
    search: str
    gates_lead: str = ""
    gates: tuple[tuple[str, str], ...] = ()  # failing gates, each with the figure
    gaps: "ProtectionGaps | None" = None


@dataclass(frozen=True)
class ProtectionGaps:
    """Whom a release does not protect against, and the protection that would; both in words."""

    words: str
    remedy: str
    knowledge: str  # what finds most, and the method proposed, as the protection page names them
    method: str

    @property
    def query(self) -> str:
        """Return what opens the protection page with the proposal; empty if there is none."""
        return urlencode({"knowledge": self.knowledge, "method": self.method}) * bool(self.method)


def judge_report(
    report: Report, rules: Rules | None = None, whole: Report | None = None
) -> ReportVerdict:
    """Judge a report by the rules of the plan and, if given, by the team's policy.

    If `report` is reduced for a viewer without row access, `whole` is the full report: the policy
    is checked against it, but figures that the viewer may not see are replaced by words.
    """
    judged = whole or report
    gates = failing(check_gates(rules, judged)) if rules and report.solution else []
    broken = not report.solution or any(not rule.holds for rule in report.models)
    is_bare = not report.models and not any(kind.is_private for kind in _methods(report))
    tone = "bad" if broken else "warn" if is_bare else "ok"
    return ReportVerdict(
        tone=tone,
        icon=SHIELDS[tone],
        sentence=verdict_of(report),
        rules=" ".join(filter(None, [rules_sentence(report), gain_sentence(report)])),
        search=search_sentence(report),
        gates_lead=_gates_lead(gates),
        gates=tuple(
            (GATE_WORDS.get(gate.name, gate.asks), gate.has_for(sees_values=whole is None))
            for gate in gates
        ),
    )


def _gates_lead(gates: Sequence[Gate]) -> str:
    if not gates:
        return ""
    if len(gates) == 1:
        return "One policy gate fails:"
    return f"{number_words(len(gates)).capitalize()} policy gates fail:"


def verdict_of(report: Report) -> str:
    if not report.solution:
        return "No level of detail satisfies this plan. Nothing was released."
    if any(kind.is_private for kind in _methods(report)):
        return f"The release hardly depends on any one person{_budget(report)}{_gone(report)}."
    smallest = hides_among(report.risk.after)
    cost = f"{_cost(report)}{_gone(report)}"
    if smallest > 1:
        return f"Every person now hides among at least {smallest:,} look-alikes{cost}."
    alone = share_words(report.risk.after.sample_uniques).capitalize()
    return f"{alone} of the people still stand alone{cost}."


def _budget(report: Report) -> str:
    """Name ε if a method is differentially private."""
    found = [own.epsilon for own in report.steps if isinstance(own.epsilon, int | float)]
    return f" (ε = {max(found):g})" if found else ""


def _cost(report: Report) -> str:
    """State suppression and loss; reduced reports lack the loss if it depends on the original."""
    loss, varied = report.utility.loss, report.utility.information_loss
    if loss:
        return f", at the cost of {percent(loss, 0)} of the detail"
    if varied:
        return f", at the cost of {percent(varied / 100, 0)} of the differences between them"
    if any(kind.moves_cells for kind in _methods(report)):
        return ", with values that were changed"
    return "" if loss is None else ", and no detail was lost"


def _gone(report: Report) -> str:
    """Name the columns that paid with all or nearly all of their detail."""
    lost = report.lost_columns
    said = []
    if lost.hidden:
        verb = "is" if len(lost.hidden) == 1 else "are"
        said.append(f"{_named(lost.hidden, report)} {verb} hidden completely")
    if lost.nearly:
        said.append(f"nearly nothing is left of {_named(lost.nearly, report)}")
    return f": {listed(said)}" if said else ""


def _named(names: Sequence[str], report: Report) -> str:
    """Name a few columns, count more."""
    if len(names) <= MOST_NAMED:
        return listed(names)
    quasi = [own for own in report.columns.values() if own.role == "quasi-identifier"]
    return f"{number_words(len(names))} of {number_words(len(quasi))} columns"


def _methods(report: Report) -> list[type[Method]]:
    steps = report.steps if report.tells("transformation") else ()
    return [METHODS[step.method] for step in steps if step.method in METHODS]


def rules_sentence(report: Report) -> str:
    rules = report.models
    broken = [rule for rule in rules if not rule.holds]
    if not rules:
        return "No rule was asked for."
    if broken:
        return f"{len(broken)} of {len(rules)} rules do not hold."
    words = {1: "The rule you chose holds.", 2: "Both rules hold."}
    return words.get(len(rules), f"All {number_words(len(rules))} rules hold.")


def search_sentence(report: Report) -> str:
    search = report.search
    if search is None:
        return ""
    nodes, checked = search.nodes, search.checked
    if nodes == 1:  # no search was needed
        return "levels chosen by hand" if _takes_levels(report) else ""
    if not report.solution and search.optimal:
        return f"all {nodes:,} combinations settled"
    how = "optimal" if search.optimal else f"the best found in {search.seconds:.0f} s"
    return f"{how}, {checked:,} of {nodes:,} combinations checked"


def gain_sentence(report: Report) -> str:
    """Say by how much a result without proof of optimality could be better, if known."""
    search = report.search
    if not report.solution or search is None or search.optimal or search.bound is None:
        return ""
    reached = report.utility.value_of(search.metric)
    if search.metric not in METRICS or reached is None:
        return ""
    gain = abs(reached - search.bound)
    return f"At most {gain:.2g} of {search.metric.replace('_', ' ')} could still be gained."


def key_numbers(report: Report, rules: Rules | None = None) -> list[ReportNumber]:
    """Return the numbers before and after, each with what the plan asks for.

    Every sensitive column has two of its own: different values per group, and distance.
    """
    before, after = _risk_before(report), report.risk.after
    highest, average = after.prosecutor.highest, after.prosecutor.average
    k = _asked(report, "k", "K")
    limit = f"limit {percent(rules.highest_risk)}" if rules else ""
    asked = f"asked {k:g}" if k else "not asked"
    return [
        ReportNumber("Hides among (k)", f"{hides_among(after):,}", before.hides_among, asked),
        *_sensitive_numbers(report),
        ReportNumber("Highest risk", percent(highest), before.highest, limit or one_in(highest)),
        ReportNumber("Average risk", percent(average), before.average, one_in(average)),
        ReportNumber(
            "One of a kind", percent(after.sample_uniques), before.alone, before.rows_alone
        ),
        ReportNumber("Left out", f"{report.rows.suppressed:,}", note=_left_out_note(report)),
        _detail_lost(report.utility),
    ]


@dataclass(frozen=True)
class RiskBefore:
    """Formatted risk figures of the original table."""

    hides_among: str
    highest: str
    average: str
    alone: str
    rows_alone: str


def _risk_before(report: Report) -> RiskBefore:
    """Format the risk of the original table; for viewers without row access, ranges of a few."""
    risk = report.risk.before
    if risk is None:
        return _risk_before_in_bands(report.kept_before or KeptPeople())
    alone = round(risk.sample_uniques * report.input.rows)
    return RiskBefore(
        hides_among=f"{hides_among(risk):,}",
        highest=percent(risk.prosecutor.highest, 0),
        average=percent(risk.prosecutor.average),
        alone=percent(risk.sample_uniques),
        rows_alone=f"{thousands(alone)} rows before",
    )


def _risk_before_in_bands(kept: KeptPeople) -> RiskBefore:
    average, alone = str(kept.average_risk or ""), str(kept.one_of_a_kind or "")
    note = "before: people of the release" if alone else ""
    return RiskBefore("", "", average, alone, note)


def _detail_lost(utility: UtilityMeasures) -> ReportNumber:
    """Return loss and precision; viewers without row access may get only the precision."""
    loss, precision = utility.loss, utility.precision
    return ReportNumber(
        "Detail lost",
        "–" if loss is None else f"{loss:.4f}",
        before="" if loss is None else "0",
        note="" if precision is None else f"precision {precision:.2f}",
    )


def _left_out_note(report: Report) -> str:
    total = report.rows.released + report.rows.suppressed
    share = percent(report.rows.suppressed / total) if total else ""
    limits = [
        method["suppression_limit"]
        for method in _planned_methods(report)
        if method.get("suppression_limit") is not None
    ]
    if limits:
        return f"{share}, limit {percent(max(limits))}"
    return f"{share} of {total:,} rows" if total else ""


def _planned_methods(report: Report) -> list[Mapping[str, Any]]:
    method = report.plan.get("method", []) if report.tells("plan") else []
    return list(method) if isinstance(method, list) else [method]


def _takes_levels(report: Report) -> bool:
    names = [method.get("name", "") for method in _planned_methods(report)]
    return any(METHODS[name].takes_levels for name in names if name in METHODS)


def hides_among(risk: ClassRisk) -> int:
    """Return the class size that corresponds to the highest risk."""
    highest = risk.prosecutor.highest
    return round(1 / highest) if highest else 0


def _asked(report: Report, *parameters: str) -> float | None:
    found = [
        rule.parameters[name]
        for rule in report.models
        for name in parameters
        if isinstance(rule.parameters.get(name), int | float)
    ]
    return max(found) if found else None


def _sensitive_numbers(report: Report) -> Iterator[ReportNumber]:
    """Yield l and t of every sensitive column, whether or not the plan has such rules."""
    columns = _sensitive_columns(report)
    if not columns:
        why = _why_not(report)
        yield ReportNumber("Values per group (l)", "–", note=why)
        yield ReportNumber("Distance to table (t)", "–", note=why)
    spread = {entry.column: entry for entry in report.spread or ()}
    for column in columns:
        yield _diversity(report, column, spread.get(column))
    for column in columns:
        yield _closeness(report, column, spread.get(column))


def _sensitive_columns(report: Report) -> list[str]:
    """Return the sensitive columns of which something was measured."""
    ruled = [
        rule.column
        for model, parameter in (("l-diversity", "l"), ("t-closeness", "t"))
        for rule in _measured(report, model, parameter)
    ]
    return list(dict.fromkeys([*(entry.column for entry in report.spread or ()), *ruled]))


def _diversity(report: Report, column: str, spread: SensitiveSpread | None) -> ReportNumber:
    """Return the smallest number of different values in a class."""
    label = f"{_shortened(column)} per group (l)"
    rules = [rule for rule in _measured(report, "l-diversity", "l") if rule.column == column]
    rule = min(rules, key=lambda rule: rule.reached, default=None)
    if rule is not None:
        before = "" if rule.before is None else f"{rule.before:.3g}"
        return ReportNumber(label, f"{rule.reached:.3g}", before, f"asked {rule.asked:g}")
    if spread is None:
        return ReportNumber(label, "–", note=_why_not(report))
    before = "" if spread.before is None else f"{spread.before.l:,}"
    return ReportNumber(label, f"{spread.after.l:,}", before, "not asked")


def _closeness(report: Report, column: str, spread: SensitiveSpread | None) -> ReportNumber:
    """Return the largest distance of a class from the table."""
    label = f"{_shortened(column)}, distance to table (t)"
    rules = [rule for rule in _measured(report, "t-closeness", "t") if rule.column == column]
    rule = max(rules, key=lambda rule: rule.reached, default=None)
    if rule is not None:
        before = "" if rule.before is None else f"{rule.before:.2f}"
        return ReportNumber(label, f"{rule.reached:.2f}", before, f"asked {rule.asked:g}")
    if spread is None or spread.before is None or spread.before.t is None:
        return ReportNumber(label, "–", note=_why_not(report))
    if spread.after.t is None:
        return ReportNumber(label, "–", note=_why_not(report))
    return ReportNumber(label, f"{spread.after.t:.2f}", f"{spread.before.t:.2f}", "not asked")


def _shortened(column: str) -> str:
    return capital(middle_cut(column, LONGEST_LABEL))


@dataclass(frozen=True)
class MeasuredRule:
    """The parameter of a rule: as asked for, as reached by the release, and in the original."""

    column: str
    asked: float
    reached: float
    before: float | None


def _measured(report: Report, model: str, parameter: str) -> Iterator[MeasuredRule]:
    """Yield the rules of a model whose achieved values the report contains."""
    for rule in report.models:
        if rule.model == model and rule.achieved is not None:
            yield MeasuredRule(
                column=rule.column or "",
                asked=rule.parameters[parameter],
                reached=rule.achieved[parameter],
                before=rule.achieved_before[parameter] if rule.achieved_before else None,
            )


def _why_not(report: Report) -> str:
    sensitive = [column for column in report.columns.values() if column.role == "sensitive"]
    if sensitive and report.risk.before is None:
        return "for stewards only"
    return "not measured" if sensitive else "not asked, no sensitive column"


FOR_STEWARDS = "told to stewards only"


@dataclass(frozen=True)
class RuleLine:
    """What a rule asks for, and what the release has."""

    holds: bool
    asked: str
    measured: str


def describe_rules(report: Report) -> list[RuleLine]:
    return [
        RuleLine(
            holds=bool(rule.holds),
            asked=_rule_words(rule),
            measured=FOR_STEWARDS if rule.achieved is None else _numbers(rule.achieved),
        )
        for rule in report.models
    ]


def _rule_words(rule: RuleVerdict) -> str:
    about = "" if rule.column is None else f" on {rule.column}"
    asked = {
        name: value
        for name, value in rule.parameters.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return ", ".join(filter(None, [f"{rule.model}{about}", _numbers(asked)]))


def _numbers(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_number(value)}" for name, value in values.items())


def _number(value: Any) -> str:
    """Format an achieved value: a number, words, or "none" if no parameter would hold."""
    if value is None:
        return "none"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else str(value)
