"""The choice is saved while it is made: when it makes sense, and only when it has changed."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.plans.models import Protection
from tests import factories
from tests.conftest import Cast
from tests.plans.test_choose_protection import CHOICE

SignIn = Callable[[User], Client]


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


def _keep(client: Client, dataset: Dataset, **change: str) -> str:
    answer = client.post(reverse("plans:keep", args=[dataset.id]), {**CHOICE, **change})
    return answer.content.decode()


def test_what_makes_sense_is_saved_once(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    client = signed_in(cast.teammate)
    assert "Saved" in _keep(client, dataset, k="3")
    assert "Saved" in _keep(client, dataset, k="3")
    saved = Protection.objects.get()
    assert saved.rules[0]["k"] == 3
    assert saved.changed_by == cast.teammate
    assert Event.objects.filter(action="plan.protection_chosen", actor=cast.teammate).count() == 1


def test_what_does_not_is_kept_out_and_says_so(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    assert "Not saved: some answers need a look" in _keep(client, dataset, k="1")
    assert Protection.objects.get().rules == factories.RULES


def test_pressing_start_on_a_colleagues_plan_leaves_it_theirs(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    _keep(signed_in(cast.steward), dataset, k="3")
    _keep(signed_in(cast.teammate), dataset, k="3")
    assert Protection.objects.get().changed_by == cast.steward


def test_a_plan_beyond_the_questions_is_not_overwritten_by_looking_at_them(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    protection = Protection.objects.get()
    protection.rules = [{"model": "average-risk", "limit": 0.1}]
    protection.save()
    address = reverse("plans:protection", args=[dataset.id])
    page = signed_in(cast.steward).get(f"{address}?view=plain").content.decode()
    assert reverse("plans:keep", args=[dataset.id]) not in page


def test_a_sweep_is_one_press_away(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    address = reverse("plans:protection", args=[dataset.id])
    answer = signed_in(cast.steward).post(address, {**CHOICE, "then": "sweep"})
    assert answer["Location"] == reverse("runs:sweep", args=[dataset.id])


def test_the_answer_to_a_change_brings_policy_payer_and_next_bar(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    address = reverse("plans:estimate", args=[dataset.id])
    page = signed_in(cast.steward).post(address, {**CHOICE, "k": "3"}).content.decode()
    assert "The usual policy" in page
    assert "policy rules would fail, so a release would need a change or a waiver." in page
    assert 'id="next-bar"' in page
    assert "you chose 3" in page


def test_the_policys_line_stands_on_the_slider(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(reverse("plans:protection", args=[dataset.id]))
    assert "5 · policy minimum" in page.content.decode()
    assert "10 · policy maximum" in page.content.decode()


def test_numbers_of_the_promise_stand_out_and_nothing_else_becomes_markup(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    column = dataset.columns.get(name="Name")
    column.name = "<b>5</b> & 'x'"
    column.save()
    address = reverse("plans:promise", args=[dataset.id])
    page = signed_in(cast.steward).post(address, {**CHOICE, "k": "5"}).content.decode()
    assert "<strong>at least 4 others</strong>" in page
    assert "&lt;b&gt;<strong>5</strong>&lt;/b&gt; &amp; &#x27;x&#x27;" in page
