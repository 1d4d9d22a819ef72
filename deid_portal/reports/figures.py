"""Charts as plain dicts: a finding as the title, the drawing, and the same numbers as a table.

Pure functions of a report; aggregates only, never rows. Colours are token names, resolved by the
page when it draws, so that light and dark need no second figure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.wording.numbers import NBSP as NO_BREAK
from deid_portal.engine.wording.numbers import one_in, percent
from deid_portal.engine.wording.words import capital, counted, share_words

Report = Mapping[str, Any]
# Letters that fit under the bars of a chart: on half a page, on a whole one.
NARROW, WIDE = 76, 150


@dataclass(frozen=True)
class Chart:
    """A finding, its drawing and its numbers.

    `table` holds `columns` and `rows`; a cell is text or, where its bar can be chosen, a link
    (`link_to`) that a click on the bar follows, too.
    """

    id: str
    title: str
    caption: str
    figure: dict[str, Any]
    table: dict[str, Any]
    note: str = ""


def link_to(text: str, address: str, place: int) -> dict[str, Any]:
    """A cell of a chart's table that leads further; `place` is that of its bar."""
    return {"text": text, "href": address, "place": place}


def risk_chart(report: Report) -> Chart:
    """The risks before and after; after alone for those who see no rows."""
    before, after = report["risk"].get("before"), report["risk"]["after"]
    labels = [_band_label(band) for band in after["bands"]]
    states = {"Before": before, "After": after}
    shares = {
        when: [band["share"] for band in state["bands"]] for when, state in states.items() if state
    }
    percents = {name: [100 * share for share in own] for name, own in shares.items()}
    rows = [[name, *(_bare_percent(share) for share in row)] for name, row in shares.items()]
    return Chart(
        id="risk",
        title=_risk_title(before or {}, after),
        caption="Share of people by the chance that a match is right (prosecutor), in percent",
        figure=grouped_bars(labels, percents, x="Chance that a match is right", y="People, %"),
        table={"columns": ["Chance", *labels], "rows": rows},
    )


def _bare_percent(share: float) -> str:
    """The caption says that these are percent; the sign would only crowd the table."""
    return percent(share).removesuffix(f"{NO_BREAK}%")


def _risk_title(before: Report, after: Report) -> str:
    highest = after["prosecutor"]["highest"]
    singled_out = before.get("sample_uniques", 0)
    still = after["sample_uniques"]
    if still > 0 and not before:
        return f"{share_words(still).capitalize()} can still be singled out"
    if still > 0:
        now, was = share_words(still), share_words(singled_out)
        return f"{now.capitalize()} can still be singled out; before, " + (
            "it was as many" if now == was else f"{was} could"
        )
    worst = f"Nobody’s risk is above {one_in(highest)}"
    if singled_out > 0:
        return f"{worst}; before, {share_words(singled_out)} could be singled out"
    return worst


def _band_label(band: Report) -> str:
    return str(band["label"]).replace(" %", f"{NO_BREAK}%")


def classes_chart(report: Report, address: str = "") -> Chart:
    """The sizes of the groups; with an address, each bar leads to what keeps its groups apart."""
    classes = report["classes"]
    bins = _without_empty_ends(classes["bins"])
    labels = [bin_label(item) for item in bins]
    counts = [item["count"] for item in bins]
    known = {item["from"] for item in report.get("isolation", [])} if address else set()
    cells = [
        link_to(f"{count:,}", f"{address}?size={item['from']}#apart", place)
        if item["from"] in known and count
        else f"{count:,}"
        for place, (item, count) in enumerate(zip(bins, counts, strict=True))
    ]
    return Chart(
        id="classes",
        title=_classes_title(classes),
        caption="Number of equivalence classes by size; rows left out are not counted",
        figure=figure_of(
            marked_bars(labels, counts, "Groups"), x="People in the group", y="Groups"
        ),
        table={"columns": ["Size", *labels], "rows": [["Groups", *cells]]},
        note=_groups_before(classes.get("bins_before", [])),
    )


def _classes_title(classes: Report) -> str:
    groups = counted(classes["count"], "group")
    if classes["count"] == 1:
        return f"{groups} of {classes['largest']:,} people"
    if classes["smallest"] == classes["largest"]:
        return f"{groups} of {classes['smallest']:,} people each"
    return (
        f"{groups}: the smallest holds {counted(classes['smallest'], 'person', 'people')}, "
        f"the largest {classes['largest']:,}"
    )


def _groups_before(bins: Sequence[Report]) -> str:
    total = sum(item["count"] for item in bins)
    alone = sum(item["count"] for item in bins if item["to"] == 1)
    if not total:
        return ""
    return f"Before: {alone:,} of {counted(total, 'group')} held one person."


def _without_empty_ends(bins: list[Report]) -> list[Report]:
    """Drop the sizes below the smallest and above the largest group."""
    used = [index for index, item in enumerate(bins) if item["count"]]
    return bins[used[0] : used[-1] + 1] if used else []


def bin_label(item: Report) -> str:
    low, high = item["from"], item["to"]
    if high is None:
        return f"> {low - 1:,}"
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def loss_chart(report: Report) -> Chart | None:
    """The detail each column lost, as far as it can be told; None where it cannot of any."""
    quasi = quasi_identifiers(report)
    told = [(name, own["loss"]) for name, own in quasi.items() if own["loss"] is not None]
    if quasi and not told:
        return None
    columns = sorted(told, key=lambda pair: (-pair[1], pair[0]))
    names = [name for name, _ in columns]
    losses = [loss for _, loss in columns]
    figure = ranked_bars(names, losses, "Detail lost, 0 none to 1 all")
    figure["layout"]["xaxis"]["range"] = [0, 1.08]
    return Chart(
        id="loss",
        title=_loss_title(columns),
        caption="Share of each column’s detail that was lost; rows left out count as lost",
        figure=figure,
        table={
            "columns": ["Column", "Detail lost"],
            "rows": [[name, f"{loss:.4f}"] for name, loss in columns],
        },
    )


def _loss_title(columns: Sequence[tuple[str, float]]) -> str:
    if not columns:
        return "No column was made coarser"
    name, loss = columns[0]
    if loss == 0:
        return "No column lost any detail"
    return f"{capital(name)} paid the most: {percent(loss, 0)} of its detail is gone"


def quasi_identifiers(report: Report) -> dict[str, Any]:
    return {
        name: column
        for name, column in report["columns"].items()
        if column["role"] == "quasi-identifier"
    }


def ranked_bars(names: Sequence[str], values: Sequence[float], x: str) -> dict[str, Any]:
    """Horizontal bars, the first on top."""
    # Plotly draws horizontal bars from the bottom up.
    upwards, numbers = list(names)[::-1], list(values)[::-1]
    series = [
        {
            "type": "bar",
            "orientation": "h",
            "y": upwards,
            "x": numbers,
            "text": [f"{value:.2f}" for value in numbers],
            "textposition": "outside",
            "cliponaxis": False,
            "name": x,
            "marker": {"color": "token:accent"},
            "hovertemplate": "%{y}: %{x:.4f}<extra></extra>",
        }
    ]
    figure = figure_of(series, x=x, y="")
    figure["layout"]["height"] = max(180, 34 * len(upwards) + 60)
    return figure


def grouped_bars(
    names: list[str],
    series: Mapping[str, Sequence[float]],
    *,
    x: str,
    y: str,
    room: int = NARROW,
) -> dict[str, Any]:
    """Two series side by side, the first of them drawn as what was before; or what is now alone.

    Names that do not fit beside each other, `room` letters in all, stand below each other.
    """
    colors = ("before", "accent")[-len(series) :]
    traces = [
        _bars(names, values, color, name)
        for (name, values), color in zip(series.items(), colors, strict=True)
    ]
    if sum(len(name) + 2 for name in names) <= room:
        return figure_of(traces, x=x, y=y)
    return _lay_down(traces, x=y)


def _lay_down(traces: list[dict[str, Any]], *, x: str) -> dict[str, Any]:
    """Turn upright bars into horizontal ones, the first on top."""
    turned = []
    for trace in traces:
        hover = trace["hovertemplate"].replace("%{x}: %{y", "%{y}: %{x")
        places = {"x": trace["y"], "y": trace["x"], "orientation": "h", "hovertemplate": hover}
        turned.append({**trace, **places})
    figure = figure_of(turned, x=x, y="")
    figure["layout"]["yaxis"] |= {"autorange": "reversed"}
    figure["layout"]["height"] = max(180, 32 * len(traces[0]["x"]) + 80)
    return figure


def _bars(
    x: list[str], y: Sequence[float], color: str, name: str, text: list[str] | None = None
) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "type": "bar",
        "x": x,
        "y": list(y),
        "name": name,
        "marker": {"color": f"token:{color}"},
        "hovertemplate": "%{x}: %{y:.4~g}<extra>" + name + "</extra>",
    }
    if text is not None:
        trace |= {"text": text, "textposition": "outside", "cliponaxis": False}
    return trace


def marked_bars(
    labels: list[str], counts: Sequence[int], name: str, *, color: str = "accent"
) -> list[dict[str, Any]]:
    """One series of bars with their numbers above them."""
    return [_bars(labels, counts, color, name, text=[f"{count:,}" for count in counts])]


def horizontal_bars(
    names: Sequence[str], values: Sequence[float], colors: Sequence[str], texts: Sequence[str]
) -> list[dict[str, Any]]:
    """Horizontal bars with a color each, the first on top."""
    # Plotly draws horizontal bars from the bottom up.
    return [
        {
            "type": "bar",
            "orientation": "h",
            "y": list(names)[::-1],
            "x": list(values)[::-1],
            "text": list(texts)[::-1],
            "textposition": "outside",
            "cliponaxis": False,
            "marker": {"color": [f"token:{color}" for color in colors][::-1]},
            "hovertemplate": "%{y}: %{text}<extra></extra>",
        }
    ]


def figure_of(data: list[dict[str, Any]], *, x: str, y: str, rows: int = 0) -> dict[str, Any]:
    """Put series into a figure; `rows` horizontal bars need their height."""
    # "category": a label such as "5" must not become a number on a continuous axis.
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": x}},
        "yaxis": {"title": {"text": y}},
        "barmode": "group",
    }
    is_vertical = all(trace.get("orientation") != "h" for trace in data)
    layout["xaxis" if is_vertical else "yaxis"]["type"] = "category"
    if rows:
        layout["height"] = max(150, 27 * rows + 60)
    return {"data": data, "layout": layout}
