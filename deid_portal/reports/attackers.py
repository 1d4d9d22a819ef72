"""Risk as three attackers see it: prosecutor, journalist and marketer, before and after."""

from collections.abc import Mapping
from typing import Any

from deid_portal.engine.wording.numbers import one_in, percent, thousands
from deid_portal.engine.wording.words import people, share_words
from deid_portal.reports.figures import Chart, figure_of, grouped_bars

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


def journalist_chart(report: Report) -> Chart | None:
    """The journalist's risks, where a population is known; otherwise they are the prosecutor's."""
    before, after = _details(report, "before"), _details(report, "after")
    if not after or "bands" not in after["journalist"]:
        return None
    is_counted = "population" in report["risk"]["after"] or not after["journalist"]["is_bound"]
    if not is_counted:
        return None
    labels = [str(band["label"]) for band in report["risk"]["after"]["bands"]]
    states = {"Before": before, "After": after}
    shares = {when: own["journalist"]["bands"] for when, own in states.items() if own}
    highest = after["journalist"]["highest"]
    return Chart(
        id="journalist",
        title=f"Who only knows the population is right at most {one_in(highest)} times",
        caption="Share of people by the chance that a match is right (journalist), in percent",
        figure=grouped_bars(
            labels,
            {name: [100 * share for share in own] for name, own in shares.items()},
            x="Chance that a match is right",
            y="People, %",
        ),
        table={
            "columns": ["Chance", *labels],
            "rows": [[name, *(percent(share) for share in own)] for name, own in shares.items()],
        },
    )


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


def threshold_chart(report: Report) -> Chart | None:
    """How many people are above each chance, before and after."""
    before, after = _details(report, "before"), _details(report, "after")
    if not after or "above" not in after["prosecutor"]:
        return None
    chances = [entry["chance"] for entry in after["prosecutor"]["above"]][::-1]
    labels = [percent(chance, 0) for chance in chances]
    states = {"Before": before, "After": after}
    series = {
        when: [entry["share"] for entry in own["prosecutor"]["above"]][::-1]
        for when, own in states.items()
        if own
    }
    threshold = after["prosecutor"]["threshold"]
    return Chart(
        id="thresholds",
        title=_threshold_title(before.get("prosecutor"), after["prosecutor"], threshold),
        caption="Share of people whose chance of a right match is above each threshold, in percent",
        figure=figure_of(
            [_line(labels, shares, when, *LINES[when]) for when, shares in series.items()],
            x="Chance of a right match above",
            y="People, %",
        ),
        table={
            "columns": ["Above", *labels],
            "rows": [[name, *(percent(share) for share in own)] for name, own in series.items()],
        },
    )


def _threshold_title(before: Report | None, after: Report, threshold: float) -> str:
    limit, above = percent(threshold, 0), after["share_above"]
    who = share_words(above).capitalize()
    now = f"{who} have a risk above {limit}" if above else f"Nobody’s risk is above {limit}"
    if before is None:
        return now
    was = share_words(before["share_above"]) if before["share_above"] else "nobody"
    return f"{now}; before, {was}" if above else f"{now}; before, {was} had more"


def _line(
    labels: list[str], shares: list[float], name: str, color: str, dash: str, symbol: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": labels,
        "y": [100 * share for share in shares],
        "name": name,
        "line": {"color": f"token:{color}", "dash": dash, "width": 2, "shape": "linear"},
        "marker": {"color": f"token:{color}", "symbol": symbol, "size": 8},
        "hovertemplate": "above %{x}: %{y:.1f}<extra>" + name + "</extra>",
    }


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
