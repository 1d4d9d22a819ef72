from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan, InvalidTable, Plan, Table, assess, protect
from deid_portal.engine.privacy import c_t_isolation
from deid_portal.engine.privacy.c_t_isolation import CTIsolation
from deid_portal.engine.privacy.model import WholeTable
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.report.table import RowCounts
from deid_portal.engine.search.lattice import Lattice
from deid_portal.engine.table.patterns import Classes, View
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility import METRICS
from tests.engine.tables import document, judge_rows

ROOM = {"role": "quasi-identifier", "taxonomy": {"intervals": {"start": 0, "width": 10}}}
JOBS = {"tree": {"*": {"health": ["nurse", "doctor"], "church": ["monk", "nun"]}}}


def rule(c: float, t: int) -> dict[str, Any]:
    return {"model": "c-t-isolation", "c": c, "t": t}


def judge_ages(ages: str, c: float, levels: int) -> int:
    """Return the t that people of these ages reach, shown at a level: exact, by ten, hidden."""
    table = Table.from_rows(["age"], [[age] for age in ages.split()])
    method = {"name": "levels", "levels": {"age": levels}, "suppression_limit": 1.0}
    asked = document({"age": ROOM}, models=[rule(c, 2)], method=method)
    problem = pose_problem(table, Plan.from_document(asked), Progress(None))
    check = problem.checker(METRICS["loss"]).check((levels,))
    return int(problem.models[0].achieved(check.classes, problem.whole)["t"])


def test_exact_numbers_hide_only_who_has_the_same() -> None:
    assert judge_ages("20 20 21 29 60", c=4, levels=0) == 1
    assert judge_ages("20 20 60 60", c=4, levels=0) == 2


def test_a_wider_ball_reaches_the_neighbors() -> None:
    """[20, 30) is known to be 20 to 28: 4 around 24. [30, 40) is one exact 32."""
    assert judge_ages("20 28 32 60", c=1, levels=1) == 1
    assert judge_ages("20 28 30 34", c=1, levels=1) == 2
    # Around 24 everybody up to 8 away: 32 as well; around 32, known exactly, nobody else.
    assert judge_ages("20 28 32 32 32", c=2, levels=1) == 3


def test_what_is_hidden_is_equally_far_from_everybody() -> None:
    assert judge_ages("20 28 32 60", c=1, levels=2) == 4


def test_other_values_are_as_near_as_the_label_they_share() -> None:
    """`health` is 1/4 away from both its jobs and 3/4 from the others."""
    jobs = {"job": {"role": "quasi-identifier", "taxonomy": JOBS}}
    table = Table.from_rows(["job"], [["nurse"], ["doctor"], ["monk"], ["nun"], ["nun"]])
    for c, t in ((1, 2), (2.9, 2), (3, 5)):
        method = {"name": "levels", "levels": {"job": 1}, "suppression_limit": 0.0}
        plan = Plan.from_document(document(jobs, models=[rule(c, 2)], method=method))
        assert protect(table, plan).report.models[0].achieved == {"c": c, "t": t}


def test_a_label_over_one_value_leaves_nothing_open() -> None:
    jobs = {"job": {"role": "quasi-identifier", "taxonomy": JOBS}}
    table = Table.from_rows(["job"], [["nurse"], ["monk"], ["nun"]])
    method = {"name": "levels", "levels": {"job": 1}, "suppression_limit": 0.5}
    plan = Plan.from_document(document(jobs, models=[rule(3, 2)], method=method))
    assert protect(table, plan).report.rows == RowCounts(released=2, suppressed=1)


def test_a_gap_is_far_from_every_number() -> None:
    entry = judge_rows("age", ["20", "21", "-", "-"], rule(4, 2), {"age": ROOM})
    assert entry.achieved["t"] == 1
    assert judge_rows("age", ["20", "20", "-", "-"], rule(4, 2), {"age": ROOM}).holds


def test_more_than_there_are_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.t: the table has 1 rows"):
        judge_rows("zip", ["1"], rule(2, 2))


def test_too_many_combinations_are_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_t_isolation, "MOST_COMBINATIONS", 2)
    with pytest.raises(InvalidTable, match="at most 2 of them, and the table has 3; use fewer"):
        judge_rows("zip", ["1", "2", "3"], rule(2, 2))


def test_a_release_that_fits_nobody_is_measured_from_the_nearest_person() -> None:
    """(nurse, doctor) was nobody; two people are 1/2 away, everybody else further."""
    columns = {name: {"role": "quasi-identifier", "taxonomy": JOBS} for name in "AB"}
    plan = Plan.from_document(document(columns, models=[rule(1, 2)], method={"name": "none"}))
    rows = [["nurse", "nurse"], ["doctor", "doctor"], ["monk", "doctor"], ["nurse", "nun"]]
    original = Table.from_rows("AB", rows)
    entry = assess(original, plan, Table.from_rows("AB", [["nurse", "doctor"]])).models[0]
    assert entry.achieved == {"c": 1, "t": 2}


def judge_changed(original: str, released: str, c: float) -> int:
    """Return the t of a release whose ages some method changed."""
    before, after = (
        Table.from_rows(["age"], [[cell] for cell in cells.split()])
        for cells in (original, released)
    )
    method = {"name": "noise", "columns": ["age"], "scale": 1.0}
    plan = Plan.from_document(document({"age": ROOM}, models=[rule(c, 2)], method=method))
    return int(assess(before, plan, after).models[0].achieved["t"])


def test_a_made_up_number_isolates_whom_it_is_much_nearer_to_than_to_others() -> None:
    """24 is 1 away from 25 and 4 from 20; 58 is 2 away from 60 alone."""
    assert judge_changed("20 25 60", "24 24 24", c=3.9) == 1
    assert judge_changed("20 25 60", "24 24 24", c=4) == 2
    assert judge_changed("20 25 60 60", "58 58 24 24", c=4) == 2
    assert judge_changed("20 20 60 60", "19 19 61 61", c=1) == 2


def test_a_range_is_equally_far_from_everybody_in_it() -> None:
    """[20-25] is 2.5 away from both, and 6.5 from 29."""
    assert judge_changed("20 25 29 60 60", "[20,25] [20,25] * * *", c=1) == 2
    assert judge_changed("20 25 29 60 60", "[20,25] [20,25] * * *", c=2.6) == 3


@pytest.mark.parametrize(
    "method",
    [
        {"name": "mondrian"},
        {"name": "microaggregation", "algorithm": "mdav", "k": 3, "columns": ["age"]},
    ],
    ids=["ranges", "averages"],
)
def test_methods_that_show_no_labels_are_judged_by_what_they_show(method: dict[str, Any]) -> None:
    table = Table.from_rows(["age"], [[f"{age}"] for age in (20, 20, 21, 40, 47, 49, 49)])
    plan = Plan.from_document(document({"age": ROOM}, models=[rule(3, 3)], method=method))
    outcome = protect(table, plan)
    if method["name"] == "mondrian":  # 20 to 21, and 40 to 49 around 44.5
        assert outcome.report.models[0].achieved == {"c": 3, "t": 3}
    else:  # the average of 40, 47, 49 and 49 is 46.25, nearest to 47 alone
        assert not outcome.solution
        assert outcome.report.blocked_by == "c-t-isolation"


def test_a_word_that_nobody_has_is_far_from_everybody() -> None:
    table = Table.from_rows(["job"], [["nurse"], ["monk"], ["nun"]])
    jobs = {"job": {"role": "quasi-identifier", "taxonomy": JOBS}}
    method = {"name": "pram", "columns": ["job"], "epsilon": 1.0}
    plan = Plan.from_document(document(jobs, models=[rule(1, 2)], method=method))
    problem = pose_problem(table, plan, Progress(None))
    view = View(np.zeros((1, 1), np.int32), [np.array([7], np.int32)], [["pirate"]])
    assert sum(map(len, problem.taxonomies[0].labels)) == 7
    classes = Classes(np.zeros(1, np.int32), np.ones(1, np.int64), {}, view)
    assert problem.models[0].achieved(classes, problem.whole)["t"] == 3


# The same by the words of the definition: every label against every person.

ages = st.sampled_from(["3", "7", "12", "13", "15", "28", "29"]) | st.none()
jobs = st.sampled_from(["nurse", "doctor", "monk", "nun"]) | st.none()
days = st.sampled_from(["2020-01-01", "2020-01-31", "2020-03-01", "2021-03-01"])
tables = st.lists(st.tuples(ages, jobs, days), min_size=2, max_size=12)
COLUMNS: dict[str, Any] = {
    "age": {
        "role": "quasi-identifier",
        "taxonomy": {"intervals": {"start": 0, "width": 5, "widen": [2]}},
    },
    "job": {"role": "quasi-identifier", "taxonomy": JOBS},
    "day": {"role": "quasi-identifier", "taxonomy": {"dates": ["month", "year"]}},
}


def apart(column: Column, taxonomy: Taxonomy, one: int, other: int) -> float:
    """Return how far two values are apart."""
    if one == other:
        return 0.0
    if None in (column.values[one], column.values[other]):
        return 1.0
    if column.name == "job":
        meet = [level for level, codes in enumerate(taxonomy.codes) if codes[one] == codes[other]]
        return min(meet) / taxonomy.height
    places = _read(column)
    known = [place for place in places if place is not None]
    return abs(places[one] - places[other]) / (max(known) - min(known))


def _read(column: Column) -> list[Any]:
    if column.name == "age":
        return [None if text is None else int(text) for text in column.values]
    return [np.datetime64(str(text)).astype(int) for text in column.values]


def from_label(column: Column, taxonomy: Taxonomy, under: Sequence[int], value: int) -> float:
    """Return how far a value is from the middle of the values under a label."""
    open_ = max(apart(column, taxonomy, one, other) for one in under for other in under)
    furthest = max(apart(column, taxonomy, one, value) for one in under)
    return max(furthest - open_ / 2, open_ / 2)


def count_by_definition(classes: Classes, whole: WholeTable, c: float) -> list[int]:
    original = whole.original
    assert original is not None
    found = []
    for labels in classes.labels.T:
        distances = np.zeros(len(original.patterns.counts))
        for column, taxonomy, label, codes in zip(
            original.columns, original.taxonomies, labels, original.patterns.codes, strict=True
        ):
            level = next(i for i, nodes in enumerate(taxonomy.nodes) if label in nodes)
            own = range(len(column.values))
            under = [value for value in own if taxonomy.nodes[level][value] == label]
            distances += [from_label(column, taxonomy, under, value) for value in codes]
        ball = distances <= c * distances.min() + 1e-9
        found.append(int(original.patterns.counts[ball].sum()))
    return found


@settings(max_examples=15)
@given(tables, st.sampled_from([1.0, 1.3, 2.0, 4.0]))
def test_counts_whom_the_definition_counts(rows: list[tuple[str | None, ...]], c: float) -> None:
    model = CTIsolation(c, 2)
    asked = document(COLUMNS, models=[model.to_document()])
    table = Table.from_rows(list(COLUMNS), rows)
    plan = Plan.from_document(asked)
    problem = pose_problem(table, plan, Progress(None))
    checker = problem.checker(METRICS["loss"])
    passed: dict[tuple[int, ...], Any] = {}
    lattice = Lattice(problem.heights)
    for levels in np.ndindex(lattice.shape):
        check = checker.check(levels)
        expected = count_by_definition(check.classes, problem.whole, c)
        for t in (2, 3, 5):
            found = CTIsolation(c, t).passes(check.classes, problem.whole)
            assert found.tolist() == [count >= t for count in expected]
        assert model.achieved(check.classes, problem.whole)["t"] == min(expected)
        passed[levels] = check.grouped.spread(~check.suppressed_classes)
    for levels, who in passed.items():
        for above in lattice.coarser(levels):
            assert (passed[above] | ~who).all()
