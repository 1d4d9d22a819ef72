"""Earlier releases count: what crossing them reveals is a gate, found out once."""

import pytest

from deid_portal.attacks import crossing_gate
from deid_portal.plans.services import choose_protection
from deid_portal.reviews.gates import gates_of
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast


def gate_about_crossing(request: ReviewRequest):  # type: ignore[no-untyped-def]
    return next(c.gate for c in gates_of(request).gates if c.gate.name == "cross_releases")


@pytest.fixture
def second(cast: Cast) -> ReviewRequest:
    """The same patients again, with other levels than those released before."""
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    dataset = release.request.run.dataset
    method = {"name": "levels", "levels": {"Zip": 5, "Age": 1}, "suppression_limit": 1.0}
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=factories.RULES, method=method)
    dataset.refresh_from_db()
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    return ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("again"))


def test_the_first_release_has_nothing_to_cross(cast: Cast) -> None:
    gate = gate_about_crossing(factories.make_request(cast.steward, cast.team))
    assert (gate.fails, gate.has) == (False, "no earlier release of these people")


def test_people_who_lose_their_look_alikes_close_the_gate(second: ReviewRequest) -> None:
    gate = gate_about_crossing(second)
    assert gate.fails
    assert "crossed with 1 earlier release" in gate.has


def test_it_is_found_out_once(second: ReviewRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    first = gate_about_crossing(second)
    monkeypatch.setattr(crossing_gate, "cross_with_releases", None)
    assert gate_about_crossing(second) == first
