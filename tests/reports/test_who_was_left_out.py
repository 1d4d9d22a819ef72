"""Viewers without row access cannot infer who was suppressed, even if they know all others.

Twins are two originals with the same release and the same stated totals
(`engine/publication/twins.py`): such a viewer must see exactly the same of both.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.engine import Outcome, Plan
from deid_portal.engine.publication import Publication
from deid_portal.engine.report import Report
from deid_portal.engine.report.left_out import KeptPeople, PayingColumn, PayingGroup
from deid_portal.engine.report.table import RowCounts
from deid_portal.policies.gates import check_gates
from deid_portal.policies.rules import Rules
from deid_portal.reports.board import Board
from deid_portal.reports.board_figure import board_chart
from deid_portal.reports.pages import SECTIONS, ReportPageRequest
from deid_portal.reports.scenarios import Scenario
from deid_portal.reports.verdicts import describe_rules, judge_report, key_numbers
from deid_portal.reports.visibility import summary_seen, without_values
from deid_portal.runs.models import Run
from deid_portal.runs.summaries import summarize_run
from tests import factories
from tests.conftest import Cast
from tests.engine.publication.test_publish_report import (
    ENOUGH,
    FACULTIES,
    PLANS,
    outcomes_with,
    plan_of,
    twins_of,
)
from tests.engine.publication.twins import what_is_known
from tests.engine.tables import document

SignIn = Callable[[User], Client]
NOBODY = UUID(int=1)
POLICY = Rules(most_left_out_of_group=0.5, smallest_group_judged=100)
LONER = ("M", "north", "law")


def run_of(plan: Plan, outcome: Outcome) -> Run:
    """Return a finished run as it is kept, not saved."""
    assert outcome.released is not None
    report = Report.from_document(json.loads(json.dumps(outcome.full_report.to_document())))
    published = Publication.of(plan, outcome.released, report)
    summary = summarize_run(report, published.detail)
    return Run(
        id=NOBODY, number=1, solution=True, report=report, published=published, summary=summary
    )


def what_is_read(run: Run, other: Run) -> dict[str, str]:
    """Return everything somebody reads who sees no rows, `other` being a run to compare with."""
    report = run.finished_report
    seen = without_values(report, run.publication)
    read: dict[str, Any] = {"document": seen.to_document(), "rules": describe_rules(seen)}
    read |= {"numbers": key_numbers(seen, POLICY), "verdict": judge_report(seen, POLICY, report)}
    for slug, section in SECTIONS.items():
        if not SECTIONS[slug].for_stewards:
            read[slug] = section.make(ReportPageRequest(run, seen, QueryDict()))
    read["gates"] = [own.has_for(sees_values=False) for own in check_gates(POLICY, report)]
    read |= _boards(run, other)
    return {name: repr(own) for name, own in read.items()}


def _boards(run: Run, other: Run) -> dict[str, Any]:
    scenarios = [
        Scenario(UUID(int=number), number, summary_seen(own, sees_values=False))
        for number, own in enumerate((run, other), 1)
    ]
    board = Board.read(scenarios, {"a": "1", "b": "2"})
    chart = board_chart(board)
    figure = None if chart is None else chart.figure
    return {"board": (board.rows, figure), "comparison": board.comparison}


@pytest.mark.parametrize("way", PLANS)
def test_twins_are_shown_alike(way: str) -> None:
    generator, plan = np.random.default_rng(len(way)), plan_of(way)
    left_out = 0
    for first, second in islice(twins_of(generator, plan), ENOUGH):
        one, two = run_of(plan, first), run_of(plan, second)
        assert what_is_read(one, one) == what_is_read(two, one)
        left_out += first.report.rows.suppressed
    assert left_out, "or nobody was there to be found"


def faculty_runs(method: str) -> Iterator[tuple[tuple[str, ...], Run]]:
    """Return a run for everybody whom the one person left out could have been."""
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in FACULTIES}
    asked = {"name": method, "suppression_limit": 0.01}
    asked |= {"levels": {}} if method == "levels" else {}
    plan = Plan.from_document(
        document(columns, models=[{"model": "k-anonymity", "k": 5}], method=asked)
    )
    people = dict(outcomes_with(plan))
    known = what_is_known(people[LONER])
    for person, outcome in people.items():
        if outcome.released is not None and what_is_known(outcome) == known:
            yield person, run_of(plan, outcome)


@pytest.mark.parametrize("method", ["levels", "full-domain"])
def test_everybody_fits_whom_the_one_person_left_out_could_have_been(method: str) -> None:
    runs = dict(faculty_runs(method))
    truth = runs[LONER]
    assert truth.finished_report.rows == RowCounts(released=400, suppressed=1)
    read = what_is_read(truth, truth)
    fitting = [person for person, run in runs.items() if what_is_read(run, truth) == read]
    assert fitting == list(runs)
    for place in range(len(FACULTIES)):
        assert len({person[place] for person in fitting}) > 1, "one value alone would be found"


def test_no_page_tells_who_was_left_out(cast: Cast, signed_in: SignIn) -> None:
    runs = dict(faculty_runs("levels"))
    kept = factories.make_finished_run(cast.steward, cast.team)
    put(runs[LONER], kept)
    beside = Run.objects.get(id=kept.id)
    for field in beside._meta.concrete_fields:
        getattr(beside, field.attname)  # opened where it lies, to be sealed anew
    beside.id, beside.number = UUID(int=2), 2
    beside.save(force_insert=True)
    client = signed_in(cast.approver)
    pages = None
    for person in (LONER, ("elsewhere", "north", "law"), ("M", "elsewhere", "elsewhere")):
        put(runs[person], kept)
        found = {address: shown(client, address) for address in addresses(kept)}
        pages = pages or found
        for address, text in found.items():
            assert text == pages[address], f"{address} tells {person}"


def put(run: Run, kept: Run) -> None:
    """Let a run that is kept be that of another original."""
    for name in ("report", "published", "summary"):
        setattr(kept, name, getattr(run, name))
    kept.save(update_fields=["report", "published", "summary"])


def addresses(run: Run) -> list[str]:
    board = reverse("reports:board", args=[run.dataset_id])
    return [
        reverse("reports:report", args=[run.id]),
        *(
            reverse("reports:section", args=[run.id, slug])
            for slug, section in SECTIONS.items()
            if not section.for_stewards
        ),
        reverse("reports:section", args=[run.id, "groups"]) + "?size=1",
        reverse("reports:document", args=[run.id]),
        board,
        f"{board}?a=1&b=2",
        reverse("reports:comparison", args=[run.dataset_id]) + "?a=1&b=2",
    ]


def shown(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code in (200, 302), address
    tokens = r'(csrfmiddlewaretoken" value="|"X-CSRFToken": "|nonce=")[^"]*'
    return re.sub(tokens, r"\1", answer.content.decode())


def test_stewards_see_all_of_it(cast: Cast, signed_in: SignIn) -> None:
    kept = factories.make_finished_run(cast.steward, cast.team)
    run = next(own for person, own in faculty_runs("levels") if person == LONER)
    put(run, kept)
    address = reverse("reports:document", args=[kept.id])
    assert signed_in(cast.steward).get(address).json() == run.finished_report.to_document()


def test_of_the_people_of_the_release_risk_before_is_told_in_bands() -> None:
    run = next(own for person, own in faculty_runs("levels") if person == LONER)
    report = run.finished_report
    seen = without_values(report, run.publication)
    assert seen.kept_before == KeptPeople(average_risk="≤ 5 %", one_of_a_kind="≤ 5 %")
    assert report.kept_before is not None
    few = replace(report, kept_before=replace(report.kept_before, records=199))
    assert without_values(few, run.publication).kept_before == KeptPeople()


def test_the_share_of_a_group_is_told_to_stewards_alone() -> None:
    """Of 41 people one left out is 2.4 %: whoever knows the group knows the person."""
    groups = (PayingGroup("south", records=41, suppressed=1, loss=0.1),)
    run = next(own for person, own in faculty_runs("levels") if person == LONER)
    paying = PayingColumn(column="region", groups=groups)
    report = replace(run.finished_report, who_pays=(paying,))
    rules = replace(POLICY, smallest_group_judged=10)
    (gate,) = [own for own in check_gates(rules, report) if own.name == "most_left_out_of_group"]
    assert "2.4" in gate.has_for(sees_values=True)
    assert gate.has_for(sees_values=False) == "within the limit"
