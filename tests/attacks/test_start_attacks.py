"""Attacks on a finished run are started, stopped and survive, each on its own."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from deid_portal.accounts.models import User
from deid_portal.attacks import execution, table_trials
from deid_portal.attacks.choices import STANDARD
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.services import start_attacks, stop_attack
from deid_portal.attacks.tasks import pick_up_forgotten_attacks
from deid_portal.audit.models import Event
from deid_portal.datasets.services import forget_now
from deid_portal.engine import InvalidPlan
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import WorkStatus, claim
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def test_run_all_starts_every_attack_that_needs_no_other_table(
    cast: Cast, signed_in: SignIn
) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    answer = signed_in(cast.teammate).post(reverse("attacks:start", args=[run.id]))
    assert answer.status_code == 302
    tests = AttackTest.objects.filter(run=run)
    assert {test.attack for test in tests} == set(STANDARD)
    assert {test.output_sha256 for test in tests} == {run.output_sha256}
    assert Event.objects.filter(action="attack.started").count() == len(STANDARD)


def test_one_attack_can_be_started_alone(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    address = reverse("attacks:start", args=[run.id])
    answer = signed_in(cast.steward).post(address, {"attack": "homogeneity"})
    assert answer["Location"].endswith("?attack=homogeneity")
    assert [test.attack for test in run.attack_tests.all()] == ["homogeneity"]


def test_what_the_intruder_can_do_is_chosen(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    client = signed_in(cast.steward)
    address = reverse("attacks:start", args=[run.id])
    client.post(address, {"attack": "background-knowledge", "excluded": "2"})
    test = factories.finish_attack(run.attack_tests.get())
    assert test.parameters["attack"] == {"excluded": 2}
    page = client.get(reverse("attacks:show", args=[run.id])).content.decode()
    assert "two values ruled out" in page


@pytest.mark.parametrize("typed", ["many", "0", "-1"])
def test_a_number_that_makes_no_sense_starts_nothing(
    cast: Cast, signed_in: SignIn, typed: str
) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    address = reverse("attacks:start", args=[run.id])
    given = {"attack": "background-knowledge", "excluded": typed}
    answer = signed_in(cast.steward).post(address, given, follow=True)
    assert "note-bad" in answer.content.decode()
    assert not run.attack_tests.exists()


def test_an_attack_at_work_is_not_started_twice(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])
    again = start_attacks(
        run=run, asked_by=cast.teammate, attacks=["homogeneity", "record-linkage"]
    )
    assert [test.attack for test in again] == ["record-linkage"]


def test_a_newer_test_stands_before_the_older(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    first = factories.attack(run, cast.steward, "homogeneity")[0]
    second = factories.attack(run, cast.steward, "homogeneity")[0]
    assert list(run.attack_tests.all()) == [second, first]
    assert second.result == {**first.result, "remedies": second.result["remedies"]}


@pytest.mark.parametrize("role", ["reviewer", "approver", "administrator"])
def test_only_stewards_attack(cast: Cast, role: str, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    signed_in(getattr(cast, role)).post(reverse("attacks:start", args=[run.id]))
    assert not run.attack_tests.exists()


def test_a_deleted_table_cannot_be_attacked_any_more(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    forget_now(dataset=run.dataset, forgotten_by=cast.steward)
    run.dataset.refresh_from_db()
    with pytest.raises(Refused, match="was deleted"):
        start_attacks(run=run, asked_by=cast.steward)


def test_what_makes_no_sense_is_refused_before_it_is_kept(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    with pytest.raises(Refused, match="is no attack"):
        start_attacks(run=run, asked_by=cast.steward, attacks=["outside-linkage"])
    with pytest.raises(InvalidPlan, match="excluded"):
        start_attacks(
            run=run,
            asked_by=cast.steward,
            attacks=["background-knowledge"],
            chosen={"excluded": 0},
        )
    assert not run.attack_tests.exists()


def test_a_waiting_attack_is_stopped_at_once(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    test = start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])[0]
    address = reverse("attacks:stop", args=[run.id, "homogeneity"])
    signed_in(cast.steward).post(address)
    test.refresh_from_db()
    assert test.status == WorkStatus.STOPPED
    assert Event.objects.filter(action="attack.stopped").exists()


def test_a_running_attack_sees_the_wish_to_stop(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    test = start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])[0]
    lease = claim(AttackTest, str(test.id))
    assert lease is not None
    stop_attack(test=lease.work, stopped_by=cast.teammate)
    lease._stop_seen = True  # what the heartbeat thread does
    execution.perform_attack(lease)
    test.refresh_from_db()
    assert (test.status, test.result) == (WorkStatus.STOPPED, None)


def test_an_attack_whose_worker_died_is_made_again(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    test = start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])[0]
    lost = claim(AttackTest, str(test.id))
    AttackTest.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    assert lost is not None
    factories.finish_attack(test)
    execution.perform_attack(lost)  # the one taken for dead finds its lease gone
    test.refresh_from_db()
    assert (test.status, test.attempt) == (WorkStatus.FINISHED, 2)
    assert Event.objects.filter(action="attack.finished").count() == 1


def test_an_attack_that_kills_its_workers_is_given_up(cast: Cast, settings: object) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    test = start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])[0]
    stale = timezone.now() - timedelta(hours=1)
    AttackTest.objects.update(status=WorkStatus.RUNNING, attempt=3, heartbeat_at=stale)
    pick_up_forgotten_attacks()
    test.refresh_from_db()
    assert test.status == WorkStatus.FAILED
    assert "too little memory" in test.problem


def test_a_fault_of_the_portal_is_told_as_one(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    test = start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])[0]

    def break_down(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(table_trials, "run_attack", break_down)
    with pytest.raises(RuntimeError):
        factories.finish_attack(test)
    test.refresh_from_db()
    assert test.status == WorkStatus.FAILED
    assert test.problem == execution.UNEXPECTED


def test_an_attack_that_needs_too_much_says_so(
    cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    test = start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])[0]
    settings.RUN_MEMORY_MB = 100_000

    def want_too_much(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(table_trials, "run_attack", want_too_much)
    factories.finish_attack(test)
    assert test.status == WorkStatus.FAILED
    assert test.problem.startswith("This needed more than 100,000 MB of memory.")
