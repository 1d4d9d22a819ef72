"""A plan is validated in one place; every refusal names the place and what would be accepted."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, InvalidTable, Plan, Table, load_plan
from deid_portal.engine.plan import ColumnRole
from tests.engine.tables import FOUR, document, four_columns, four_plan

L_DIVERSITY = {"model": "l-diversity", "l": 2, "column": "condition"}
HIERARCHICAL = {
    "model": "t-closeness",
    "t": 0.2,
    "distance": "hierarchical",
    "column": "condition",
}


def refusal_of(changed: dict[str, Any]) -> str:
    with pytest.raises(InvalidPlan) as refusal:
        Plan.from_document(changed)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"plan": 2}, "plan: version 1 is accepted."),
        ({"extra": 1}, '"extra" is not known here'),
        ({"columns": {}}, "columns: at least one column is needed."),
        ({"columns": []}, "columns: an object with named entries is needed."),
        ({"columns": {"a": {"role": "star"}}}, 'columns.a.role: accepted are "identifier"'),
        ({"columns": {"a": {"role": "identifier", "colour": 1}}}, "columns.a: "),
        ({"columns": {"a": {"role": "sensitive", "weight": 1}}}, "columns.a.weight: a column with"),
        ({"columns": {"a": {"role": "identifier", "treatment": "hide"}}}, "columns.a.treatment: "),
        ({"columns": {"a": {"role": "quasi-identifier", "weight": -1}}}, "columns.a.weight: "),
        ({"columns": {"a": {"role": "quasi-identifier", "weight": 0}}}, "a weight above 0"),
        ({"columns": {"a": {"role": "quasi-identifier", "type": "int"}}}, "columns.a.type: "),
        ({"columns": {"a": {"role": "sensitive"}}}, "needs at least one quasi-identifier"),
        ({"models": {}}, "models: a list is needed."),
        ({"models": [{"model": "nonsense"}]}, "models[0].model: accepted are"),
        ({"models": [{"model": "k-anonymity"}]}, "models[0].k: this is required"),
        ({"models": [{"model": "k-anonymity", "k": 1}]}, "a whole number of 2 or more is accepted"),
        ({"models": [{"model": "k-anonymity", "k": 2.5}]}, "models[0].k: a whole number is needed"),
        ({"models": [{"model": "k-anonymity", "k": "5"}]}, "models[0].k: a whole number is needed"),
        ({"models": [{"model": "k-anonymity", "k": 2, "l": 2}]}, '"l" is not known here'),
        (
            {"models": [L_DIVERSITY | {"column": "zip"}]},
            "models[0].column: the name of a sensitive",
        ),
        ({"models": [L_DIVERSITY | {"variant": "magic"}]}, "models[0].variant: accepted are"),
        ({"models": [L_DIVERSITY | {"l": 2.5}]}, "models[0].l: a whole number of 2 or more"),
        ({"models": [L_DIVERSITY | {"variant": "recursive"}]}, "models[0].c: the recursive"),
        ({"models": [L_DIVERSITY | {"c": 2}]}, "models[0].c: only the recursive variant"),
        (
            {"models": [{"model": "t-closeness", "t": 1.5, "column": "condition"}]},
            "models[0].t: a number from 0 to 1 is accepted",
        ),
        ({"models": [HIERARCHICAL]}, "models[0].column: this needs a taxonomy"),
        ({"method": {"name": "magic"}}, "method.name: accepted are"),
        ({"method": []}, "method: at least one method is needed."),
        ({"method": [{"name": "none"}, {"name": "none"}]}, "cannot follow one another"),
        ({"method": {"name": "full-domain", "suppression_limit": 1.5}}, "from 0 to 1 is accepted"),
        ({"method": {"name": "full-domain", "metric": "beauty"}}, "method.metric: accepted are"),
        ({"method": {"name": "levels", "levels": {"zip": -1}}}, "method.levels.zip: "),
        ({"method": {"name": "levels"}}, '"levels" is missing'),
        ({"method": {"name": "none", "metric": "loss"}}, '"metric" is not known here'),
        ({"seed": -1}, "seed: a whole number of 0 or more"),
        ({"other_columns": "keep"}, 'other_columns: accepted are "remove".'),
    ],
)
def test_meaningless_plan_is_refused_with_its_place(changes: dict[str, Any], sentence: str) -> None:
    message = refusal_of(document(four_columns()) | changes)
    assert sentence in message
    assert message.endswith(".")


@pytest.mark.parametrize("missing", ["plan", "columns", "method"])
def test_required_parts_are_asked_for(missing: str) -> None:
    changed = document(four_columns())
    del changed[missing]
    assert f'"{missing}" is missing' in refusal_of(changed)


@pytest.mark.parametrize("changed", [None, [], "plan", 7])
def test_anything_but_an_object_is_refused(changed: Any) -> None:
    assert "an object" in refusal_of(changed)


def test_defaults_are_filled_in_and_read_back_the_same() -> None:
    columns = four_columns(name={"role": "identifier"})
    plan = Plan.from_document(
        document(columns, method={"name": "full-domain"}, models=[L_DIVERSITY])
    )
    filled = plan.to_document()
    assert filled["columns"]["name"]["treatment"] == "remove"
    assert filled["columns"]["zip"]["weight"] == 1.0
    assert filled["models"][0]["variant"] == "distinct"
    assert filled["method"] == {
        "name": "full-domain",
        "suppression_limit": 0.0,
        "metric": "loss",
        "time_limit_seconds": 60.0,
    }
    assert Plan.from_document(filled) == plan
    assert json.loads(json.dumps(filled)) == filled


def test_a_list_of_one_method_is_accepted() -> None:
    assert four_plan(method=[{"name": "none"}]).to_document()["method"] == {"name": "none"}


def test_hash_ignores_the_order_of_columns_and_nothing_else() -> None:
    columns = four_columns()
    turned = dict(reversed(list(columns.items())))
    plan = Plan.from_document(document(columns))
    assert Plan.from_document(document(turned)).sha256 == plan.sha256
    assert four_plan(seed=1).sha256 != plan.sha256


def test_hash_follows_the_content_of_a_taxonomy_file() -> None:
    columns = {"zip": {"role": "quasi-identifier", "taxonomy": {"file": "zip.csv"}}}
    one = Plan.from_document(document(columns), read_file=lambda name: b"13053;*\n13068;*\n")
    two = Plan.from_document(document(columns), read_file=lambda name: b"13053;*\n")
    assert one.sha256 != two.sha256


def test_document_given_is_not_changed() -> None:
    given = document(four_columns())
    before = copy.deepcopy(given)
    Plan.from_document(given).to_document()
    assert given == before


def test_unusual_choices_get_a_caution_and_usual_ones_none() -> None:
    assert four_plan(models=[{"model": "k-anonymity", "k": 5}]).cautions() == []
    cautions = four_plan(method={"name": "full-domain", "suppression_limit": 0.5}).cautions()
    assert any("k = 2" in sentence for sentence in cautions)
    assert any("0.5" in sentence for sentence in cautions)
    assert any("no privacy model" in sentence for sentence in four_plan(models=[]).cautions())


def test_names_are_found_by_role() -> None:
    assert four_plan().quasi_identifiers == ["zip", "age"]
    assert four_plan().names_of(ColumnRole.SENSITIVE) == ["condition"]


def check(columns: dict[str, Any], table: Table = FOUR, **changes: Any) -> str:
    with pytest.raises((InvalidPlan, InvalidTable)) as refusal:
        Plan.from_document(document(columns, **changes)).check_table(table)
    return str(refusal.value)


def test_column_the_table_lacks_is_refused() -> None:
    message = check(four_columns(height={"role": "insensitive"}))
    assert message == "columns.height: the table has no column of this name."


def test_column_without_a_role_is_refused_unless_others_are_removed() -> None:
    columns = four_columns()
    del columns["condition"]
    assert 'have no role ("condition")' in check(columns)
    Plan.from_document(document(columns, other_columns="remove")).check_table(FOUR)


def test_k_larger_than_the_table_is_refused() -> None:
    message = check(four_columns(), models=[{"model": "k-anonymity", "k": 5}])
    assert message == "models[0].k: the table has 4 rows, so at most 4 is accepted."


def test_taxonomy_that_misses_values_is_refused_with_their_number_only() -> None:
    tree = {"role": "quasi-identifier", "taxonomy": {"tree": {"ANY": ["13053"]}}}
    message = check(four_columns(zip=tree))
    assert message.startswith('columns.zip.taxonomy: 1 of the 2 values of column "zip"')
    assert "13068" not in message


def test_type_the_values_do_not_have_is_refused() -> None:
    message = check(four_columns(condition={"role": "sensitive", "type": "integer"}))
    assert message.startswith("columns.condition.type: 2 of the 2 values cannot be read")


def test_table_without_rows_is_refused() -> None:
    empty = Table.from_rows(["zip", "age", "condition"], [])
    assert "no rows" in check(four_columns(), empty)


def test_plan_file_finds_taxonomies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("13053;*\n13068;*\n")
    columns = four_columns(zip={"role": "quasi-identifier", "taxonomy": {"file": "zip.csv"}})
    (tmp_path / "plan.json").write_text(json.dumps(document(columns)))
    load_plan(tmp_path / "plan.json").check_table(FOUR)


def test_plan_file_that_is_missing_or_no_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidPlan, match="no readable plan"):
        load_plan(tmp_path / "plan.json")
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(InvalidPlan, match="not valid JSON"):
        load_plan(tmp_path / "plan.json")
