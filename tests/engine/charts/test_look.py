"""Our look: the colors of the pages, and the Plotly that draws them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import plotly.io
import pytest
from plotly.offline import get_plotlyjs_version

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.figure_parts import (
    bars,
    draw_figure,
    grouped_bars,
    marks,
    polyline,
    with_title,
)
from deid_portal.engine.charts.look import (
    ACCENT,
    FONT,
    NAME,
    TITLE_ROOM,
    TOKENS,
    look,
    page_figure,
)

STATIC = Path(__file__).parents[3] / "static"
CSS = (STATIC / "css" / "tokens.css").read_text()


def test_colors_are_those_of_the_light_theme() -> None:
    light = CSS.partition('[data-bs-theme="light"] {')[2].partition("}")[0]
    told = dict(re.findall(r"--([\w-]+): (#\w+);", light))
    assert {name: told[name] for name in TOKENS} == TOKENS
    assert len(set(TOKENS.values())) == len(TOKENS)  # each color leads back to one token


def test_letters_are_those_of_the_pages() -> None:
    assert f"--font: {FONT};" in CSS


def test_figures_are_made_for_the_plotly_that_pages_load() -> None:
    [vendored] = (STATIC / "vendor").glob("plotly-*.min.js")
    assert vendored.name == f"plotly-basic-{get_plotlyjs_version()}.min.js"


def test_a_figure_brings_the_registered_look_along() -> None:
    figure = grouped_bars(["a", "b"], {"Before": [1, 2], "After": [2, 1]}, x="x", y="y")
    assert figure.layout.template == look() == plotly.io.templates[NAME]
    assert figure.layout.template.layout.colorway[0] == ACCENT


def test_pages_get_the_names_of_colors_and_labels_stay_as_they_are() -> None:
    figure = draw_figure([bars([ACCENT, "token:bad"], [1, 2], texts=[ACCENT, "2"])], x=ACCENT)
    document = page_figure(figure)
    [trace] = document["data"]
    assert trace["marker"]["color"] == "token:accent"
    assert (trace["x"], trace["text"]) == ([ACCENT, "token:bad"], [ACCENT, "2"])
    assert document["layout"]["xaxis"]["title"]["text"] == ACCENT
    assert json.loads(json.dumps(document)) == document


def test_what_people_wrote_is_no_markup() -> None:
    figure = with_title(draw_figure([bars(["<b>x</b>", "R&D", "&lt;"], [1, 2, 3])], x="<i>"), "<a>")
    assert list(figure.data[0].x) == ["&lt;b>x&lt;/b>", "R&D", "&amp;lt;"]
    assert (figure.layout.xaxis.title.text, figure.layout.title.text) == ("&lt;i>", "&lt;a>")


def test_what_people_wrote_is_no_markup_beside_a_point_either() -> None:
    series = bars([1], [1], name="<b>"), polyline([1], [1], name="<b>", color=ACCENT, hover="%{y}")
    for trace in (*series, marks([1], [1], marker={}, name="<b>", hover="%{y}")):
        assert trace.hovertemplate.endswith("<extra>&lt;b></extra>")


def test_a_chart_is_drawn_by_plotly_or_not_at_all() -> None:
    assert Chart("id", "title", "", None).figure is None
    with pytest.raises(TypeError, match="none of Plotly's"):
        Chart("id", "title", "", {"data": []})  # type: ignore[arg-type]


def test_a_saved_picture_has_as_much_room_for_its_title_on_a_page() -> None:
    script = (STATIC / "js" / "chart.js").read_text()
    assert re.findall(r"const TITLE_ROOM = (\d+);", script) == [str(TITLE_ROOM)]


def test_names_stay_names_where_they_look_like_numbers() -> None:
    assert draw_figure([bars(["17", "80"], [1, 2])]).layout.xaxis.type == "category"
    assert draw_figure([bars(["17", "80"], [1, 2], is_lying=True)]).layout.yaxis.type == "category"
    assert draw_figure([bars([17, 80], [1, 2])]).layout.xaxis.type is None


def test_nobody_pays_for_plotly_who_draws_nothing() -> None:
    """What is heavy of it is loaded with the first figure: not by the pages, nor by the engine."""
    code = (
        "import os, sys, django\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'\n"
        "django.setup()\n"
        "from django.urls import get_resolver\n"
        "get_resolver().url_patterns\n"
        "import deid_portal.celery_app, deid_portal.engine.charts.gallery\n"
        "import deid_portal.engine.charts.svg\n"
        "assert 'deid_portal.reports.pages' in sys.modules\n"
        "found = [name for name in sys.modules if name.startswith('plotly.graph_objs')]\n"
        "sys.exit(', '.join(found) or 0)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
