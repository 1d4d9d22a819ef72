"""The chart of every section of a report, attack and kind of question, drawn on one page.

`tests/charts.py` checks figures; only a browser tells whether Plotly draws something of them.
"""

import json
import mimetypes
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
from django.conf import settings
from django.template.loader import render_to_string
from django.templatetags.static import static
from playwright.sync_api import Browser, Route

from deid_portal.attacks.figures import attack_chart
from deid_portal.attacks.kinds import traits_of
from deid_portal.attacks.results import AttackSummary
from deid_portal.attacks.vocabulary import WORDINGS
from deid_portal.engine.attacks.attack import AttackBins, Bin, Stake
from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.gallery import charts_of_report
from deid_portal.engine.differential import QUESTIONS, answer
from deid_portal.engine.networks.questions import NETWORK_QUESTIONS
from deid_portal.engine.networks.questions.answer import answer_about_network
from deid_portal.engine.report import Report
from deid_portal.querydesk.answer_charts import chart_of
from deid_portal.querydesk.models import Question
from tests.charts import check_chart
from tests.engine.differential.questions import KINDS, random_table
from tests.engine.differential.questions import ask as ask_table
from tests.engine.differential.questions import setting as table_setting
from tests.engine.networks.test_network_questions import ENTRIES, as_file
from tests.engine.networks.test_network_questions import ask as ask_network
from tests.engine.networks.test_network_questions import setting as network_setting
from tests.journeys.browser import new_context

HERE = "http://charts.test"
REPORTS = Path(__file__).parents[1] / "data" / "reports"
# Together they have every chart of tables and networks; all others take seconds to compute.
FULL_REPORTS = ("every-attack", "network-attributes")
LINKS = ((0, 1), (0, 2), (1, 2), (2, 3))
# What Plotly draws of bars, lines and markers.
FAILED = """() => [...document.querySelectorAll('[data-chart-box]')].filter(box => {
  const plot = box.querySelector('.chart-plot');
  const marks = '.bars path, .scatterlayer .points path, .scatterlayer .js-line';
  return !plot || plot.matches('.chart-failed') || !plot.querySelector(marks);
}).map(box => `${box.id}: ${box.querySelector('.chart-title').textContent}`)"""
ALL_TRIED = """() => [...document.querySelectorAll('[data-chart]')]
  .every(box => box.matches('.is-drawn'))"""


def charts_of_reports() -> Iterator[Chart]:
    """Give one chart of every name, of tables and of networks."""
    known: set[tuple[bool, str]] = set()
    for stem in FULL_REPORTS:
        document = json.loads((REPORTS / f"{stem}.json").read_text())
        report = Report.from_document(document["whole"])
        for name, chart in charts_of_report(report).items():
            kind = (report.network is None, re.sub(r"\d+", "", name))
            if kind not in known:
                known.add(kind)
                yield replace(chart, id=f"{stem}-{name}")


def charts_of_attacks() -> Iterator[Chart]:
    bins = AttackBins("people", "Candidates", (Bin("1", 3.0, True), Bin("2 to 4", 40.0, False)))
    for attack, wording in WORDINGS.items():
        kind = traits_of(attack).figures_kind
        summary = AttackSummary(
            stake=Stake(0.1, (0.05, 0.2), 3, 0.02, True),
            value=0.1,
            control=0.02,
            figures=kind.from_document({one.name: 2.0 for one in fields(kind)}),
            spread=bins,
            sentence="",
            explain="",
            column="ward",
            people=43,
        )
        chart = attack_chart(summary, wording)
        assert chart is not None
        yield replace(chart, id=f"attack-{attack}")


def charts_of_answers() -> Iterator[Chart]:
    """Every answer of several numbers has a chart with a figure, and so has every regression."""
    table, network = random_table(np.random.default_rng(1)), as_file(4, LINKS, listed=False)
    answers = [answer(table, ask_table(kind, own, table_setting(), 2.0)) for kind, own in KINDS]
    answers += [
        answer_about_network(network, ask_network(kind, entries[0], network_setting(size=4)))
        for kind, entries in ENTRIES.items()
    ]
    assert {one.question.kind for one in answers} == {*QUESTIONS, *NETWORK_QUESTIONS}
    for number, one in enumerate(answers):
        document = one.to_document()
        kind = one.question.kind
        question = Question(id=number, kind=kind, document=one.question.to_document())
        chart = chart_of(question, document)
        assert (chart is None) == (not {"values", "coefficients", "histogram"} & set(document))
        if chart is not None:
            assert chart.figure is not None, kind
            check_chart(chart)
            yield replace(chart, id=f"answer-{kind}-{number}")


def serve(route: Route) -> None:
    """Answer from the folder of static files; there is no portal behind this page."""
    path = route.request.url.removeprefix(f"{HERE}{settings.STATIC_URL}")
    file = Path(settings.STATICFILES_DIRS[0]) / path
    if not file.is_file():
        route.fulfill(status=404)
        return
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    route.fulfill(body=file.read_bytes(), content_type=kind)


def page_of(charts: list[Chart]) -> str:
    boxes = [
        render_to_string("partials/_chart.html", {"chart": chart, "without_table": True})
        for chart in charts
    ]
    head = (
        f'<meta name="plotly-src" content="{static("vendor/plotly-basic-4.1.1.min.js")}">'
        f'<link rel="stylesheet" href="{static("css/every_page.css")}">'
        f'<script type="module" src="{static("js/chart.js")}"></script>'
    )
    return f"<!doctype html><html><head>{head}</head><body>{''.join(boxes)}</body></html>"


def test_every_chart_is_drawn(browser: Browser) -> None:
    charts = [*charts_of_reports(), *charts_of_attacks(), *charts_of_answers()]
    page = new_context(browser, viewport={"width": 800, "height": 600}).new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.route(f"{HERE}/**", serve)
    page.route(
        f"{HERE}/", lambda route: route.fulfill(body=page_of(charts), content_type="text/html")
    )
    page.goto(f"{HERE}/")
    page.wait_for_function(ALL_TRIED)
    assert page.locator("[data-chart-box]").count() == len(charts)
    assert page.evaluate(FAILED) == []
    assert complaints == []
