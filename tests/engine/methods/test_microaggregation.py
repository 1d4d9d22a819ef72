from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan, Outcome, Plan, Table, protect
from deid_portal.engine.methods.microaggregation.microaggregation import Microaggregation
from deid_portal.engine.utility import comparison
from tests.engine.drafts import carry_out, cells, draft_of, number_table, reader
from tests.engine.tables import document

read = reader(Microaggregation)
AGES_AND_PAY = [(22, 100), (24, 110), (26, 90), (61, 300), (63, 310), (65, 320)]


def two_columns() -> Table:
    return number_table(age=[age for age, _ in AGES_AND_PAY], pay=[pay for _, pay in AGES_AND_PAY])


def plan_of(table: Table, method: dict[str, Any], **changes: Any) -> Plan:
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in table.names}
    columns |= changes.pop("columns", {})
    asked = document(columns, method={"name": "microaggregation", **method}, **changes)
    return Plan.from_document(asked)


def sizes(outcome: Outcome, names: tuple[str, ...]) -> Counter[tuple[str | None, ...]]:
    assert outcome.released is not None
    return Counter(zip(*(outcome.released[name].cells() for name in names), strict=True))


def test_everybody_shows_the_average_of_the_group() -> None:
    draft = carry_out(read(k=3), draft_of(two_columns(), age=None, pay=None))
    assert cells(draft, "age") == ["24"] * 3 + ["63"] * 3
    assert cells(draft, "pay") == ["100"] * 3 + ["310"] * 3
    step = draft.steps[0]
    assert (step["groups"], step["smallest_group"], step["largest_group"]) == (2, 3, 3)
    # SSE 16 of 2297.5 for the ages, 400 of 66,550 for the pay; by hand.
    expected = 100 * (16 / 2297.5 + 400 / 66_550) / 2
    assert step["information_loss"] == pytest.approx(expected)


def test_the_loss_stands_in_the_report() -> None:
    table = two_columns()
    outcome = protect(table, plan_of(table, {"k": 3}, models=[{"model": "k-anonymity", "k": 3}]))
    assert outcome.solution
    assert sizes(outcome, ("age", "pay")) == {("24", "100"): 3, ("63", "310"): 3}
    assert outcome.report.utility.information_loss == pytest.approx(0.6487, abs=1e-4)
    assert outcome.report.models[0].achieved == {"k": 3}


def test_decimals_are_as_many_as_asked_for() -> None:
    table = number_table(a=[1, 2, 2])
    assert cells(carry_out(read(k=3), draft_of(table, a=None)), "a") == ["1.666667"] * 3
    assert cells(carry_out(read(k=3, decimals=1), draft_of(table, a=None)), "a") == ["1.7"] * 3


def test_dates_have_a_mean_day() -> None:
    table = Table.from_rows(["seen"], [["01.02.2020"], ["03.02.2020"], ["08.02.2020"]])
    draft = carry_out(read(k=3), draft_of(table, seen=None))
    assert cells(draft, "seen") == ["04.02.2020"] * 3


def test_categories_show_the_one_nearest_to_all() -> None:
    """Of flu, cold and fracture the flu is one step from the cold; the fracture is far away."""
    tree = {"tree": {"*": {"infection": ["cold", "flu"], "injury": ["fracture"]}}}
    rows = [["fracture", "b"], ["flu", "a"], ["cold", "b"], ["flu", "c"]]
    table = Table.from_rows(["why", "ward"], rows)
    draft = carry_out(read(k=4), draft_of(table, why=tree, ward=None))
    assert cells(draft, "why") == ["flu"] * 4
    assert cells(draft, "ward") == ["b"] * 4
    assert "information_loss" not in draft.steps[0]


def test_a_taxonomy_outvotes_the_most_frequent() -> None:
    """Two of six have a fracture, but the others are near each other: one stands for them."""
    tree = {
        "tree": {"*": {"infection": ["cold", "flu", "cough", "angina"], "injury": ["fracture"]}}
    }
    rows = [["fracture"], ["fracture"], ["cold"], ["flu"], ["cough"], ["angina"]]
    for taxonomy, shown in ((tree, "cold"), (None, "fracture")):
        draft = carry_out(read(k=6), draft_of(Table.from_rows(["why"], rows), why=taxonomy))
        assert cells(draft, "why") == [shown] * 6


def test_ordered_categories_show_the_median() -> None:
    tree = {"tree": {"*": ["none", "little", "much", "all"]}}
    rows = [["all"], ["none"], ["all"], ["little"], ["none"], ["all"]]
    draft = carry_out(read(k=6, ordered=["a"]), draft_of(Table.from_rows(["a"], rows), a=tree))
    assert cells(draft, "a") == ["little"] * 6


def test_a_gap_blanks_its_group_or_is_filled() -> None:
    table = number_table(a=[1, 2, None, 101, 102, 103], b=[1, 2, 3, 101, 102, 103])
    blank = carry_out(read(k=3), draft_of(table, a=None, b=None))
    assert cells(blank, "a") == [None] * 3 + ["102"] * 3
    assert blank.steps[0]["blanked_cells"] == 2
    filled = carry_out(read(k=3, gaps="fill"), draft_of(table, a=None, b=None))
    assert cells(filled, "a") == ["1.5"] * 3 + ["102"] * 3
    assert (filled.steps[0]["blanked_cells"], filled.steps[0]["filled_cells"]) == (0, 1)


def test_gaps_find_together() -> None:
    """A gap is as far from every value as any two are, so those with gaps are grouped."""
    table = number_table(a=[1, None, 2, None, 3, None, 2, 3], b=[5, 5, 5, 5, 5, 5, 5, 5])
    draft = carry_out(read(k=3), draft_of(table, a=None, b=None))
    assert draft.steps[0]["blanked_cells"] == 0
    assert cells(draft, "a").count(None) == 3


def test_groups_of_columns_are_averaged_apart() -> None:
    table = number_table(a=[1, 2, 11, 12], b=[1, 11, 2, 12], c=[5, 6, 7, 8])
    draft = carry_out(read(k=2, groups=[["a"], ["b"]]), draft_of(table, c=None))
    assert cells(draft, "a") == ["1.5", "1.5", "11.5", "11.5"]
    assert cells(draft, "b") == ["1.5", "11.5", "1.5", "11.5"]
    assert cells(draft, "c") == ["5", "6", "7", "8"]


def test_single_columns_do_not_make_people_alike() -> None:
    table = number_table(a=[1, 2, 11, 12], b=[1, 11, 2, 12])
    for algorithm in ("individual-ranking", "univariate-optimal"):
        method = {"k": 2, "algorithm": algorithm}
        outcome = protect(table, plan_of(table, method))
        assert not outcome.solution
        assert outcome.report.blocked_by
        assert read(**method).cautions()


def secret_table() -> Table:
    """Return three pairs of neighbors; the secrets of the first two pairs are the same."""
    return Table.from_rows(
        ["age", "secret"],
        [["20", "x"], ["21", "x"], ["30", "y"], ["31", "y"], ["80", "x"], ["81", "y"]],
    )


@pytest.mark.parametrize(
    "model",
    [
        {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "secret"},
        {"model": "t-closeness", "t": 0.1, "distance": "equal", "column": "secret"},
    ],
)
def test_groups_are_joined_until_the_models_hold(model: dict[str, Any]) -> None:
    table = secret_table()
    columns = {"secret": {"role": "sensitive"}}
    outcome = protect(table, plan_of(table, {"k": 2}, models=[model], columns=columns))
    assert outcome.solution
    assert sizes(outcome, ("age",)) == {("25.5",): 4, ("80.5",): 2}
    assert outcome.report.steps[0].notes["joined_for_models"] == 1


def test_secrets_are_spread_over_the_groups() -> None:
    """Neighbors share their secret, so joining takes everybody; one of each slice does not."""
    rows = [[str(age), str(age // 25)] for age in range(20, 70)]
    table = Table.from_rows(["age", "secret"], rows)
    model = {"model": "t-closeness", "t": 0.25, "distance": "ordered", "column": "secret"}
    columns = {"secret": {"role": "sensitive"}}
    losses = {}
    for way in ("join", "spread"):
        method = {"k": 3, "variant": way}
        outcome = protect(table, plan_of(table, method, models=[model], columns=columns))
        assert outcome.solution
        assert min(sizes(outcome, ("age",)).values()) >= 3
        losses[way] = outcome.report.utility.information_loss
    assert losses["spread"] < losses["join"]


def test_a_larger_k_of_the_plan_is_kept() -> None:
    table = two_columns()
    outcome = protect(table, plan_of(table, {"k": 2}, models=[{"model": "k-anonymity", "k": 6}]))
    assert outcome.solution
    assert set(sizes(outcome, ("age", "pay")).values()) == {6}


def test_what_nobody_can_keep_is_no_solution() -> None:
    table = Table.from_rows(["age", "secret"], [[str(age), "x"] for age in range(6)])
    model = {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "secret"}
    columns = {"secret": {"role": "sensitive"}}
    outcome = protect(table, plan_of(table, {"k": 2}, models=[model], columns=columns))
    assert not outcome.solution


@settings(max_examples=25)
@given(st.integers(0, 60), st.sampled_from([2, 4]), st.sampled_from(["blank", "fill"]))
def test_people_look_alike_gaps_and_all(seed: int, k: int, gaps: str) -> None:
    """Whatever the columns are, k-anonymity holds on the cells that leave."""
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(k, 40))

    def some(values: list[Any]) -> list[str | None]:
        return [None if draw.random() < 0.2 else str(draw.choice(values)) for _ in range(rows)]

    ages, days = list(range(20, 60)), [f"2024-01-{day:02}" for day in range(1, 29)]
    parts = (some(ages), some(days), some(["a", "b", "c"]), some([True, False]), some(["1.5", "2"]))
    names = ("age", "day", "ward", "flag", "size")
    table = Table.from_rows(names, zip(*parts, strict=True))
    method = {"k": k, "gaps": gaps, "ordered": ["ward"]}
    outcome = protect(table, plan_of(table, method, models=[{"model": "k-anonymity", "k": k}]))
    assert outcome.solution
    assert min(sizes(outcome, names).values()) >= k
    assert outcome.report.rows.released == rows


def test_means_of_complete_columns_stay() -> None:
    draw = np.random.default_rng(4)
    table = number_table(a=draw.integers(0, 999, 100).tolist(), b=draw.integers(0, 9, 100).tolist())
    draft = carry_out(read(k=7), draft_of(table, a=None, b=None))
    for name in "ab":
        before = np.mean([float(cell or 0) for cell in table[name].cells()])
        after = np.mean([float(cell or 0) for cell in cells(draft, name)])
        assert after == pytest.approx(before, abs=1e-5)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"k": 1}, r"^method\.k: a whole number of 2 or more"),
        ({"k": 99}, r"^method\.k: the table has 6 rows, so at most 6"),
        ({"columns": ["other"]}, r"^method\.columns: columns that are no identifiers"),
        ({"columns": ["age"], "groups": [["pay"]]}, r"^method\.groups: either columns or groups"),
        ({"groups": [["age"], ["age"]]}, r"^method\.groups: a list of groups of column names"),
        ({"groups": [["age"]], "algorithm": "individual-ranking"}, r"takes every column by itself"),
        ({"columns": ["age"], "ordered": ["pay"]}, r"^method\.ordered: only columns that are av"),
        ({"algorithm": "best"}, r"^method\.algorithm: accepted are"),
        ({"variant": "spread", "algorithm": "projected"}, r"^method\.variant: spread needs the"),
        ({"variant": "spread"}, r"^method\.variant: spread needs a model about a sensitive column"),
    ],
)
def test_what_makes_no_sense_is_refused(method: dict[str, Any], message: str) -> None:
    table = two_columns()
    with pytest.raises(InvalidPlan, match=message):
        protect(table, plan_of(table, method))


def test_only_numbers_can_be_projected() -> None:
    table = Table.from_rows(["a"], [["x"], ["y"], ["x"]])
    with pytest.raises(InvalidPlan, match=r"^method\.algorithm: projected needs columns of num"):
        protect(table, plan_of(table, {"k": 2, "algorithm": "projected"}))


def test_models_that_look_for_labels_are_refused() -> None:
    table = two_columns()
    models = [{"model": "k-concealment", "k": 2}]
    with pytest.raises(InvalidPlan, match="k-concealment looks for labels"):
        protect(table, plan_of(table, {}, models=models))


def test_may_follow_another_method() -> None:
    table = two_columns()
    plan = plan_of(table, {})
    methods = [
        {"name": "coding", "columns": ["age"], "top": 62},
        {"name": "microaggregation", "k": 3},
    ]
    outcome = protect(table, Plan.from_document(plan.to_document() | {"method": methods}))
    assert sizes(outcome, ("age", "pay")) == {("24", "100"): 3, ("61.666667", "310"): 3}


def test_too_many_averages_are_not_crossed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two averages of few values each may be more than there are pairs to look at."""
    draw = np.random.default_rng(1)
    table = number_table(a=draw.integers(0, 20, 90).tolist(), b=draw.integers(0, 20, 90).tolist())
    plan = plan_of(table, {"k": 3}, models=[{"model": "k-anonymity", "k": 3}])
    for most, pairs in ((2000, 1), (20, 0)):
        monkeypatch.setattr(comparison, "MOST_VALUES", most)
        assert len(protect(table, plan).report.comparison.pairs) == pairs


def test_early_years_keep_four_digits() -> None:
    table = Table.from_rows(["day"], [["0031-05-06"], ["0033-05-06"], ["0035-05-06"]])
    columns = {"day": {"role": "quasi-identifier"}}
    method = {"name": "microaggregation", "k": 3}
    released = protect(table, Plan.from_document(document(columns, method=method))).released
    assert released is not None
    assert released["day"].values == ("0033-05-06",)
