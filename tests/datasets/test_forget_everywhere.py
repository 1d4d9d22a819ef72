"""Forgetting reaches into every room: taxonomies, plans, results nobody released, open requests."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.deletion import delete_files_left_over, forget_dataset
from deid_portal.datasets.models import Dataset, PseudonymKey
from deid_portal.plans.models import Protection
from deid_portal.plans.services import choose_protection
from deid_portal.releases.models import Release
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.models import Run
from deid_portal.runs.on_deletion import delete_results_left_over
from deid_portal.runs.services import start_run
from deid_portal.serving.key_rotation import sealed_fields
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyKind, TaxonomyVersion
from deid_portal.taxonomies.services import set_taxonomy
from deid_portal.vault import folder_keys, vault
from deid_portal.vault.sealed_fields import sealed_values
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
Commit = DjangoCaptureOnCommitCallbacks


def forget(dataset: Dataset, person: User | None, commit: Commit) -> Dataset:
    with commit(execute=True):
        forget_dataset(dataset, person)
    dataset.refresh_from_db()
    return dataset


def sealed_documents() -> Iterator[str]:
    """Everything sealed in the database, opened."""
    for model, name in sealed_fields():
        if model is not PseudonymKey:
            for row in model._default_manager.all():
                field, held = model._meta.get_field(name), row.__dict__[name]
                yield json.dumps(None if held is None else field.open(row, held))


def make_runs_that_name_values(cast: Cast) -> tuple[Run, Run]:
    """Two runs whose plans name values in a file and in a rule; the second has no solution."""
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    column = dataset.columns.get(name="Zip")
    texts = [text for text, _ in column.profile["histogram"]]
    set_taxonomy(
        column=column,
        changed_by=cast.steward,
        kind=TaxonomyKind.FILE,
        recipe={"file": "taxonomy.csv"},
        file_text="\n".join(f"{text};{text[:3]};*" for text in texts),
    )
    return run_with_limit(dataset, cast, 0.9), run_with_limit(dataset, cast, 0.01)


def run_with_limit(dataset: Dataset, cast: Cast, limit: float) -> Run:
    rule = {"model": "confidence-bounding", "h": limit, "column": "Condition", "values": ["Cancer"]}
    choose_protection(
        dataset=dataset,
        chosen_by=cast.steward,
        rules=[*factories.RULES, rule],
        method=factories.METHOD,
    )
    dataset = Dataset.objects.get(id=dataset.id)
    return factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))


def test_no_value_of_the_table_is_left_anywhere(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    run, unsolved = make_runs_that_name_values(cast)
    assert (run.solution, unsolved.solution) == (True, False)
    values = [
        text
        for column in run.dataset.columns.all()
        for text, _ in column.profile["most_frequent"]
        if len(text) > 2
    ]
    before = "".join(sealed_documents())
    assert [value for value in values if value in before]
    forget(run.dataset, cast.steward, django_capture_on_commit_callbacks)
    after = "".join(sealed_documents())
    assert [value for value in values if value in after] == []
    assert not [path for path in vault.path_of("").rglob("*") if "runs/" in str(path)]
    assert folder_keys.list_folders() == []


def test_a_report_that_no_longer_opens_keeps_nothing_from_being_deleted(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    run, _ = make_runs_that_name_values(cast)
    Run.objects.filter(id=run.id).update(
        **sealed_values(run, {"report": {"rows": "Cancer"}, "summary": {"rows": "Cancer"}})
    )
    forget(run.dataset, None, django_capture_on_commit_callbacks)
    run = Run.objects.get(id=run.id)
    assert run.report is None
    assert run.summary.asked.k == 4
    assert not [document for document in sealed_documents() if "Cancer" in document]


def test_a_plan_of_another_time_keeps_nothing_from_being_deleted(
    cast: Cast, signed_in: SignIn, django_capture_on_commit_callbacks: Commit
) -> None:
    run, _ = make_runs_that_name_values(cast)
    run.plan = {**run.plan, "method": {"name": "a method nobody remembers"}}
    run.save(update_fields=["plan"])
    forget(run.dataset, None, django_capture_on_commit_callbacks)
    assert not [document for document in sealed_documents() if "Cancer" in document]
    page = signed_in(cast.steward).get(reverse("reports:report", args=[run.id]))
    assert page.status_code == 200


def test_rows_that_were_never_released_go_and_the_report_stays(
    cast: Cast, signed_in: SignIn, django_capture_on_commit_callbacks: Commit
) -> None:
    run, unsolved = make_runs_that_name_values(cast)
    path = vault.path_of(run.release_file)
    assert path.exists()
    forget(run.dataset, cast.steward, django_capture_on_commit_callbacks)
    assert not path.exists()
    run.refresh_from_db()
    assert not run.has_release
    client = signed_in(cast.steward)
    page = client.get(reverse("reports:report", args=[run.id])).content.decode()
    assert "The table and the rows were deleted." in page
    assert client.get(reverse("reports:report", args=[unsolved.id])).status_code == 200
    assert client.get(reverse("reports:document", args=[run.id])).status_code == 200
    assert client.get(reverse("reports:recipe", args=[run.id])).status_code == 403
    client.post(reverse("reviews:ask", args=[run.id]), {"purpose": "teaching"})
    assert not ReviewRequest.objects.exists()


def test_what_was_released_stays_as_it_was_handed_over(
    cast: Cast, signed_in: SignIn, django_capture_on_commit_callbacks: Commit
) -> None:
    run, _ = make_runs_that_name_values(cast)
    factories.allow_small_groups(cast.team, cast.administrator)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching"))
    release = factories.approve(request, cast.approver)
    factories.pack(release)
    client = signed_in(cast.analyst)
    address = reverse("releases:download", args=[release.id])
    before = _bytes_of(client, address)
    forget(run.dataset, cast.steward, django_capture_on_commit_callbacks)
    assert _bytes_of(client, address) == before
    assert client.get(reverse("releases:show", args=[release.id])).status_code == 200
    assert Release.objects.count() == 1


def _bytes_of(client: Client, address: str) -> bytes:
    answer: Any = client.get(address)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def test_a_request_that_waits_is_taken_back(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    request = factories.make_request(cast.steward, cast.team)
    forget(request.run.dataset, None, django_capture_on_commit_callbacks)
    request.refresh_from_db()
    assert request.status == ReviewRequest.Status.WITHDRAWN
    assert Event.objects.get(action="review.withdrawn").actor is None


def test_taxonomies_and_the_protection_go_and_are_counted_in_the_record(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    dataset = factories.make_finished_run(cast.steward, cast.team).dataset
    forget(dataset, cast.steward, django_capture_on_commit_callbacks)
    assert not ColumnTaxonomy.objects.exists()
    assert not TaxonomyVersion.objects.exists()
    assert not Protection.objects.exists()
    facts = Event.objects.get(action="dataset.forgotten").facts
    assert facts["taxonomies"] == 2
    assert facts["results"] == 1
    assert facts["protections"] == 1


def test_other_tables_keep_what_they_have(
    cast: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    other = factories.make_finished_run(cast.steward, cast.team)
    dataset = factories.make_finished_run(cast.steward, cast.team).dataset
    forget(dataset, cast.steward, django_capture_on_commit_callbacks)
    other.refresh_from_db()
    assert other.has_release
    assert vault.path_of(other.release_file).exists()
    assert ColumnTaxonomy.objects.filter(column__dataset=other.dataset).count() == 2


@pytest.mark.parametrize("is_old", [True, False])
def test_what_a_crash_left_is_found_by_the_hourly_look(
    is_old: bool, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    kept = factories.make_finished_run(cast.steward, cast.team)
    with vault.VaultWriter("datasets/00000000-0000-4000-8000-000000000000/upload") as writer:
        writer.write(b"its row was never written")
    forget_dataset(run.dataset, None)  # and the worker dies before it deletes a file
    if is_old:
        far = 2 * 24 * 3600
        monkeypatch.setattr("time.time", lambda: date(2100, 1, 1).toordinal() * far)
    assert delete_files_left_over() == (2 if is_old else 1)
    assert delete_results_left_over() == 1
    left = [name for name in folder_keys.list_folders() if str(kept.dataset_id) in name]
    assert left == [kept.dataset.folder]
    assert vault.path_of(kept.release_file).exists()
