"""The synthetic table: nobody's records, and nothing taken from the table but noisy counts."""

import json
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.errors import Cancelled, InvalidPlan
from deid_portal.engine.methods.private_tables.synthetic import Numeric, Synthetic
from tests.engine.drafts import reader
from tests.engine.tables import document

make = reader(Synthetic)
COLUMNS: dict[str, Any] = {
    "id": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"width": 10}}},
    "sex": {"role": "quasi-identifier", "taxonomy": {"tree": {"*": ["f", "m", "x"]}}},
    "condition": {"role": "sensitive"},
}
METHOD: dict[str, Any] = {
    "name": "synthetic",
    "epsilon": 4,
    "ranges": {"age": [0, 99, 10]},
    "values": {"condition": ["Flu", "Cancer"]},
    "gaps": ["age", "condition"],
}


def people(rows: int = 2000) -> Table:
    """Return people of whom the women have the flu and a fifth no age."""
    generator = np.random.default_rng(6)
    cells = [
        [
            f"person {row}",
            None if generator.random() < 0.2 else str(generator.integers(20, 40)),
            sex,
            "Flu" if sex == "f" else "Cancer",
        ]
        for row, sex in enumerate(generator.choice(["f", "m"], rows))
    ]
    return Table.from_rows(list(COLUMNS), cells)


def plan(**changes: Any) -> Plan:
    return Plan.from_document(document(COLUMNS, models=[], method={**METHOD, **changes}))


def test_relations_are_about_right_and_records_are_nobodys() -> None:
    outcome = protect(people(), plan())
    assert outcome.released is not None
    assert outcome.rows is not None
    assert (outcome.rows == -1).all()
    rows = outcome.released.head(outcome.released.rows)
    assert outcome.released.names == ("age", "sex", "condition")
    assert len(rows) == pytest.approx(2000, abs=60)
    fits = [condition == ("Flu" if sex == "f" else "Cancer") for _, sex, condition in rows]
    assert np.mean(fits) > 0.9
    assert np.mean([age is None for age, _, _ in rows]) == pytest.approx(0.2, abs=0.04)
    assert np.mean([age is not None and 20 <= int(age) < 40 for age, _, _ in rows]) > 0.7


def test_the_report_says_synthetic_and_what_it_cost() -> None:
    report = protect(people(200), plan(epsilon=1)).report
    step = report.steps[0]
    assert step.notes["synthetic"] is True
    assert step.notes["note"].startswith("SYNTHETIC")
    assert 0.999 < step.notes["epsilon_spent"] <= 1
    assert step.notes["categories"] == {"age": 11, "sex": 3, "condition": 3}
    assert len(step.notes["pairs"]) == 2
    json.dumps(report.to_document(), allow_nan=False)


def test_as_many_records_as_asked_for() -> None:
    outcome = protect(people(50), plan(records=700))
    assert outcome.report.rows.released == 700
    json.dumps(outcome.report.to_document(), allow_nan=False)


def test_what_a_column_may_hold_never_comes_from_the_table() -> None:
    with pytest.raises(InvalidPlan, match='declared what the column "condition" may hold'):
        protect(people(50), plan(values={"sex": ["f", "m"]}, gaps=["age"]))
    with pytest.raises(InvalidPlan, match='1 values of the column "condition"'):
        protect(people(50), plan(values={"condition": ["Flu"]}))


def test_gaps_must_be_declared() -> None:
    with pytest.raises(InvalidPlan, match='name the column in "gaps"'):
        protect(people(50), plan(gaps=["condition"]))


def test_nothing_may_come_before_it_and_no_pseudonyms_leave() -> None:
    rounding = {"name": "rounding", "columns": ["age"], "base": 5}
    asked = document(COLUMNS, models=[], method=[rounding, METHOD])
    with pytest.raises(InvalidPlan, match="must come first"):
        protect(people(50), Plan.from_document(asked))
    columns = COLUMNS | {"id": {"role": "identifier", "treatment": "pseudonym"}}
    asked = document(columns, models=[], method=METHOD)
    with pytest.raises(InvalidPlan, match="no pseudonyms"):
        protect(people(50), Plan.from_document(asked), pseudonym_key=b"key")


def test_rounding_may_follow() -> None:
    rounding = {"name": "rounding", "columns": ["age"], "base": 5}
    outcome = protect(
        people(300), Plan.from_document(document(COLUMNS, models=[], method=[METHOD, rounding]))
    )
    assert outcome.released is not None
    ages = [age for age in outcome.released["age"].values if age is not None]
    assert ages
    assert all(int(age) % 5 == 0 for age in ages)


def test_numbers_are_counted_in_steps_and_drawn_within_them() -> None:
    whole = Numeric("x", True, 0, 99, 10)
    assert whole.size == 11
    column = Table.from_rows(["x"], [["0"], ["9"], ["10"], ["-5"], ["250"], [None]])["x"]
    assert whole.encode(column).tolist() == [0, 0, 1, 0, 9, 10]
    codes = np.repeat(np.arange(11, dtype=np.int32), 200)
    drawn = list(whole.decode(column, codes, np.random.default_rng(1)).cells())
    assert {int(str(cell)) for cell in drawn[:200]} == set(range(10))
    assert {int(str(cell)) for cell in drawn[1800:2000]} == set(range(90, 100))
    assert set(drawn[2000:]) == {None}


def test_every_number_of_a_fine_range_is_itself() -> None:
    tenths = Numeric("x", False, 0, 1, 0.1)
    texts = [f"{number / 10:.1f}" for number in range(11)]
    column = Table.from_rows(["x"], [[text] for text in texts])["x"]
    assert tenths.encode(column).tolist() == list(range(11))
    codes = np.arange(11, dtype=np.int32)
    assert list(tenths.decode(column, codes, np.random.default_rng(1)).cells()) == texts


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"epsilon": 0}, r"method\.epsilon"),
        ({"epsilon": 1, "ranges": {"age": [5, 1, 1]}}, r"method\.ranges\.age"),
        ({"epsilon": 1, "values": {"age": None}}, "must be listed"),
        (
            {"epsilon": 1, "values": {"age": ["1"]}, "ranges": {"age": [0, 9, 1]}},
            'stands in "values" too',
        ),
    ],
)
def test_declarations_that_make_no_sense_are_refused(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=sentence):
        make(**keys)


def test_a_plan_that_lets_nothing_leave_is_refused() -> None:
    asked = document({"id": {"role": "identifier"}}, models=[], other_columns="remove")
    with pytest.raises(InvalidPlan, match="nothing to make up"):
        protect(
            people(5), Plan.from_document(asked | {"method": {"name": "synthetic", "epsilon": 1}})
        )


def test_a_range_of_too_many_steps_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="larger step"):
        protect(people(50), plan(ranges={"age": [0, 100_000, 1]}))


def test_it_can_be_stopped() -> None:
    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        if phase == "protect":
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        protect(people(50), plan(), stop)
