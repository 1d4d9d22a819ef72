"""The key of a team's pseudonyms: one for all its releases, changed by its administrator."""

from collections.abc import Callable
from datetime import timedelta

from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import PseudonymKey
from deid_portal.datasets.pseudonyms import pseudonym_key_of
from deid_portal.datasets.services import choose_treatment
from deid_portal.pseudonyms.services import destroy_unneeded_keys, rotate_key
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
ROTATE = "/team/pseudonyms/rotate/"
ASKED = {"reason": "yearly change", "understood": "on"}


def run_with(cast: Cast, treatment: str) -> Run:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    column = dataset.columns.get(name="Name")
    choose_treatment(column=column, chosen_by=cast.steward, treatment=treatment)
    return factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))


def released_names(run: Run) -> set[str]:
    with vault.open_reader(run.release_file) as stream:
        lines = stream.read().decode().splitlines()
    place = lines[0].split(",").index("Name")
    return {line.split(",")[place] for line in lines[1:]}


def test_all_releases_of_a_team_can_be_joined_until_the_key_changes(
    cast: Cast, signed_in: SignIn
) -> None:
    first, second = (released_names(run_with(cast, "pseudonym")) for _ in range(2))
    assert first == second
    assert len(first) == 12
    answer = signed_in(cast.administrator).post(ROTATE, ASKED, follow=True)
    assert "Key 2 is in force" in answer.content.decode()
    third = released_names(run_with(cast, "pseudonym"))
    assert third.isdisjoint(first)
    event = Event.objects.get(action="pseudonyms.key_rotated")
    assert event.facts == {"number": 2, "reason": "yearly change"}


def test_the_data_key_is_not_the_key_of_pseudonyms(cast: Cast) -> None:
    secret = pseudonym_key_of(cast.team).bytes
    assert len(secret) == 32
    assert pseudonym_key_of(cast.team).bytes == secret
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM datasets_pseudonymkey")
        (stored,) = cursor.fetchone()
    assert secret not in bytes(stored)
    assert secret.hex().encode() not in bytes(stored)


def test_only_an_administrator_changes_it_and_says_why(cast: Cast, signed_in: SignIn) -> None:
    pseudonym_key_of(cast.team)
    for person in (cast.steward, cast.reviewer, cast.approver, cast.analyst):
        assert signed_in(person).post(ROTATE, ASKED).status_code == 403
    assert signed_in(cast.administrator).post(ROTATE, {"understood": "on"}).status_code == 422
    assert signed_in(cast.administrator).post(ROTATE, {"reason": "x"}).status_code == 422
    assert PseudonymKey.objects.get().number == 1


def test_another_team_has_another_key(cast: Cast) -> None:
    other = cast.outsider.memberships.get().team
    assert pseudonym_key_of(other).bytes != pseudonym_key_of(cast.team).bytes


def test_a_retired_key_is_destroyed_when_nothing_needs_it(cast: Cast) -> None:
    old = pseudonym_key_of(cast.team)
    rotate_key(team=cast.team, rotated_by=cast.administrator, reason="x")
    assert destroy_unneeded_keys() == 0  # a run that began before may still end with it
    PseudonymKey.objects.filter(id=old.id).update(retired_at=timezone.now() - timedelta(days=2))
    assert destroy_unneeded_keys() == 1
    old.refresh_from_db()
    assert old.secret is None
    assert Event.objects.filter(action="pseudonyms.key_destroyed").exists()
    assert destroy_unneeded_keys() == 0


def test_a_retired_key_stays_while_a_way_back_needs_it(cast: Cast, signed_in: SignIn) -> None:
    run = run_with(cast, "reversible")
    rotate_key(team=cast.team, rotated_by=cast.administrator, reason="x")
    PseudonymKey.objects.filter(number=1).update(retired_at=timezone.now() - timedelta(days=2))
    assert destroy_unneeded_keys() == 0
    page = signed_in(cast.reviewer).get(reverse("pseudonyms:show")).content.decode()
    assert "kept for 1 way back" in page
    run.dataset.ways_back.all().delete()
    assert destroy_unneeded_keys() == 1
