"""Golden results: public data and plans with known optima."""

import itertools
import json
from functools import cache
from typing import Any

import pytest

from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.report import Report
from deid_portal.engine.report.table import RowCounts
from deid_portal.engine.search.lattice import Lattice
from deid_portal.engine.search.optimum import every_check
from deid_portal.engine.utility import METRICS
from tests.engine.tables import ADULT, DATA, adult_columns, adult_table, document, read_adult

NINE = list((ADULT / "adult.csv").read_text(encoding="utf-8").splitlines()[0].split(";"))
EIGHT = [name for name in NINE if name != "occupation"]
OPTIMA = json.loads((ADULT / "optima.json").read_text(encoding="utf-8"))["cases"]


@cache
def adult() -> Table:
    return adult_table()


def run(columns: dict[str, Any], models: list[dict[str, Any]], **method: Any) -> Outcome:
    plan = Plan.from_document(
        document(
            columns,
            models=models,
            method={"name": "full-domain", **method},
            other_columns="remove",
        ),
        read_file=read_adult,
    )
    return protect(adult(), plan)


@pytest.mark.parametrize(
    ("names", "k", "limit", "loss", "suppressed"),
    [
        (NINE, 5, 0.0, 0.6355, 0),
        (NINE, 5, 0.02, 0.3575, 506),
        (NINE, 5, 0.05, 0.2696, 1346),
        (NINE, 5, 0.10, 0.2277, 2553),
        (NINE, 10, 0.10, 0.2737, None),
        (NINE, 25, 0.10, 0.3451, None),
        (NINE, 50, 0.10, 0.4096, None),
        (EIGHT, 5, 0.0, 0.6250, None),
        (EIGHT, 5, 0.02, 0.2772, None),
        (EIGHT, 5, 0.05, 0.1783, None),
        (EIGHT, 5, 0.10, 0.1690, None),
    ],
)
def test_adult_is_protected_at_the_known_loss(
    names: list[str], k: int, limit: float, loss: float, suppressed: int | None
) -> None:
    outcome = run(adult_columns(names), [{"model": "k-anonymity", "k": k}], suppression_limit=limit)
    report = outcome.report
    assert report.utility.loss == pytest.approx(loss, abs=0.0005)
    if suppressed is not None:
        assert report.rows.suppressed == suppressed
    assert report.search.optimal
    assert report.models[0].achieved["k"] >= k


def test_eight_columns_have_60_anonymous_combinations_of_which_18_are_minimal() -> None:
    plan = Plan.from_document(
        document(
            adult_columns(EIGHT),
            models=[{"model": "k-anonymity", "k": 5}],
            other_columns="remove",
        ),
        read_file=read_adult,
    )
    problem = pose_problem(adult(), plan, Progress(None))
    lattice = Lattice(problem.heights)
    checker = problem.checker(METRICS["loss"])
    safe = {check.levels for check in every_check(checker, lattice) if not check.suppressed}
    minimal = [levels for levels in safe if not safe & set(lattice.finer(levels))]
    assert (lattice.size, len(safe), len(minimal)) == (4320, 60, 18)


@pytest.mark.parametrize(("limit", "loss"), [(0.0, 0.6355), (0.02, 0.3575), (0.05, 0.2696)])
def test_branches_find_the_optimum_of_adult_long_before_they_prove_it(
    limit: float, loss: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for a lattice too large to prove it, with a clock that lets 1,000 checks take a second."""
    monkeypatch.setattr("deid_portal.engine.search.optimum.LARGEST_PROVABLE_LATTICE", 0)
    ticks = itertools.count()
    monkeypatch.setattr(
        "deid_portal.engine.search.heuristic.perf_counter", lambda: next(ticks) / 1000
    )
    report = run(
        adult_columns(NINE),
        [{"model": "k-anonymity", "k": 5}],
        suppression_limit=limit,
        time_limit_seconds=1,
    ).report
    assert report.search.checked <= 1001
    assert report.utility.loss == pytest.approx(loss, abs=0.0005)


@pytest.mark.parametrize("case", OPTIMA, ids=lambda case: str(case["id"]))
def test_independent_optimum_is_found(case: dict[str, Any]) -> None:
    metric = METRICS[case["metric"]]
    outcome = run(
        case["columns"],
        case["models"],
        suppression_limit=case["suppression_limit"],
        metric=case["metric"],
    )
    expected, report = case["expected"], outcome.report
    assert outcome.solution == expected["solution"]
    levels = {"name": "levels", "levels": expected["levels"]}
    plan = Plan.from_document(
        document(case["columns"], models=case["models"], method=levels, other_columns="remove"),
        read_file=read_adult,
    )
    theirs = protect(adult(), plan).report
    found, known = (own.utility.value_of(metric.name) for own in (report, theirs))
    assert found == pytest.approx(known)
    assert theirs.rows.suppressed == expected["suppressed"]
    extremes = (theirs.classes.smallest, theirs.classes.largest)
    assert extremes == (expected["smallest"], expected["largest"])
    assert theirs.classes.count == expected["classes"]
    assert report.rows.suppressed == expected["suppressed"]
    assert _place_in_a_tie(report) <= _place_in_a_tie(theirs)


def _place_in_a_tie(report: Report) -> tuple[int, list[int]]:
    """Return what ties are broken by: the sum of levels, then the levels in column order."""
    chosen = report.transformation.levels
    levels = [chosen[name] for name in NINE if name in chosen]
    return sum(levels), levels


def test_the_decks_table_becomes_4_anonymous() -> None:
    lines = (DATA / "patients12.csv").read_text(encoding="utf-8").splitlines()
    names, *rows = (line.split(",") for line in lines)
    columns = {
        "Id": {"role": "identifier"},
        "Name": {"role": "identifier"},
        "Zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
        "Age": {
            "role": "quasi-identifier",
            "taxonomy": {"intervals": {"start": 0, "width": 10, "widen": [2, 2]}},
        },
        "Condition": {"role": "sensitive"},
    }
    plan = Plan.from_document(document(columns, models=[{"model": "k-anonymity", "k": 4}]))
    outcome = protect(Table.from_rows(names, rows), plan)
    assert outcome.solution
    assert outcome.released is not None
    assert outcome.released.names == ("Zip", "Age", "Condition")
    assert outcome.report.classes.smallest >= 4
    assert outcome.report.rows == RowCounts(released=12, suppressed=0)
