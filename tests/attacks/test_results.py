"""What attacks on the twelve patients find, and how it is kept."""

import json

import pytest
from django.db import connection

from deid_portal.attacks.cases import NOT_KEPT, NOT_THE_SAME, open_case
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.rows import LOOKS, RowState
from deid_portal.attacks.selectors import attack_rows, attack_summary_of, standings_of
from deid_portal.runs.models import Run
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

CONDITIONS = ("Flu", "Diabetes", "Cancer")


def states_of(run: Run, cast: Cast) -> dict[str, RowState]:
    return {row.attack: row.state for row in attack_rows(cast.steward, run)}


def test_every_attack_answers_or_says_why_not(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    factories.attack(run, cast.steward)
    rows = {row.attack: row for row in attack_rows(cast.steward, run)}
    # Those in their thirties have cancer; everybody hides among four, or is left out.
    assert rows["homogeneity"].state == RowState.OVER_LIMIT
    assert rows["homogeneity"].sentence == "In 1 group everybody has the same Condition."
    assert rows["record-linkage"].sentence == "12 guesses, 2 right: no better than 1 in 6."
    assert rows["intersection"].reason == "No earlier release of these people."
    assert "at least 40" in rows["membership-inference"].reason
    assert "needs a taxonomy" in rows["similarity"].reason
    assert not [row for row in rows.values() if row.state in (RowState.FAILED, RowState.NOT_MADE)]


def test_the_worst_stands_first_and_the_impossible_last(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    factories.attack(run, cast.steward)
    states = [row.state for row in attack_rows(cast.steward, run)]
    assert states[0] == RowState.OVER_LIMIT
    assert states[-1] == RowState.NOT_POSSIBLE
    assert states == sorted(states, key=list(LOOKS).index)


def test_results_are_sealed_and_hold_no_cell(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    tests = factories.attack(run, cast.steward)
    for test in tests:
        written = json.dumps([test.result, test.problem, test.figures, test.phase])
        assert not [value for value in CONDITIONS if value in written]
        assert "130" not in written.replace(test.output_sha256, "")
    with connection.cursor() as cursor:
        cursor.execute("SELECT result, parameters FROM attacks_attacktest")
        raw = b"".join(bytes(cell) for row in cursor.fetchall() for cell in row if cell)
    assert b"Condition" not in raw


def test_only_results_of_this_very_release_count(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    factories.attack(run, cast.steward, "homogeneity")
    AttackTest.objects.update(output_sha256="0" * 64)
    assert states_of(run, cast)["homogeneity"] == RowState.NOT_MADE


def test_what_is_attacked_must_be_what_was_released(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    run.output_sha256 = "0" * 64
    with pytest.raises(Refused, match=NOT_THE_SAME):
        open_case(run)


def test_a_run_of_before_is_answered_with_a_sentence(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    vault.delete(f"datasets/{run.dataset_id}/origins")
    factories.attack(run, cast.steward, "homogeneity")
    row = next(row for row in attack_rows(cast.steward, run) if row.attack == "homogeneity")
    assert (row.state, row.reason) == (RowState.NOT_POSSIBLE, NOT_KEPT)


def test_the_summary_tells_other_rooms(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    assert attack_summary_of(run).words == "No attack has been made yet."
    factories.attack(run, cast.steward, "homogeneity", "similarity", "background-knowledge")
    summary = attack_summary_of(run)
    assert summary.words.startswith("3 attacks made: 2 over the limit")
    # Which of them did better is for stewards, so they stand in the order of the attacks.
    assert [row.attack for row in summary.over] == ["homogeneity", "background-knowledge"]
    worst = [row.attack for row in attack_rows(cast.steward, run)[:2]]
    assert worst == ["background-knowledge", "homogeneity"]


def test_gates_of_the_policy_can_be_asked(cast: Cast) -> None:
    run = factories.make_exposed_run(cast.steward, cast.team)
    assert not [own for own in standings_of(run).values() if own.is_applicable]
    factories.attack(run, cast.steward, "homogeneity", "similarity")
    standings = standings_of(run)
    assert standings["homogeneity"].success == pytest.approx(4 / 8)
    assert not standings["similarity"].is_possible
