"""Charts and drawings of a network: unique nodes, and the links."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

from deid_portal.engine.charts.bins import in_percent
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import bars, draw_figure, grouped_bars, marks, polyline
from deid_portal.engine.charts.look import ACCENT, BEFORE, INK_2, LINE_STRONG, MUTE, SURFACE
from deid_portal.engine.report.network import (
    DotsBeside,
    GroupsBeside,
    KnowledgeRisk,
    KnowledgeState,
    LinksBeside,
    NetworkDrawing,
    NetworkReport,
)
from deid_portal.engine.wording.knowledge import KNOWLEDGE_PHRASES, KNOWLEDGE_TITLES
from deid_portal.engine.wording.numbers import percent

Risk = Mapping[str, KnowledgeState]
Points = Sequence[Sequence[float]]
Lines = Sequence[Sequence[int]]  # two ends each; between communities also the number of links
LINES_PER_COMMUNITY = 3
FEW_TO_DRAW = 80  # nodes up to which links stay distinguishable when drawn boldly
MOST_CELLS = 12  # columns of a horizontal table


def network_risk_chart(risk: Risk) -> Chart:
    """Draw how many people are unique by each kind of background knowledge."""
    names = [KNOWLEDGE_TITLES[known] for known in risk]
    alone = [own.risk.sample_uniques for own in risk.values()]
    below = [own.share_below_k for own in risk.values()]
    k = next(iter(risk.values())).k
    series = (("Stand alone", alone, BEFORE), (f"Hide among fewer than {k}", below, MUTE))
    return Chart(
        id="network-risk",
        title=_risk_title(risk),
        caption="Share of people, in percent, by what somebody may know about them",
        figure=draw_figure(
            [_bars(names, shares, name, color) for name, shares, color in series],
            y="People, %",
            yaxis_rangemode="tozero",
        ),
        table=ChartTable(
            ["Somebody knows", "Stand alone", f"Among fewer than {k}", "Groups"],
            [
                [
                    KNOWLEDGE_TITLES[known],
                    f"{own.unique:,} ({percent(own.risk.sample_uniques)})",
                    f"{own.below_k:,} ({percent(own.share_below_k)})",
                    f"{own.classes.count:,}",
                ]
                for known, own in risk.items()
            ],
        ),
        note=_undecided(risk),
    )


def _risk_title(risk: Risk) -> str:
    worst = max(risk, key=lambda known: risk[known].risk.sample_uniques)
    share = risk[worst].risk.sample_uniques
    if not share:
        return "Nobody stands alone by their links"
    return f"{percent(share)} stand alone to somebody who knows {KNOWLEDGE_PHRASES[worst]}"


def _undecided(risk: Risk) -> str:
    unsure = sum(own.undecided for own in risk.values())
    if not unsure:
        return ""
    return f"{unsure:,} people with very many contacts are counted as standing alone; they may not."


def _bars(names: list[str], shares: list[float], name: str, color: str) -> Any:
    values = [100 * share for share in shares]
    texts = [f"{value:.0f}" for value in values]
    return bars(names, values, name=name, color=color, texts=texts, hover="%{x}: %{y:.1f} %")


def drawing_chart(drawing: NetworkDrawing, *, chart_id: str, title: str) -> Chart:
    """Draw nodes or communities with their links (`engine/networks/structure/layout.py`)."""
    if drawing.aggregated:
        lines = [[*line, w] for line, w in zip(drawing.lines, drawing.weights, strict=True)]
        if drawing.shells:
            return _shells_chart(drawing, drawing.shells, lines, chart_id, title)
        return _communities_chart(drawing, lines, chart_id, title)
    strokes = [_strokes(drawing.points, drawing.lines, "Link", LINE_STRONG)]
    return _people_chart(drawing.points, drawing.lines, strokes, chart_id, title)


def beside_charts(beside: LinksBeside | GroupsBeside) -> list[Chart]:
    """Draw a network before and after with the same layout, marking removed and added links."""
    if isinstance(beside, GroupsBeside) and beside.shells:
        return [
            _shells_chart(beside, beside.shells, beside.before, "before", "Before"),
            _shells_chart(beside, beside.shells, beside.after, "after", "As it leaves"),
        ]
    if isinstance(beside, GroupsBeside):
        return [
            _communities_chart(beside, beside.before, "before", "Before"),
            _communities_chart(beside, beside.after, "after", "As it leaves"),
        ]
    points, kept, removed, added = beside.points, beside.kept, beside.removed, beside.added
    grey = _strokes(points, kept, "Kept", LINE_STRONG)
    width = 2 if len(points) <= FEW_TO_DRAW else 1
    before = [grey, _strokes(points, removed, "Goes", BEFORE, width=width, dash="dash")]
    after = [grey, _strokes(points, added, "New", ACCENT, width=width, opacity=0.7)]
    was, leaves = [*kept, *removed], [*kept, *added]
    return [
        _people_chart(points, was, before, "before", _part_words(removed, was, "Before", "go")),
        _people_chart(
            points, leaves, after, "after", _part_words(added, leaves, "As it leaves", "are new")
        ),
    ]


def _part_words(part: Lines, whole: Lines, name: str, verb: str) -> str:
    return f"{name}: {len(part):,} of {len(whole):,} links {verb}"


def _people_chart(
    points: Points, lines: Lines, strokes: list[Any], chart_id: str, title: str
) -> Chart:
    degrees = _degrees(len(points), lines)
    dots = _dots(points, degrees, "link", 14)
    shown = [own for own in strokes if own.x]
    return Chart(
        id=chart_id,
        title=title,
        caption="Every circle is a person, larger the more links it has"
        + ("; people without a name, at the same places in both" if len(strokes) > 1 else ""),
        figure=_figure([*shown, dots], has_legend=len(shown) > 1),
        table=_degree_table(degrees),
    )


def _communities_chart(
    drawing: NetworkDrawing | DotsBeside, counted: Lines, chart_id: str, title: str
) -> Chart:
    """Draw communities and the strongest connections between them; small ones are only counted."""
    rest = drawing.rest
    points = [own for place, own in enumerate(drawing.points) if place != rest]
    sizes = [own for place, own in enumerate(drawing.sizes) if place != rest]
    lines = [own for own in counted if rest not in own[:2]]
    strong = _strongest(lines, len(points))
    most = max((own[2] for own in strong), default=1)
    strokes = [
        _strokes(points, group, "Links", LINE_STRONG, width=width)
        for low, high, width in ((0, 0.1, 0.8), (0.1, 0.4, 2), (0.4, 1, 4))
        if (group := [own[:2] for own in strong if low < own[2] / most <= high])
    ]
    left = drawing.sizes[rest] if rest is not None and rest < len(drawing.sizes) else 0
    note = f"{left:,} people in the smallest communities are not drawn." if left else ""
    dots = _dots(
        points,
        sizes,
        "person",
        30,
        mode="markers+text",
        text=[f"{size:,}" if size >= max(sizes) / 4 else "" for size in sizes],
        textposition="middle center",
        textfont={"color": SURFACE, "size": 11},
    )
    return Chart(
        id=chart_id,
        title=title,
        caption="Every circle is a community, larger the more people it has; "
        "lines are the most links between them",
        figure=_figure([*strokes, dots], has_legend=False),
        table=_community_table(sizes, lines),
        note=note,
    )


def _shells_chart(
    drawing: NetworkDrawing | DotsBeside,
    shells: Sequence[Sequence[int]],
    lines: Lines,
    chart_id: str,
    title: str,
) -> Chart:
    """Draw a dense core in the middle and the shells around it; circles and lines in log sizes."""
    names = [_shell_name(shell) for shell in shells]
    # Wide lines first, so that thin ones are seen on top of them.
    strokes = [
        _strokes(drawing.points, [line[:2]], "Links", LINE_STRONG, width=0.5 + log10(line[2] + 1))
        for line in sorted(lines, key=lambda own: -own[2])
    ]
    circles = marks(
        [point[0] for point in drawing.points],
        [point[1] for point in drawing.points],
        mode="markers+text",
        text=[f"{size:,}" for size in drawing.sizes],
        textposition="middle center",
        textfont={"color": SURFACE, "size": 11},
        hovertext=[
            f"{size:,} people, each with {name} links no further out"
            for size, name in zip(drawing.sizes, names, strict=True)
        ],
        showlegend=False,
        cliponaxis=False,
        marker={
            "color": [ACCENT, *[INK_2] * (len(names) - 1)],
            "opacity": 1,
            "size": [26 + 8 * log10(size + 1) for size in drawing.sizes],
            "line": {"color": SURFACE, "width": 1},
        },
    )
    ties = [sum(line[2] for line in lines if place in line[:2]) for place in range(len(names))]
    return Chart(
        id=chart_id,
        title=title,
        caption="The core in the middle, and around it shells of people with ever fewer links to "
        "those further in; circles and lines grow with the logarithm",
        figure=_figure([*strokes, circles], has_legend=False),
        table=ChartTable(
            ["Links to people no further out", *names],
            [
                ["People", *(f"{size:,}" for size in drawing.sizes)],
                ["Links to other shells", *(f"{tie:,}" for tie in ties)],
            ],
        ),
    )


def _shell_name(shell: Sequence[int]) -> str:
    """Say how many links everybody of a shell has to each other and to people further in."""
    low, high = shell
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _figure(traces: list[Any], *, has_legend: bool) -> Any:
    hidden = {"visible": False, "fixedrange": True}
    margin = {"l": 12, "r": 12, "t": 12, "b": 12}
    return draw_figure(
        traces, height=420, showlegend=has_legend, xaxis=hidden, yaxis=hidden, margin=margin
    )


def _strongest(lines: Lines, count: int) -> Lines:
    """Keep the strongest connections of every community, so that the drawing stays readable."""
    kept: dict[int, int] = dict.fromkeys(range(count), 0)
    found = []
    for line in sorted(lines, key=lambda own: -own[2]):
        if min(kept[line[0]], kept[line[1]]) < LINES_PER_COMMUNITY:
            found.append(line)
            kept[line[0]] += 1
            kept[line[1]] += 1
    return found


def _degree_table(degrees: list[int]) -> ChartTable:
    counted = Counter(degrees)
    numbers = sorted(counted)
    if len(numbers) > MOST_CELLS:
        numbers = [*numbers[: MOST_CELLS - 1], numbers[-1]]
    return ChartTable(
        ["Links of a person", *(f"{own:,}" for own in numbers)],
        [["People", *(f"{counted[own]:,}" for own in numbers)]],
    )


def _community_table(sizes: list[int], lines: Lines) -> ChartTable:
    """List the largest communities, with the numbers of the drawing."""
    links = [0] * len(sizes)
    for first, second, count in lines:
        links[first] += count
        links[second] += count
    order = sorted(range(len(sizes)), key=lambda own: -sizes[own])[:MOST_CELLS]
    return ChartTable(
        ["Community", *(f"{place:,}" for place in range(1, len(order) + 1))],
        [
            ["People", *(f"{sizes[own]:,}" for own in order)],
            ["Links to others", *(f"{links[own]:,}" for own in order)],
        ],
    )


def _degrees(count: int, lines: Lines) -> list[int]:
    found = [0] * count
    for line in lines:
        for end in line[:2]:
            found[end] += 1
    return found


def _strokes(
    points: Points,
    lines: Lines,
    name: str,
    color: str,
    *,
    width: float = 0.9,
    dash: str = "solid",
    **more: Any,
) -> Any:
    x: list[float | None] = []
    y: list[float | None] = []
    for first, second in lines:
        x += [points[first][0], points[second][0], None]
        y += [points[first][1], points[second][1], None]
    return polyline(x, y, name=name, color=color, width=width, dash=dash, **more)


def _dots(points: Points, amounts: list[int], unit: str, largest: int, **more: Any) -> Any:
    most = max(amounts, default=1) or 1
    plural = {"link": "links", "person": "people"}[unit]
    return marks(
        [point[0] for point in points],
        [point[1] for point in points],
        hovertext=[f"{own:,} {unit if own == 1 else plural}" for own in amounts],
        showlegend=False,
        cliponaxis=False,
        marker={
            "color": ACCENT,
            "opacity": 1,
            "size": [6 + largest * (amount / most) ** 0.5 for amount in amounts],
            "line": {"color": SURFACE, "width": 1},
        },
        **more,
    )


def knowledge_chart(network: NetworkReport) -> Chart:
    """Draw unique people by background knowledge: after, and before where that may be shown."""
    found = network.risk
    names = [KNOWLEDGE_TITLES[known] for known in found]
    states = {"After": [own.after for own in found.values()]}
    if all(own.tells("before") for own in found.values()):
        states = {"Before": [own.before for own in found.values()], **states}
    shares = {when: [own.risk.sample_uniques for own in told] for when, told in states.items()}
    rows = [[name, *(percent(share) for share in own)] for name, own in shares.items()]
    figure = grouped_bars(names, in_percent(shares), x="Somebody knows", y="Stand alone, %")
    return Chart(
        id="knowledge",
        title=_knowledge_title(found),
        caption="Share of people without a look-alike, by what somebody may know about them",
        figure=figure,
        table=ChartTable(["Stand alone", *names], rows),
    )


def _knowledge_title(found: Mapping[str, KnowledgeRisk]) -> str:
    still = {k: own.after.risk.sample_uniques for k, own in found.items()}
    worst = max(still, key=lambda known: still[known])
    if not still[worst]:
        return "Nobody stands alone, whatever of this somebody knows"
    words = KNOWLEDGE_PHRASES[worst]
    return f"{percent(still[worst])} still stand alone to somebody who knows {words}"
