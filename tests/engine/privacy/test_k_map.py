import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, protect
from tests.engine.tables import document, judge_rows

RULE = {"model": "k-map", "k": 2, "population": "town.csv"}
TOWN = {"town.csv": "age,zip\n30,1\n30,1\n30,2\n40,2\n40,2\n"}


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.population: there is no readable file"):
        judge_rows("zip age", ["1 30"], RULE)


def test_a_file_without_a_quasi_identifier_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.population: the file has no column"):
        judge_rows("zip job", ["1 clerk"], RULE, files=TOWN)


def test_unique_in_the_release_but_not_in_town() -> None:
    entry = judge_rows("zip age", ["1 30", "2 40"], RULE, files=TOWN)
    assert (entry.holds, entry.achieved) == (True, {"k": 2})
    entry = judge_rows("zip age", ["1 30", "2 30"], RULE, files=TOWN)
    assert (entry.holds, entry.achieved) == (False, {"k": 1})


def test_coarser_labels_fit_more_people_even_with_values_the_table_lacks() -> None:
    """Of the five in town, three are in their thirties, one of them 35; the table knows only 31."""
    town = "age\n31\n35\n39\n41\n42\n"
    columns = {
        "age": {
            "role": "quasi-identifier",
            "taxonomy": {"intervals": {"start": 0, "width": 10, "widen": [10]}},
        }
    }
    asked = document(columns, models=[RULE | {"k": 3}])
    plan = Plan.from_document(asked, read_file=lambda name: town.encode())
    outcome = protect(Table.from_rows(["age"], [["31"], ["31"]]), plan)
    assert outcome.report.transformation.levels == {"age": 1}
    assert outcome.report.models[0].achieved == {"k": 3}
    assert outcome.report.models[0].achieved_before == {"k": 1}
