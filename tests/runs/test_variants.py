"""Runs of a changed plan: made from another run, beside the protection that is chosen."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.engine import InvalidPlan
from deid_portal.plans.changes import HideAmong, SetLevel, UseMethod, write_changes
from deid_portal.plans.models import Protection
from deid_portal.runs.models import Run
from deid_portal.runs.variants import start_variant
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_finished_run(cast.steward, cast.team)


def test_a_variant_is_a_run_of_its_own_and_the_protection_stays(cast: Cast, run: Run) -> None:
    before = Protection.objects.get().rules
    started = start_variant(run=run, changes=[HideAmong(6)], started_by=cast.teammate)
    variant = factories.finish_run(started.run)
    assert variant.number == 2
    assert variant.plan["models"][0]["k"] == 6
    assert variant.report.classes.smallest >= 6
    assert variant.origin_words == "from run 1: hides among 6 instead of 4"
    assert Protection.objects.get().rules == before


def test_whoever_planned_and_whoever_changed_are_both_authors(cast: Cast, run: Run) -> None:
    variant = start_variant(run=run, changes=[HideAmong(6)], started_by=cast.teammate).run
    assert (variant.planned_by, variant.started_by) == (cast.steward, cast.teammate)


def test_the_audit_record_says_what_was_changed(cast: Cast, run: Run) -> None:
    start_variant(run=run, changes=[HideAmong(6)], started_by=cast.steward)
    facts = Event.objects.filter(action="run.started").latest("number").facts
    assert facts["changed"] == "hides among 6 instead of 4"
    assert facts["from_run"] == 1


def test_one_column_a_step_coarser_keeps_the_others(cast: Cast, run: Run) -> None:
    levels = run.report.transformation.levels
    change = SetLevel("Age", levels["Age"] + 1)
    variant = start_variant(run=run, changes=[change], started_by=cast.steward).run
    after = factories.finish_run(variant).report.transformation.levels
    assert after == {**levels, "Age": levels["Age"] + 1}


def test_the_same_plan_is_not_run_twice(cast: Cast, run: Run) -> None:
    first = start_variant(run=run, changes=[HideAmong(6)], started_by=cast.steward)
    waiting = start_variant(run=run, changes=[HideAmong(6)], started_by=cast.steward)
    factories.finish_run(first.run)
    finished = start_variant(run=run, changes=[HideAmong(6)], started_by=cast.steward)
    unchanged = start_variant(run=run, changes=[HideAmong(4)], started_by=cast.steward)
    assert (first.is_new, waiting.is_new, finished.is_new) == (True, False, False)
    assert first.run == waiting.run == finished.run
    assert unchanged.run == run
    assert Run.objects.count() == 2


def test_a_run_that_ended_badly_is_no_twin(cast: Cast, run: Run) -> None:
    first = start_variant(run=run, changes=[HideAmong(6)], started_by=cast.steward).run
    Run.objects.filter(id=first.id).update(status=Run.Status.FAILED)
    assert start_variant(run=run, changes=[HideAmong(6)], started_by=cast.steward).is_new


def test_what_makes_no_sense_is_refused_and_nothing_starts(cast: Cast, run: Run) -> None:
    for change in (HideAmong(1), HideAmong(13), UseMethod({"name": "magic"})):
        with pytest.raises(InvalidPlan):
            start_variant(run=run, changes=[change], started_by=cast.steward)
    assert Run.objects.count() == 1


def test_a_table_that_is_gone_is_not_run_again(cast: Cast, run: Run) -> None:
    forget_dataset(run.dataset, cast.steward)
    run.dataset.refresh_from_db()
    with pytest.raises(Refused, match="The table was deleted"):
        start_variant(run=run, changes=[HideAmong(6)], started_by=cast.steward)


def test_a_button_tries_a_change(cast: Cast, run: Run, signed_in: SignIn) -> None:
    answer = signed_in(cast.steward).post(
        reverse("runs:try", args=[run.id]), {"change": write_changes(HideAmong(6))}, follow=True
    )
    page = answer.content.decode()
    assert "From run 1: hides among 6 instead of 4" in page
    assert answer.redirect_chain[-1][0].endswith("/board/?a=1&b=2")
    assert Run.objects.get(number=2).based_on == run
    assert "hides among 6 instead of 4" in (
        signed_in(cast.steward).get(reverse("runs:list", args=[run.dataset_id])).content.decode()
    )


def test_a_reviewer_tries_nothing(cast: Cast, run: Run, signed_in: SignIn) -> None:
    change = {"change": write_changes(HideAmong(6))}
    answer = signed_in(cast.reviewer).post(reverse("runs:try", args=[run.id]), change, follow=True)
    assert "Nothing was started." in answer.content.decode()
    assert Run.objects.count() == 1


def test_nonsense_is_answered_with_a_sentence(cast: Cast, run: Run, signed_in: SignIn) -> None:
    answer = signed_in(cast.steward).post(
        reverse("runs:try", args=[run.id]), {"change": "{"}, follow=True
    )
    assert "The change is not valid JSON." in answer.content.decode()
