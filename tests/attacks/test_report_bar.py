"""Before a review the report leads to the attacks the policy wants."""

from dataclasses import replace

import pytest

from deid_portal.accounts.models import User
from deid_portal.attacks.next_bars import bar_before_review
from deid_portal.policies.rules import Rules
from deid_portal.policies.services import change_policy
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.models import Run
from deid_portal.web.next_bar import NextBar
from tests import factories
from tests.conftest import Cast

OWN = NextBar("The report's own bar.")


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_exposed_run(cast.steward, cast.team)


def rest(run: Run, person: User) -> str:
    return bar_before_review(OWN, run, person).rest


def test_wanted_attacks_that_were_not_made_come_first(run: Run, cast: Cast) -> None:
    limits = {"record-linkage": 0.2, "homogeneity": 0.05}
    rules = replace(Rules(), attacks=limits)
    change_policy(team=cast.team, changed_by=cast.administrator, rules=rules)
    wanted = "the policy wants two attacks on this run; "
    assert rest(run, cast.steward) == f"{wanted}neither has been made yet."
    factories.attack(run, cast.steward, "homogeneity")
    assert rest(run, cast.steward) == f"{wanted}one has not been made yet."
    factories.attack(run, cast.steward, "record-linkage")
    assert bar_before_review(OWN, run, cast.steward) is OWN


def test_an_attack_that_is_not_possible_was_made(run: Run, cast: Cast) -> None:
    rules = replace(Rules(), attacks={"similarity": 0.1})
    change_policy(team=cast.team, changed_by=cast.administrator, rules=rules)
    assert "it has not been made yet" in rest(run, cast.steward)
    factories.attack(run, cast.steward, "similarity")
    assert bar_before_review(OWN, run, cast.steward) is OWN


def test_others_and_reviews_under_way_keep_the_bar(run: Run, cast: Cast) -> None:
    assert bar_before_review(OWN, run, cast.approver) is OWN
    ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching"))
    assert bar_before_review(OWN, run, cast.steward) is OWN
