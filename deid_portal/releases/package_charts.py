"""The charts of a certificate: SVG drawn from the numbers of the report, a finding as each title.

Attributes only, no style and no script, so that they stand in any page and any reader of PDF.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from django.utils.safestring import mark_safe

from deid_portal.engine.wording.numbers import middle_cut, one_in, percent
from deid_portal.reports.columns import level_label

Report = Mapping[str, Any]
AFTER, LINE, INK, FAINT = "#0B6380", "#DDE3E9", "#1A2530", "#5C6A79"
WIDTH = 640
FONT = 'font-family="Inter, sans-serif"'
MOST_COLUMNS = 12


@dataclass(frozen=True)
class PackageChart:
    title: str
    caption: str
    svg: str


def charts_of(report: Report) -> list[PackageChart]:
    """Return what can be drawn of a published report."""
    drawn = [_risk(report), _groups(report), _columns(report)]
    return [drawing for drawing in drawn if drawing is not None]


def _risk(report: Report) -> PackageChart:
    after = report["risk"]["after"]
    labels = [band["label"] for band in after["bands"]]
    highest = after["prosecutor"]["highest"]
    title = f"Nobody’s risk is above {one_in(highest)}" if highest else "Nobody is at risk"
    caption = "Share of people, in %, by their chance of being found if all listed facts are known"
    return PackageChart(
        title, caption, _bars(labels, [own["share"] for own in after["bands"]], _percent)
    )


def _groups(report: Report) -> PackageChart:
    classes = report["classes"]
    labels = [_range(own) for own in classes["bins"]]
    count, smallest = classes["count"], classes["smallest"]
    title = f"{count:,} groups of look-alikes, the smallest of {smallest:,}"
    counts = [float(own["count"]) for own in classes["bins"]]
    caption = "Number of groups by how many people they hold"
    return PackageChart(title, caption, _bars(labels, counts, _count))


def _columns(report: Report) -> PackageChart | None:
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
    title = f"“{middle_cut(name)}” lost most: {percent(loss)} of its detail"
    if not loss:
        title = "No column lost detail"
    caption = f"Share of detail lost per column{more}"
    return PackageChart(title, caption, _lines(shown))


def _range(own: Mapping[str, Any]) -> str:
    low, high = own["from"], own["to"]
    return str(low) if low == high else f"{low}+" if high is None else f"{low}–{high}"


def _percent(value: float) -> str:
    return percent(value).replace("\u00a0%", "") if value else ""


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


def _bars(labels: Sequence[str], values: Sequence[float], write: Callable[[float], str]) -> str:
    """Draw a bar per label, with its number above it."""
    top, floor, height = 16.0, 136.0, 160
    most = max(values, default=0.0) or 1.0
    slot = WIDTH / max(len(labels), 1)
    width = min(slot * 0.5, 44.0)
    parts = [f'<line x1="0" y1="{floor}" x2="{WIDTH}" y2="{floor}" stroke="{LINE}"/>']
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        middle = slot * (place + 0.5)
        tall = (floor - top) * value / most
        parts.append(_text(middle, floor + 15, label))
        parts.append(_bar(middle - width / 2, floor - tall, width, tall, AFTER))
        parts.append(_text(middle, floor - tall - 4, write(value), fill=INK))
    return _svg(height, parts)


def _lines(costs: Sequence[tuple[str, float, str]]) -> str:
    step, left, right = 19, 200.0, 230.0
    full = WIDTH - left - right
    parts = []
    for place, (name, loss, level) in enumerate(costs):
        y = place * step + 4
        parts.append(_text(left - 8, y + 10, middle_cut(name, 30), "end", INK))
        parts.append(_bar(left, y + 1, full, 11, LINE, 0.6))
        parts.append(_bar(left, y + 1, full * min(loss, 1.0), 11, AFTER))
        words = f"{percent(loss)}, {middle_cut(level, 30)}"
        parts.append(_text(left + full + 8, y + 10, words, "start", INK))
    return _svg(len(costs) * step + 6, parts)
