"""The pages of a report: each has an address, opens for those who may, and for reports of old."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.engine.report.utility import WorkloadError
from deid_portal.reports.pages import SECTIONS
from deid_portal.runs.models import Run
from tests import factories
from tests.conftest import Cast
from tests.reports.samples import of_old

PAGES = [slug for slug, own in SECTIONS.items() if slug != "summary" and not own.for_stewards]
SignIn = Callable[[User], Client]


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_finished_run(cast.steward, cast.team)


def page(client: Client, run: Run, slug: str = "", **asked: str) -> str:
    address = reverse("reports:section", args=[run.id, slug]) if slug else ""
    address = address or reverse("reports:report", args=[run.id])
    answer = client.get(address, asked)
    assert answer.status_code == 200, slug
    return str(answer.content.decode())


def test_every_page_opens_for_steward_and_reviewer(cast: Cast, run: Run, signed_in: SignIn) -> None:
    for person in (cast.steward, cast.reviewer, cast.approver):
        client = signed_in(person)
        for slug in ("", *PAGES):
            text = page(client, run, slug)
            assert "Every person now hides among at least" in text
            assert 'aria-current="page"' in text


def test_every_page_of_a_report_of_old_opens(cast: Cast, run: Run, signed_in: SignIn) -> None:
    run.report = of_old(run.finished_report)
    run.save(update_fields=["report"])
    for person in (cast.steward, cast.reviewer):
        for slug in ("", *PAGES):
            page(signed_in(person), run, slug, size="1", column="Age", group="Condition:0")


def test_rows_are_for_stewards_alone(cast: Cast, run: Run, signed_in: SignIn) -> None:
    text = page(signed_in(cast.teammate), run, "rows")
    assert "Rows 1–12 of 12" in text
    answer = signed_in(cast.reviewer).get(reverse("reports:section", args=[run.id, "rows"]))
    assert answer.status_code == 403
    summary = page(signed_in(cast.reviewer), run)
    assert ">Rows</a>" not in summary
    assert "never rows" in summary


def test_an_unknown_page_does_not_exist(cast: Cast, run: Run, signed_in: SignIn) -> None:
    address = reverse("reports:section", args=[run.id, "colors"])
    assert signed_in(cast.steward).get(address).status_code == 404
    address = reverse("reports:section", args=[run.id, "groups"])
    assert signed_in(cast.outsider).get(address).status_code == 404


def test_what_is_chosen_on_a_page_is_in_its_address(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    assert run.finished_report.isolation is not None
    size = run.finished_report.isolation[0].from_
    assert "keeps most of them apart" in page(client, run, "groups", size=str(size))
    assert "What keeps groups apart" in page(client, run, "groups", size="-1")
    assert '<option value="Condition" selected>' in page(
        client, run, "who-pays", column="Condition"
    )


def test_reviewers_read_no_value_of_few_people(cast: Cast, run: Run, signed_in: SignIn) -> None:
    client = signed_in(cast.reviewer)
    texts = [page(client, run, slug) for slug in ("", *PAGES)]
    texts.append(client.get(reverse("reports:document", args=[run.id])).content.decode())
    # Twelve patients: no zip code and no age is shared by five, and no name ever leaves.
    for text in texts:
        for value in ("13053", "14850", "Jennifer"):
            assert value not in text


def test_how_far_off_counting_questions_are_is_told(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    report = run.finished_report
    assert report.comparison is not None
    queries = WorkloadError(mean=0.125, interval=(0.1, 0.15), median=0.1, queries=20)
    run.report = replace(report, comparison=replace(report.comparison, queries=queries))
    run.save(update_fields=["report"])
    text = page(signed_in(cast.steward), run, "distributions")
    assert "Counting questions are answered 12.5\u00a0% off on average" in text


def test_opening_a_page_costs_few_queries(
    cast: Cast, run: Run, signed_in: SignIn, django_assert_max_num_queries: Callable[..., object]
) -> None:
    client = signed_in(cast.reviewer)
    page(client, run)
    with django_assert_max_num_queries(17):  # type: ignore[attr-defined]
        page(client, run, "risk")


def test_a_run_that_tried_a_change_says_of_what(cast: Cast, run: Run, signed_in: SignIn) -> None:
    run.change_words, run.based_on = "hides among 3 instead of 4", run
    run.save(update_fields=["change_words", "based_on"])
    text = page(signed_in(cast.steward), run)
    assert "hides among 3 instead of 4" in text
    assert "of an earlier plan" not in text
