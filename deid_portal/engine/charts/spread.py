"""Sensitive values in the classes of the release, compared with the whole table (l and t)."""

from deid_portal.engine.charts.bins import bin_label, in_percent, shares_of
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import grouped_bars
from deid_portal.engine.charts.findings import distance_finding, variety_finding
from deid_portal.engine.report.sensitive import SensitiveSpread
from deid_portal.engine.wording.numbers import percent
from deid_portal.engine.wording.words import people, value_words

SHORT_LABELS = 100  # characters: more fit if labels are short
DISTANCES = {
    "equal": "all moves between values count alike",
    "ordered": "moves count by their distance in order",
    "hierarchical": "moves count by their distance in the taxonomy",
}


def variety_chart(entry: SensitiveSpread, place: int) -> Chart:
    states = {"Before": entry.before, "After": entry.after}
    told = {when: own.people_by_l for when, own in states.items() if own}
    used = [bins for bins in zip(*told.values(), strict=True) if any(b.records for b in bins)]
    labels = [bin_label(bins[0]) for bins in used]
    shares = {
        when: shares_of([bins[number].records for bins in used]) for number, when in enumerate(told)
    }
    return _grouped(
        f"variety-{place}",
        variety_finding(entry),
        "Share of people by the number of different values in their group (l), in percent",
        "Different values in the group",
        labels,
        shares,
    )


def distance_chart(entry: SensitiveSpread, place: int) -> Chart | None:
    """Draw the distances of classes from the table; None for viewers without row access."""
    before, after = entry.before, entry.after
    if before is None or before.people_by_t is None or after.people_by_t is None:
        return None
    labels = [f"{step / 10:.1f}–{(step + 1) / 10:.1f}" for step in range(len(before.people_by_t))]
    shares = {"Before": shares_of(before.people_by_t), "After": shares_of(after.people_by_t)}
    return _grouped(
        f"distance-{place}",
        distance_finding(entry.column, before.t, after.t),
        f"Share of people by how far {entry.column} in their group is from the whole table (t; "
        f"{DISTANCES[entry.distance]}), in percent",
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
            in_percent(shares),
            x=x,
            y="People, %",
            room=SHORT_LABELS,
        ),
        table=ChartTable(
            ["", *labels],
            [[name, *(percent(share) for share in own)] for name, own in shares.items()],
        ),
    )


def group_chart(entry: SensitiveSpread, place: int, number: int) -> Chart | None:
    """Draw the distribution of one class beside that of the whole table."""
    if not entry.worst:
        return None
    group = entry.worst[number]
    names = [value_words(own.value) for own in entry.values]
    table = shares_of([own.before for own in entry.values])
    mine = [count / group.size for count in group.counts]
    return Chart(
        id=f"group-{place}",
        title=f"Group {number + 1} of {people(group.size)} is {group.t:.2f} from the table",
        caption=f"{entry.column}: share of each value in the whole table and in this group",
        figure=grouped_bars(
            names,
            in_percent({"Whole table": table, "This group": mine}),
            x=entry.column,
            y="Share, %",
        ),
        table=ChartTable(
            ["Value", "Whole table", "This group"],
            [
                [name, percent(share), percent(own)]
                for name, share, own in zip(names, table, mine, strict=True)
            ],
        ),
    )
