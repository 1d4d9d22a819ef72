"""Values that one record alone shows, and numbers that fit a column of amounts."""

import numpy as np
import pytest

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.privacy.fitting_numbers import AmountColumn
from deid_portal.engine.risk.lone_values import ValueVariety
from deid_portal.engine.table.table import Column


def amounts(rows: int = 2000, decimals: int = 2) -> Column:
    pay = np.exp(np.random.default_rng(3).normal(7.9, 0.5, rows)).round(decimals)
    return Column.from_cells("pay", [f"{amount:.{decimals}f}" for amount in pay])


def test_a_value_of_one_record_is_alone() -> None:
    variety = ValueVariety.of(Column.from_cells("pay", ["1", "2", "2", "3", None, None]))
    assert variety == ValueVariety(records=5 - 1, different=3, lone=2)
    assert variety.is_mostly_lone
    assert not ValueVariety.of(Column.from_cells("pay", [None])).is_mostly_lone


def test_rounding_makes_amounts_common() -> None:
    column = AmountColumn.of(amounts())
    assert column.variety.lone_share > 0.9
    shares = [own.variety.lone_share for own in column.roundings]
    assert shares[0] > 0.9 > 0.1 > shares[-1]
    base = column.proposed_base()
    assert base is not None
    chosen = column.rounded(base).variety
    assert chosen.lone_share <= 0.01
    finer = [own for own in column.roundings if own.base < base]
    assert all(own.variety.lone_share > 0.01 for own in finer), "no finer one would do"


def test_what_is_common_needs_no_rounding() -> None:
    ages = Column.from_cells("age", [str(20 + row % 40) for row in range(400)])
    assert AmountColumn.of(ages).proposed_base() is None
    assert AmountColumn.of(Column.from_cells("x", [None, "many"])).roundings == ()


@pytest.mark.parametrize("look_alikes", [5, 11])
def test_proposed_numbers_hold_in_nearly_all_random_groups(look_alikes: int) -> None:
    pay = amounts()
    column = AmountColumn.of(pay)
    e = column.proposed_range(look_alikes)
    epsilon = column.proposed_distance(look_alikes, 2)
    assert 0 < epsilon < e
    numbers = np.array([float(text or 0) for text in pay.cells()])
    drawn = np.random.default_rng(8).choice(numbers, (1000, look_alikes))
    assert (np.ptp(drawn, axis=1) >= e).mean() > 0.9
    near = (np.abs(drawn[:, :, None] - drawn[:, None, :]) <= epsilon).sum(axis=2).max(axis=1)
    assert (near <= look_alikes / 2).mean() > 0.9


def test_a_report_tells_the_lone_values_of_release_and_original() -> None:
    table = Table((Column.from_cells("town", ["A"] * 2000), amounts()))
    columns = {"town": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}}
    rounded = {"name": "rounding", "columns": ["pay"], "base": 1000}
    plan = {"plan": 1, "columns": columns, "method": [rounded, {"name": "none"}]}
    told = (protect(table, Plan.from_document(plan)).report.sensitive or {})["pay"]
    assert told.values == 2000
    assert told.lone_values_before == ValueVariety.of(table["pay"]).lone > 1800
    assert told.lone_values is not None
    assert told.lone_values < 20


def test_rules_that_ask_for_difference_alone_say_so() -> None:
    place = {
        "l-diversity": {"l": 3, "column": "pay"},
        "t-closeness": {"t": 0.2, "column": "pay"},
        "k-e-anonymity": {"k": 3, "e": 500, "column": "pay"},
        "confidence-bounding": {"h": 0.6, "column": "pay"},
    }
    asked = [{"model": name, **own} for name, own in place.items()]
    columns = {"town": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}}
    plan = {"plan": 1, "columns": columns, "models": asked, "method": {"name": "none"}}
    ignoring = [own.name for own in Plan.from_document(plan).models if own.ignores_nearness]
    assert ignoring == ["l-diversity", "confidence-bounding"]
    assert set(ignoring) <= set(MODELS)
