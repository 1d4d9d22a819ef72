import pytest
from django.db import connection

from deid_portal.datasets.models import DatasetColumn
from deid_portal.vault.sealed_fields import seal, unseal
from tests import factories
from tests.conftest import Cast


def test_sealed_bytes_open_again_and_differ_each_time() -> None:
    assert unseal(seal(b"flu", "here"), "here") == b"flu"
    assert seal(b"flu", "here") != seal(b"flu", "here")


@pytest.mark.parametrize("value", ["Diabetes", "14853", "Jennifer"])
def test_no_value_of_the_table_stands_in_the_database(cast: Cast, value: str) -> None:
    """Profiles, taxonomies, plans and reports hold values, so all of them are sealed."""
    factories.make_release(cast.steward, cast.approver, cast.team)
    assert DatasetColumn.objects.exists()
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found += [
                table for row in cursor.fetchall() if any(_holds(cell, value) for cell in row)
            ]
    assert found == []


def _holds(cell: object, value: str) -> bool:
    if isinstance(cell, bytes | memoryview):
        return value.encode() in bytes(cell)
    return value in str(cell)
