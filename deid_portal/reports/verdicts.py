"""The report in one sentence, and the key numbers under it."""

from collections.abc import Mapping
from typing import Any

from deid_portal.common.templatetags.numbers import percent
from deid_portal.reports.figures import one_in

Report = Mapping[str, Any]


def verdict_of(report: Report) -> str:
    if not report["solution"]:
        return "No level of detail satisfies this plan. Nothing was released."
    lost = percent(report["utility"]["loss"], 0)
    smallest = _hides_among(report, "after")
    if smallest < 2:
        return f"The release keeps people who stand alone, at the cost of {lost} of the detail."
    return (
        f"Every person now hides among at least {smallest:,} look-alikes, "
        f"at the cost of {lost} of the detail."
    )


def rules_sentence(report: Report) -> str:
    rules = report["models"]
    broken = [rule for rule in rules if not rule["holds"]]
    if not rules:
        return "No rule was asked for."
    if broken:
        return f"{len(broken)} of {len(rules)} rules do not hold."
    words = {1: "The rule you chose holds.", 2: "Both rules hold."}
    return words.get(len(rules), f"All {len(rules)} rules hold.")


def key_numbers(report: Report) -> list[dict[str, str]]:
    before, after = report["risk"]["before"], report["risk"]["after"]
    rows = report["rows"]
    total = rows["released"] + rows["suppressed"]
    k = _asked(report, "k-anonymity", "k")
    numbers = [
        {
            "label": "Hides among (k)",
            "before": f"{_hides_among(report, 'before'):,}",
            "value": f"{_hides_among(report, 'after'):,}",
            "note": f"asked {k}" if k else "not asked",
        }
    ]
    numbers.extend(_diversity(rule) for rule in report["models"] if rule["model"] == "l-diversity")
    numbers += [
        {
            "label": "Highest risk",
            "before": percent(before["prosecutor"]["highest"], 0),
            "value": percent(after["prosecutor"]["highest"]),
            "note": one_in(after["prosecutor"]["highest"]),
        },
        {
            "label": "Average risk",
            "before": percent(before["prosecutor"]["average"]),
            "value": percent(after["prosecutor"]["average"]),
            "note": one_in(after["prosecutor"]["average"]),
        },
        {
            "label": "One of a kind",
            "before": percent(before["sample_uniques"]),
            "value": percent(after["sample_uniques"]),
            "note": "share of the rows",
        },
        {
            "label": "Left out",
            "value": f"{rows['suppressed']:,}",
            "note": f"{percent(rows['suppressed'] / total)} of {total:,} rows" if total else "",
        },
        {
            "label": "Detail lost",
            "before": "0",
            "value": f"{report['utility']['loss']:.4f}",
            "note": f"precision {report['utility']['precision']:.2f}",
        },
    ]
    return numbers


def _hides_among(report: Report, when: str) -> int:
    """Among how many look-alikes the most exposed person hides."""
    highest = report["risk"][when]["prosecutor"]["highest"]
    return round(1 / highest) if highest else 0


def _asked(report: Report, model: str, parameter: str) -> Any:
    found = [rule[parameter] for rule in report["models"] if rule["model"] == model]
    return max(found) if found else None


def _diversity(rule: Report) -> dict[str, str]:
    return {
        "label": f"{rule['column']} values per group (l)",
        "before": f"{rule['achieved_before']['l']:g}",
        "value": f"{rule['achieved']['l']:g}",
        "note": f"asked {rule['l']:g}",
    }


def search_sentence(report: Report) -> str:
    search = report.get("search")
    if not search:
        return ""
    how = "optimal, " if search.get("optimal") else "not proved optimal, "
    return f"{how}{search['checked']:,} of {search['nodes']:,} combinations checked"


def describe_rules(report: Report) -> list[dict[str, Any]]:
    """One line per rule: what was asked, what the release has."""
    return [
        {
            "holds": rule["holds"],
            "asked": _rule_words(rule),
            "measured": _numbers(rule["achieved"]),
        }
        for rule in report["models"]
    ]


def describe_miss(report: Report) -> dict[str, Any]:
    """Say which rule blocked, and how near the best attempt came."""
    blocked, nearest = report["blocked_by"], report["nearest"]
    rows = nearest["suppressed"]
    total = report["input"]["rows"]
    name = blocked["model"] if isinstance(blocked, Mapping) else str(blocked)
    return {
        "sentence": f"The rule that blocks is {name}; more people would have to be left out.",
        "levels": list(nearest["levels"].items()),
        "numbers": [
            {"label": "Blocked by", "value": name},
            {
                "label": "Left out at the nearest miss",
                "value": percent(rows / total) if total else "",
                "note": f"limit {percent(nearest['allowed'] / total)}" if total else "",
            },
            {"label": "Rows left out there", "value": f"{rows:,}", "note": f"of {total:,}"},
        ],
    }


def _rule_words(rule: Report) -> str:
    about = f" on {rule['column']}" if "column" in rule else ""
    asked = {name: rule[name] for name in ("k", "l", "t") if name in rule}
    return f"{rule['model']}{about}, {_numbers(asked)}"


def _numbers(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_number(value)}" for name, value in values.items())


def _number(value: Any) -> str:
    """Write what a model measured; some measure words, and some find no number that would do."""
    if value is None:
        return "none"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else str(value)
