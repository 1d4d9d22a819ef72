"""In review every chart leads to a comment about it; before and after there is no such tool."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.runs.models import Run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
SECTIONS = [
    "summary",
    "groups",
    "risk",
    "detail",
    "left-out",
    "who-pays",
    "sensitive",
]


def addresses(client: Client, run: Run, section: str) -> list[str]:
    page = client.get(reverse("reports:section", args=[run.id, section])).content.decode()
    return [unescape(found) for found in re.findall(r'href="([^"]*about=[^"]*)"', page)]


@pytest.mark.parametrize("section", SECTIONS)
def test_a_chart_in_review_leads_to_a_comment_about_it(
    cast: Cast, signed_in: SignIn, section: str
) -> None:
    review = factories.make_request(cast.steward, cast.team)
    client = signed_in(cast.approver)
    found = addresses(client, review.run, section)
    assert found
    for address in set(found):
        chosen = client.get(address).context["comment_form"]["about"]
        assert chosen.value() in [
            value for _, group in chosen.field.choices[1:] for value, _ in group
        ]


def test_without_a_request_there_is_nothing_to_comment_on(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    assert addresses(signed_in(cast.steward), run, "summary") == []
