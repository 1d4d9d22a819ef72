"""Every chart of every kind of report, internal and published."""

import json
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.gallery import charts_of_report, figures_of
from deid_portal.engine.charts.svg import write_svg
from deid_portal.engine.charts.svg.elements import plain_label
from deid_portal.engine.report import Report
from tests.charts import check_chart

FILES = sorted((Path(__file__).parents[2] / "data" / "reports").glob("*.json"))
SVG = "{http://www.w3.org/2000/svg}"
ATTRIBUTES_ONLY = {"svg", "rect", "text", "line", "polyline", "polygon", "circle", "path"}
PATTERNS = {"defs", "pattern"}


@cache
def charts_in(path: Path) -> list[Chart]:
    views = map(Report.from_document, json.loads(path.read_text()).values())
    return [chart for view in views for chart in charts_of_report(view).values()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_chart_is_valid_and_its_table_has_what_it_draws(path: Path) -> None:
    for chart in charts_in(path):
        check_chart(chart)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_chart_is_drawn_without_a_browser(path: Path) -> None:
    for chart in charts_in(path):
        picture = ElementTree.fromstring(write_svg(chart.figure, chart.title))
        names = {part.tag.removeprefix(SVG) for part in picture.iter()}
        assert names <= ATTRIBUTES_ONLY | PATTERNS
        assert not any("style" in part.attrib for part in picture.iter())
        assert picture.attrib["width"] == "640"
        _check_words(chart, picture)


def _check_words(chart: Chart, picture: ElementTree.Element) -> None:
    written = [part.text or "" for part in picture.iter(f"{SVG}text")]
    assert chart.title.split()[0] in written[0].split()
    for trace in chart.figure.data:
        if trace.type == "bar":
            assert {plain_label(words) for words in trace.text or () if words} <= set(written)
    drawn = sum(len(trace.x) for trace in chart.figure.data if trace.type == "bar")
    assert len(picture.findall(f"{SVG}rect")) >= drawn


def test_without_a_release_there_is_nothing_to_draw() -> None:
    [path] = [path for path in FILES if path.stem == "unsolved-rule"]
    assert charts_in(path) == []


def test_figures_say_their_finding_themselves() -> None:
    [path] = [path for path in FILES if path.stem == "table-full-domain"]
    whole = Report.from_document(json.loads(path.read_text())["whole"])
    charts, figures = charts_of_report(whole), figures_of(whole)
    assert set(figures) == set(charts) >= {"risk", "classes", "loss", "distribution-0", "variety-0"}
    assert {name: plain_label(figure.layout.title.text) for name, figure in figures.items()} == {
        name: chart.title for name, chart in charts.items()
    }
    assert all(name.replace("-", "").isalnum() for name in figures)  # a file can be called so
