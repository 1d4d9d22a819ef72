"""Who may download in which state: every person × every state, one table."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import Membership, User
from deid_portal.releases.models import Release
from deid_portal.releases.services import withdraw_release
from deid_portal.work.leases import WorkStatus
from tests.conftest import Cast

SignIn = Callable[[User], Client]
NAMED, OTHERS = ["steward", "analyst"], ["teammate", "reviewer", "approver", "administrator"]
# State of the release × (named, member of the team, outsider).
TABLE = {
    "released": (200, 403, 404),
    "last days": (200, 403, 404),
    "used up": (403, 403, 404),
    "expired": (403, 403, 404),
    "withdrawn": (404, 404, 404),
    "being packed": (403, 403, 404),
}


def bring_into(state: str, release: Release, cast: Cast) -> None:
    grants, now = release.grants, timezone.now()
    if state == "last days":
        grants.update(expires_at=now + timedelta(days=2))
    elif state == "used up":
        grants.update(taken=3)
    elif state == "expired":
        grants.update(expires_at=now - timedelta(seconds=1))
    elif state == "withdrawn":
        withdraw_release(
            release=release, withdrawn_by=cast.steward, reason="A mistake", typed=str(release)
        )
    elif state == "being packed":
        release.packages.update(status=WorkStatus.RUNNING)


# What the page says to the team, and to the analyst.
TITLES = {
    "released": ("Release 1 is open to 2 people until", "Release 1 is open to you until"),
    "last days": ("2 days left", "2 days left"),
    "used up": ("was taken as often as allowed", "You have taken release 1 as often as you may"),
    "expired": ("Release 1 expired on", "Your time to take release 1 ended on"),
    "withdrawn": ("A mistake", "A mistake"),
    "being packed": ("Release 1 is being packed", "Release 1 is being packed"),
}


@pytest.mark.parametrize("state", TABLE)
def test_who_may_download_and_what_the_page_says(
    state: str, cast: Cast, release: Release, signed_in: SignIn
) -> None:
    bring_into(state, release, cast)
    named, member, outsider = TABLE[state]
    expected = dict.fromkeys(NAMED, named) | dict.fromkeys(OTHERS, member) | {"outsider": outsider}
    address = reverse("releases:download", args=[release.id])
    got = {person: signed_in(getattr(cast, person)).get(address).status_code for person in expected}
    assert got == expected
    page = reverse("releases:show", args=[release.id])
    for person, words in zip(("teammate", "analyst"), TITLES[state], strict=True):
        assert words in signed_in(getattr(cast, person)).get(page).content.decode()


def test_whoever_leaves_the_team_finds_nothing(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    Membership.objects.filter(user=cast.analyst).delete()
    answer = signed_in(cast.analyst).get(reverse("releases:download", args=[release.id]))
    assert answer.status_code == 404


def test_an_analyst_sees_the_own_line_and_nobody_else(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    page = signed_in(cast.analyst).get(reverse("releases:show", args=[release.id]))
    text = page.content.decode()
    assert "0 of 3" in text
    assert "Downloads of Analyst" in text
    assert "Downloads of Steward" not in text
