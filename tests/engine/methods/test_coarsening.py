"""Sensitive values in groups of their taxonomy, and rules that compare like with like."""

from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, Outcome, Plan, Table, protect
from deid_portal.engine.publication.published_plan import publish_plan

BANDS = {"intervals": {"start": 0, "width": 1000, "widen": [2]}}
TOWNS = [town for town in ("A", "B") for _ in range(6)]
PAY = ["510.20", "980.45", "1204.10", "1830.00", "2105.99", "2790.01"] * 2
FULL = {"name": "levels", "levels": {}}


def pay_table() -> Table:
    """Two towns in which everybody earns another amount, alike in bands."""
    cells = [f"{float(amount) + 0.01 * row:.2f}" for row, amount in enumerate(PAY)]
    return Table.from_rows(["town", "pay"], list(zip(TOWNS, cells, strict=True)))


def plan_of(*methods: dict[str, Any], models: Any = (), taxonomy: Any = BANDS) -> Plan:
    pay = {"role": "sensitive", **({"taxonomy": taxonomy} if taxonomy else {})}
    return Plan.from_document(
        {
            "plan": 1,
            "columns": {"town": {"role": "quasi-identifier"}, "pay": pay},
            "models": list(models),
            "method": list(methods),
        }
    )


def run(*methods: dict[str, Any], **asked: Any) -> Outcome:
    return protect(pay_table(), plan_of(*methods, FULL, **asked))


def coarse(level: int = 1) -> dict[str, Any]:
    return {"name": "coarsening", "levels": {"pay": level}}


def t_close(distance: str, t: float = 0.05) -> dict[str, Any]:
    return {"model": "t-closeness", "t": t, "distance": distance, "column": "pay"}


def test_values_are_shown_at_their_level() -> None:
    released = run(coarse()).released
    assert released is not None
    assert set(released["pay"].cells()) == {"[0, 1000)", "[1000, 2000)", "[2000, 3000)"}
    wide = run(coarse(2)).released
    assert wide is not None
    assert set(wide["pay"].cells()) == {"[0, 2000)", "[2000, 4000)"}


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@pytest.mark.parametrize(
    "method", [coarse(), {"name": "rounding", "columns": ["pay"], "base": 1000}]
)
def test_a_group_is_compared_with_the_table_shown_alike(
    method: dict[str, Any], distance: str
) -> None:
    """Both towns have the same bands, so they do not differ from the whole at all."""
    outcome = run(method, models=[t_close(distance)])
    assert outcome.solution
    assert outcome.report.models[0].achieved["t"] == pytest.approx(0)
    assert outcome.details.spread[0].after.t == pytest.approx(0)
    exact = run(models=[t_close(distance, t=1.0)])
    assert exact.report.models[0].achieved["t"] > 0


def test_bands_are_ordered_by_where_they_begin() -> None:
    """As texts, [10000, … would stand between [0, … and [2000, …."""
    rows = [["A", "500"], ["A", "2500"], ["B", "10500"], ["B", "12500"]] * 2
    table = Table.from_rows(["town", "pay"], rows)
    plan = plan_of(coarse(), FULL, models=[t_close("ordered", t=1.0)])
    # Four bands in equal shares; a town has the lower two: 3 steps of them hold (1/4, 1/2, 1/4).
    reached = protect(table, plan).report.models[0].achieved["t"]
    assert reached == pytest.approx((0.25 + 0.5 + 0.25) / 3)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ({"model": "k-e-anonymity", "k": 2, "e": 5, "column": "pay"}, "about numbers"),
        (t_close("hierarchical"), "another distance"),
        (
            {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "column": "pay",
             "values": ["510.20"]},
            "names values",
        ),
    ],
)  # fmt: skip
def test_rules_about_exact_values_are_refused(model: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidPlan, match=reason):
        run(coarse(), models=[model])


def test_an_order_that_labels_do_not_have_is_refused() -> None:
    cells = sorted(set(pay_table()["pay"].values))
    tree = {"tree": {"*": {"less": list(cells[:6]), "more": list(cells[6:])}}}
    with pytest.raises(InvalidPlan, match="needs an order"):
        run(coarse(), models=[t_close("ordered")], taxonomy=tree)
    assert run(coarse(), models=[t_close("equal", 1.0)], taxonomy=tree).solution


@pytest.mark.parametrize(
    ("method", "taxonomy", "reason"),
    [
        ({"name": "coarsening", "levels": {}}, BANDS, "at least one"),
        ({"name": "coarsening", "levels": {"town": 1}}, BANDS, "sensitive columns"),
        (coarse(9), BANDS, "levels 0 to 3"),
        (coarse(), None, "has no taxonomy"),
    ],
)
def test_what_makes_no_sense_is_refused(method: Any, taxonomy: Any, reason: str) -> None:
    with pytest.raises(InvalidPlan, match=reason):
        run(method, taxonomy=taxonomy)


def test_the_published_taxonomy_does_not_name_what_is_below_the_level() -> None:
    """A value spelled like a group above it would tell that somebody has exactly this value."""
    rows = b"1000;1000;*\n1200;1000;*\n2000;2000;*\n2200;2000;*\n"
    columns = {
        "town": {"role": "quasi-identifier"},
        "pay": {"role": "sensitive", "taxonomy": {"file": "pay.csv"}},
    }
    document = {"plan": 1, "columns": columns, "method": [coarse(), FULL]}
    plan = Plan.from_document(document, read_file=lambda name: rows)
    table = Table.from_rows(["town", "pay"], [["A", "1000"], ["A", "1200"], ["A", "2200"]])
    outcome = protect(table, plan)
    assert outcome.released is not None
    assert set(outcome.released["pay"].cells()) == {"1000", "2000"}
    _, files = publish_plan(plan, outcome.released, {})
    leaves = {line.split(b";")[0] for file in files.values() for line in file.splitlines()}
    assert leaves
    assert not leaves & {b"1000", b"1200", b"2000", b"2200"}
