"""One migration stands for those that a room has had; databases of before take them one by one."""

from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader


def test_what_was_squashed_says_the_same_as_what_it_stands_for() -> None:
    present = MigrationLoader(None)
    one_by_one = MigrationLoader(None, replace_migrations=False)
    squashed = {key for key, one in one_by_one.disk_migrations.items() if one.replaces}
    assert squashed
    plain = sorted(one_by_one.disk_migrations.keys() - squashed)
    last = dict(plain)  # of each app, since names begin with their number
    assert last["datasets"] > "0016"
    before, now = one_by_one.project_state(list(last.items())), present.project_state()
    assert set(before.models) == set(now.models)
    for start, end in ((before, now), (now, before)):
        assert not MigrationAutodetector(start, end).changes(graph=present.graph)
