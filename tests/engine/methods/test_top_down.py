"""Top-down: the deck's run, cuts that can be checked by eye, and every promise kept."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Cancelled, InvalidPlan, Outcome, Plan, Table, assess, protect
from deid_portal.engine.methods.top_down.cuts import Specialization
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.report.table import RowCounts
from tests.engine.tables import DATA, document

VECTORS: dict[str, dict[str, Any]] = {
    vector["id"]: vector
    for vector in json.loads((DATA / "vectors.json").read_text("utf-8"))["vectors"]
}
QUASI: dict[str, Any] = {"role": "quasi-identifier"}
SENSITIVE: dict[str, Any] = {"role": "sensitive"}
PLAIN: dict[str, Any] = {"role": "insensitive"}
TOP_DOWN: dict[str, Any] = {"name": "top-down"}


def gain(column: str) -> dict[str, Any]:
    return {"name": "top-down", "score": "information-gain", "class_column": column}


def k_anonymity(k: int) -> list[dict[str, Any]]:
    return [{"model": "k-anonymity", "k": k}]


def deck_plan(vector: dict[str, Any]) -> tuple[Table, Plan]:
    """Return the deck's table, ages as the leaves of their tree, and its plan."""
    given, wanted = vector["input"]["table"], vector["parameters"]
    names, age = given["columns"], given["columns"].index("Age")
    rows = [[str(cell) for cell in row] for row in given["rows"]]
    for row in rows:
        row[age] = _interval_of(int(row[age]), wanted["age_leaves"])
    columns: dict[str, Any] = {
        name: QUASI | {"taxonomy": {"tree": {root: _nest(vector["input"]["taxonomy"][name], root)}}}
        for name, root in wanted["root"].items()
    }
    columns |= {wanted["cls"]: PLAIN, wanted["sa"]: SENSITIVE, "ID": PLAIN}
    model = {"model": "lkc-privacy"} | {name: wanted[name] for name in "LKC"}
    asked = document(
        columns,
        models=[model | {"values": {wanted["sa"]: wanted["S"]}}],
        method=gain(wanted["cls"]),
    )
    return Table.from_rows(names, rows), Plan.from_document(asked)


def _interval_of(number: int, leaves: list[str]) -> str:
    ends = [tuple(map(int, leaf.strip("[)").split("-"))) for leaf in leaves]
    return next(
        leaf for leaf, (low, high) in zip(leaves, ends, strict=True) if low <= number < high
    )


def _nest(children: dict[str, list[str]], label: str) -> dict[str, Any]:
    return {child: _nest(children, child) for child in children.get(label, [])}


@pytest.mark.parametrize("name", ["s4-hdtds-run", "s4-hdtds-first-scores"])
def test_first_scores_of_the_deck(name: str) -> None:
    vector = VECTORS[name]
    table, plan = deck_plan(vector)
    problem = pose_problem(table, plan, Progress(None))
    scores = Specialization(problem, vector["parameters"]["cls"], Progress(None)).scores
    named = {f"{column}:{label}": score for (column, label), score in scores.items()}
    assert named == pytest.approx(vector["expected"]["first_scores"], abs=vector["tolerance"])


def test_run_of_the_deck() -> None:
    """Vector s4-hdtds-run: the same steps, the same cuts, the same table."""
    vector = VECTORS["s4-hdtds-run"]
    expected, quasi = vector["expected"], vector["parameters"]["qi"]
    outcome = protect(*deck_plan(vector))
    assert outcome.released is not None
    done = outcome.report.steps[0].notes["order"]
    assert [f"{step['column']}:{step['label']}" for step in done] == [
        name for name, _ in expected["trace"]
    ]
    assert [step["score"] for step in done] == pytest.approx(
        [score for _, score in expected["trace"]], abs=vector["tolerance"]
    )
    cuts = outcome.report.transformation.cuts
    for name in quasi:
        assert sorted(node.label for node in cuts[name]) == sorted(expected["final_cut"][name])
    places = [outcome.released.names.index(name) for name in ("ID", *quasi)]
    shown = [[row[place] for place in places] for row in outcome.released.head(20)]
    assert sorted(shown) == sorted([str(row[0]), *row[1:]] for row in expected["table"])


def test_a_cut_counts_the_records_of_each_label_also_of_those_nobody_has() -> None:
    outcome = protect(*deck_plan(VECTORS["s4-hdtds-run"]))
    cut = {node.label: node.records for node in outcome.report.transformation.cuts["Job"]}
    assert cut == {"Janitor": 2, "Mover": 2, "Technical": 2, "Manager": 0, "Professional": 5}


def show(
    rows: list[tuple[str | None, ...]],
    columns: dict[str, Any],
    models: list[dict[str, Any]],
    method: dict[str, Any] = TOP_DOWN,
) -> Outcome:
    table = Table.from_rows(list(columns), rows)
    return protect(table, Plan.from_document(document(columns, models=models, method=method)))


def labels(outcome: Outcome, column: str) -> dict[str | None, int]:
    cut = outcome.report.transformation.cuts[column]
    return {node.label: node.records for node in cut}


def test_numbers_grow_their_tree_where_the_class_changes() -> None:
    """Ages 20-23 and 40-43 say yes, those between no; nothing is learned within the three."""
    ages = {"yes": [20, 21, 22, 23, 40, 41, 42, 43], "no": [30, 31, 32, 33, 34, 35, 36, 37]}
    rows = [(str(age), answer) for answer, own in ages.items() for age in own]
    outcome = show(rows, {"age": QUASI, "answer": PLAIN}, k_anonymity(4), gain("answer"))
    first, second, *_ = outcome.report.steps[0].notes["order"]
    # Of the two cuts that are equally good the lower comes first.
    assert first["label"] == "*"
    assert second["label"] == "≥30"
    assert labels(outcome, "age") == {"<30": 4, "[30, 34)": 4, "[34, 40)": 4, "≥40": 4}


def test_numbers_are_halved_where_no_class_is_named() -> None:
    rows = [(str(number),) for number in (1, 2, 3, 4, 5, 6, 7, 100)]
    outcome = show(rows, {"pay": QUASI}, k_anonymity(2))
    assert labels(outcome, "pay") == {"<3": 2, "[3, 5)": 2, "[5, 7)": 2, "≥7": 2}


def test_lowest_and_highest_number_are_not_shown() -> None:
    rows = [(str(number),) for number in (11, 12, 13, 14, 15, 99)]
    outcome = show(rows, {"pay": QUASI}, k_anonymity(3))
    assert labels(outcome, "pay") == {"<14": 3, "≥14": 3}


def test_one_number_alone_is_shown_as_it_is_written() -> None:
    rows = [("1.5",), ("1.5",), ("2.25",), ("2.25",), ("2.250",)]
    outcome = show(rows, {"dose": QUASI}, k_anonymity(2))
    assert labels(outcome, "dose") == {"1.5": 2, "2.25": 3}


def test_another_cut_is_tried_where_the_best_is_refused() -> None:
    """Cutting at 3 leaves one woman above; at 2 everybody has a companion."""
    rows = [("1", "f"), ("1", "f"), ("1", "m"), ("1", "m"), ("2", "f"), ("3", "m"), ("3", "f")]
    rows = [*rows, ("3", "m")]
    columns = {"visits": QUASI, "sex": QUASI}
    outcome = show(rows, columns, k_anonymity(2), TOP_DOWN)
    assert labels(outcome, "sex") == {"f": 4, "m": 4}
    assert labels(outcome, "visits") == {"1": 4, "≥2": 4}


def test_gaps_are_shown_as_gaps_once_there_are_enough_of_them() -> None:
    rows: list[tuple[str | None, ...]] = [("1",), ("1",), ("2",), ("2",), (None,), (None,)]
    assert labels(show(rows, {"visits": QUASI}, k_anonymity(2)), "visits") == {
        "1": 2,
        "2": 2,
        None: 2,
    }
    assert labels(show(rows[:-1], {"visits": QUASI}, k_anonymity(2)), "visits") == {"*": 5}


def test_a_given_taxonomy_of_numbers_is_respected() -> None:
    given = QUASI | {"taxonomy": {"intervals": {"width": 10}}}
    rows = [(age,) for age in ("21", "22", "23", "35", "36", "35")]
    assert labels(show(rows, {"age": given}, k_anonymity(3)), "age") == {"20-29": 3, "30-39": 3}


def test_branches_are_opened_apart() -> None:
    """Two towns of the north have enough people, those of the south have not."""
    tree = {"tree": {"*": {"north": ["a", "b"], "south": ["c", "d"]}}}
    rows = [(town,) for town in "aabbccd"]
    outcome = show(rows, {"town": QUASI | {"taxonomy": tree}}, k_anonymity(2))
    assert labels(outcome, "town") == {"a": 2, "b": 2, "south": 3}


def test_several_models_stop_it_together() -> None:
    rows = [("a", "flu"), ("a", "flu"), ("b", "flu"), ("b", "ulcer")]
    columns = {"town": QUASI, "condition": SENSITIVE}
    diverse = {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "condition"}
    assert labels(show(rows, columns, k_anonymity(2)), "town") == {"a": 2, "b": 2}
    assert labels(show(rows, columns, [*k_anonymity(2), diverse]), "town") == {"*": 4}


def test_a_rule_nothing_can_keep_has_no_solution() -> None:
    rows = [("a", "flu"), ("b", "flu")]
    columns = {"town": QUASI, "condition": SENSITIVE}
    diverse = {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "condition"}
    outcome = show(rows, columns, [diverse])
    assert not outcome.solution
    assert outcome.released is None


def test_a_taxonomy_without_a_root_starts_at_its_tops() -> None:
    towns = QUASI | {"taxonomy": {"file": "towns.csv"}}
    table = Table.from_rows(["town"], [["a"], ["a"], ["b"]])
    for k, solution in ((1, True), (2, False)):
        models = k_anonymity(2) if k == 2 else []
        asked = document({"town": towns}, models=models, method=TOP_DOWN)
        plan = Plan.from_document(asked, read_file=lambda name: b"a\nb\n")
        assert protect(table, plan).solution == solution


def test_people_outside_are_counted_under_labels_of_taxonomies_only() -> None:
    columns = {"age": QUASI, "town": QUASI}
    table = Table.from_rows(list(columns), [["20", "a"], ["30", "a"], ["40", "b"]])
    people = "age,town\n20,a\n20,a\n30,a\n30,a\n40,b\n40,b\n"
    models = [{"model": "k-map", "k": 2, "population": "people.csv"}]
    asked = document(columns, models=models, method=TOP_DOWN)
    outcome = protect(table, Plan.from_document(asked, read_file=lambda name: people.encode()))
    assert labels(outcome, "age") == {"20": 1, "30": 1, "40": 1}
    assert labels(outcome, "town") == {"a": 2, "b": 1}


COLUMNS: dict[str, Any] = {"age": QUASI, "answer": PLAIN, "condition": SENSITIVE, "name": QUASI}


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ({"score": "information-gain"}, "method.class_column: information-gain needs"),
        ({"class_column": "answer"}, "method.class_column: only the score information-gain"),
        (gain("age"), 'method.class_column: a sensitive or insensitive column is accepted; the '
                      'plan has "answer" and "condition".'),
        (gain("nobody"), "method.class_column: a sensitive or insensitive column"),
        ({"score": "beauty"}, "method.score: accepted are"),
        ({"suppression_limit": 0.1}, '"suppression_limit" is not known here'),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(method: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan) as refused:
        Plan.from_document(document(COLUMNS, method=TOP_DOWN | method))
    assert sentence in str(refused.value)


def test_a_model_that_may_hold_again_is_refused() -> None:
    model = {"model": "epsilon-m-anonymity", "epsilon": 1, "m": 2, "column": "pay"}
    with pytest.raises(InvalidPlan, match="epsilon-m-anonymity may hold again"):
        show([("1", "5"), ("2", "7")], {"age": QUASI, "pay": SENSITIVE}, [model])


def test_it_stops_when_told_to() -> None:
    calls = []

    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        calls.append(phase)
        if phase == "protect" and len(calls) > 3:
            raise Cancelled

    table, plan = deck_plan(VECTORS["s4-hdtds-run"])
    with pytest.raises(Cancelled):
        protect(table, plan, stop)


MODELS: list[list[dict[str, Any]]] = [
    k_anonymity(2),
    [{"model": "lkc-privacy", "L": 2, "K": 2, "C": 0.6}],
    [{"model": "lkc-privacy", "L": 1, "K": 3, "C": 0.5, "values": {"condition": ["flu"]}}],
    [{"model": "k-l-anonymity", "k": 3, "l": 2}],
    [{"model": "l-diversity", "variant": "entropy", "l": 1.5, "column": "condition"}],
    [{"model": "t-closeness", "t": 0.3, "column": "condition"}, *k_anonymity(2)],
    [{"model": "average-risk", "limit": 0.3}],
    [{"model": "sample-uniqueness", "limit": 0.2}],
    [{"model": "highest-risk", "limit": 0.4}],
    [{"model": "k-concealment", "k": 2}],
    [{"model": "k-confusion", "k": 2}],
    [{"model": "c-t-isolation", "c": 1.5, "t": 3}],
    [{"model": "alpha-k-anonymity", "alpha": 0.7, "k": 2, "column": "condition"}],
    [{"model": "x-y-privacy", "x": ["age", "zip"], "y": "condition", "k": 2, "h": 0.8}],
    [],
]
PEOPLE: dict[str, Any] = {
    "age": QUASI,
    "zip": QUASI | {"taxonomy": {"mask": {"from": "right"}}},
    "sex": QUASI,
    "condition": SENSITIVE,
    "answer": PLAIN,
}
people = st.lists(
    st.tuples(
        st.sampled_from(["21", "22", "35", "36", "58"]) | st.none(),
        st.sampled_from(["1305", "1306", "1485"]) | st.none(),
        st.sampled_from(["f", "m"]),
        st.sampled_from(["flu", "cancer", "ulcer"]),
        st.sampled_from(["yes", "no"]),
    ),
    min_size=3,
    max_size=30,
).map(lambda rows: [("21", "1305", "f", "flu", "yes"), *rows])  # a plan names flu


@settings(max_examples=40)
@given(people, st.sampled_from(MODELS), st.sampled_from([TOP_DOWN, gain("answer")]))
def test_every_promise_holds_on_what_is_released(
    rows: list[tuple[str | None, ...]], models: list[dict[str, Any]], method: dict[str, Any]
) -> None:
    outcome = show(rows, PEOPLE, models, method)
    json.dumps(outcome.report.to_document(), allow_nan=False)
    if outcome.released is None:
        return
    assert outcome.released.names == tuple(PEOPLE)
    assert outcome.report.rows == RowCounts(released=len(rows), suppressed=0)
    assert all(model.holds for model in outcome.report.models)
    table = Table.from_rows(list(PEOPLE), rows)
    plan = Plan.from_document(document(PEOPLE, models=models, method=method))
    again = assess(table, plan, outcome.released)
    assert again.solution
    assert again.classes == outcome.report.classes
    for name in ("age", "zip", "sex"):
        assert sum(labels(outcome, name).values()) == len(rows)


@given(people, st.sampled_from(MODELS), st.sampled_from([None, "answer"]), st.integers(0, 5))
def test_the_order_of_rows_changes_nothing(
    rows: list[tuple[str | None, ...]],
    models: list[dict[str, Any]],
    class_column: str | None,
    seed: int,
) -> None:
    shuffled = [rows[place] for place in np.random.default_rng(seed).permutation(len(rows))]
    plan = Plan.from_document(document(PEOPLE, models=models, method=TOP_DOWN))
    tables = [Table.from_rows(list(PEOPLE), own) for own in (rows, shuffled)]
    problems = [pose_problem(table, plan, Progress(None)) for table in tables]
    one, other = (Specialization(own, class_column, Progress(None)).run() for own in problems)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one.steps == other.steps
        assert one.nodes == other.nodes
