"""Through the pages: connect, choose, copy, look at the preview. Passwords stay where they are."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection as portal_database
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import table_of
from deid_portal.sources.fetch_job import perform_fetch
from deid_portal.sources.models import Connection, Fetch
from deid_portal.sources.postgresql import TableOrQuery
from deid_portal.sources.services import start_fetch
from deid_portal.vault import vault
from deid_portal.work.leases import claim
from tests import factories
from tests.conftest import Cast
from tests.sources.conftest import READER_PASSWORD, Server
from tests.web.full_disk import fill_the_disk

SignIn = Callable[[User], Client]
LIST = "/datasets/databases/"


def filled(running: Server, **changes: str) -> dict[str, str]:
    return {
        "server": f"127.0.0.1:{running.port}",
        "database": "hospital",
        "user": "reader",
        "password": READER_PASSWORD,
        "encryption": "disable",
        "name": "",
        **changes,
    }


def stored_files() -> list[Path]:
    root = vault.path_of("")
    found = (path for path in root.rglob("*") if path.is_file())
    return [path for path in found if not str(path.relative_to(root)).startswith("keys")]


def finish(fetch: Fetch) -> Fetch:
    """Do a worker's work."""
    lease = claim(Fetch, str(fetch.id))
    assert lease is not None
    perform_fetch(lease)
    fetch.refresh_from_db()
    return fetch


def asked(connection: Connection, cast: Cast, **question: str) -> Fetch:
    return start_fetch(
        connection=connection, asked_by=cast.steward, question=TableOrQuery(**question), name="Ward"
    )


def test_from_the_connection_to_the_columns(
    cast: Cast, patients: Server, allowed: None, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    answer = client.post(LIST, filled(patients), follow=True)
    assert "ward.patients" in answer.content.decode()
    kept = Connection.objects.get()
    assert str(kept) == "hospital"
    answer = client.post(
        reverse("sources:choose", args=[kept.id]), {"table": "ward.patients", "query": ""}
    )
    fetch = Fetch.objects.get()
    assert answer["Location"] == reverse("sources:fetch", args=[fetch.id])
    assert "Waiting for a worker" in client.get(answer["Location"]).content.decode()
    fetch = finish(fetch)
    dataset = Dataset.objects.get()
    preview = reverse("datasets:preview", args=[dataset.id])
    assert client.get(reverse("sources:fetch", args=[fetch.id]))["Location"] == preview
    page = client.get(preview).content.decode()
    assert "table of a database" in page
    assert "ward.patients · hospital" in page
    assert "Ann" in page
    factories.read_upload(dataset, cast.steward)
    assert dataset.name == "patients"
    assert dataset.columns.get(name="zip").type == "text"
    assert dataset.columns.get(name="age").type == "integer"
    assert table_of(dataset).rows == 3
    told = list(Event.objects.values_list("action", flat=True))
    for action in ("source.connection_added", "source.fetch_started", "dataset.uploaded"):
        assert action in told


def test_text_of_a_database_can_be_read_as_numbers_if_the_steward_says_so(
    connection: Connection, cast: Cast, signed_in: SignIn
) -> None:
    finish(asked(connection, cast, query="SELECT person, zip FROM ward.patients WHERE zip > '1'"))
    dataset, client = Dataset.objects.get(), signed_in(cast.steward)
    page = client.get(reverse("datasets:preview", args=[dataset.id])).content.decode()
    assert '<option value="text" selected>' in page
    client.post(reverse("datasets:set-format", args=[dataset.id]), {"type-1": ""})
    dataset.refresh_from_db()
    factories.read_upload(dataset, cast.steward)
    assert dataset.columns.get(name="zip").type == "integer"


def test_the_password_is_nowhere(
    cast: Cast, patients: Server, allowed: None, signed_in: SignIn, caplog: pytest.LogCaptureFixture
) -> None:
    client = signed_in(cast.steward)
    pages = [client.post(LIST, filled(patients), follow=True), client.get(LIST)]
    finish(asked(Connection.objects.get(), cast, table="ward.patients"))
    pages += [client.post(LIST, filled(patients, database="nowhere"))]
    for page in pages:
        assert READER_PASSWORD not in page.content.decode()
    assert READER_PASSWORD not in caplog.text
    with portal_database.cursor() as cursor:
        for model in (Connection, Fetch, Event, Dataset):
            cursor.execute(f"SELECT * FROM {model._meta.db_table}")
            assert READER_PASSWORD.encode() not in repr(cursor.fetchall()).encode()
    for path in stored_files():
        assert b"Ann" not in path.read_bytes()


def test_a_wrong_password_is_said_at_once_and_nothing_is_kept(
    cast: Cast, patients: Server, allowed: None, signed_in: SignIn
) -> None:
    answer = signed_in(cast.steward).post(LIST, filled(patients, password="guessed"))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "does not accept this user and password" in page
    assert "guessed" not in page
    assert not Connection.objects.exists()


def test_nobody_is_sent_to_another_server(
    cast: Cast, patients: Server, allowed: None, signed_in: SignIn
) -> None:
    for server in ("127.0.0.1:22", "169.254.169.254:80", "evil.example:5432", "", "/tmp"):
        answer = signed_in(cast.steward).post(LIST, filled(patients, server=server))
        assert answer.status_code == 422
    assert not Connection.objects.exists()


def test_without_a_list_of_servers_the_page_says_who_can_change_that(
    cast: Cast, patients: Server, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    assert "has not allowed any server" in client.get(LIST).content.decode()
    client.post(LIST, filled(patients))
    assert not Connection.objects.exists()


def test_a_server_taken_off_the_list_is_not_asked_again(
    connection: Connection, cast: Cast, settings: Settings, signed_in: SignIn
) -> None:
    fetch = asked(connection, cast, table="ward.patients")
    settings.SOURCE_HOSTS = [("elsewhere.example", 5432)]
    assert finish(fetch).status == Fetch.Status.FAILED
    assert "may not connect to this server any more" in fetch.problem
    client = signed_in(cast.steward)
    assert client.get(reverse("sources:choose", args=[connection.id])).status_code == 403
    assert "may not connect" in client.get(LIST).content.decode()


def test_a_query_that_fails_can_be_mended(
    connection: Connection, cast: Cast, signed_in: SignIn
) -> None:
    fetch = finish(asked(connection, cast, query="SELECT persn FROM ward.patients"))
    assert fetch.status == Fetch.Status.FAILED
    client = signed_in(cast.teammate)
    page = client.get(reverse("sources:fetch", args=[fetch.id])).content.decode()
    assert "a column that does not exist" in page
    again = f"{reverse('sources:choose', args=[connection.id])}?again={fetch.id}"
    assert again in page
    assert "SELECT persn" in client.get(again).content.decode()
    assert not Dataset.objects.exists()
    assert not stored_files()


def test_an_answer_larger_than_an_upload_may_be_is_given_up(
    connection: Connection, cast: Cast, settings: Settings
) -> None:
    settings.UPLOAD_LIMIT_BYTES = 100_000
    query = "SELECT n AS a, n AS b FROM generate_series(1, 100000) AS n"
    fetch = finish(asked(connection, cast, query=query))
    assert "the limit of this portal" in fetch.problem
    assert not stored_files()


def test_a_stopped_copy_leaves_nothing(connection: Connection, cast: Cast) -> None:
    fetch = asked(connection, cast, table="ward.patients")
    lease = claim(Fetch, str(fetch.id))
    assert lease is not None
    lease._stop_seen = True
    perform_fetch(lease)
    fetch.refresh_from_db()
    assert fetch.status == Fetch.Status.STOPPED
    assert not Dataset.objects.exists()
    assert not stored_files()


def test_a_waiting_copy_is_stopped_at_once(
    connection: Connection, cast: Cast, signed_in: SignIn
) -> None:
    fetch = asked(connection, cast, table="ward.patients")
    answer = signed_in(cast.steward).post(reverse("sources:stop", args=[fetch.id]), follow=True)
    assert "The copying was stopped" in answer.content.decode()
    assert Event.objects.filter(action="source.fetch_stopped").exists()


def test_a_copy_that_lost_its_lease_is_thrown_away(connection: Connection, cast: Cast) -> None:
    fetch = asked(connection, cast, table="ward.patients")
    slow = claim(Fetch, str(fetch.id))
    assert slow is not None
    Fetch.objects.update(lease=None, status=Fetch.Status.QUEUED)
    finish(fetch)
    perform_fetch(slow)
    assert Dataset.objects.count() == 1
    assert len(stored_files()) == 1


def test_a_full_disk_is_a_sentence(
    connection: Connection, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_the_disk(monkeypatch)
    fetch = finish(asked(connection, cast, table="ward.patients"))
    assert fetch.status == Fetch.Status.FAILED
    assert "no room left" in fetch.problem
    assert not stored_files()


def test_somebody_who_is_no_steward_any_more_gets_no_table(
    connection: Connection, cast: Cast
) -> None:
    fetch = asked(connection, cast, table="ward.patients")
    cast.steward.memberships.all().delete()
    assert "Only stewards" in finish(fetch).problem
    assert not stored_files()


def test_a_new_password_takes_the_place_of_the_old_one_only_if_it_works(
    connection: Connection, cast: Cast, patients: Server, signed_in: SignIn
) -> None:
    client, address = signed_in(cast.steward), reverse("sources:password", args=[connection.id])
    refused = client.post(address, {"password": "wrong"})
    assert refused.status_code == 422
    assert "The old password is still kept." in refused.content.decode()
    patients.run("ALTER ROLE reader PASSWORD 'another'")
    try:
        assert client.post(address, {"password": "another"}).status_code == 302
    finally:
        patients.run(f"ALTER ROLE reader PASSWORD '{READER_PASSWORD}'")
    connection.refresh_from_db()
    assert connection.address.password == "another"
    assert Event.objects.filter(action="source.password_changed").exists()


def test_a_removed_connection_is_gone_and_its_tables_stay(
    connection: Connection, cast: Cast, signed_in: SignIn
) -> None:
    finish(asked(connection, cast, table="ward.patients"))
    signed_in(cast.steward).post(reverse("sources:remove", args=[connection.id]))
    assert not Connection.objects.exists()
    assert Dataset.objects.count() == 1
    assert Event.objects.filter(action="source.connection_removed").exists()


def test_a_connection_in_use_is_not_removed(
    connection: Connection, cast: Cast, signed_in: SignIn
) -> None:
    asked(connection, cast, table="ward.patients")
    answer = signed_in(cast.steward).post(reverse("sources:remove", args=[connection.id]))
    assert answer.status_code == 403
    assert Connection.objects.exists()


@pytest.mark.parametrize("name", ["choose", "fetch"])
def test_an_outsider_finds_nothing(
    name: str, connection: Connection, cast: Cast, signed_in: SignIn
) -> None:
    fetch = asked(connection, cast, table="ward.patients")
    address = reverse(f"sources:{name}", args=[fetch.id if name == "fetch" else connection.id])
    assert signed_in(cast.outsider).get(address).status_code == 404
    assert signed_in(cast.analyst).get(address).status_code == 404
    assert signed_in(cast.reviewer).get(address).status_code == 403
