"""Python people hand over data frames and documents; what they get is what a file would give."""

import json
from typing import Any

import pandas as pd
import pytest
from plotly.graph_objects import Figure

from deid_portal.engine import InvalidPlan, InvalidTable, Outcome, Plan, Table, assess, protect
from deid_portal.engine.files.csv.reader import CsvFormat, read_csv
from deid_portal.engine.report import Report
from tests.engine.networks.test_every_network_method import outcome_of
from tests.engine.tables import ADULT, DATA, adult_columns, adult_table, document, read_adult

KEPT = {"role": "insensitive"}
SHOWN = {"role": "quasi-identifier"}
LEVELS = {"name": "levels", "suppression_limit": 1.0}


def without_time(found: Report) -> str:
    """Return what a report says but for how long it took and the hash of the input."""
    text = json.loads(json.dumps(found.to_document()))
    text["input"].pop("sha256")
    text.get("search", {}).pop("seconds", None)
    for step in text["transformation"].get("steps", []):
        step.pop("seconds")
    return json.dumps(text, sort_keys=True)


def is_same(outcome: Outcome, other: Outcome) -> bool:
    assert outcome.released is not None
    assert other.released is not None
    pairs = zip(outcome.released.columns, other.released.columns, strict=True)
    return all(list(one.cells()) == list(two.cells()) for one, two in pairs) and without_time(
        outcome.report
    ) == without_time(other.report)


def patients_plan() -> dict[str, Any]:
    intervals = {"start": 0, "width": 10, "widen": [2]}
    columns = {
        "Id": {"role": "identifier"},
        "Name": {"role": "identifier"},
        "Zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
        "Age": {"role": "quasi-identifier", "taxonomy": {"intervals": intervals}},
        "Condition": {"role": "sensitive"},
    }
    return document(columns, models=[{"model": "k-anonymity", "k": 3}])


def test_a_frame_is_protected_as_its_file_is() -> None:
    path = DATA / "patients12.csv"
    with path.open("rb") as stream:
        table = read_csv(stream, CsvFormat())
    plan = patients_plan()
    assert is_same(protect(pd.read_csv(path), plan), protect(table, Plan.from_document(plan)))


def test_the_charts_of_a_report_are_figures_with_titles() -> None:
    figures = protect(pd.read_csv(DATA / "patients12.csv"), patients_plan()).figures()
    assert {"loss", "classes"} <= set(figures)
    check_figures(figures)


def test_the_charts_of_a_network_are_figures_with_titles() -> None:
    figures = outcome_of({"name": "k-degree", "k": 3}).figures()
    assert figures
    check_figures(figures)


def check_figures(figures: dict[str, Any]) -> None:
    for name, figure in figures.items():
        assert isinstance(figure, Figure), name
        assert figure.layout.title.text, name


def test_the_census_as_a_frame_is_protected_as_its_file_is() -> None:
    columns = adult_columns(["age", "sex", "race", "marital-status"], ("occupation",))
    asked = document(
        columns,
        models=[{"model": "k-anonymity", "k": 5}],
        method={"name": "full-domain", "suppression_limit": 0.02, "metric": "loss"},
        other_columns="remove",
    )
    plan = Plan.from_document(asked, read_file=read_adult)
    outcome = protect(pd.read_csv(ADULT / "adult.csv", sep=";"), plan)
    assert is_same(outcome, protect(adult_table(), plan))
    assert outcome.frame is not None
    assert len(outcome.frame) == outcome.report.rows.released


def test_a_frame_is_assessed_as_its_table_is() -> None:
    frame = pd.read_csv(DATA / "patients12.csv")
    plan = patients_plan()
    outcome = protect(frame, plan)
    assert outcome.frame is not None
    by_frames = assess(frame, plan, outcome.frame)
    by_tables = assess(
        Table.from_pandas(frame), Plan.from_document(plan), Table.from_pandas(outcome.frame)
    )
    assert without_time(by_frames) == without_time(by_tables)
    assert by_frames.solution
    assert not assess(frame, plan).solution


def people() -> pd.DataFrame:
    """Return eight people; only the last has the blood group "rare" and is alone in its zip."""
    return pd.DataFrame(
        {
            "zip": [13053] * 4 + [13068] * 3 + [99999],
            "visits": pd.array([1, None, 3, 1, 2, 2, None, 9], "Int64"),
            "born": pd.to_datetime(["1990-05-01", None] * 4),
            "grade": pd.Categorical(
                ["low", "high", "low", None] * 2, ["low", "middle", "high"], ordered=True
            ),
            "blood": pd.Categorical(
                ["B", "A", "B", "A", "B", "A", "B", "rare"], ["rare", "B", "A"]
            ),
            "score": [0.5, 1.25, float("nan"), 2, 3, 4, 5, 6],
            "sure": [True, False] * 4,
        },
        index=list("stuvwxyz"),
    )


def people_plan(level: int) -> dict[str, Any]:
    columns = dict.fromkeys(["visits", "born", "grade", "blood", "score", "sure"], KEPT)
    zip_code = SHOWN | {"taxonomy": {"mask": {"from": "right"}}}
    return document({"zip": zip_code, **columns}, method=LEVELS | {"levels": {"zip": level}})


def test_columns_keep_their_types_where_they_show_what_they_did() -> None:
    frame = protect(people(), people_plan(0)).frame
    assert frame is not None
    kinds = frame.dtypes.astype(str).to_dict()
    assert kinds == people().dtypes.astype(str).to_dict()
    assert frame.index.equals(pd.RangeIndex(7))
    assert set(frame["visits"].dropna()) == {1, 2, 3}


def test_a_label_of_a_taxonomy_is_text() -> None:
    frame = protect(people(), people_plan(2)).frame
    assert frame is not None
    assert str(frame["zip"].dtype) == "str"
    assert set(frame["zip"]) == {"130**"}
    assert str(frame["visits"].dtype) == "Int64"


def test_categories_nobody_left_in_has_do_not_leave() -> None:
    released = protect(people(), people_plan(0)).released
    assert released is not None
    frame = released.to_pandas()
    assert frame["blood"].cat.categories.tolist() == ["A", "B"]  # sorted: the order meant nothing
    assert frame["grade"].cat.categories.tolist() == ["low", "high"]
    assert frame["grade"].cat.ordered
    assert "rare" not in repr(vars(released))


def test_without_a_solution_there_is_no_frame() -> None:
    method = {"name": "levels", "levels": {"zip": 0}, "suppression_limit": 0.0}
    outcome = protect(people(), people_plan(0) | {"method": method})
    assert not outcome.solution
    assert outcome.frame is None


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidTable, match=r"^The table has no rows below its column names\.$"):
        protect(people()[:0], people_plan(0))
    with pytest.raises(InvalidTable, match=r"^A Table or a pandas DataFrame is accepted"):
        protect([["a"]], people_plan(0))  # type: ignore[arg-type]
    with pytest.raises(InvalidPlan):
        protect(people(), {"plan": 1})
