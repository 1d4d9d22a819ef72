"""Crossing a run with what was released before, for the attack and for the gate of a review."""

import pytest

from deid_portal.attacks.cases import earlier_releases
from deid_portal.attacks.crossing_gate import cross_with_releases
from deid_portal.attacks.results import AttackSummary
from deid_portal.plans.services import choose_protection
from deid_portal.reviews.services import RequestTerms, ask_for_review, withdraw_request
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast

BY_ZIP = {"name": "levels", "levels": {"Zip": 1, "Age": 3}, "suppression_limit": 1.0}
BY_AGE = {"name": "levels", "levels": {"Zip": 5, "Age": 1}, "suppression_limit": 1.0}


def make_run(cast: Cast, run: Run, method: dict[str, object]) -> Run:
    choose_protection(
        dataset=run.dataset, chosen_by=cast.steward, rules=factories.RULES, method=method
    )
    run.dataset.refresh_from_db()
    return factories.finish_run(start_run(dataset=run.dataset, started_by=cast.steward))


def release(cast: Cast, run: Run) -> None:
    request = ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching"))
    factories.approve(request, cast.approver)


@pytest.fixture
def first(cast: Cast) -> Run:
    # As few patients as these cannot hide among more.
    factories.allow_small_groups(
        cast.team, cast.administrator, least_k=3, highest_risk=1, most_left_out=1
    )
    return factories.make_finished_run(cast.steward, cast.team)


def test_nothing_was_released_before(cast: Cast, first: Run) -> None:
    make_run(cast, first, BY_ZIP)  # a run alone is no release
    assert earlier_releases(first) == []
    assert cross_with_releases(first, 4).smallest is None


def test_other_releases_of_the_table_are_found_once(cast: Cast, first: Run) -> None:
    by_zip = make_run(cast, first, BY_ZIP)
    withdraw_request(
        request=ask_for_review(run=by_zip, asked_by=cast.steward, terms=RequestTerms("too early")),
        withdrawn_by=cast.steward,
    )
    release(cast, by_zip)
    found = earlier_releases(make_run(cast, first, BY_AGE))
    assert [(own.run, own.number) for own in found] == [(by_zip, 1)]
    assert earlier_releases(by_zip) == []


def test_the_attack_counts_who_hides_among_fewer(cast: Cast, first: Run) -> None:
    by_zip = make_run(cast, first, BY_ZIP)
    release(cast, by_zip)
    by_age = make_run(cast, first, BY_AGE)
    test = factories.attack(by_age, cast.steward, "intersection")[0]
    found = AttackSummary.from_document(test.result, test.attack)
    assert found.releases == [1]
    assert found.figures.k == 3  # what the policy asks
    # Each zip code and each decade has four people, but only two share both.
    assert (found.stake.records, found.figures.smallest) == (8, 2)


def test_attack_and_gate_agree(cast: Cast, first: Run) -> None:
    by_zip = make_run(cast, first, BY_ZIP)
    release(cast, by_zip)
    by_age = make_run(cast, first, BY_AGE)
    test = factories.attack(by_age, cast.steward, "intersection")[0]
    gate = cross_with_releases(by_age, 3)
    assert gate.releases == 1
    assert gate.people == test.result["figures"]["few"]
    assert gate.smallest == test.result["figures"]["smallest"]


def test_showing_it_as_before_is_a_remedy(cast: Cast, first: Run) -> None:
    by_zip = make_run(cast, first, BY_ZIP)
    release(cast, by_zip)
    by_age = make_run(cast, first, BY_AGE)
    test = factories.attack(by_age, cast.steward, "intersection")[0]
    titles = [remedy["title"] for remedy in test.result["remedies"]]
    assert "Show the levels as release 1 does" in titles


def test_releases_of_another_team_are_nobodys_business(cast: Cast, first: Run) -> None:
    other = factories.make_team("Third office")
    steward = factories.make_person("third", other, "steward")  # type: ignore[arg-type]
    approver = factories.make_person("fourth", other, "approver")  # type: ignore[arg-type]
    factories.make_release(steward, approver, other)
    assert earlier_releases(first) == []


def test_the_same_file_uploaded_twice_has_the_same_people(cast: Cast, first: Run) -> None:
    release(cast, first)
    second = factories.make_finished_run(cast.teammate, cast.team)
    assert [own.run for own in earlier_releases(second)] == [first]
