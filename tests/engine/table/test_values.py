import pytest

from deid_portal.engine.table.values import ColumnType, count_misfits, infer_type


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "-20", "0"], ColumnType.INTEGER),
        (["01", "2"], ColumnType.TEXT),
        (["1.5", "2"], ColumnType.NUMBER),
        (["1e3", "-.5"], ColumnType.NUMBER),
        (["1", "."], ColumnType.TEXT),
        (["00.5"], ColumnType.TEXT),
        (["2020-01-31", "2020-02-01"], ColumnType.DATE),
        (["31/01/2020", "01/02/2020"], ColumnType.DATE),
        (["01/31/2020"], ColumnType.DATE),
        (["31/01/2020", "01/31/2020"], ColumnType.TEXT),
        (["2020-02-30"], ColumnType.TEXT),
        (["yes", "No"], ColumnType.BOOLEAN),
        (["true", "no"], ColumnType.TEXT),
        (["0", "1"], ColumnType.INTEGER),
        ([None, "7"], ColumnType.INTEGER),
        ([None], ColumnType.TEXT),
        ([], ColumnType.TEXT),
    ],
)
def test_type_is_inferred_only_when_every_value_agrees(
    values: list[str | None], expected: ColumnType
) -> None:
    assert infer_type(values) is expected


def test_decimal_comma_is_a_number_where_the_file_says_so() -> None:
    assert infer_type(["1,5"], decimal=",") is ColumnType.NUMBER
    assert infer_type(["1,5"]) is ColumnType.TEXT


def test_misfits_are_counted_per_value() -> None:
    assert count_misfits(["1", "x", None], ColumnType.INTEGER) == 1
    assert count_misfits(["2020-01-01", "x"], ColumnType.DATE) == 2
    assert count_misfits(["anything"], ColumnType.TEXT) == 0
