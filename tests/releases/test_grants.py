"""Who may download: named people, their terms, and how they change."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.notices.models import Notice
from deid_portal.releases.expiry import expire_releases
from deid_portal.releases.models import Grant, Release
from deid_portal.reviews.policies import check_can_be_reviewed
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def grant_of(person: User, release: Release) -> Grant:
    return Grant.objects.get(release=release, person=person)


def expire(release: Release) -> None:
    release.grants.update(expires_at=timezone.now() - timedelta(minutes=1))


def change(client: Client, grant: Grant, days: int, times: int):  # type: ignore[no-untyped-def]
    address = reverse("releases:change-terms", args=[grant.release_id, grant.id])
    return client.post(address, {"days": days, "times": times})


def test_the_people_of_the_request_get_its_terms_and_are_told(
    cast: Cast, release: Release, without_pdf: None
) -> None:
    people = {grant.person: grant for grant in release.grants.all()}
    assert set(people) == {cast.steward, cast.analyst}
    days = (people[cast.analyst].expires_at - timezone.now()).total_seconds() / 86400
    assert (round(days), people[cast.analyst].allowed) == (30, 3)
    factories.pack(release)
    told = Notice.objects.filter(kind="release.created").values_list("person__username", flat=True)
    assert set(told) == {"steward", "analyst"}


def test_where_nobody_is_named_the_analysts_are(cast: Cast) -> None:
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    assert [grant.person for grant in release.grants.all()] == [cast.analyst]


def test_a_steward_names_a_member_of_any_role(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    address = reverse("releases:name-person", args=[release.id])
    form = {"person": cast.reviewer.pk, "days": 7, "times": 2}
    assert signed_in(cast.teammate).post(address, form).status_code == 302
    assert grant_of(cast.reviewer, release).allowed == 2
    facts = Event.objects.get(action="release.person_named").facts
    assert facts == {"person": cast.reviewer.pk, "days": 7, "times": 2}
    assert Notice.objects.filter(person=cast.reviewer, kind="release.person_named").exists()


def test_the_policy_limits_the_terms(cast: Cast, release: Release, signed_in: SignIn) -> None:
    address = reverse("releases:name-person", args=[release.id])
    client, grant = signed_in(cast.steward), grant_of(cast.analyst, release)
    for days, times in [(31, 1), (0, 1), (1, 6), (1, 0)]:
        form = {"person": cast.reviewer.pk, "days": days, "times": times}
        assert client.post(address, form).status_code == 422
        assert change(client, grant, days, times).status_code == 422
    assert release.grants.count() == 2


def test_an_outsider_cannot_be_named(cast: Cast, release: Release, signed_in: SignIn) -> None:
    address = reverse("releases:name-person", args=[release.id])
    answer = signed_in(cast.steward).post(
        address, {"person": cast.outsider.pk, "days": 1, "times": 1}
    )
    assert "Choose a member of the team" in answer.content.decode()
    assert release.grants.count() == 2


def test_a_new_period_counts_from_now(cast: Cast, release: Release, signed_in: SignIn) -> None:
    grant = grant_of(cast.analyst, release)
    assert change(signed_in(cast.steward), grant, 7, 5).status_code == 302
    grant.refresh_from_db()
    assert (round((grant.expires_at - timezone.now()).total_seconds() / 86400), grant.allowed) == (
        7,
        5,
    )
    assert Event.objects.filter(action="release.terms_changed").count() == 1


def test_fewer_than_were_taken_cannot_be_allowed(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    release.grants.filter(person=cast.analyst).update(taken=2)
    change(signed_in(cast.steward), grant_of(cast.analyst, release), 7, 1)
    assert grant_of(cast.analyst, release).allowed == 3


def test_a_period_can_be_ended_at_once(cast: Cast, release: Release, signed_in: SignIn) -> None:
    grant = grant_of(cast.analyst, release)
    signed_in(cast.steward).post(reverse("releases:end-period", args=[release.id, grant.id]))
    answer = signed_in(cast.analyst).get(reverse("releases:download", args=[release.id]))
    assert answer.status_code == 403


def test_when_all_periods_are_over_the_release_has_expired_and_can_come_back(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    assert expire_releases() == 0
    expire(release)
    assert (expire_releases(), expire_releases()) == (1, 0)
    release.request.refresh_from_db()
    assert release.request.status == "expired"
    with pytest.raises(Refused, match="already approved and released"):
        check_can_be_reviewed(release.request.run)
    change(signed_in(cast.steward), grant_of(cast.analyst, release), 7, 3)
    release.request.refresh_from_db()
    assert release.request.status == "released"


def test_asking_for_a_new_period_reaches_a_steward_who_gives_it(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    analyst, address = signed_in(cast.analyst), reverse("releases:ask-period", args=[release.id])
    analyst.post(address)
    assert grant_of(cast.analyst, release).asked_at is None  # it is still open
    expire(release)
    page = analyst.get(reverse("releases:show", args=[release.id])).content.decode()
    assert "Ask for a new period" in page
    analyst.post(address)
    home = signed_in(cast.teammate).get(reverse("guide:home")).content.decode()
    assert "Analyst asks for a new period" in home
    change(signed_in(cast.teammate), grant_of(cast.analyst, release), 7, 3)
    assert grant_of(cast.analyst, release).asked_at is None
    assert analyst.get(reverse("releases:download", args=[release.id])).status_code == 200


def test_a_steward_may_say_no(cast: Cast, release: Release, signed_in: SignIn) -> None:
    expire(release)
    signed_in(cast.analyst).post(reverse("releases:ask-period", args=[release.id]))
    grant = grant_of(cast.analyst, release)
    address = reverse("releases:decline-period", args=[release.id, grant.id])
    assert signed_in(cast.steward).post(address).status_code == 302
    assert Notice.objects.filter(person=cast.analyst, kind="release.period_declined").exists()
    assert grant_of(cast.analyst, release).asked_at is None


def test_others_cannot_say_who_may_download(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    address = reverse("releases:name-person", args=[release.id])
    form = {"person": cast.reviewer.pk, "days": 1, "times": 1}
    for person in (cast.reviewer, cast.approver, cast.analyst, cast.administrator):
        client = signed_in(person)
        assert client.post(address, form).status_code == 403
        assert change(client, grant_of(cast.analyst, release), 1, 1).status_code == 403
    assert release.grants.count() == 2
