"""Risk as three attackers see it: prosecutor, journalist and marketer, before and after."""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import people

Report = Mapping[str, Any]
ATTACKERS = {
    "prosecutor": "knows that the person is in the table",
    "journalist": "knows that the person is in the population",
    "marketer": "matches everybody, and is content to be right on average",
}
# Colour, dash and mark of a line, by when it is about.
LINES = {"Before": ("before", "dash", "diamond"), "After": ("accent", "solid", "circle")}


def attacker_table(report: Report) -> dict[str, Any] | None:
    """Each attacker's risk; None for reports from before it was measured.

    Who sees no rows reads the risk after alone.
    """
    before, after = _details(report, "before"), _details(report, "after")
    if not after:
        return None
    rows = []
    for name, words in ATTACKERS.items():
        one, other = before.get(name), after[name]
        rows.append(
            {
                "name": name.capitalize(),
                "words": words,
                # To be right on average, a marketer does not care for the single match.
                "pairs": [
                    {}
                    if name == "marketer" and key != "average"
                    else {"before": percent(one[key]) if one else "", "after": percent(other[key])}
                    for key in ("highest", "average", "share_above")
                ],
                "bound": _why_at_most(report) if other["is_bound"] else "",
            }
        )
    return {"threshold": percent(after["prosecutor"]["threshold"]), "rows": rows}


def _why_at_most(report: Report) -> str:
    if "population" in report["risk"]["after"]:
        return "the population lacks some of these people, so this is at most"
    return "no population is known, so this is at most"


def marketer_sentence(report: Report) -> str:
    """How many right matches somebody gets who matches everybody."""
    released = report["rows"]["released"]
    average = report["risk"]["after"]["marketer"]
    said = (
        f"Somebody who matches all {people(released)} of the release is right about "
        f"{thousands(round(average * released))} of them, {percent(average)}"
    )
    if "before" not in report["risk"]:
        return f"{said}."
    before = report["risk"]["before"]["marketer"]
    right = round(before * report["input"]["rows"])
    return f"{said}; on the table as it came it would be {thousands(right)}, {percent(before)}."


def combinations_table(report: Report, most: int = 8) -> dict[str, Any] | None:
    """Which few columns together tell most people apart, in the table as it came."""
    found = _details(report, "before").get("combinations", [])
    if not found:
        return None
    return {
        "columns": ["Columns together", "Different patterns", "Pairs of people told apart"],
        "rows": [
            [
                " + ".join(entry["columns"]),
                thousands(entry["distinct"]),
                percent(entry["separation"]),
            ]
            for entry in found[:most]
        ],
    }


def population_sentence(report: Report) -> str:
    found = _details(report, "after").get("population_uniques")
    if not found:
        return ""
    return (
        f"In a population of {thousands(found['population_size'])}, about "
        f"{people(round(found['estimate']))} would be one of a kind at this level of detail; "
        f"estimates lie between {thousands(round(found['lowest']))} and "
        f"{thousands(round(found['highest']))}."
    )


def _details(report: Report, when: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = report["risk"].get("details", {}).get(when, {})
    return found
