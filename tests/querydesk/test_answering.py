"""Noise is drawn once per price; nothing true is kept or said. Killed: test_killed_workers.py."""

import json
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from deid_portal.audit.models import Event
from deid_portal.querydesk import answer_job
from deid_portal.querydesk.answer_job import AnswerFault, give_up_question, perform_question
from deid_portal.querydesk.ledger import balance_of
from deid_portal.querydesk.models import Desk, Question
from deid_portal.querydesk.tasks import answer_question
from deid_portal.work.leases import Lease, claim, pick_up_forgotten
from tests import factories
from tests.conftest import Cast


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return factories.make_desk(cast.steward, cast.team)


def _claim(question: Question) -> Lease[Question]:
    lease = claim(Question, str(question.id))
    assert lease is not None
    return lease


def _found_stale(question: Question) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    Question.objects.filter(id=question.id).update(heartbeat_at=long_ago)


def test_an_answer_is_noisy_and_says_what_it_means(cast: Cast, desk: Desk) -> None:
    question = factories.answer_question(factories.ask_about(desk, cast.analyst))
    assert question.status == Question.Status.FINISHED
    assert question.answer["interval"][0] <= question.answer["value"]
    assert question.answer["epsilon"] == 1.0
    assert Event.objects.filter(action="question.answered").count() == 1
    assert balance_of(desk, cast.analyst).left == 4_000_000


def test_nothing_true_is_kept(cast: Cast, desk: Desk) -> None:
    """With hardly any ε the noise is far larger than the table: the truth, 12, is nowhere."""
    question = factories.ask_about(desk, cast.analyst, epsilon=0.01)
    question = factories.answer_question(question)
    kept = {key: value for key, value in question.answer.items() if key not in ("notes", "value")}
    numbers = [one for one in json.dumps(kept).replace(",", " ").split() if one.strip("[]") == "12"]
    assert not numbers
    assert "seed" not in json.dumps(question.answer).lower()


def test_two_workers_keep_one_answer(
    cast: Cast, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker taken for dead comes back with an answer; it is dropped."""
    question = factories.ask_about(desk, cast.analyst)
    first = _claim(question)
    real = answer_job._keep

    def keep_late(lease: Lease[Question], document: dict[str, Any]) -> None:
        _found_stale(question)
        monkeypatch.setattr(answer_job, "_keep", real)
        factories.answer_question(question)
        real(lease, document)

    monkeypatch.setattr(answer_job, "_keep", keep_late)
    perform_question(first)
    ended = Question.objects.get(id=question.id)
    assert (ended.status, ended.answer) == (Question.Status.FAILED, None)


def test_a_failure_before_noise_gives_the_price_back(
    cast: Cast, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = factories.ask_about(desk, cast.analyst)

    def fail(*_: Any) -> None:
        raise ValueError("Cancer")

    monkeypatch.setattr(answer_job, "open_subject", fail)
    with pytest.raises(ValueError, match="Cancer"):
        perform_question(_claim(question))
    ended = Question.objects.get(id=question.id)
    assert "given back" in ended.problem
    assert "Cancer" not in ended.problem
    assert balance_of(desk, cast.analyst).left == 5_000_000


def test_a_failure_while_drawing_costs_and_says_no_value(
    cast: Cast, desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    question = factories.ask_about(desk, cast.analyst)

    def fail(*_: Any) -> None:
        raise ValueError("the truth is 12")

    monkeypatch.setattr(answer_job, "answer_about", fail)
    with caplog.at_level(logging.DEBUG), pytest.raises(AnswerFault) as raised:
        perform_question(_claim(question))
    assert "12" not in str(raised.value) + caplog.text
    assert raised.value.__suppress_context__
    ended = Question.objects.get(id=question.id)
    assert "not given back" in ended.problem
    assert balance_of(desk, cast.analyst).left == 4_000_000


def test_work_that_kills_its_workers_before_noise_is_given_back(
    cast: Cast, desk: Desk, settings: Settings
) -> None:
    question = factories.ask_about(desk, cast.analyst)
    Question.objects.filter(id=question.id).update(
        status=Question.Status.RUNNING, attempt=settings.WORK_ATTEMPTS
    )
    _found_stale(question)
    pick_up_forgotten(Question, answer_question, give_up_question)
    ended = Question.objects.get(id=question.id)
    assert ended.status == Question.Status.FAILED
    assert balance_of(desk, cast.analyst).left == 5_000_000


def test_the_same_question_again_is_free_for_everybody(cast: Cast, desk: Desk) -> None:
    first = factories.answer_question(factories.ask_about(desk, cast.analyst))
    again = factories.ask_about(desk, cast.steward)
    assert again.is_free
    assert again.source.answer == first.answer
    assert balance_of(desk, cast.steward).left == 5_000_000
    assert balance_of(desk, cast.steward).total == 19_000_000


def test_the_same_question_of_other_data_is_not_free(cast: Cast, desk: Desk) -> None:
    factories.answer_question(factories.ask_about(desk, cast.analyst))
    content = factories.PATIENTS.read_bytes()
    newer = factories.make_next_version(desk.current.dataset, cast.steward, content)
    later = factories.make_desk(cast.steward, cast.team, newer)
    assert not factories.ask_about(later, cast.analyst).is_free


def test_a_question_under_other_bounds_is_another(cast: Cast, desk: Desk) -> None:
    asked = {"query": "sum", "column": "Age"}
    factories.ask_about(desk, cast.analyst, **asked)
    domains = {**factories.PATIENT_SETTING["domains"], "Age": {"low": 0, "high": 120}}
    setting = {**factories.PATIENT_SETTING, "domains": domains}
    later = factories.make_desk(cast.steward, cast.team, desk.current.dataset, setting=setting)
    assert not factories.ask_about(later, cast.analyst, **asked).is_free
