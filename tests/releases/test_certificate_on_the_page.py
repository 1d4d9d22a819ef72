"""The certificate can be read beside the page, by the team, whatever becomes of the release."""

from collections.abc import Callable

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.releases.models import Release
from tests.conftest import Cast

SignIn = Callable[[User], Client]


def test_the_team_reads_it_after_a_withdrawal_and_it_runs_nothing(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    Release.objects.update(
        withdrawn_at=timezone.now(), withdrawn_by=cast.steward, withdrawal_reason="Wrong"
    )
    address = reverse("releases:certificate", args=[release.id, "html"])
    for person in (cast.analyst, cast.reviewer):
        answer = signed_in(person).get(address)
        assert "Certificate of de-identification" in answer.content.decode()
        assert "script-src 'self'" not in answer["Content-Security-Policy"]
        assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert signed_in(cast.outsider).get(address).status_code == 404
    other = reverse("releases:certificate", args=[release.id, "exe"])
    assert signed_in(cast.steward).get(other).status_code == 404


def test_the_page_shows_what_it_says(cast: Cast, release: Release, signed_in: SignIn) -> None:
    page = signed_in(cast.analyst).get(reverse("releases:show", args=[release.id]))
    text = page.content.decode()
    for words in ("Assumptions and limits", "Ed25519", "Policy, version 1", "gates passed"):
        assert words in text
