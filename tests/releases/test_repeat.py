"""Repeating an approved plan on the next version of its table."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.plans.services import choose_protection
from deid_portal.releases.models import Release
from deid_portal.runs.models import Run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
JOINED = factories.PATIENTS.read_bytes().rstrip() + b"\n13,Zoe,13068,29,Cancer\n"


def repeat(client: Client, release: Release):  # type: ignore[no-untyped-def]
    return client.post(reverse("releases:repeat", args=[release.id]))


def next_version(release: Release, steward: User, content: bytes = JOINED) -> Dataset:
    return factories.make_next_version(release.request.run.dataset, steward, content)


def test_one_click_runs_the_approved_plan_and_the_report_says_so(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    dataset = next_version(release, cast.steward)
    client = signed_in(cast.teammate)
    answer = repeat(client, release)
    run = Run.objects.get(dataset=dataset)
    assert answer["Location"] == reverse("runs:show", args=[run.id])
    assert run.plan["models"] == release.request.run.plan["models"]
    assert (run.repeats, run.planned_by) == (1, cast.steward)
    event = Event.objects.filter(action="run.started").latest("number")
    assert event.facts["repeats_release"] == 1
    factories.finish_run(run)
    page = client.get(reverse("reports:report", args=[run.id])).content.decode()
    assert "Repeats release 1." in page
    assert repeat(client, release)["Location"] == answer["Location"]  # a second click, same run


def test_it_is_the_approved_plan_whatever_was_chosen_since(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    dataset = next_version(release, cast.steward)
    rules = [{"model": "k-anonymity", "k": 2}]
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=rules, method=factories.METHOD)
    repeat(signed_in(cast.steward), release)
    assert Run.objects.get(dataset=dataset).plan["models"][0]["k"] == 4
    dataset.protection.refresh_from_db()
    assert dataset.protection.rules == rules


def test_what_no_longer_fits_is_shown_and_nothing_starts(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    dataset = next_version(release, cast.steward)
    dataset.columns.filter(name="Age").update(role="insensitive")
    answer = signed_in(cast.steward).post(
        reverse("releases:repeat", args=[release.id]), follow=True
    )
    assert answer.redirect_chain[-1][0] == reverse("versions:drift", args=[dataset.id])
    assert "Age has another role than in release 1" in answer.content.decode()
    assert not Run.objects.filter(dataset=dataset).exists()


def test_without_a_next_version_the_button_leads_to_uploading_it(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    upload = f"{reverse('datasets:new')}?next_of={release.request.run.dataset_id}"
    client = signed_in(cast.steward)
    assert upload in client.get(reverse("releases:show", args=[release.id])).content.decode()
    assert repeat(client, release)["Location"] == upload
    assert repeat(signed_in(cast.analyst), release).status_code == 403
