"""Withdrawing a release: who may, what it asks for, what it stops, who is told."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.notices.models import Notice
from deid_portal.releases.models import Release
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def withdraw(client: Client, release: Release, reason: str, typed: str):  # type: ignore[no-untyped-def]
    form = {"reason": reason, "typed": typed}
    return client.post(reverse("releases:withdraw", args=[release.id]), form)


def test_it_stops_downloads_at_once_and_everybody_named_is_told(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    analyst, address = signed_in(cast.analyst), reverse("releases:download", args=[release.id])
    assert analyst.get(address).status_code == 200
    withdraw(signed_in(cast.steward), release, "Wrong column", "patients,  RELEASE 1")
    assert analyst.get(address, headers={"Range": "bytes=10-"}).status_code == 404
    assert analyst.head(address).status_code == 404
    told = Notice.objects.filter(kind="release.withdrawn").values_list(
        "person__username", flat=True
    )
    assert set(told) == {"analyst", "approver"}
    release.request.refresh_from_db()
    assert release.request.status == "withdrawn"
    event = Event.objects.get(action="release.withdrawn")
    assert event.facts == {"copies_taken": 1}


def test_it_needs_a_reason_and_the_name(cast: Cast, release: Release, signed_in: SignIn) -> None:
    for reason, typed in [("", "Patients, release 1"), ("Wrong", "Patients")]:
        answer = withdraw(signed_in(cast.steward), release, reason, typed)
        assert answer.status_code == 422
        assert reason in answer.content.decode()
    release.refresh_from_db()
    assert not release.is_withdrawn


def test_who_may(cast: Cast, release: Release, signed_in: SignIn) -> None:
    refused = {"reviewer": 403, "administrator": 403, "analyst": 403, "outsider": 404}
    for person, status in refused.items():
        answer = withdraw(signed_in(getattr(cast, person)), release, "Wrong", str(release))
        assert answer.status_code == status
    release.refresh_from_db()
    assert not release.is_withdrawn
    assert withdraw(signed_in(cast.approver), release, "Wrong", str(release)).status_code == 302


def test_afterwards_nothing_about_it_can_be_changed(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    withdraw(client, release, "Wrong", str(release))
    assert withdraw(client, release, "Again", str(release)).status_code == 403
    grant = release.grants.first()
    assert grant is not None
    client.post(
        reverse("releases:change-terms", args=[release.id, grant.id]), {"days": 1, "times": 3}
    )
    before = grant.expires_at
    grant.refresh_from_db()
    assert grant.expires_at == before
    page = client.get(reverse("releases:show", args=[release.id])).content.decode()
    assert "Add a person" not in page
    assert "Withdraw …" not in page
