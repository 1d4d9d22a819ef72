"""One run goes on to review; the choice can be undone until a review was asked for."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.guide.steps import load_for_steps, steps_of
from deid_portal.plans.changes import HideAmong
from deid_portal.reviews.services import RequestTerms, ask_for_review, withdraw_request
from deid_portal.runs.models import Promotion, Run
from deid_portal.runs.promotion import promote_run, undo_promotion
from deid_portal.runs.variants import start_variant
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def runs(cast: Cast) -> list[Run]:
    first = factories.make_finished_run(cast.steward, cast.team)
    second = start_variant(run=first, changes=[HideAmong(6)], started_by=cast.steward).run
    return [first, factories.finish_run(second)]


def _fresh(run: Run) -> Run:
    return Run.objects.get(id=run.id)


def _step(run: Run, name: str) -> str:
    steps = steps_of(load_for_steps([run.dataset_id])[run.dataset_id])
    return next(step.url for step in steps if step.name == name)


def test_the_steps_follow_the_promoted_run(cast: Cast, runs: list[Run]) -> None:
    first, second = runs
    assert str(second.id) in _step(first, "report")
    promote_run(run=first, promoted_by=cast.steward)
    assert str(first.id) in _step(first, "report")
    assert _step(first, "review") == reverse("reviews:ask", args=[first.id])
    undo_promotion(run=_fresh(first), undone_by=cast.teammate)
    assert str(second.id) in _step(first, "report")
    actions = Event.objects.filter(action__startswith="run.promot").order_by("number")
    assert [event.action for event in actions] == ["run.promoted", "run.promotion_undone"]


def test_another_run_takes_the_place(cast: Cast, runs: list[Run]) -> None:
    first, second = runs
    promote_run(run=first, promoted_by=cast.steward)
    promote_run(run=_fresh(second), promoted_by=cast.steward)
    assert Promotion.objects.get().run == second
    assert Event.objects.filter(action="run.promoted").latest("number").facts == {
        "instead_of_run": 1
    }


def test_only_the_promoted_run_is_reviewed(cast: Cast, runs: list[Run]) -> None:
    first, second = runs
    promote_run(run=first, promoted_by=cast.steward)
    with pytest.raises(Refused, match="Run 1 is promoted, so it is the one to review"):
        ask_for_review(run=_fresh(second), asked_by=cast.steward, terms=RequestTerms("teaching"))
    ask_for_review(run=_fresh(first), asked_by=cast.steward, terms=RequestTerms("teaching"))


def test_a_review_holds_the_choice_until_it_is_taken_back(cast: Cast, runs: list[Run]) -> None:
    first, second = runs
    promote_run(run=first, promoted_by=cast.steward)
    request = ask_for_review(
        run=_fresh(first), asked_by=cast.steward, terms=RequestTerms("teaching")
    )
    with pytest.raises(Refused, match="Request 1 asks for the review of run 1"):
        undo_promotion(run=_fresh(first), undone_by=cast.steward)
    with pytest.raises(Refused, match="Request 1 asks for the review of run 1"):
        promote_run(run=_fresh(second), promoted_by=cast.steward)
    withdraw_request(request=request, withdrawn_by=cast.steward)
    undo_promotion(run=_fresh(first), undone_by=cast.steward)


def test_what_released_nothing_cannot_be_promoted(cast: Cast, runs: list[Run]) -> None:
    waiting = start_variant(run=runs[0], changes=[HideAmong(3)], started_by=cast.steward).run
    with pytest.raises(Refused, match="released nothing"):
        promote_run(run=waiting, promoted_by=cast.steward)
    with pytest.raises(Refused, match="is not promoted"):
        undo_promotion(run=runs[0], undone_by=cast.steward)


def test_the_buttons_of_the_board(cast: Cast, runs: list[Run], signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    promote = reverse("reports:promote", args=[runs[0].id])
    page = client.post(promote, follow=True).content.decode()
    assert "Run 1 is promoted" in page
    assert "Ask for review" in page
    undo = reverse("reports:undo-promotion", args=[runs[0].id])
    assert "Run 1 is no longer promoted." in client.post(undo, follow=True).content.decode()
    assert "Promote one run to go on." in client.get(
        reverse("reports:board", args=[runs[0].dataset_id])
    ).content.decode()  # fmt: skip


def test_a_reviewer_promotes_nothing(cast: Cast, runs: list[Run], signed_in: SignIn) -> None:
    signed_in(cast.reviewer).post(reverse("reports:promote", args=[runs[0].id]))
    assert not Promotion.objects.exists()
