import pytest

from deid_portal.engine import Table
from deid_portal.engine.risk.safe_harbor import check_safe_harbor


def found(name: str, *cells: str | None) -> list[tuple[str, int]]:
    table = Table.from_rows([name], [[cell] for cell in cells])
    return [(finding.identifier, finding.rows) for finding in check_safe_harbor(table).findings]


@pytest.mark.parametrize(
    ("name", "cells", "identifier"),
    [
        ("surname", ["Carlson", "Ito"], "names"),
        ("contact", ["a@example.org", "b@example.org"], "e-mail addresses"),
        ("number", ["123-45-6789", "987-65-4321"], "social security numbers"),
        ("reach", ["212-555-0100", "212-555-0101"], "telephone numbers"),
        ("seen", ["2020-01-05", "2021-03-09"], "dates"),
        ("zip", ["13053", "13068"], "geographic subdivisions"),
        ("server", ["10.0.0.1", "10.0.0.2"], "internet addresses"),
        ("mrn", ["1", "2"], "medical record numbers"),
        ("age", ["91", "33"], "ages over 89"),
    ],
)
def test_identifiers_are_found(name: str, cells: list[str], identifier: str) -> None:
    assert identifier in [kind for kind, _ in found(name, *cells)]


def test_what_the_rule_allows_is_not_reported() -> None:
    assert found("zip", "130**", "148") == []
    assert found("birth year", "1961", "1973") == []
    assert found("age", "89", "33") == []
    assert found("diagnosis", "flu", "cancer") == []


def test_three_digits_of_a_small_area_are_reported() -> None:
    assert found("zip", "036", "130") == [("geographic subdivisions", 2)]


def test_gaps_are_not_counted_and_no_cell_is_shown() -> None:
    table = Table.from_rows(["email"], [["a@example.org"], [None]])
    report = check_safe_harbor(table)
    assert not report.holds
    assert report.findings[0].rows == 1
    assert "example" not in str(report)


def test_empty_column_is_no_finding() -> None:
    assert found("surname", None, None) == []
