"""The report in one sentence, and the key numbers under it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.methods import METHODS, Method
from deid_portal.engine.utility import METRICS
from deid_portal.engine.wording.numbers import one_in, percent, thousands
from deid_portal.engine.wording.words import number_words, share_words
from deid_portal.policies.gates import Gate, check_gates, failing
from deid_portal.policies.rules import Rules

Report = Mapping[str, Any]
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


@dataclass(frozen=True)
class ReportVerdict:
    """What the page opens with: a shield, a sentence, whether the rules hold, what fails."""

    tone: str  # ok, warn or bad
    icon: str
    sentence: str
    rules: str
    search: str
    gates_lead: str = ""
    gates: tuple[tuple[str, str], ...] = ()  # what fails, and by how much


def judge_report(
    report: Report, rules: Rules | None = None, whole: Report | None = None
) -> ReportVerdict:
    """Judge by the rules of the plan, and by the team's policy where it is given.

    Where `report` is what somebody without rows may see, the policy is held against the `whole` of
    it, and what fails is said in words for them.
    """
    judged = whole or report
    gates = failing(check_gates(rules, judged)) if rules and report["solution"] else []
    broken = not report["solution"] or any(not rule.get("holds") for rule in report["models"])
    is_bare = not report["models"] and not any(kind.is_private for kind in _methods(report))
    tone = "bad" if broken else "warn" if is_bare else "ok"
    return ReportVerdict(
        tone=tone,
        icon={"ok": "shield-check", "warn": "shield-half", "bad": "shield-x"}[tone],
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
    if not report["solution"]:
        return "No level of detail satisfies this plan. Nothing was released."
    if any(kind.is_private for kind in _methods(report)):
        return f"The release hardly depends on any one person{_budget(report)}."
    smallest = _hides_among(report, "after")
    if smallest > 1:
        return f"Every person now hides among at least {smallest:,} look-alikes{_cost(report)}."
    alone = share_words(report["risk"]["after"]["sample_uniques"]).capitalize()
    return f"{alone} of the people still stand alone{_cost(report)}."


def _budget(report: Report) -> str:
    """Name ε, where a method promises differential privacy."""
    steps = report["transformation"].get("steps", [])
    found = [step["epsilon"] for step in steps if isinstance(step.get("epsilon"), int | float)]
    return f" (ε = {max(found):g})" if found else ""


def _cost(report: Report) -> str:
    """Say what was paid; a published report knows no loss where only the original tells it."""
    loss, varied = report["utility"].get("loss"), report["utility"].get("information_loss")
    if loss:
        return f", at the cost of {percent(loss, 0)} of the detail"
    if varied:
        return f", at the cost of {percent(varied / 100, 0)} of the differences between them"
    if any(kind.moves_cells for kind in _methods(report)):
        return ", with values that were changed"
    return "" if loss is None else ", and no detail was lost"


def _methods(report: Report) -> list[type[Method]]:
    steps = report.get("transformation", {}).get("steps", [])
    return [METHODS[step["method"]] for step in steps if step["method"] in METHODS]


def rules_sentence(report: Report) -> str:
    rules = report["models"]
    broken = [rule for rule in rules if not rule.get("holds")]
    if not rules:
        return "No rule was asked for."
    if broken:
        return f"{len(broken)} of {len(rules)} rules do not hold."
    words = {1: "The rule you chose holds.", 2: "Both rules hold."}
    return words.get(len(rules), f"All {number_words(len(rules))} rules hold.")


def search_sentence(report: Report) -> str:
    search = report.get("search")
    if not search:
        return ""
    nodes, checked = search["nodes"], search["checked"]
    if nodes == 1:  # there was nothing to search
        return "levels chosen by hand" if _has_method(report, "levels") else ""
    if not report["solution"] and search.get("optimal"):
        return f"all {nodes:,} combinations settled"
    how = "optimal" if search.get("optimal") else f"the best found in {search['seconds']:.0f} s"
    return f"{how}, {checked:,} of {nodes:,} combinations checked"


def gain_sentence(report: Report) -> str:
    """Say how much better the unproved answer could be, where that is known."""
    search = report.get("search") or {}
    if not report["solution"] or search.get("optimal", True) or "bound" not in search:
        return ""
    metric = METRICS.get(search.get("metric", "loss"))
    if metric is None or metric.name not in report["utility"]:
        return ""
    gain = abs(report["utility"][metric.name] - search["bound"])
    return f"At most {gain:.2g} of {metric.name.replace('_', ' ')} could still be gained."


def key_numbers(report: Report, rules: Rules | None = None) -> list[dict[str, str]]:
    """Eight numbers before and after, each with what was asked."""
    before, after = _before(report), report["risk"]["after"]
    rows = report["rows"]
    total = rows["released"] + rows["suppressed"]
    k = _asked(report, "k", "K")
    limit = f"limit {percent(rules.highest_risk)}" if rules else ""
    return [
        {
            "label": "Hides among (k)",
            "before": before["hides_among"],
            "value": f"{_hides_among(report, 'after'):,}",
            "note": f"asked {k:g}" if k else "not asked",
        },
        _diversity(report),
        _closeness(report),
        {
            "label": "Highest risk",
            "before": before["highest"],
            "value": percent(after["prosecutor"]["highest"]),
            "note": limit or one_in(after["prosecutor"]["highest"]),
        },
        {
            "label": "Average risk",
            "before": before["average"],
            "value": percent(after["prosecutor"]["average"]),
            "note": one_in(after["prosecutor"]["average"]),
        },
        {
            "label": "One of a kind",
            "before": before["alone"],
            "value": percent(after["sample_uniques"]),
            "note": before["rows_alone"],
        },
        {
            "label": "Left out",
            "value": f"{rows['suppressed']:,}",
            "note": _left_out_note(report, total),
        },
        _detail_lost(report["utility"]),
    ]


def _before(report: Report) -> dict[str, str]:
    """Write the risk of the table as it came; who sees no rows reads bands of few of it."""
    risk = report["risk"].get("before")
    if risk is None:
        bands = report.get("kept_before", {})
        told = {"average": bands.get("average_risk", ""), "alone": bands.get("one_of_a_kind", "")}
        note = "before: people of the release" if told["alone"] else ""
        return {"hides_among": "", "highest": "", "rows_alone": note, **told}
    alone = round(risk["sample_uniques"] * report["input"]["rows"])
    return {
        "hides_among": f"{_hides_among(report, 'before'):,}",
        "highest": percent(risk["prosecutor"]["highest"], 0),
        "average": percent(risk["prosecutor"]["average"]),
        "alone": percent(risk["sample_uniques"]),
        "rows_alone": f"{thousands(alone)} rows before",
    }


def _detail_lost(utility: Report) -> dict[str, str]:
    """Say what was lost; of some taxonomies only a precision can be told to those without rows."""
    loss, precision = utility.get("loss"), utility.get("precision")
    return {
        "label": "Detail lost",
        "before": "" if loss is None else "0",
        "value": "–" if loss is None else f"{loss:.4f}",
        "note": "" if precision is None else f"precision {precision:.2f}",
    }


def _left_out_note(report: Report, total: int) -> str:
    share = percent(report["rows"]["suppressed"] / total) if total else ""
    limits = [
        method["suppression_limit"]
        for method in _planned_methods(report)
        if method.get("suppression_limit") is not None
    ]
    if limits:
        return f"{share}, limit {percent(max(limits))}"
    return f"{share} of {total:,} rows" if total else ""


def _planned_methods(report: Report) -> list[Report]:
    method = report.get("plan", {}).get("method", [])
    return list(method) if isinstance(method, list) else [method]


def _has_method(report: Report, name: str) -> bool:
    return any(method.get("name") == name for method in _planned_methods(report))


def _hides_among(report: Report, when: str) -> int:
    """Among how many look-alikes the most exposed person hides."""
    highest = report["risk"][when]["prosecutor"]["highest"]
    return round(1 / highest) if highest else 0


def _asked(report: Report, *parameters: str) -> float | None:
    found = [
        rule[name]
        for rule in report["models"]
        for name in parameters
        if isinstance(rule.get(name), int | float)
    ]
    return max(found) if found else None


def _diversity(report: Report) -> dict[str, str]:
    """The fewest different sensitive values in a group, asked for or not."""
    rules = _measured(report, "l-diversity")
    if rules:
        rule = min(rules, key=lambda rule: rule["achieved"]["l"])
        return {
            "label": _of(rule["column"], "per group (l)"),
            "before": _reached_before(rule, "l", ".3g"),
            "value": f"{rule['achieved']['l']:.3g}",
            "note": f"asked {rule['l']:g}",
        }
    worst = min(report.get("spread", []), key=lambda entry: entry["after"]["l"], default=None)
    if worst is None:
        return {"label": "Values per group (l)", "value": "–", "note": _why_not(report)}
    return {
        "label": _of(worst["column"], "per group (l)"),
        "before": f"{worst['before']['l']:,}" if "before" in worst else "",
        "value": f"{worst['after']['l']:,}",
        "note": "not asked",
    }


def _closeness(report: Report) -> dict[str, str]:
    """How far a group is from the table at most, asked for or not."""
    rules = _measured(report, "t-closeness")
    label = "Distance to table (t)"
    if rules:
        rule = max(rules, key=lambda rule: rule["achieved"]["t"])
        return {
            "label": label,
            "before": _reached_before(rule, "t", ".2f"),
            "value": f"{rule['achieved']['t']:.2f}",
            "note": f"asked {rule['t']:g}",
        }
    spread = [entry for entry in report.get("spread", []) if "t" in entry["after"]]
    worst = max(spread, key=lambda entry: entry["after"]["t"], default=None)
    if worst is None:
        return {"label": label, "value": "–", "note": _why_not(report)}
    return {
        "label": label,
        "before": f"{worst['before']['t']:.2f}",
        "value": f"{worst['after']['t']:.2f}",
        "note": "not asked",
    }


def _measured(report: Report, model: str) -> list[Report]:
    """Return the rules of a kind of which the report says what they reach."""
    return [rule for rule in report["models"] if rule["model"] == model and "achieved" in rule]


def _reached_before(rule: Report, parameter: str, form: str) -> str:
    before = rule.get("achieved_before")
    return format(before[parameter], form) if before else ""


def _of(column: str, rest: str) -> str:
    return f"{column[:1].upper()}{column[1:]} {rest}" if len(column) < 14 else f"Values {rest}"


def _why_not(report: Report) -> str:
    sensitive = [c for c in report["columns"].values() if c["role"] == "sensitive"]
    if sensitive and "before" not in report["risk"]:
        return "for stewards only"
    return "not measured" if sensitive else "not asked, no sensitive column"


FOR_STEWARDS = "told to stewards only"
MEASURED = ("nodes_over",)  # numbers of a rule's entry that were measured, not asked for


def describe_rules(report: Report) -> list[dict[str, Any]]:
    """One line per rule: what was asked, what the release has."""
    return [
        {
            "holds": rule["holds"],
            "asked": _rule_words(rule),
            "measured": _numbers(rule["achieved"]) if "achieved" in rule else FOR_STEWARDS,
        }
        for rule in report["models"]
    ]


def _rule_words(rule: Report) -> str:
    about = f" on {rule['column']}" if "column" in rule else ""
    asked = {
        name: value
        for name, value in rule.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and name not in MEASURED
    }
    return ", ".join(filter(None, [f"{rule['model']}{about}", _numbers(asked)]))


def _numbers(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_number(value)}" for name, value in values.items())


def _number(value: Any) -> str:
    """Write what a model measured; some measure words, and some find no number that would do."""
    if value is None:
        return "none"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else str(value)
