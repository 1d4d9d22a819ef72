"""What leaves the engine, and what never does."""

import json
from typing import Any

import pytest

from deid_portal.engine import Cancelled, InvalidPlan, Plan, Table, protect
from deid_portal.engine.report.table import ColumnReport, RowCounts
from tests.engine.tables import FOUR, document, four_columns, four_plan

NINE_ROWS = Table.from_rows(
    ["name", "zip", "age", "condition", "note"],
    [[f"person {n}", f"130{n % 3}", str(20 + n), "Flu", f"note {n}"] for n in range(9)],
)


def nine_plan(name: dict[str, Any], **changes: Any) -> Plan:
    columns = four_columns(name=name, note={"role": "insensitive"})
    return Plan.from_document(document(columns, **changes))


def test_removed_columns_are_not_in_the_release() -> None:
    released = protect(NINE_ROWS, nine_plan({"role": "identifier"})).released
    assert released is not None
    assert released.names == ("zip", "age", "condition", "note")


def test_columns_the_plan_does_not_name_are_removed_when_it_says_so() -> None:
    columns = {"zip": {"role": "quasi-identifier"}}
    released = protect(NINE_ROWS, Plan.from_document(document(columns, other_columns="remove")))
    assert released.released is not None
    assert released.released.names == ("zip",)


def test_dictionary_of_the_release_holds_nothing_of_suppressed_records() -> None:
    method = {"name": "levels", "levels": {"zip": 0, "age": 0}}
    released = protect(FOUR, four_plan(method=method)).released
    assert released is not None
    assert [set(column.values) for column in released.columns] == [
        {"13053"},
        {"28"},
        {"Flu", "Cancer"},
    ]


@pytest.mark.parametrize("seed", [None, 0, 7])
def test_order_of_the_input_does_not_survive(seed: int | None) -> None:
    """Nor does a seed decide the order: it says nothing that the cells do not say."""
    rows = NINE_ROWS.head(9)
    turned = Table.from_rows(NINE_ROWS.names, rows[::-1])
    plan = nine_plan({"role": "identifier"}, seed=seed)
    one, two = protect(NINE_ROWS, plan).released, protect(turned, plan).released
    assert one is not None
    assert two is not None
    assert one.head(9) == two.head(9) == sorted(one.head(9), key=_by_text)


def test_the_order_after_a_random_method_tells_nothing_of_what_it_drew() -> None:
    sampling = {"name": "sampling", "share": 0.7}
    plan = nine_plan({"role": "identifier"}, models=[], method=sampling)
    released = protect(NINE_ROWS, plan).released
    assert released is not None
    rows = released.head(released.rows)
    assert rows == sorted(rows, key=_by_text)


def _by_text(row: list[str | None]) -> list[tuple[bool, str]]:
    return [(cell is not None, cell or "") for cell in row]


def test_pseudonym_is_consistent_and_depends_on_the_key() -> None:
    table = Table.from_rows(
        ["name", "zip", "age", "condition", "note"],
        [[name, "1", "1", "Flu", "n"] for name in ("Ann", "Ben", "Ann", None)],
    )
    plan = nine_plan({"role": "identifier", "treatment": "pseudonym"})
    one = protect(table, plan, pseudonym_key=b"key").released
    two = protect(table, plan, pseudonym_key=b"another").released
    assert one is not None
    assert two is not None
    names = [row[0] for row in one.head(4)]
    assert names.count(None) == 1
    assert len(set(names)) == 3
    assert not {"Ann", "Ben"} & set(names)
    assert not {name for name in names if name} & {row[0] for row in two.head(4)}


def test_pseudonym_without_a_key_is_refused_before_any_work() -> None:
    plan = nine_plan({"role": "identifier", "treatment": "pseudonym"})
    with pytest.raises(InvalidPlan, match=r"columns\.name\.treatment: a pseudonym needs a secret"):
        protect(NINE_ROWS, plan)


def test_no_cell_is_in_the_report() -> None:
    outcome = protect(NINE_ROWS, nine_plan({"role": "identifier"}))
    text = json.dumps(outcome.report.to_document())
    cells = {cell for row in NINE_ROWS.head(9) for cell in row if cell}
    assert not [cell for cell in cells if f'"{cell}"' in text]


def test_no_solution_says_who_blocked_and_how_far_it_misses() -> None:
    tree = {"role": "quasi-identifier", "taxonomy": {"file": "flat.csv"}}
    columns = four_columns(zip=tree, age={"role": "insensitive"})
    plan = Plan.from_document(
        document(columns, models=[{"model": "k-anonymity", "k": 3}]),
        read_file=lambda name: b"13053\n13068\n",
    )
    outcome = protect(FOUR, plan)
    assert (outcome.solution, outcome.released) == (False, None)
    report = outcome.report
    assert report.blocked_by == "k-anonymity"
    assert report.blocking_model == {"model": "k-anonymity", "k": 3}
    nearest = report.nearest
    assert (nearest.levels, nearest.suppressed, nearest.excess) == ({"zip": 0}, 4, 4)
    assert nearest.models[0].achieved == {"k": 2}
    assert nearest.models[0].classes_over == 2
    assert report.utility_before.loss == 0
    assert report.utility.loss == 1
    json.dumps(report.to_document())


def test_suppressing_everyone_is_no_solution() -> None:
    table = Table.from_rows(["zip", "age", "condition"], [["1", "1", "Flu"], ["2", "2", "Flu"]])
    method = {"name": "levels", "levels": {}, "suppression_limit": 1.0}
    assert not protect(table, four_plan(method=method)).solution


def test_levels_are_applied_exactly() -> None:
    outcome = protect(FOUR, four_plan(method={"name": "levels", "levels": {"zip": 3, "age": 1}}))
    assert outcome.report.transformation.levels == {"zip": 3, "age": 1}
    assert outcome.report.classes.count == 1


@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        ({"zip": 9}, "method.levels.zip: the taxonomy of this column has levels 0 to 5."),
        ({"condition": 1}, "method.levels.condition: only quasi-identifiers have levels."),
    ],
)
def test_levels_that_do_not_exist_are_refused(levels: dict[str, int], sentence: str) -> None:
    with pytest.raises(InvalidPlan) as refusal:
        protect(FOUR, four_plan(method={"name": "levels", "levels": levels}))
    assert str(refusal.value) == sentence


def test_none_releases_what_is_already_safe_and_nothing_else() -> None:
    unsafe = protect(FOUR, four_plan(method={"name": "none"}))
    assert not unsafe.solution
    assert unsafe.report.nearest.suppressed == 2
    measured = protect(FOUR, four_plan(method={"name": "none"}, models=[]))
    assert measured.solution
    assert measured.report.rows == RowCounts(released=4, suppressed=0)
    assert measured.report.risk.before == measured.report.risk.after


def test_without_quasi_identifiers_and_models_nothing_changes() -> None:
    columns = {name: {"role": "insensitive"} for name in FOUR.names}
    plan = Plan.from_document(document(columns, models=[], method={"name": "none"}))
    outcome = protect(FOUR, plan)
    assert outcome.released is not None
    assert sorted(map(str, outcome.released.head(4))) == sorted(map(str, FOUR.head(4)))


def test_progress_names_its_phases_in_order_and_comes_to_an_end() -> None:
    calls: list[tuple[int, int, str]] = []
    protect(FOUR, four_plan(), lambda done, total, phase, **_: calls.append((done, total, phase)))
    phases = list(dict.fromkeys(phase for _, _, phase in calls))
    assert phases == ["patterns", "search", "release", "measure"]
    assert all(done <= total for done, total, _ in calls)
    assert calls[-1] == (1, 1, "measure")


@pytest.mark.parametrize("phase_to_stop", ["patterns", "search", "release", "measure"])
def test_cancelled_passes_through_from_every_phase(phase_to_stop: str) -> None:
    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        if phase == phase_to_stop:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        protect(FOUR, four_plan(), stop)


def test_search_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deid_portal.engine.progress.SECONDS_BETWEEN_CALLS", 0.0)
    seen: list[dict[str, Any]] = []

    def watch(done: int, total: int, phase: str, **figures: Any) -> None:
        if phase == "search" and "bound" in figures:
            seen.append(figures)

    protect(FOUR, four_plan(), watch)
    assert {"nodes", "checked", "settled", "bound"} <= seen[0].keys()
    assert seen[-1]["best_levels"].keys() == {"zip", "age"}
    assert seen[-1]["bound"] <= seen[-1]["best"]


def test_report_has_what_the_pages_draw() -> None:
    report = protect(FOUR, four_plan()).report
    assert report.columns["zip"] == ColumnReport(
        role="quasi-identifier",
        released=True,
        distinct_before=2,
        distinct_after=2,
        level=0,
        height=5,
        level_name="exact",
        loss=0.0,
    )
    assert report.columns["age"].level_name == "hidden"
    assert sum(band.share for band in report.risk.before.bands) == 1
    assert sum(bin.count for bin in report.classes.bins) == 2
    assert sum(bin.count for bin in report.classes.bins_before) == 3
    assert [step.column for step in report.coarser] == ["zip"]


def test_one_column_of_one_value() -> None:
    table = Table.from_rows(["zip"], [["1"], ["1"]])
    plan = Plan.from_document(document({"zip": {"role": "quasi-identifier"}}))
    outcome = protect(table, plan)
    assert outcome.report.transformation.levels == {"zip": 0}


def test_column_unique_per_row_is_hidden() -> None:
    table = Table.from_rows(["id"], [[str(n)] for n in range(50)])
    plan = Plan.from_document(document({"id": {"role": "quasi-identifier"}}))
    outcome = protect(table, plan)
    assert outcome.report.transformation.levels == {"id": 1}


def test_two_hundred_columns_are_protected() -> None:
    names = [f"c{index}" for index in range(200)]
    rows = [[str((row * column) % 3) for column in range(200)] for row in range(12)]
    columns = {name: {"role": "quasi-identifier"} for name in names}
    method = {"name": "full-domain", "suppression_limit": 0.5, "time_limit_seconds": 0.5}
    plan = Plan.from_document(document(columns, method=method))
    outcome = protect(Table.from_rows(names, rows), plan)
    assert outcome.solution
    assert not outcome.report.search.optimal
    assert outcome.report.search.bound <= outcome.report.utility.loss
    assert outcome.report.models[0].holds
