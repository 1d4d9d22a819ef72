"""Attack the release of a network from the page: what an intruder gets, and what to change."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.attacks.execution import perform_attack
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.selectors import attack_rows, standings_of
from deid_portal.attacks.services import start_attacks
from deid_portal.policies.rules import Rules
from deid_portal.reviews.gates import check_run, gates_of
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.models import Run
from deid_portal.work.leases import claim
from tests import factories
from tests.conftest import Cast
from tests.networks import worlds

SignIn = Callable[[User], Client]


@pytest.fixture
def finished(cast: Cast) -> Run:
    dataset = worlds.make_network(cast.steward, cast.team)
    worlds.protect_karate(cast.steward, dataset, k=5)
    return worlds.run_network(cast.steward, dataset)


def attack(run: Run, person: User, *names: str, **chosen: int) -> None:
    for test in start_attacks(run=run, asked_by=person, attacks=names, chosen=chosen):
        lease = claim(AttackTest, test.id)
        assert lease is not None
        perform_attack(lease)


def test_every_attack_says_what_an_intruder_gets(
    cast: Cast, finished: Run, signed_in: SignIn
) -> None:
    attack(finished, cast.steward, "network-active", attempts=2)
    attack(finished, cast.steward, "network-degree", "network-neighbourhood", "network-fake-links")
    rows = {row.attack: row for row in attack_rows(cast.steward, finished)}
    assert all(row.is_made and row.result is not None for row in rows.values())
    degree = rows["network-degree"].result
    assert degree is not None
    assert degree.stake.share <= degree.stake.baseline == pytest.approx(1 / 5)
    assert degree.figures.correct_links == 0
    page = signed_in(cast.reviewer).get(reverse("attacks:show", args=[finished.id]))
    assert page.status_code == 200
    assert "34 guesses" in page.content.decode()


def test_what_helps_was_carried_out_and_attacked_again(cast: Cast, finished: Run) -> None:
    attack(finished, cast.steward, "network-neighbourhood")
    found = next(
        row for row in attack_rows(cast.steward, finished) if row.attack == "network-neighbourhood"
    )
    assert found.result is not None
    assert found.result.tried > 0
    assert all(remedy.share < found.result.stake.share for remedy in found.result.remedies)


def test_attacks_on_tables_do_not_stand_in_the_way_of_a_network(finished: Run) -> None:
    assert not standings_of(finished)["homogeneity"].is_possible


def test_a_policy_demands_attacks_of_the_kind_they_are_made_on(finished: Run) -> None:
    rules = Rules(attacks={"homogeneity": 0.05, "network-degree": 0.05}, cross_releases=False)
    gates = {gate.name: gate for gate in check_run(rules, finished)}
    assert "attacks.homogeneity" not in gates
    assert gates["attacks.network-degree"].fails
    assert gates["attacks.network-degree"].has == "not made yet"


def test_a_second_release_is_crossed_with_the_first(cast: Cast, finished: Run) -> None:
    terms = RequestTerms("teaching file")
    factories.approve(
        ask_for_review(run=finished, asked_by=cast.steward, terms=terms), cast.approver
    )
    worlds.protect_karate(cast.steward, finished.dataset, k=6, changes="additions-deletions")
    again = worlds.run_network(cast.steward, finished.dataset)
    request = ask_for_review(run=again, asked_by=cast.steward, terms=terms)
    crossed = next(own.gate for own in gates_of(request).gates if own.gate.name == "cross_releases")
    assert "with 1 earlier release; people recognized by their id" in crossed.has
