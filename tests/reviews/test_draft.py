from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.selectors import requests_awaiting
from deid_portal.runs.models import Run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
ANSWERS = {"purpose": "teaching file", "download_days": "7", "downloads_per_person": "2"}


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_finished_run(cast.steward, cast.team)


def test_a_draft_waits_for_nobody_and_is_handed_in_later(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    client.post(reverse("reviews:ask", args=[run.id]), {**ANSWERS, "as": "draft"})
    draft = ReviewRequest.objects.get()
    assert draft.status == "draft"
    assert requests_awaiting(cast.approver, cast.team) == []
    sent = {**ANSWERS, "purpose": "a better purpose", "recipients": [str(cast.analyst.pk)]}
    client.post(reverse("reviews:edit", args=[draft.id]), sent)
    draft.refresh_from_db()
    assert (draft.status, draft.purpose) == ("submitted", "a better purpose")
    assert list(draft.recipients.all()) == [cast.analyst]
    assert requests_awaiting(cast.approver, cast.team) == [draft]


def test_only_its_author_edits_a_draft(cast: Cast, run: Run, signed_in: SignIn) -> None:
    signed_in(cast.steward).post(reverse("reviews:ask", args=[run.id]), {**ANSWERS, "as": "draft"})
    draft = ReviewRequest.objects.get()
    signed_in(cast.teammate).post(reverse("reviews:edit", args=[draft.id]), ANSWERS)
    draft.refresh_from_db()
    assert draft.status == "draft"


def test_the_policys_checklist_must_be_confirmed(cast: Cast, run: Run, signed_in: SignIn) -> None:
    sentence = "The contract with the recipient is signed."
    factories.allow_small_groups(cast.team, cast.administrator, checklist=(sentence,))
    client, there = signed_in(cast.steward), reverse("reviews:ask", args=[run.id])
    assert client.post(there, ANSWERS).status_code == 422
    client.post(there, {**ANSWERS, "confirm_0": "on"})
    assert ReviewRequest.objects.get().confirmed == [sentence]


def test_a_longer_period_than_the_policy_allows_fails_a_gate(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    client.post(reverse("reviews:ask", args=[run.id]), {**ANSWERS, "download_days": "60"})
    page = client.get(reverse("reviews:show", args=[ReviewRequest.objects.get().id]))
    assert "60 days, 2 downloads each" in page.content.decode()
    failing = [row for row in page.context["gates"] if row["checked"].fails]
    assert "download_days" in [row["gate"].name for row in failing]
