"""Attacks that were made on what a request is about reach whoever decides on it."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.selectors import attack_summary_of
from deid_portal.attacks.services import start_attacks, stop_attack
from deid_portal.engine.attacks.attack_figures import IntersectionFigures
from deid_portal.notices.models import Notice
from deid_portal.policies.gates import GateResult
from deid_portal.releases.package_statement import release_statement_of
from deid_portal.reviews.gates import CheckedGate, gates_of
from deid_portal.reviews.models import ReviewRequest, Waiver
from deid_portal.reviews.services import (
    RequestTerms,
    agree_to_waiver,
    ask_for_review,
    ask_for_waiver,
)
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
GATE = "attacks.homogeneity"
OVER = "the one attack made is over its limit"
LENIENT = {"most_left_out": 1.0, "cross_releases": False}


@pytest.fixture
def run(cast: Cast) -> Run:
    """Those in their thirties all have cancer, which homogeneity finds."""
    run = factories.make_exposed_run(cast.steward, cast.team)
    factories.allow_small_groups(cast.team, cast.administrator, **LENIENT)
    return run


def ask(run: Run, cast: Cast) -> ReviewRequest:
    return ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching"))


def gate_of(request: ReviewRequest, name: str = GATE) -> CheckedGate:
    return next(own for own in gates_of(request).gates if own.gate.name == name)


def waive(request: ReviewRequest, cast: Cast) -> Waiver:
    waiver = ask_for_waiver(request=request, asked_by=cast.steward, gate=GATE, reason="By contract")
    agree_to_waiver(waiver=waiver, agreed_by=cast.approver)
    return waiver


def newest_words(person: User) -> str:
    return Notice.objects.filter(person=person).latest("at").words


def test_an_attack_over_its_limit_needs_a_waiver_and_all_pages_say_the_same(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    factories.attack(run, cast.steward, "homogeneity")
    before = signed_in(cast.steward).get(reverse("reviews:ask", args=[run.id])).content.decode()
    assert "One gate fails, so this cannot be approved yet" in before
    request = ask(run, cast)
    assert OVER in newest_words(cast.approver)
    page = signed_in(cast.approver).get(reverse("reviews:show", args=[request.id])).content.decode()
    assert "over the limit: success" in page
    assert "50\u00a0%" not in page.split('id="prints-title"')[0], "the figure itself is not told"
    for shown in (before, page):
        assert OVER in shown
    with pytest.raises(Refused, match="Opens when no gate fails"):
        factories.approve(request, cast.approver)
    waive(request, cast)
    release = factories.approve(request, cast.approver)
    stated = release_statement_of(release)
    assert stated.gates_sentence.endswith(f"1 waived, 0 failed; {OVER}")
    assert [(gate.name, gate.has, gate.result) for gate in stated.waivers] == [
        (GATE, "over the limit", "waived")
    ]
    told = Notice.objects.filter(person=cast.steward, kind="review.approved").get().words
    assert stated.gates_sentence.lower() in told.lower()


def test_what_is_attacked_after_submission_closes_the_approval_and_is_told(
    cast: Cast, run: Run
) -> None:
    request = ask(run, cast)
    assert gates_of(request).title == "Every gate passes"
    assert "no attack was made" in newest_words(cast.approver)
    told = Notice.objects.count()
    first, second = start_attacks(
        run=run, asked_by=cast.steward, attacks=["homogeneity", "background-knowledge"]
    )
    assert gates_of(request).title == "An attack is still at work, so this cannot be approved yet"
    assert gate_of(request, "attacks_at_work").result is GateResult.WAIT
    with pytest.raises(Refused, match="attacks at work have ended"):
        factories.approve(request, cast.approver)
    with pytest.raises(Refused, match="nothing to waive"):
        ask_for_waiver(request=request, asked_by=cast.steward, gate="attacks_at_work", reason="x")
    factories.finish_attack(first)
    assert Notice.objects.count() == told, "told once, when the last of them has ended"
    factories.finish_attack(second)
    assert "2 of the 2 attacks made are over their limits" in newest_words(cast.approver)
    assert gates_of(request).fails == 2


def test_stopping_or_failing_a_repetition_leaves_what_was_found(cast: Cast, run: Run) -> None:
    factories.attack(run, cast.steward, "homogeneity")
    request = ask(run, cast)
    for status in ("stopped", "failed"):
        (again,) = start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])
        assert gates_of(request).waits == 1
        if status == "stopped":
            stop_attack(test=again, stopped_by=cast.steward)
        else:
            AttackTest.objects.filter(id=again.id).update(status=status)
        assert gate_of(request).fails


def test_an_attack_that_only_failed_closes_nothing_unless_it_is_demanded(
    cast: Cast, run: Run
) -> None:
    (test,) = start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])
    AttackTest.objects.filter(id=test.id).update(status="failed", problem="No memory.")
    request = ask(run, cast)
    assert gate_of(request, "attacks_within_limits").gate.has == "no attack was made on this run"
    factories.allow_small_groups(
        cast.team, cast.administrator, attacks={"homogeneity": 0.9}, **LENIENT
    )
    assert gate_of(request).gate.has == "No memory."
    assert gate_of(request).fails


def test_a_weaker_intruder_does_not_undo_a_stronger_one(cast: Cast, run: Run) -> None:
    """Ruling out a value finds people whom ruling out none does not find."""
    attack = "background-knowledge"

    def share(**chosen: int) -> float:
        (test,) = start_attacks(run=run, asked_by=cast.steward, attacks=[attack], chosen=chosen)
        factories.finish_attack(test)
        row = next(row for row in attack_summary_of(run).over if row.attack == attack)
        assert row.result is not None
        return row.result.stake.share

    strong = share(excluded=2)
    assert share(excluded=1) == strong
    assert share(excluded=2) == strong


def test_limits_are_those_in_force_now(cast: Cast, run: Run) -> None:
    """A result is kept as measured, and held against the policy of the day."""
    factories.attack(run, cast.steward, "homogeneity")
    request = ask(run, cast)
    assert gate_of(request).fails
    factories.allow_small_groups(
        cast.team, cast.administrator, attacks={"homogeneity": 0.6}, **LENIENT
    )
    assert not gate_of(request).fails
    assert gates_of(request).tally.sentence.endswith("the one attack made is within its limit")
    factories.allow_small_groups(
        cast.team, cast.administrator, attacks_within_limits=False, **LENIENT
    )
    assert gates_of(request).is_open


def test_a_waiver_is_of_what_was_measured(cast: Cast, run: Run) -> None:
    factories.attack(run, cast.steward, "homogeneity")
    request = ask(run, cast)
    waiver = waive(request, cast)
    assert gates_of(request).is_open
    waiver.measured = {**waiver.measured, "has": "6\u00a0%"}
    waiver.save()
    assert gate_of(request).is_outdated
    with pytest.raises(Refused, match="Opens when no gate fails"):
        factories.approve(request, cast.approver)
    with pytest.raises(Refused, match="has to be asked for again"):
        agree_to_waiver(waiver=waiver, agreed_by=cast.approver)
    waive(request, cast)
    assert gates_of(request).is_open
    assert request.waivers.count() == 1


def test_earlier_releases_are_one_gate_not_two(cast: Cast, run: Run) -> None:
    """The gate crosses anew, so the attack that does the same needs no waiver besides."""
    (test,) = factories.attack(run, cast.steward, "intersection")
    stake = {"share": 0.3, "interval": [0.3, 0.3], "records": 4, "baseline": 0.0, "is_found": True}
    (counted,) = factories.attack(run, cast.steward, "homogeneity")
    figures = IntersectionFigures(1, 0, 4, 0, 1, 4).to_document()
    test.result = {**counted.result, "stake": stake, "figures": figures}
    test.save()
    request = ask(run, cast)
    assert gate_of(request, "attacks.intersection").fails
    factories.allow_small_groups(cast.team, cast.administrator, most_left_out=1.0)
    names = {own.gate.name for own in gates_of(request).gates}
    assert "cross_releases" in names
    assert "attacks.intersection" not in names
