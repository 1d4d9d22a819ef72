"""The way back from a pseudonym: one at a time, for the administrator, with a reason, on record."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.pseudonyms import tables
from deid_portal.pseudonyms.models import LookUp, WayBack
from deid_portal.pseudonyms.tables import find_pseudonymized_people, write_ways_back
from deid_portal.runs.models import Run
from deid_portal.vault import vault
from tests.conftest import Cast
from tests.pseudonyms.test_change_key import released_names, run_with

SignIn = Callable[[User], Client]


@pytest.fixture
def run(cast: Cast) -> Run:
    return run_with(cast, "reversible")


def address_of(run: Run) -> str:
    return reverse("pseudonyms:way-back", args=[WayBack.objects.get(run_id=run.id).id])


def test_the_administrator_looks_one_person_up(
    cast: Cast, run: Run, signed_in: SignIn, caplog: pytest.LogCaptureFixture
) -> None:
    wanted = min(released_names(run))
    client = signed_in(cast.administrator)
    answer = client.post(
        address_of(run), {"pseudonym": f" {wanted.upper()} ", "reason": "a recall"}
    )
    page = answer.content.decode()
    way_back = WayBack.objects.get()
    (person,) = find_pseudonymized_people(way_back.file, wanted)
    assert person.original in page
    assert "no-store" in answer["Cache-Control"]
    assert way_back.pseudonyms == 12
    event = Event.objects.get(action="pseudonyms.looked_up")
    assert event.facts == {"pseudonym": wanted, "found": True}
    assert event.actor == cast.administrator
    assert "a recall" in client.get(address_of(run)).content.decode()
    with connection.cursor() as cursor:
        for table in ("audit_event", "pseudonyms_lookup", "pseudonyms_wayback"):
            cursor.execute(f"SELECT * FROM {table}")
            stored = repr(cursor.fetchall())
            assert person.original not in stored
            assert "a recall" not in stored
    assert person.original not in caplog.text


def test_who_is_not_found_is_on_record_too(cast: Cast, run: Run, signed_in: SignIn) -> None:
    form = {"pseudonym": "0" * 32, "reason": "a guess"}
    page = signed_in(cast.administrator).post(address_of(run), form).content.decode()
    assert "Nobody was found." in page
    assert not LookUp.objects.get().found
    assert Event.objects.filter(action="pseudonyms.looked_up").exists()


@pytest.mark.parametrize(
    "form",
    [
        {"pseudonym": "0" * 32, "reason": " "},
        {"pseudonym": "Jennifer", "reason": "why not"},
        {"pseudonym": "0" * 31, "reason": "why not"},
    ],
)
def test_no_reason_or_no_pseudonym_is_refused_and_not_recorded(
    form: dict[str, str], cast: Cast, run: Run, signed_in: SignIn
) -> None:
    assert signed_in(cast.administrator).post(address_of(run), form).status_code == 422
    assert not LookUp.objects.exists()
    assert not Event.objects.filter(action="pseudonyms.looked_up").exists()


@pytest.mark.parametrize("person", ["steward", "reviewer", "approver"])
def test_nobody_else_may(person: str, cast: Cast, run: Run, signed_in: SignIn) -> None:
    form = {"pseudonym": min(released_names(run)), "reason": "curious"}
    assert signed_in(getattr(cast, person)).post(address_of(run), form).status_code == 403
    for stranger in (cast.analyst, cast.outsider):
        assert signed_in(stranger).post(address_of(run), form).status_code == 404
    assert not LookUp.objects.exists()


def test_without_the_wish_there_is_no_way_back(cast: Cast) -> None:
    run_with(cast, "pseudonym")
    assert not WayBack.objects.exists()
    assert not list(vault.path_of("").rglob("ways-back"))


def test_it_lies_encrypted_and_goes_with_the_dataset(
    cast: Cast,
    run: Run,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    way_back, address = WayBack.objects.get(), address_of(run)
    path = vault.path_of(way_back.file)
    assert b"Jennifer" not in path.read_bytes()
    with django_capture_on_commit_callbacks(execute=True):
        forget_dataset(run.dataset, cast.steward)
    assert not path.exists()
    assert not WayBack.objects.exists()
    assert Event.objects.get(action="dataset.forgotten").facts["ways_back"] == 1
    assert signed_in(cast.administrator).get(address).status_code == 404


def test_the_administrator_deletes_a_way_back_before_its_time(
    cast: Cast,
    run: Run,
    signed_in: SignIn,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    way_back = WayBack.objects.get()
    path = vault.path_of(way_back.file)
    address = reverse("pseudonyms:destroy", args=[way_back.id])
    assert signed_in(cast.steward).post(address).status_code == 403
    with django_capture_on_commit_callbacks(execute=True):
        signed_in(cast.administrator).post(address)
    assert not path.exists()
    assert Event.objects.filter(action="pseudonyms.way_back_destroyed").exists()


def test_a_line_that_the_key_does_not_confirm_is_not_shown(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    way_back = WayBack.objects.get()
    write_ways_back(way_back.file, [("0" * 32, "Name", "Somebody else")])
    form = {"pseudonym": "0" * 32, "reason": "a check"}
    page = signed_in(cast.administrator).post(address_of(run), form).content.decode()
    assert "Somebody else" not in page


def test_a_search_over_many_blocks_finds_first_middle_and_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "BLOCK_BYTES", 50)
    ways = [(f"{number:032x}", "who", f'per"son\n{number} é') for number in range(300)]
    assert write_ways_back("datasets/x/ways-back/1", ways) == 300
    for number in (0, 1, 150, 298, 299):
        (found,) = find_pseudonymized_people("datasets/x/ways-back/1", f"{number:032x}")
        assert found.original == f'per"son\n{number} é'
    assert find_pseudonymized_people("datasets/x/ways-back/1", "f" * 32) == []
