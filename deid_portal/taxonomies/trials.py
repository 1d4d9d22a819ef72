"""Previews of builders while their fields are filled in; nothing is saved."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Column, Taxonomy
from deid_portal.engine.taxonomies import (
    GroupStart,
    LevelEffect,
    Ruler,
    effect_of_levels,
    lay_ruler,
)
from deid_portal.taxonomies.forms import BuilderForm
from deid_portal.taxonomies.selectors import read_recipe
from deid_portal.taxonomies.services import MOST_VALUES

WIDTH, BASE = 640, 56
MOST_MARKS = 160
LONGEST_MARK = 18
TEXT_WIDTH = 64
LONGEST_TEXT = 10


@dataclass(frozen=True)
class RulerText:
    x: float
    text: str


@dataclass(frozen=True)
class RulerDrawing:
    """Bars of rows above a scale, marks of groups below: longer marks for coarser levels."""

    bars: str  # one SVG path
    marks: str
    texts: list[RulerText]


@dataclass(frozen=True)
class TaxonomyTrial:
    effects: list[LevelEffect]
    uncovered: int = 0
    ruler: RulerDrawing | None = None
    is_too_large: bool = False


def try_builder(column: DatasetColumn, form: BuilderForm) -> TaxonomyTrial:
    """Build without saving; raises InvalidPlan if building would."""
    if column.distinct > MOST_VALUES:
        return TaxonomyTrial([], is_too_large=True)
    values = values_of(column)
    outline = form.to_outline(values)
    if outline is None:
        recipe = read_recipe(form.to_recipe())
        uncovered = recipe.uncovered(values)
        if uncovered:
            return TaxonomyTrial([], len(uncovered))
        taxonomy = recipe.build(values)
    elif outline.unplaced:
        return TaxonomyTrial([], len(outline.unplaced))
    else:
        taxonomy = outline.taxonomy()
        values = _in_order_of(taxonomy, values)
    return TaxonomyTrial(
        effect_of_levels(values, taxonomy), ruler=_draw(lay_ruler(values, taxonomy))
    )


def _in_order_of(taxonomy: Taxonomy, values: Column) -> Column:
    """Number the values as the leaves of a taxonomy are numbered."""
    place = {text: code for code, text in enumerate(taxonomy.labels[0])}
    moved = np.array([place[text] for text in values.values], dtype=np.int32)
    texts = tuple(taxonomy.labels[0])
    return Column(values.name, values.type, moved[values.codes], texts, values.decimal)


def _draw(ruler: Ruler | None) -> RulerDrawing | None:
    if ruler is None:
        return None
    marks = _marks_shown(ruler.marks)
    highest = max((mark.level for mark in marks), default=1)
    return RulerDrawing(
        _bars(ruler.bars),
        "".join(
            f"M{_place(ruler, mark):.1f} {BASE}v{LONGEST_MARK * mark.level / highest:.1f}"
            for mark in marks
        ),
        _texts(ruler, marks),
    )


def _bars(rows: Sequence[int]) -> str:
    tallest, step = max(rows) or 1, WIDTH / len(rows)
    return "".join(
        f"M{index * step:.1f} {BASE}v-{max(BASE * count / tallest, 1):.1f}h{step - 1:.1f}V{BASE}z"
        for index, count in enumerate(rows)
        if count
    )


def _place(ruler: Ruler, mark: GroupStart) -> float:
    return WIDTH * (mark.place - ruler.low) / (ruler.high - ruler.low)


def _marks_shown(marks: Sequence[GroupStart]) -> list[GroupStart]:
    """Leave out the finest levels if their marks would overlap."""
    shown = list(marks)
    for level in sorted({mark.level for mark in marks}):
        if len(shown) <= MOST_MARKS:
            break
        shown = [mark for mark in marks if mark.level > level]
    return shown[:MOST_MARKS]


def _texts(ruler: Ruler, marks: Sequence[GroupStart]) -> list[RulerText]:
    """Label the marks of the coarsest levels first, as long as there is room."""
    written: list[RulerText] = []
    for mark in sorted(marks, key=lambda mark: (-mark.level, mark.place)):
        x = _place(ruler, mark)
        is_free = all(abs(x - other.x) >= TEXT_WIDTH for other in written)
        if is_free and TEXT_WIDTH / 2 <= x <= WIDTH - TEXT_WIDTH / 2:
            written.append(RulerText(round(x, 1), mark.text[:LONGEST_TEXT]))
    return sorted(written, key=lambda text: text.x)
