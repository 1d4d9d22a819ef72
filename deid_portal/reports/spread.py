"""Sensitive values in the groups of the release, beside those of the whole table (l and t)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import counted, people, share_words, value_words
from deid_portal.reports.figures import Chart, bin_label, grouped_bars

Report = Mapping[str, Any]
SHORT_LABELS = 100  # letters: labels of few digits stand closer
ROOT_LABEL = "*"  # what a hidden column shows
FEW = "under 5"  # what somebody who sees no values reads for a small count
DISTANCES = {
    "equal": "all moves between values count alike",
    "ordered": "moves count by their distance in order",
    "hierarchical": "moves count by their distance in the taxonomy",
}


@dataclass(frozen=True)
class SpreadView:
    """One sensitive column: how varied the groups are, how far from the table, the worst."""

    column: str
    variety: Chart
    distance: Chart | None = None  # from here on for stewards only
    worst: dict[str, Any] = field(default_factory=dict)
    worst_title: str = ""
    number: int = 0  # of the group that is drawn
    chosen: Chart | None = None


def describe_spreads(report: Report, wanted: str = "") -> list[SpreadView]:
    """`wanted` is "column:number" of a group to draw beside the table; otherwise the worst."""
    column, _, number = wanted.rpartition(":")
    chosen = int(number) if number.isdigit() else 0
    return [
        _describe(entry, place, chosen if entry["column"] == column else 0)
        for place, entry in enumerate(report.get("spread", []))
    ]


def _describe(entry: Report, place: int, wanted: int) -> SpreadView:
    if "worst" not in entry:
        return SpreadView(column=entry["column"], variety=_variety_chart(entry, place))
    number = max(min(wanted, len(entry["worst"]) - 1), 0)
    return SpreadView(
        column=entry["column"],
        variety=_variety_chart(entry, place),
        distance=_distance_chart(entry, place),
        worst=_worst_table(entry),
        worst_title=_worst_title(entry),
        number=number,
        chosen=_group_chart(entry, place, number),
    )


def _variety_chart(entry: Report, place: int) -> Chart:
    states = {"Before": entry.get("before"), "After": entry["after"]}
    told = {when: own["people_by_l"] for when, own in states.items() if own}
    used = [bins for bins in zip(*told.values(), strict=True) if any(b["records"] for b in bins)]
    labels = [bin_label(bins[0]) for bins in used]
    shares = {
        when: _shares([bins[number]["records"] for bins in used])
        for number, when in enumerate(told)
    }
    return _grouped(
        f"variety-{place}",
        _variety_title(entry),
        "Share of people by the number of different values in their group (l), in percent",
        "Different values in the group",
        labels,
        shares,
    )


def _variety_title(entry: Report) -> str:
    still = _share_of_one_value(entry["after"])
    was = _share_of_one_value(entry["before"]) if "before" in entry else 0.0
    if still:
        who = share_words(still).capitalize()
        return f"{who} of the people are in groups that hold one value of {entry['column']}"
    least = counted(entry["after"]["l"], "different value")
    title = f"Every group holds at least {least} of {entry['column']}"
    if was:
        title += f"; before, {share_words(was)} of the people were in groups of one"
    return title


def _share_of_one_value(state: Report) -> float:
    everybody = sum(own["records"] for own in state["people_by_l"])
    alone = sum(own["records"] for own in state["people_by_l"] if own["to"] == 1)
    return alone / everybody if everybody else 0.0


def _distance_chart(entry: Report, place: int) -> Chart:
    before, after = entry["before"]["people_by_t"], entry["after"]["people_by_t"]
    labels = [f"{step / 10:.1f}–{(step + 1) / 10:.1f}" for step in range(len(before))]
    shares = {"Before": _shares(before), "After": _shares(after)}
    return _grouped(
        f"distance-{place}",
        f"No group is further than {entry['after']['t']:.2f} from the table; "
        f"before, up to {entry['before']['t']:.2f}",
        f"Share of people by how far {entry['column']} in their group is from the whole table (t; "
        f"{DISTANCES[entry['distance']]}), in percent",
        "Distance to the table, 0 same to 1 nothing in common",
        labels,
        shares,
    )


def _grouped(
    id: str, title: str, caption: str, x: str, labels: list[str], shares: dict[str, list[float]]
) -> Chart:
    return Chart(
        id=id,
        title=title,
        caption=caption,
        figure=grouped_bars(
            labels,
            {name: [100 * share for share in own] for name, own in shares.items()},
            x=x,
            y="People, %",
            room=SHORT_LABELS,
        ),
        table={
            "columns": ["", *labels],
            "rows": [[name, *(percent(share) for share in own)] for name, own in shares.items()],
        },
    )


def _shares(counts: list[int]) -> list[float]:
    total = max(sum(counts), 1)
    return [count / total for count in counts]


def _worst_title(entry: Report) -> str:
    if not entry["worst"]:
        return "There is no group to look at"
    first = entry["worst"][0]
    who = f"a group of {people(first['size'])}"
    if first["l"] == 1:
        return f"The worst is {who} who all have the same {entry['column']}"
    if first["most"] is None:
        return f"The worst is {who} with {counted(first['l'], 'different value')}"
    share = share_words(first["most"] / first["size"])
    return f"The worst is {who}: {share} of them have the same {entry['column']}"


def _worst_table(entry: Report) -> dict[str, Any]:
    return {
        "rows": [
            {
                "number": number,
                "key": f"{entry['column']}:{number}",
                "size": thousands(group["size"]),
                "l": group["l"],
                "t": f"{group['t']:.2f}",
                "most": FEW if group["most"] is None else percent(group["most"] / group["size"], 0),
                "labels": [
                    value_words(label)
                    for label in group.get("labels", {}).values()
                    if label != ROOT_LABEL
                ],
            }
            for number, group in enumerate(entry["worst"])
        ]
    }


def _group_chart(entry: Report, place: int, number: int) -> Chart | None:
    """Draw the values of one group beside those of the whole table."""
    if not entry["worst"]:
        return None
    group = entry["worst"][number]
    names = [value_words(value["value"]) for value in entry["values"]]
    table = _shares([value["before"] for value in entry["values"]])
    own = [None if count is None else count / group["size"] for count in group["counts"]]
    return Chart(
        id=f"group-{place}",
        title=f"Group {number + 1} of {people(group['size'])} is {group['t']:.2f} from the table",
        caption=f"{entry['column']}: share of each value in the whole table and in this group",
        figure=grouped_bars(
            names,
            {
                "Whole table": [100 * share for share in table],
                "This group": [100 * (share or 0) for share in own],
            },
            x=entry["column"],
            y="Share, %",
        ),
        table={
            "columns": ["Value", "Whole table", "This group"],
            "rows": [
                [name, percent(share), FEW if mine is None else percent(mine)]
                for name, share, mine in zip(names, table, own, strict=True)
            ],
        },
        note="Counts of fewer than 5 people are not drawn." if None in own else "",
    )
