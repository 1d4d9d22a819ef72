"""Parts of reports: how their fields are declared says when their entries are there."""

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, Literal

import pytest

from deid_portal.engine.errors import InvalidReport
from deid_portal.engine.report.part import NotTold, Part, null, rest


@dataclass(frozen=True)
class Point(Part):
    x: int
    y: float


@dataclass(frozen=True)
class Named(Part):
    kind: Literal["named"]
    name: str | None


@dataclass(frozen=True)
class Shape(Part):
    from_: Point
    to: int | None
    level: int | None = null()
    label: str | None = None
    path: tuple[Point, ...] | None = None
    ends: tuple[str, float] | None = None
    by_name: Mapping[str, Point] | None = None
    either: Named | Point | None = None
    share: float | str | None = None
    more: Mapping[str, Any] = rest()


WHOLE: dict[str, Any] = {
    "from": {"x": 1, "y": 2},
    "to": None,
    "level": None,
    "label": "a",
    "path": [{"x": 3, "y": 0.5}],
    "ends": ["b", 1],
    "by_name": {"c": {"x": 4, "y": 5}},
    "either": {"kind": "named", "name": None},
    "share": "≤ 5 %",
    "else": [1, {"deep": None}],
}
LEAST: dict[str, Any] = {"from": {"x": 1, "y": 2.0}, "to": 3}


@pytest.mark.parametrize("document", [WHOLE, LEAST, {**LEAST, "either": {"x": 0, "y": 0}}])
def test_what_is_read_is_written_again(document: dict[str, Any]) -> None:
    assert Shape.from_document(document).to_document() == document


def test_a_number_stays_what_it_was() -> None:
    written = Shape.from_document(WHOLE).to_document()
    assert type(written["from"]["y"]) is int


def test_entries_become_attributes() -> None:
    shape = Shape.from_document(WHOLE)
    assert (shape.from_.x, shape.to, shape.label) == (1, None, "a")
    assert shape.path == (Point(3, 0.5),)
    assert shape.by_name == {"c": Point(4, 5)}
    assert isinstance(shape.either, Named)
    assert shape.more == {"else": [1, {"deep": None}]}


def test_what_is_made_is_written() -> None:
    shape = Shape(Point(1, 2.0), None, path=(), more={"odd": 1})
    told = {"from": {"x": 1, "y": 2.0}, "to": None, "level": None, "path": [], "odd": 1}
    assert shape.to_document() == told


def test_entries_of_another_version_are_passed_over() -> None:
    assert Point.from_document({"x": 1, "y": 2, "z": 3}) == Point(1, 2)


def test_what_is_missing_is_not_told() -> None:
    point = Point.from_document({"x": 1})
    assert (point.tells("x"), point.tells("y")) == (True, False)
    assert point.to_document() == {"x": 1}
    with pytest.raises(NotTold, match='Point does not tell "y" here'):
        _ = point.y
    with pytest.raises(ValueError, match="Point has no such field"):
        point.tells("z")


def test_parts_are_shown_and_compared_by_what_they_tell() -> None:
    point = Point.telling(x=1)
    assert repr(point) == "Point(x=1)"
    assert point == Point.from_document({"x": 1}) != Point(1, 2)
    assert point != Named.telling(kind="named")
    least = Shape.from_document(LEAST)
    assert least == Shape(from_=Point(1, 2), to=3, level=None, more={})


def test_parts_do_not_change() -> None:
    point = Point.from_document({"x": 1, "y": 2})
    with pytest.raises(FrozenInstanceError):
        point.x = 5  # type: ignore[misc]


REFUSED: list[tuple[Any, str]] = [
    (None, "The report: an object with named entries is needed here."),
    ({**LEAST, "from": {"x": 1.0, "y": 2}}, "from.x: a whole number is needed here."),
    ({**LEAST, "from": {"x": True, "y": 2}}, "from.x: a whole number is needed here."),
    ({**LEAST, "to": "3"}, "to: a whole number is needed here."),
    ({**LEAST, "path": [{"x": 1, "y": 1}, {"x": 1, "y": ""}]}, "path[1].y: a number is needed"),
    ({**LEAST, "path": "abc"}, "path: a list is needed here."),
    ({**LEAST, "ends": ["b"]}, "ends: a list of 2 is needed here."),
    ({**LEAST, "ends": [1, 1]}, "ends[0]: a text is needed here."),
    ({**LEAST, "by_name": []}, "by_name: an object with named entries is needed here."),
    ({**LEAST, "by_name": {"c": {"x": ""}}}, "by_name.c.x: a whole number is needed here."),
    ({**LEAST, "either": {"kind": "other", "name": ""}}, "either: another form is needed here."),
    ({**LEAST, "either": {"kind": "named", "name": 1}}, "either.name: a text is needed here."),
    ({**LEAST, "share": None, "label": 0}, "label: a text is needed here."),
    ({**LEAST, "share": [0]}, "share: a number or a text is needed here."),
]


@pytest.mark.parametrize(("document", "sentence"), REFUSED)
def test_what_is_of_another_kind_is_refused(document: Any, sentence: str) -> None:
    with pytest.raises(InvalidReport) as refused:
        Shape.from_document(document)
    assert str(refused.value).startswith(sentence)


def test_a_place_is_told_in_few_words() -> None:
    with pytest.raises(InvalidReport) as refused:
        Shape.from_document({**LEAST, "by_name": {"c" * 5000: 1}})
    assert len(str(refused.value)) < 300
