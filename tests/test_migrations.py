"""One migration per room; a database that has its predecessors instead goes on with it."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def migrations_of_the_portal() -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return every migration of a room, with those of before that it stands for."""
    loader = MigrationLoader(None, replace_migrations=False)
    return {
        key: list(own.replaces)
        for key, own in loader.disk_migrations.items()
        if type(own).__module__.startswith("deid_portal.")
    }


def test_every_room_begins_with_one_migration() -> None:
    first = [key for key in migrations_of_the_portal() if key[1] == "0001_initial"]
    assert sorted({app for app, _ in first}) == sorted(
        {app for app, _ in migrations_of_the_portal()}
    )


@pytest.mark.django_db(transaction=True)
def test_a_database_of_before_is_taken_over() -> None:
    found = migrations_of_the_portal()
    replaced = [key for keys in found.values() for key in keys]
    assert replaced
    recorder = MigrationRecorder(connection)
    before = set(recorder.applied_migrations())
    try:
        for key, keys in found.items():
            if keys:
                recorder.record_unapplied(*key)
        for key in replaced:
            recorder.record_applied(*key)
        call_command("migrate", interactive=False, verbosity=0)
        assert before <= set(recorder.applied_migrations())
    finally:
        recorder.migration_qs.exclude(app="contenttypes").filter(
            name__in=[name for _, name in replaced if (_, name) not in before]
        ).delete()
