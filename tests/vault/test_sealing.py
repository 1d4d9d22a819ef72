import pytest
from django.db import connection

from deid_portal.datasets.models import DatasetColumn
from deid_portal.engine.report import Report
from deid_portal.runs.models import Run
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


def test_an_object_is_kept_as_its_document(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    kept = Run._meta.get_field("report")
    assert kept.deconstruct()[1] == "deid_portal.vault.sealed_fields.SealedJSONField"
    assert type(kept.clone()) is type(kept)
    document = run.report.to_document()
    found = Run.objects.defer("report").get(id=run.id)
    assert found.report == Report.from_document(document)
    assert found.report is found.report
    found.report = Report.from_document({**document, "engine": "0.0.1"})
    found.save(update_fields=["report"])
    assert found.report.engine == "0.0.1"
    run.refresh_from_db()
    assert run.report.to_document() == {**document, "engine": "0.0.1"}
    found.report = None
    found.save(update_fields=["report"])
    run.refresh_from_db()
    assert run.report is None


def _holds(cell: object, value: str) -> bool:
    if isinstance(cell, bytes | memoryview):
        return value.encode() in bytes(cell)
    return value in str(cell)
