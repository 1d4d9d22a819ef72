"""Charts and drawings of a network as plain dicts; `templates/partials/_chart.html` draws them."""

from collections.abc import Mapping
from typing import Any

from deid_portal.common.templatetags.numbers import percent
from deid_portal.networks.wording import KNOWLEDGE_PHRASES, KNOWLEDGE_TITLES

Risk = Mapping[str, Mapping[str, Any]]


def risk_chart(risk: Risk) -> dict[str, Any]:
    """Draw how many people each kind of knowledge singles out."""
    names = [KNOWLEDGE_TITLES[known] for known in risk]
    alone = [own["risk"]["sample_uniques"] for own in risk.values()]
    below = [own["share_below_k"] for own in risk.values()]
    k = next(iter(risk.values()))["k"]
    series = (("Stand alone", alone, "before"), (f"Hide among fewer than {k}", below, "mute"))
    return {
        "id": "network-risk",
        "title": _risk_title(risk),
        "caption": "Share of people, in percent, by what somebody may know about them",
        "figure": {
            "data": [_bars(names, shares, name, color) for name, shares, color in series],
            "layout": {
                "barmode": "group",
                "height": 210,
                "xaxis": {"type": "category", "title": {"text": ""}},
                "yaxis": {"title": {"text": "People, %"}, "rangemode": "tozero"},
            },
        },
        "table": {
            "columns": ["Somebody knows", "Stand alone", f"Among fewer than {k}", "Groups"],
            "rows": [
                [
                    KNOWLEDGE_TITLES[known],
                    f"{own['unique']:,} ({percent(own['risk']['sample_uniques'])})",
                    f"{own['below_k']:,} ({percent(own['share_below_k'])})",
                    f"{own['classes']['count']:,}",
                ]
                for known, own in risk.items()
            ],
        },
        "note": _undecided(risk),
    }


def _risk_title(risk: Risk) -> str:
    worst = max(risk, key=lambda known: float(risk[known]["risk"]["sample_uniques"]))
    share = risk[worst]["risk"]["sample_uniques"]
    if not share:
        return "Nobody stands alone by their links"
    return f"{percent(share)} stand alone to somebody who knows {KNOWLEDGE_PHRASES[worst]}"


def _undecided(risk: Risk) -> str:
    unsure = sum(own["undecided"] for own in risk.values())
    if not unsure:
        return ""
    return f"{unsure:,} people with very many contacts are counted as standing alone; they may not."


def _bars(names: list[str], shares: list[float], name: str, color: str) -> dict[str, Any]:
    values = [100 * share for share in shares]
    return {
        "type": "bar",
        "x": names,
        "y": values,
        "name": name,
        "marker": {"color": f"token:{color}"},
        "text": [f"{value:.0f}" for value in values],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{x}: %{y:.1f} %<extra>" + name + "</extra>",
    }


def drawing_chart(drawing: Mapping[str, Any], *, chart_id: str, title: str) -> dict[str, Any]:
    """Draw nodes or communities with their links (`engine/networks/layout.py`)."""
    is_aggregated = drawing["aggregated"]
    points, lines = drawing["points"], drawing["lines"]
    amounts = drawing["sizes"] if is_aggregated else _degrees(len(points), lines)
    what = (
        "Every circle is a community, larger the more people it has"
        if is_aggregated
        else "Every circle is a person, larger the more links it has"
    )
    hidden = {"visible": False, "fixedrange": True}
    layout = {"height": 420, "showlegend": False, "xaxis": hidden, "yaxis": hidden}
    dots = _dots(
        points, amounts, "people" if is_aggregated else "links", 40 if is_aggregated else 14
    )
    return {
        "id": chart_id,
        "title": title,
        "caption": what,
        "figure": {"data": [_strokes(points, lines), dots], "layout": layout},
        "table": None,
    }


def _degrees(count: int, lines: list[list[int]]) -> list[int]:
    found = [0] * count
    for line in lines:
        for end in line:
            found[end] += 1
    return found


def _strokes(points: list[list[float]], lines: list[list[int]]) -> dict[str, Any]:
    x: list[float | None] = []
    y: list[float | None] = []
    for first, second in lines:
        x += [points[first][0], points[second][0], None]
        y += [points[first][1], points[second][1], None]
    line = {"color": "token:mute", "width": 0.8}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}


def _dots(points: list[list[float]], amounts: list[int], unit: str, largest: int) -> dict[str, Any]:
    most = max(amounts, default=1) or 1
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [point[0] for point in points],
        "y": [point[1] for point in points],
        "text": [f"{amount:,} {unit}" for amount in amounts],
        "marker": {
            "color": "token:accent",
            "size": [6 + largest * (amount / most) ** 0.5 for amount in amounts],
            "line": {"color": "token:surface", "width": 1},
        },
        "hovertemplate": "%{text}<extra></extra>",
    }
