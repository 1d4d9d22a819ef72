"""When nothing satisfies a plan: what blocks, what would work, and one click to try it."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.plans.services import choose_protection
from deid_portal.policies.rules import Rules
from deid_portal.reports.remedies import describe_miss, describe_remedies
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast
from tests.engine.remedies.test_remedies import COLUMNS, SURE, TABLE, K
from tests.reports.samples import make_report

SignIn = Callable[[User], Client]


@pytest.fixture
def run(cast: Cast) -> Run:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    rules = [*factories.RULES, {"model": "confidence-bounding", "h": 0.05, "column": "Condition"}]
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=rules, method=factories.METHOD)
    dataset = Dataset.objects.get(id=dataset.id)
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    assert run.solution is False
    return run


def test_the_page_names_the_rule_and_offers_changes(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    text = signed_in(cast.steward).get(reverse("reports:report", args=[run.id])).content.decode()
    assert "No level of detail satisfies this plan" in text
    assert "confidence-bounding 0.05 on Condition" in text
    assert text.count("Try this change") == 3


def test_one_click_tries_a_change_and_it_works(cast: Cast, run: Run, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    text = client.get(reverse("reports:report", args=[run.id])).content.decode()
    for change in re.findall(r'name="change" value="([^"]+)"', text):
        client.post(reverse("runs:try", args=[run.id]), {"change": unescape(change)})
        tried = factories.finish_run(Run.objects.order_by("-number")[0])
        assert tried.solution is True, change
        assert tried.based_on == run


def test_others_are_told_neither_how_near_it_came_nor_what_would_work(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    text = signed_in(cast.reviewer).get(reverse("reports:report", args=[run.id])).content.decode()
    assert "Try this change" not in text
    assert "Stewards see how near it came and what would work." in text
    assert "left out" not in text.partition("Stewards see how near")[2].partition("</main>")[0]
    address = reverse("reports:document", args=[run.id])
    told = signed_in(cast.reviewer).get(address).json()
    assert not {"nearest", "remedies", "blocked_by", "classes"} & told.keys()


def test_there_are_no_other_pages(cast: Cast, run: Run, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    answer = client.get(reverse("reports:section", args=[run.id, "groups"]))
    assert answer.status_code == 302


def test_the_miss_says_how_near_it_was() -> None:
    report = make_report(TABLE, COLUMNS, models=[K, SURE], method={"name": "full-domain"})
    miss = describe_miss(report)
    assert miss.blocked_by == "confidence-bounding 0.55 on condition"
    assert miss.sentence == "k-anonymity 5 alone would have worked."
    numbers = {own.label: own.value for own in miss.numbers}
    assert numbers["Nearest miss"] == "h = 0.7"
    assert numbers["Rules that hold there"] == "k 5"


def test_changes_the_policy_forbids_say_so() -> None:
    report = make_report(TABLE, COLUMNS, models=[K, SURE], method={"name": "full-domain"})
    offered = {own.title: own for own in describe_remedies(report, Rules())}
    assert offered["Ask for h 0.7 on condition"].is_allowed
    dropped = offered["Do without confidence-bounding on condition"]
    assert dropped.policy == "The policy wants every sensitive column protected"
    assert not dropped.is_allowed


def test_reports_of_old_without_remedies_open(cast: Cast, run: Run, signed_in: SignIn) -> None:
    run.report = run.finished_report.without("remedies")
    run.save(update_fields=["report"])
    text = signed_in(cast.steward).get(reverse("reports:report", args=[run.id])).content.decode()
    assert "No single change was found" in text
