"""The command that moves everything to a new data key while people work."""

import io
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.pseudonyms import pseudonym_key_of
from deid_portal.serving import key_rotation
from deid_portal.vault import folder_keys, vault
from deid_portal.vault.sealed_fields import seal_again
from tests import factories
from tests.audit.chain import find_break
from tests.conftest import Cast
from tests.vault.of_before import make_mark_of_before, write_keyless

NEW_KEY = "bmV3IGtleSwgYWxzbyB0aGlydHktdHdvIGJ5dGVzISE="
STRANGE_KEY = "c3RyYW5nZSBrZXksIGFsc28gMzIgYnl0ZXMgbG9uZyE="
SignIn = Callable[[User], Client]


def change_key(settings: Settings) -> None:
    settings.DATA_KEY_OLD = [settings.DATA_KEY]
    settings.DATA_KEY = NEW_KEY


def rotate() -> str:
    said = io.StringIO()
    call_command("rotate_data_key", stdout=said)
    return said.getvalue()


def test_after_it_the_old_key_can_be_dropped(
    cast: Cast, settings: Settings, signed_in: SignIn
) -> None:
    release = factories.make_release(cast.steward, cast.approver, cast.team, [cast.steward])
    factories.pack(release)
    make_mark_of_before()
    write_keyless("datasets/of-before/upload")
    change_key(settings)
    said = rotate()
    assert "Empty DATA_KEY_OLD" in said
    assert "files: 1 of 1" in said
    settings.DATA_KEY_OLD = []
    client = signed_in(cast.steward)
    for name, about in (
        ("releases:download", release.id),
        ("reports:report", release.request.run.id),
        ("datasets:columns", release.request.run.dataset.id),
        ("plans:protection", release.request.run.dataset.id),
    ):
        assert client.get(reverse(name, args=[about])).status_code == 200, name
    with vault.open_reader("datasets/of-before/upload") as reader:
        assert b"flu" in reader.read()
    assert key_rotation.count_left() == 0


def test_it_leaves_a_record_without_any_key_in_it(cast: Cast, settings: Settings) -> None:
    factories.make_dataset(cast.steward, cast.team)
    old = settings.DATA_KEY
    change_key(settings)
    rotate()
    event = Event.objects.get(action="data_key.rotated")
    assert event.facts["folder_keys"] == 1
    assert event.facts["fields"] == DatasetColumn.objects.count()
    assert old not in str(event.facts)
    assert NEW_KEY not in str(event.facts)
    assert find_break() is None


def test_a_second_time_there_is_nothing_to_do(cast: Cast, settings: Settings) -> None:
    factories.make_planned_dataset(cast.steward, cast.team)
    change_key(settings)
    rotate()
    assert "Moved to the current key: 0 keys of folders, 0 files, 0 sealed fields." in rotate()
    assert Event.objects.filter(action="data_key.rotated").count() == 1


def test_broken_off_it_goes_on_where_it_stopped(cast: Cast, settings: Settings) -> None:
    factories.make_planned_dataset(cast.steward, cast.team)
    change_key(settings)
    everything = key_rotation.count_left()
    asked: list[int] = []

    def stop_in_the_middle(what: str, number: int, total: int) -> None:
        asked.append(number)
        if len(asked) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        key_rotation.rotate(stop_in_the_middle)
    assert key_rotation.count_left() == everything - 4
    assert key_rotation.rotate(lambda *_: None).moved == everything - 4


def test_without_a_new_key_only_old_files_are_written_anew(cast: Cast) -> None:
    make_mark_of_before()
    write_keyless("datasets/of-before/upload")
    assert "no old key is listed" in rotate()
    assert vault.list_old_files() == []


def test_what_a_strange_key_closed_is_named_and_keeps_the_old_keys(
    cast: Cast, settings: Settings
) -> None:
    factories.make_dataset(cast.steward, cast.team)
    change_key(settings)
    settings.DATA_KEY_OLD = [STRANGE_KEY]
    with pytest.raises(CommandError, match="could not be opened") as refused:
        rotate()
    assert refused.value.returncode == 3
    assert "Keep the old keys" in str(refused.value)


def test_what_people_save_meanwhile_is_not_overwritten(
    cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = factories.make_dataset(cast.steward, cast.team).columns.all()[0]
    change_key(settings)

    def seal_slowly(sealed: bytes, place: str, *, of_before: bool) -> bytes:
        saved = DatasetColumn.objects.get(pk=column.pk)
        saved.profile = {"saved": "meanwhile"}
        saved.save()
        return seal_again(sealed, place, of_before=of_before)

    monkeypatch.setattr(key_rotation, "seal_again", seal_slowly)
    rotate()
    column.refresh_from_db()
    assert column.profile == {"saved": "meanwhile"}


def test_a_process_that_still_has_the_old_key_is_noticed(cast: Cast, settings: Settings) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    old = settings.DATA_KEY
    change_key(settings)

    def write_with_the_old_key(what: str, number: int, total: int) -> None:
        settings.DATA_KEY, settings.DATA_KEY_OLD = old, []
        with vault.VaultWriter("runs/late/1/release.csv") as writer:
            writer.write(b"rows")
        settings.DATA_KEY, settings.DATA_KEY_OLD = NEW_KEY, [old]

    done = key_rotation.rotate(write_with_the_old_key)
    assert done.late == 1
    assert not done.is_complete
    assert folder_keys.is_wrapped_by_current(f"datasets/{dataset.id}")


def test_pseudonyms_stay_the_same(cast: Cast, settings: Settings) -> None:
    before = pseudonym_key_of(cast.team)
    change_key(settings)
    rotate()
    settings.DATA_KEY_OLD = []
    assert pseudonym_key_of(cast.team) == before
