"""Remedies are carried out before they are shown; "Try it" comes to exactly their price."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.attacks.remedies import most_tried
from deid_portal.attacks.results import AttackSummary, TriedRemedy
from deid_portal.plans.services import choose_protection
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def remedies_of(run: Run, cast: Cast, attack: str) -> AttackSummary:
    test = factories.attack(run, cast.steward, attack)[0]
    return AttackSummary.from_document(test.result, test.attack)


def test_who_is_exposed_can_be_left_out_as_well(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    found = remedies_of(run, cast, "homogeneity")
    first = next(own for own in found.remedies if own.title == "Leave these 4 people out as well")
    assert (found.stake.records, first.records) == (4, 0)
    assert (found.left_out, first.left_out) == (4, 8)
    assert first.is_enough


def test_the_cheapest_that_suffices_stands_first(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    found = remedies_of(run, cast, "homogeneity")
    enough = [own.is_enough for own in found.remedies]
    assert enough == sorted(enough, reverse=True)
    losses = [own.loss for own in found.remedies if own.is_enough]
    assert losses == sorted(losses)
    assert all(own.share < found.stake.share for own in found.remedies)
    assert found.tried >= len(found.remedies)


def test_trying_a_remedy_comes_to_its_price(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    found = remedies_of(run, cast, "homogeneity")
    assert found.remedies
    for remedy in found.remedies:
        tried = _try(run, remedy, signed_in(cast.steward))
        assert tried.report.rows.suppressed == remedy.left_out
        assert tried.report.utility.loss == pytest.approx(remedy.loss)
        again = remedies_of(tried, cast, "homogeneity")
        assert again.stake.records == remedy.records


def _try(run: Run, remedy: TriedRemedy, client: Client) -> Run:
    client.post(reverse("runs:try", args=[run.id]), {"change": remedy.change})
    return factories.finish_run(Run.objects.order_by("-number")[0])


def test_rounding_is_tried_where_exact_amounts_find_people(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_paid_dataset(cast.steward, cast.team)
    levels = {"name": "levels", "levels": {"Age": 1}, "suppression_limit": 1.0}
    rules = [{"model": "k-anonymity", "k": 5}]
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=rules, method=levels)
    dataset.refresh_from_db()
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    found = remedies_of(run, cast, "singling-out")
    assert found.stake.share > 0.3
    best = found.remedies[0]
    assert "Round Pay to" in best.title
    assert best.share < found.stake.share / 2
    tried = _try(run, best, signed_in(cast.steward))
    assert tried.report.steps[0].method == "rounding"
    assert remedies_of(tried, cast, "singling-out").stake.share == pytest.approx(best.share)
    page = signed_in(cast.steward).get(
        reverse("attacks:show", args=[run.id]) + "?attack=singling-out"
    )
    assert best.title in page.content.decode()


def test_nothing_is_tried_where_nothing_was_found(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    factories.attack(run, cast.steward, "intersection")
    found = factories.attack(run, cast.steward, "homogeneity")[0]
    assert found.result["tried"] > 0
    assert run.attack_tests.get(attack="intersection").result == {
        "reason": "No earlier release of these people."
    }


@pytest.mark.parametrize(("seconds", "tried"), [(0.2, 12), (5, 12), (10, 6), (600, 2)])
def test_long_runs_allow_fewer_tries(seconds: float, tried: int) -> None:
    assert most_tried(seconds) == tried
