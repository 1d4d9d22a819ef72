"""Sealed data can be opened only at its own place; copied elsewhere it cannot be opened.

The attacker of these tests can write to the database and to the files, and keeps copies of earlier
contents, but does not have the data key.
"""

import shutil
from collections.abc import Callable

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from cryptography.exceptions import InvalidTag
from django.core.management import CommandError, call_command
from django.db import connection, models
from pytest_django import Settings

from deid_portal.audit.models import Event
from deid_portal.datasets.models import DatasetColumn, PseudonymKey
from deid_portal.datasets.pseudonyms import pseudonym_key_of
from deid_portal.plans.models import Protection
from deid_portal.runs.models import Run
from deid_portal.serving import key_rotation
from deid_portal.serving.preparation import bind_what_is_of_before
from deid_portal.serving.readiness import NotReady, check_data_can_be_opened
from deid_portal.vault import folder_keys, vault
from deid_portal.vault.growing_files import held_file
from deid_portal.vault.key_check import KEY_CHECK, may_hold_values_of_before
from deid_portal.vault.sealed_fields import SealedBytes, SealedElsewhere, names_of_place, sealed_now
from tests import factories
from tests.conftest import Cast
from tests.vault.of_before import (
    make_everything_of_before,
    make_factor_of_before,
    make_mark_of_before,
    seal_of_before,
    wrap_of_before,
    write_keyless,
    write_unnamed,
)

SECRET = b"Person 1 has the flu"
TOTP_SECRET = "JBSWY3DPEHPK3PXP"


def write(name: str, content: bytes = SECRET) -> None:
    with vault.VaultWriter(name) as writer:
        writer.write(content)


def read(name: str) -> bytes:
    with vault.open_reader(name) as reader:
        return reader.read()


def copy_value(source: models.Model, name: str, target: models.Model, new_name: str) -> None:
    with connection.cursor() as cursor:
        table, target_table = source._meta.db_table, target._meta.db_table
        cursor.execute(f'SELECT "{name}" FROM "{table}" WHERE id = %s', [_key(source)])
        (value,) = cursor.fetchone()
        cursor.execute(
            f'UPDATE "{target_table}" SET "{new_name}" = %s WHERE id = %s', [value, _key(target)]
        )
        assert cursor.rowcount == 1


def _key(row: models.Model) -> object:
    return row._meta.pk.get_db_prep_value(row.pk, connection)  # type: ignore[union-attr]


# Fields


def two_columns(cast: Cast) -> tuple[models.Model, models.Model]:
    first, second = factories.make_dataset(cast.steward, cast.team).columns.all()[:2]
    return first, second


def two_teams(cast: Cast) -> tuple[models.Model, models.Model]:
    other = factories.make_team("Another team")
    for team in (cast.team, other):
        pseudonym_key_of(team)
    return PseudonymKey.objects.get(team=cast.team), PseudonymKey.objects.get(team=other)


def two_runs(cast: Cast) -> tuple[models.Model, models.Model]:
    first, second = (factories.make_finished_run(cast.steward, cast.team) for _ in range(2))
    return first, second


@pytest.mark.parametrize(
    ("make", "name"), [(two_columns, "profile"), (two_teams, "secret"), (two_runs, "report")]
)
def test_a_value_of_another_row_does_not_open(
    make: Callable[[Cast], tuple[models.Model, models.Model]], name: str, cast: Cast
) -> None:
    first, second = make(cast)
    copy_value(first, name, second, name)
    with pytest.raises(InvalidTag):
        getattr(type(second)._default_manager.get(pk=second.pk), name)


def test_a_value_of_another_column_does_not_open(cast: Cast) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    protection = Protection.objects.get(dataset=dataset)
    copy_value(protection, "method", protection, "answers")
    with pytest.raises(InvalidTag):
        _ = Protection.objects.get(dataset=dataset).answers


def test_a_row_given_to_another_owner_does_not_open(cast: Cast) -> None:
    """Rows whose id the database gives are named by their owner, so that is bound as well."""
    first, _ = two_teams(cast)
    third = factories.make_team("A third team")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE datasets_pseudonymkey SET team_id = %s WHERE id = %s",
            [third._meta.pk.get_db_prep_value(third.pk, connection), first.pk],
        )
    with pytest.raises(InvalidTag):
        _ = PseudonymKey.objects.get(pk=first.pk).secret


@pytest.mark.parametrize("model", dict(key_rotation.sealed_fields()))
def test_every_row_with_a_sealed_field_has_a_name_before_it_is_written(
    model: type[models.Model],
) -> None:
    names = names_of_place(model)
    columns = [model._meta.pk if name == "pk" else model._meta.get_field(name) for name in names]
    assert not any(isinstance(column, models.AutoField) for column in columns)
    is_unique = any(getattr(column, "unique", False) for column in columns) or any(
        {model._meta.get_field(own).attname for own in one.fields} <= set(names)  # type: ignore[union-attr]
        for one in model._meta.constraints
        if isinstance(one, models.UniqueConstraint) and one.condition is None
    )
    assert is_unique or "at" in names


def test_a_value_is_not_written_without_its_row(cast: Cast) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    with pytest.raises(TypeError, match="save the row"):
        dataset.columns.update(profile={"values": ["flu"]})


def test_a_value_that_was_blanked_does_not_open(cast: Cast) -> None:
    """Before, it opened as the default: a plan without rules, for one."""
    dataset = factories.make_dataset(cast.steward, cast.team)
    dataset.columns.update(profile={})
    with pytest.raises(SealedElsewhere):
        _ = dataset.columns.all()[0].profile
    assert key_rotation.count_left() == len(dataset.columns.all())


def test_the_default_of_a_new_column_is_sealed_with_what_is_of_before(cast: Cast) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    make_mark_of_before()
    dataset.columns.update(profile={})
    bind_what_is_of_before()
    assert dataset.columns.all()[0].profile == {}
    assert key_rotation.count_left() == 0


def test_a_deferred_value_costs_one_query(
    cast: Cast, django_assert_num_queries: Callable[[int], object]
) -> None:
    factories.make_dataset(cast.steward, cast.team)
    column = DatasetColumn.objects.defer("profile")[0]
    with django_assert_num_queries(1):  # type: ignore[attr-defined]
        assert column.profile


# Second factors


def test_a_second_factor_copied_to_somebody_else_opens_nothing(cast: Cast) -> None:
    TOTP.activate(cast.outsider, TOTP_SECRET)
    TOTP.activate(cast.steward, "NB2W45DFOIZA====")
    mine, theirs = Authenticator.objects.order_by("id")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE mfa_authenticator SET data ="
            " (SELECT data FROM mfa_authenticator WHERE id = %s) WHERE id = %s",
            [mine.pk, theirs.pk],
        )
    copied = Authenticator.objects.get(pk=theirs.pk)
    with pytest.raises(InvalidTag):
        copied.wrap().validate_code("000000")
    assert Authenticator.objects.get(pk=mine.pk).wrap().validate_code("000000") is False


@pytest.mark.parametrize("of_before", [False, True])
def test_second_factors_move_with_the_data_key(
    cast: Cast, settings: Settings, of_before: bool
) -> None:
    factor = TOTP.activate(cast.steward, TOTP_SECRET).instance
    if of_before:
        make_mark_of_before()
        make_factor_of_before(factor, TOTP_SECRET)
    change_key(settings)
    call_command("rotate_data_key")
    settings.DATA_KEY_OLD = []
    assert Authenticator.objects.get().wrap().validate_code("000000") is False


def change_key(settings: Settings) -> None:
    settings.DATA_KEY_OLD = [settings.DATA_KEY]
    settings.DATA_KEY = "bmV3IGtleSwgYWxzbyB0aGlydHktdHdvIGJ5dGVzISE="


# Files


def test_a_folder_and_its_key_copied_over_another_do_not_open() -> None:
    for folder in ("datasets/mine", "datasets/theirs"):
        write(f"{folder}/upload")
    copy_key("datasets/theirs", "datasets/mine")
    shutil.copy(vault.path_of("datasets/theirs/upload"), vault.path_of("datasets/mine/upload"))
    with pytest.raises(vault.DamagedFile):
        read("datasets/mine/upload")


def copy_key(folder: str, new_folder: str) -> None:
    shutil.copy(folder_keys.key_path(folder), folder_keys.key_path(new_folder))


def test_a_key_of_before_copied_over_another_does_not_open() -> None:
    for folder in ("datasets/mine", "datasets/theirs"):
        write_unnamed(f"{folder}/upload")
    wrap_of_before("datasets/theirs")
    copy_key("datasets/theirs", "datasets/mine")
    shutil.copy(vault.path_of("datasets/theirs/upload"), vault.path_of("datasets/mine/upload"))
    with pytest.raises(vault.DamagedFile):
        read("datasets/mine/upload")


def test_a_key_copied_over_another_does_not_open_a_file_without_a_name() -> None:
    """Files of before know no name, so the key is all that is bound to the folder."""
    for folder in ("datasets/mine", "datasets/theirs"):
        write_unnamed(f"{folder}/upload")
    copy_key("datasets/theirs", "datasets/mine")
    shutil.copy(vault.path_of("datasets/theirs/upload"), vault.path_of("datasets/mine/upload"))
    with pytest.raises(vault.DamagedFile):
        read("datasets/mine/upload")


def grow(name: str) -> None:
    with held_file(name, 10) as file:
        file.add(0, SECRET[:10], is_last=False)
        file.add(10, SECRET[10:], is_last=True)


@pytest.mark.parametrize("make", [write, grow])
def test_a_file_under_another_name_of_its_folder_does_not_open(
    make: Callable[[str], None],
) -> None:
    make("runs/one/1/release.csv")
    shutil.copytree(vault.path_of("runs/one/1"), vault.path_of("runs/one/2"))
    assert read("runs/one/1/release.csv") == SECRET
    with pytest.raises(vault.DamagedFile):
        read("runs/one/2/release.csv")


def test_a_file_does_not_open_when_its_name_tag_is_cut_out() -> None:
    """As a file of before there were name tags, which opens under any name of its folder."""
    write("runs/one/1/release.csv")
    path = vault.path_of("runs/one/1/release.csv")
    whole = path.read_bytes()
    path.write_bytes(b"DPV2" + whole[4:20] + whole[36:])
    with pytest.raises(vault.DamagedFile):
        read("runs/one/1/release.csv")


@pytest.mark.parametrize("make", [write, grow])
def test_a_file_that_was_moved_opens_under_its_new_name_only(make: Callable[[str], None]) -> None:
    make("incoming/people/file")
    vault.move("incoming/people/file", "datasets/people/upload")
    assert read("datasets/people/upload") == SECRET
    shutil.copy(vault.path_of("datasets/people/upload"), vault.path_of("datasets/people/nodes"))
    with pytest.raises(vault.DamagedFile):
        read("datasets/people/nodes")


def test_a_keyless_file_opens_nowhere() -> None:
    write("datasets/mine/upload")
    write_keyless("datasets/mine/upload")
    with pytest.raises(vault.DamagedFile):
        read("datasets/mine/upload")


# From before


def test_a_portal_of_before_binds_everything_at_its_start(cast: Cast) -> None:
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    run = release.request.run
    report, stored = (
        run.report,
        [path for path in vault.path_of("runs").rglob("*") if path.is_file()],
    )
    make_everything_of_before()
    with pytest.raises(NotReady, match="rotate_data_key"):
        check_data_can_be_opened()
    bind_what_is_of_before()
    check_data_can_be_opened()
    assert key_rotation.count_left() == len(vault.list_old_files())
    assert Run.objects.get(pk=run.pk).report == report
    for path in stored:
        assert read(str(path.relative_to(vault.path_of("")))) is not None
    event = Event.objects.get(action="data_key.rotated")
    assert event.facts["of_before"] is True
    bind_what_is_of_before()
    assert Event.objects.filter(action="data_key.rotated").count() == 1


def test_broken_off_it_goes_on_where_it_stopped(cast: Cast) -> None:
    factories.make_planned_dataset(cast.steward, cast.team)
    make_everything_of_before()
    asked: list[int] = []

    def stop_in_the_middle(what: str, number: int, total: int) -> None:
        asked.append(number)
        if len(asked) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        key_rotation.rotate(stop_in_the_middle)
    assert may_hold_values_of_before()
    call_command("rotate_data_key")
    assert not may_hold_values_of_before()
    assert key_rotation.count_left() == 0


def test_a_data_key_that_does_not_fit_is_said_in_a_sentence(settings: Settings) -> None:
    check_data_can_be_opened()
    settings.DATA_KEY = "c3RyYW5nZSBrZXksIGFsc28gMzIgYnl0ZXMgbG9uZyE="
    with pytest.raises(CommandError, match="List the key") as refused:
        call_command("rotate_data_key")
    assert refused.value.returncode == 3


def paste_a_value_of_before(cast: Cast) -> DatasetColumn:
    column = factories.make_dataset(cast.steward, cast.team).columns.all()[0]
    pasted = seal_of_before(b'{"pasted": true}')
    DatasetColumn.objects.filter(pk=column.pk).update(profile=pasted)
    return DatasetColumn.objects.get(pk=column.pk)


def test_a_value_of_before_pasted_later_never_opens(cast: Cast) -> None:
    check_data_can_be_opened()
    column = paste_a_value_of_before(cast)
    with pytest.raises(SealedElsewhere):
        _ = column.profile
    bind_what_is_of_before()
    with pytest.raises(CommandError, match="--of-before"):
        call_command("rotate_data_key")
    with pytest.raises(SealedElsewhere):
        _ = DatasetColumn.objects.get(pk=column.pk).profile


def test_a_missing_mark_does_not_open_the_way_back(cast: Cast) -> None:
    check_data_can_be_opened()
    column = paste_a_value_of_before(cast)
    vault.path_of(KEY_CHECK).unlink()
    folder_keys.key_path(KEY_CHECK).unlink()
    bind_what_is_of_before()
    with pytest.raises(SealedElsewhere):
        _ = DatasetColumn.objects.get(pk=column.pk).profile


def test_another_file_of_before_is_no_mark(cast: Cast) -> None:
    column = paste_a_value_of_before(cast)
    write_keyless(KEY_CHECK, SECRET)
    with pytest.raises(NotReady):
        check_data_can_be_opened()
    bind_what_is_of_before()
    with pytest.raises(SealedElsewhere):
        _ = DatasetColumn.objects.get(pk=column.pk).profile


def test_a_backup_of_an_earlier_version_is_taken_when_somebody_says_so(cast: Cast) -> None:
    check_data_can_be_opened()
    column = paste_a_value_of_before(cast)
    call_command("rotate_data_key", of_before=True)
    assert DatasetColumn.objects.get(pk=column.pk).profile == {"pasted": True}
    assert Event.objects.get(action="data_key.rotated").facts["of_before"] is True


def test_what_is_sealed_begins_with_its_form_and_key(cast: Cast) -> None:
    factories.make_dataset(cast.steward, cast.team)
    raw = DatasetColumn.objects.values_list("profile", flat=True)[0]
    assert isinstance(raw, SealedBytes)
    assert raw.startswith(sealed_now())
