"""An outside table is brought, matched, used once and deleted, whatever happens."""

import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.attacks.models import AttackTest, OutsideTable
from deid_portal.attacks.outside import delete_spent_tables
from deid_portal.attacks.selectors import attack_rows
from deid_portal.audit.models import Event
from deid_portal.runs.models import Run
from deid_portal.vault import vault
from deid_portal.work.leases import WorkStatus
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
Capture = Callable[..., object]
VOTERS = b"Name;PLZ;age\nJack;13053;28\nEmma;13068;36\nZoe;13068;90\n"


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_finished_run(cast.steward, cast.team)


def bring(client: Client, run: Run, content: bytes = VOTERS, name: str = "voters.csv") -> int:
    file = SimpleUploadedFile(name, content)
    answer = client.post(reverse("attacks:bring-outside", args=[run.id]), {"file": file})
    return answer.status_code


def start(client: Client, run: Run, **chosen: object) -> AttackTest:
    given = {"columns": [0, 1], "matching": "exact", "person": "", **chosen}
    answer = client.post(reverse("attacks:start-outside", args=[run.id]), given)
    assert answer.status_code == 302, answer.content.decode()
    return AttackTest.objects.get(attack="outside-linkage")


def is_stored(table: OutsideTable) -> bool:
    return vault.path_of(table.file).exists()


def test_columns_are_suggested_by_name_and_by_values(
    run: Run, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    assert bring(client, run) == 302
    table = OutsideTable.objects.get()
    pairs = [(pair["theirs"], pair["ours"]) for pair in table.about["shared"]]
    assert pairs == [("age", "Age")]  # two zip codes are too few to know a column by
    assert [pair["ours"] for pair in table.about["persons"]] == ["Name"]
    page = client.get(reverse("attacks:show", args=[run.id])).content.decode()
    assert "voters.csv" in page
    assert "Jack" not in page


def test_linkage_is_scored_by_who_is_who(run: Run, cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    bring(client, run, b"Name,Zip,Age\nJack,13053,28\nEmma,13068,36\nZoe,13068,90\n")
    test = factories.finish_attack(start(client, run, person="0"))
    assert test.result["figures"]["people"] == 3
    assert test.result["figures"]["known"] == 2
    assert test.result["value"] == pytest.approx((1 / 4 + 1 / 4) / 3)


def test_without_who_is_who_unique_matches_are_told(
    run: Run, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    bring(client, run, b"Zip,Age\n13053,28\n13068,36\n")
    factories.finish_attack(start(client, run))
    row = next(row for row in attack_rows(cast.steward, run) if row.attack == "outside-linkage")
    assert row.sentence == "None of 2 people leads to a single record."
    assert row.subtitle == "voters.csv, 2 people"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"\x00\x01\x02" * 50, ""),
        (b"city,shoe\nRome,41\nOslo,43\n", "It has city, shoe; the release shows Zip, Age"),
    ],
)
def test_a_table_that_cannot_serve_is_refused_and_not_kept(
    run: Run, cast: Cast, signed_in: SignIn, content: bytes, sentence: str
) -> None:
    client = signed_in(cast.steward)
    file = SimpleUploadedFile("x.csv", content)
    answer = client.post(reverse("attacks:bring-outside", args=[run.id]), {"file": file})
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not OutsideTable.objects.exists()
    assert not list(vault.path_of("attacks").glob("*"))


def test_a_workbook_can_be_brought(run: Run, cast: Cast, signed_in: SignIn) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in (["Zip", "Age"], ["13053", "28"], ["13068", "36"]):
        book.active.append(line)
    stream = io.BytesIO()
    book.save(stream)
    client = signed_in(cast.steward)
    assert bring(client, run, stream.getvalue(), "voters.xlsx") == 302
    assert factories.finish_attack(start(client, run)).result["figures"]["people"] == 2


def test_the_file_is_gone_when_the_test_has_ended(
    run: Run, cast: Cast, signed_in: SignIn, django_capture_on_commit_callbacks: Capture
) -> None:
    client = signed_in(cast.steward)
    bring(client, run)
    table = OutsideTable.objects.get()
    assert is_stored(table)
    test = start(client, run, columns=[0])
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        factories.finish_attack(test)
    table.refresh_from_db()
    assert not is_stored(table)
    assert table.deleted_at is not None
    assert not vault.path_of(f"keys/{table.folder}").exists()


def test_stopping_deletes_it_too(
    run: Run, cast: Cast, signed_in: SignIn, django_capture_on_commit_callbacks: Capture
) -> None:
    client = signed_in(cast.steward)
    bring(client, run)
    test = start(client, run, columns=[0])
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        client.post(reverse("attacks:stop", args=[run.id, str(test.id)]))
    assert not is_stored(OutsideTable.objects.get())


@pytest.mark.parametrize("status", [WorkStatus.FINISHED, WorkStatus.FAILED, WorkStatus.STOPPED])
def test_what_a_dead_worker_left_is_swept(
    run: Run, cast: Cast, signed_in: SignIn, status: WorkStatus
) -> None:
    client = signed_in(cast.steward)
    bring(client, run)
    start(client, run, columns=[0])
    assert delete_spent_tables() == 0  # it is still needed
    AttackTest.objects.update(status=status)
    assert delete_spent_tables() == 1
    assert not is_stored(OutsideTable.objects.get())


def test_a_table_nobody_uses_goes_after_an_hour(run: Run, cast: Cast, signed_in: SignIn) -> None:
    bring(signed_in(cast.steward), run)
    assert delete_spent_tables() == 0
    OutsideTable.objects.update(uploaded_at=timezone.now() - timedelta(hours=2))
    assert delete_spent_tables() == 1


def test_a_second_table_takes_the_place_of_the_first(
    run: Run, cast: Cast, signed_in: SignIn, django_capture_on_commit_callbacks: Capture
) -> None:
    client = signed_in(cast.steward)
    bring(client, run)
    first = OutsideTable.objects.get()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        bring(client, run, name="again.csv")
    assert not is_stored(first)


def test_a_table_can_be_discarded(
    run: Run, cast: Cast, signed_in: SignIn, django_capture_on_commit_callbacks: Capture
) -> None:
    client = signed_in(cast.steward)
    bring(client, run)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        client.post(reverse("attacks:discard-outside", args=[run.id]))
    assert not is_stored(OutsideTable.objects.get())


def test_others_never_see_the_outside_table(run: Run, cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    bring(client, run)
    factories.finish_attack(start(client, run, columns=[0]))
    for person in (cast.approver, cast.reviewer):
        page = signed_in(person).get(reverse("attacks:show", args=[run.id])).content.decode()
        assert "an outside table" in page
        assert "3 people" not in page
        assert "voters" not in page
        assert "Bring it" not in page


def test_a_form_without_columns_says_so(run: Run, cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    bring(client, run)
    address = reverse("attacks:start-outside", args=[run.id])
    answer = client.post(address, {"matching": "exact"})
    assert answer.status_code == 422
    assert "Choose at least one column" in answer.content.decode()
    assert client.post(address, {"columns": [7], "matching": "exact"}).status_code == 422


def test_audit_names_hash_and_size_only(run: Run, cast: Cast, signed_in: SignIn) -> None:
    bring(signed_in(cast.steward), run)
    event = Event.objects.get(action="attack.table_brought")
    assert set(event.facts) == {"sha256", "bytes", "use"}


def test_people_to_compare_with_need_the_same_columns(
    run: Run, cast: Cast, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    address = reverse("attacks:compare", args=[run.id, "inference"])
    answer = client.post(address, {"file": SimpleUploadedFile("c.csv", b"Zip,Age\n13053,28\n")})
    assert answer.status_code == 422
    assert "it has no Condition" in answer.content.decode()


def test_people_can_be_brought_to_compare_with(run: Run, cast: Cast, signed_in: SignIn) -> None:
    rows = b"".join(b"1305%d,%d,Flu\n" % (number % 4, 20 + number) for number in range(20))
    file = SimpleUploadedFile("others.csv", b"Zip,Age,Condition\n" + rows)
    signed_in(cast.steward).post(
        reverse("attacks:compare", args=[run.id, "inference"]), {"file": file}
    )
    test = factories.finish_attack(run.attack_tests.get(attack="inference"))
    assert test.result["measured_on"] == "control"
    assert test.result["control"] is not None
