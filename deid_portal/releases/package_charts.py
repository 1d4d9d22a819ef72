"""The charts of a certificate: SVG drawn from the numbers of the report, a finding as each title.

Attributes only, no style and no script, so that they stand in any page and any reader of PDF.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from django.utils.safestring import mark_safe

from deid_portal.common.templatetags.numbers import middle_cut
from deid_portal.engine.verifying.figures import write_share
from deid_portal.reports.columns import level_label
from deid_portal.reports.figures import one_in
from deid_portal.reports.words import share_words

Report = Mapping[str, Any]
BEFORE, AFTER, LINE, INK, FAINT = "#B9511A", "#0B6380", "#DDE3E9", "#1A2530", "#5C6A79"
WIDTH = 640
FONT = 'font-family="Inter, sans-serif"'
MOST_COLUMNS = 12


@dataclass(frozen=True)
class Drawing:
    title: str
    caption: str
    svg: str


def charts_of(report: Report, attacks: Sequence[Mapping[str, Any]]) -> list[Drawing]:
    """Return what can be drawn of a report; one of a private release has no figures before."""
    drawn = [_risk(report), _groups(report), _columns(report), _attacks(attacks)]
    return [drawing for drawing in drawn if drawing is not None]


def _risk(report: Report) -> Drawing | None:
    after = report["risk"]["after"]
    before = report["risk"].get("before")
    labels = [band["label"] for band in after["bands"]]
    series = [("after", AFTER, [band["share"] for band in after["bands"]])]
    if before:
        series.insert(0, ("before", BEFORE, [band["share"] for band in before["bands"]]))
    highest = after["prosecutor"]["highest"]
    title = f"Nobody’s risk is above {one_in(highest)}" if highest else "Nobody is at risk"
    if before and before["sample_uniques"]:
        is_all = before["sample_uniques"] == 1
        alone = "everybody" if is_all else f"{share_words(before['sample_uniques'])} of the people"
        title = f"{title}; before, {alone} stood alone"
    caption = "Share of people, in %, by their chance of being found if all listed facts are known"
    return Drawing(title, caption, _bars(labels, series, _percent))


def _groups(report: Report) -> Drawing | None:
    classes = report["classes"]
    labels = [_range(own) for own in classes["bins"]]
    series = [("after", AFTER, [float(own["count"]) for own in classes["bins"]])]
    if "bins_before" in classes:
        counts = [float(own["count"]) for own in classes["bins_before"]]
        series.insert(0, ("before", BEFORE, counts))
    count, smallest = classes["count"], classes["smallest"]
    title = f"{count:,} groups of look-alikes, the smallest of {smallest:,}"
    return Drawing(
        title, "Number of groups by how many people they hold", _bars(labels, series, _count)
    )


def _columns(report: Report) -> Drawing | None:
    costs = [
        (name, float(column["loss"]), level_label(column))
        for name, column in report.get("columns", {}).items()
        if column.get("loss") is not None and column.get("released")
    ]
    if not costs:
        return None
    costs.sort(key=lambda own: (-own[1], own[0]))
    shown = costs[:MOST_COLUMNS]
    more = f"; the first {MOST_COLUMNS} of {len(costs)} columns" if len(costs) > len(shown) else ""
    name, loss, _ = shown[0]
    title = f"“{middle_cut(name)}” lost most: {write_share(loss)} of its detail"
    if not loss:
        title = "No column lost detail"
    caption = f"Share of detail lost per column{more}"
    return Drawing(title, caption, _lines(shown))


def _attacks(attacks: Sequence[Mapping[str, Any]]) -> Drawing | None:
    made = [own for own in attacks if own.get("interval")]
    if not made:
        return None
    over = sum(own["state"] == "Over limit" for own in made)
    title = f"{len(made)} attacks were made; none came over its limit"
    if over:
        title = f"{len(made)} attacks were made; {over} came over the limit"
    if len(made) == 1 and not over:
        title = "One attack was made; it stayed within its limit"
    caption = "Success with its interval at 95 % (bar) against the limit (line)"
    return Drawing(title, caption, _intervals(made))


def _range(own: Mapping[str, Any]) -> str:
    low, high = own["from"], own["to"]
    return str(low) if low == high else f"{low}+" if high is None else f"{low}–{high}"


def _percent(value: float) -> str:
    return write_share(value).replace("\u00a0%", "") if value else ""


def _count(value: float) -> str:
    return f"{value:,.0f}" if value else ""


def _svg(height: int, parts: Sequence[str]) -> str:
    return mark_safe(  # noqa: S308 - numbers, and names that `_text` escaped
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" {FONT}>{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, words: str, anchor: str = "middle", fill: str = FAINT) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="10" text-anchor="{anchor}" fill="{fill}">'
        f"{escape(words)}</text>"
    )


def _bar(x: float, y: float, width: float, height: float, fill: str, opacity: float = 1) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(height, 0):.1f}" '
        f'fill="{fill}" fill-opacity="{opacity}"/>'
    )


def _hatch(x: float, y: float, width: float, height: float) -> list[str]:
    """Draw a bar that is told apart without colour: an outline with slanted lines in it."""
    lines = [_bar(x, y, width, height, BEFORE, 0.18)]
    step, start = 6.0, -height
    while start < width:
        left, right = max(start, 0.0), min(start + height, width)
        if right > left:
            top, bottom = y + height - (left - start), y + height - (right - start)
            lines.append(
                f'<line x1="{x + left:.1f}" y1="{top:.1f}" x2="{x + right:.1f}" y2="{bottom:.1f}" '
                f'stroke="{BEFORE}" stroke-width="1"/>'
            )
        start += step
    outline = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="none" '
        f'stroke="{BEFORE}" stroke-width="1"/>'
    )
    return [*lines, outline] if height > 0.5 else []


def _bars(
    labels: Sequence[str], series: Sequence[tuple[str, str, Sequence[float]]], write: Any
) -> str:
    """Draw groups of bars side by side, with their numbers above them."""
    top, floor, height = 36.0, 156.0, 180
    most = max((max(values, default=0.0) for _, _, values in series), default=0.0) or 1.0
    slot = WIDTH / max(len(labels), 1)
    width = min(slot * 0.36, 34.0)
    parts = [f'<line x1="0" y1="{floor}" x2="{WIDTH}" y2="{floor}" stroke="{LINE}"/>']
    for place, label in enumerate(labels):
        middle = slot * (place + 0.5)
        parts.append(_text(middle, floor + 15, label))
        for number, (name, fill, values) in enumerate(series):
            tall = (floor - top) * values[place] / most
            left = middle - width * len(series) / 2 + number * width
            wide = width - 3
            if name == "before":
                parts += _hatch(left, floor - tall, wide, tall)
            else:
                parts.append(_bar(left, floor - tall, wide, tall, fill))
            parts.append(_text(left + wide / 2, floor - tall - 4, write(values[place]), fill=INK))
    return _svg(height, [*parts, *_legend(series)])


def _legend(series: Sequence[tuple[str, str, Sequence[float]]]) -> list[str]:
    parts: list[str] = []
    for number, (name, fill, _) in enumerate(series):
        x = 4.0 + 70 * number
        parts += _hatch(x, 2, 12, 10) if name == "before" else [_bar(x, 2, 12, 10, fill)]
        parts.append(_text(x + 17, 11, name, "start", INK))
    return parts


def _lines(costs: Sequence[tuple[str, float, str]]) -> str:
    step, left, right = 19, 200.0, 230.0
    full = WIDTH - left - right
    parts = []
    for place, (name, loss, level) in enumerate(costs):
        y = place * step + 4
        parts.append(_text(left - 8, y + 10, middle_cut(name, 30), "end", INK))
        parts.append(_bar(left, y + 1, full, 11, LINE, 0.6))
        parts.append(_bar(left, y + 1, full * min(loss, 1.0), 11, AFTER))
        words = f"{write_share(loss)}, {middle_cut(level, 30)}"
        parts.append(_text(left + full + 8, y + 10, words, "start", INK))
    return _svg(len(costs) * step + 6, parts)


def _intervals(attacks: Sequence[Mapping[str, Any]]) -> str:
    step, left, right = 21, 200.0, 150.0
    full = WIDTH - left - right
    ends = [max(own["interval"][1], own["limit"]) for own in attacks]
    most = max([*ends, 0.01]) * 1.05
    parts = []
    for place, own in enumerate(attacks):
        y = place * step + 4
        low, high = (full * min(end / most, 1.0) for end in own["interval"])
        limit = left + full * min(own["limit"] / most, 1.0)
        parts.append(_text(left - 8, y + 11, middle_cut(own["title"], 32), "end", INK))
        parts.append(_bar(left, y + 2, full, 11, LINE, 0.6))
        parts.append(_bar(left + low, y + 2, max(high - low, 3.0), 11, AFTER))
        parts.append(
            f'<line x1="{limit:.1f}" y1="{y - 1}" x2="{limit:.1f}" y2="{y + 16}" '
            f'stroke="{BEFORE}" stroke-width="2"/>'
        )
        words = f"{own['share_words']}, {own['state'].lower()}"
        parts.append(_text(left + full + 8, y + 11, words, "start", INK))
    return _svg(len(attacks) * step + 6, parts)
