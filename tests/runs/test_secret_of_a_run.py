"""The random numbers of a run come from its own secret, which is neither leaked nor kept."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import table_of
from deid_portal.engine import protect
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.randomness.chance import REPEATABLE
from deid_portal.engine.report.report import Randomness
from deid_portal.plans.models import Protection
from deid_portal.plans.services import choose_protection
from deid_portal.releases.package_certificate import limits_of_certificate
from deid_portal.releases.release_statement import ReleaseStatement
from deid_portal.releases.repetition import approved_choice
from deid_portal.releases.subjects import PackedSubject
from deid_portal.reports.visibility import report_seen_by
from deid_portal.reviews.policies import check_can_be_reviewed
from deid_portal.runs.chance import secret_of
from deid_portal.runs.execution import give_up_run
from deid_portal.runs.models import Run
from deid_portal.runs.on_deletion import forget_results
from deid_portal.runs.services import retry_run, start_run, stop_run
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import claim
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
PRAM = {"name": "pram", "columns": ["Condition"], "epsilon": 0.5}


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=[], method=PRAM)
    return Dataset.objects.get(id=dataset.id)


def start(dataset: Dataset, cast: Cast) -> Run:
    return start_run(dataset=dataset, started_by=cast.steward)


def released(run: Run) -> bytes:
    with vault.open_reader(run.release_file) as stream:
        return stream.read()


def test_every_attempt_draws_from_the_secret_of_the_run(dataset: Dataset, cast: Cast) -> None:
    run = start(dataset, cast)
    secret = secret_of(Run.objects.get(id=run.id))
    assert secret is not None
    expected = io.BytesIO()
    outcome = protect(table_of(dataset), run.frozen_plan(), secret=secret)
    assert outcome.released is not None
    write_csv(outcome.released, expected)
    assert claim(Run, str(run.id)) is not None  # by a worker that dies
    Run.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    assert released(factories.finish_run(run)) == expected.getvalue()
    assert run.attempt == 2


def test_every_run_has_a_secret_of_its_own_however_it_is_started(
    dataset: Dataset, cast: Cast
) -> None:
    first = start(dataset, cast)
    secrets = [secret_of(first)]
    stop_run(run=first, stopped_by=cast.steward)
    first.refresh_from_db()
    again = retry_run(run=first, retried_by=cast.steward)
    secrets.append(secret_of(again))
    factories.finish_run(again)
    third = start(dataset, cast)
    secrets.append(secret_of(third))
    assert None not in secrets
    assert len(set(secrets)) == 3
    assert released(factories.finish_run(third)) != released(again)


def test_the_secret_goes_nowhere_and_ends_with_the_run(dataset: Dataset, cast: Cast) -> None:
    run = start(dataset, cast)
    text = Run.objects.get(id=run.id).secret
    factories.finish_run(run)
    assert run.secret is None
    kept = [own.to_document() for own in (run.report, run.publication, run.summary)]
    rows = json.dumps([run.plan, *kept, run.figures])
    audited = json.dumps([event.facts for event in Event.objects.all()])
    assert text not in rows + audited
    assert "seed" not in run.plan


@pytest.mark.parametrize("how", ["stopped", "given up", "forgotten"])
def test_a_run_without_an_answer_loses_its_secret(how: str, dataset: Dataset, cast: Cast) -> None:
    run = start(dataset, cast)
    if how == "stopped":
        stop_run(run=run, stopped_by=cast.steward)
    elif how == "given up":
        assert claim(Run, str(run.id)) is not None
        Run.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
        give_up_run(run)
    else:
        forget_results(dataset)
    assert Run.objects.get(id=run.id).secret is None


# Plans of before chance was drawn in secret.


def test_an_old_protection_runs_without_its_seed_and_the_page_says_so(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    address = reverse("plans:protection", args=[dataset.id])
    assert "The seed is no longer used" not in signed_in(cast.steward).get(address).content.decode()
    Protection.objects.update(seed=7)
    page = signed_in(cast.steward).get(address).content.decode()
    assert "The seed is no longer used" in page
    assert "weight-seed" not in page
    run = factories.finish_run(start(Dataset.objects.get(id=dataset.id), cast))
    assert run.status == Run.Status.FINISHED
    assert "seed" not in run.plan
    assert "seed" not in run.report.plan


def test_a_typed_seed_is_refused_in_the_portal(
    dataset: Dataset, cast: Cast, signed_in: SignIn
) -> None:
    text = json.dumps({"models": [], "method": PRAM, "seed": 7})
    answer = signed_in(cast.steward).post(
        reverse("plans:protection", args=[dataset.id]), {"view": "json", "document": text}
    )
    assert "whoever has or guesses the seed can undo it" in answer.content.decode()
    assert Protection.objects.get().seed is None


def seeded_before(dataset: Dataset, cast: Cast) -> Run:
    """Return a finished run as it was before: its plan had the seed, its report claimed ε."""
    run = factories.finish_run(start(dataset, cast))
    plan = {**run.plan, "seed": 7}
    run.plan, run.report = plan, replace(run.report, plan=plan)
    run.save(update_fields=["plan", "report"])
    return Run.objects.get(id=run.id)


def test_neither_retry_nor_repeat_takes_an_old_seed_along(dataset: Dataset, cast: Cast) -> None:
    run = seeded_before(dataset, cast)
    assert approved_choice(run).seed is None
    assert run.frozen_plan().seed is None
    Run.objects.update(status=Run.Status.FAILED)
    again = retry_run(run=Run.objects.get(id=run.id), retried_by=cast.steward)
    assert "seed" not in again.plan


def test_old_seeded_reports_say_so_and_are_not_released(dataset: Dataset, cast: Cast) -> None:
    plain = factories.finish_run(start(dataset, cast))
    run = seeded_before(dataset, cast)
    claimed = run.report.steps[0]
    assert claimed.epsilon == pytest.approx(0.5)
    for told in (report_seen_by(cast.steward, run), report_seen_by(cast.reviewer, run)):
        assert told.randomness == Randomness(repeatable=True, note=REPEATABLE)
    step = report_seen_by(cast.steward, run).steps[0]
    assert (step.epsilon, step.columns["Condition"]["epsilon"]) == (None, None)
    step = report_seen_by(cast.reviewer, run).steps[0]
    assert '"epsilon": 0' not in json.dumps(
        step.to_document()
    )  # who sees no rows reads no claim either
    assert report_seen_by(cast.steward, plain).randomness is None
    assert plain.published_report.randomness is None
    statement = ReleaseStatement.telling(gates=(), attacks=())
    subject = PackedSubject.of(run.dataset)
    assert (
        limits_of_certificate(run.published_report, statement, run.plan, subject)[0] == REPEATABLE
    )
    with pytest.raises(Refused, match="drawn from a seed"):
        check_can_be_reviewed(run)
