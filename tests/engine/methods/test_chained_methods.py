"""Methods one after the other: each sees what the last one left, and the report tells it all."""

import json
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, Outcome, Plan, Table, protect
from deid_portal.engine.report.table import RowCounts
from tests.chance import known_secret
from tests.engine.tables import document

COLUMNS: dict[str, Any] = {
    "name": {"role": "identifier", "treatment": "pseudonym"},
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"width": 10, "widen": [3]}}},
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    "condition": {"role": "sensitive"},
}
CODING = {"name": "coding", "columns": ["age"], "top": 85}
FULL_DOMAIN = {"name": "full-domain", "suppression_limit": 0.1}
PRAM = {"name": "pram", "columns": ["condition"], "epsilon": 1}
NOISE = {"name": "noise", "columns": ["age"], "scale": 0.1}


def people(rows: int = 200) -> Table:
    generator = np.random.default_rng(9)
    return Table.from_rows(
        list(COLUMNS),
        [
            [
                f"person {row}",
                str(generator.integers(20, 99)),
                str(generator.choice(["13053", "13068", "14850"])),
                str(generator.choice(["Flu", "Cancer", "Asthma"])),
            ]
            for row in range(rows)
        ],
    )


def carry_out(*methods: dict[str, Any], **changes: Any) -> Outcome:
    plan = Plan.from_document(document(COLUMNS, method=list(methods)) | changes)
    return protect(people(), plan, pseudonym_key=b"secret", secret=known_secret())


def test_pseudonyms_coding_levels_and_randomized_response_in_a_row() -> None:
    outcome = carry_out(CODING, FULL_DOMAIN, PRAM)
    assert outcome.released is not None
    assert outcome.released.names == tuple(COLUMNS)
    assert all(len(str(name)) == 32 for name in outcome.released["name"].values)
    steps = outcome.report.steps
    assert [step.method for step in steps] == ["coding", "full-domain", "pram"]
    assert outcome.report.search.checked > 0
    assert steps[0].columns["age"]["lowered"] > 0
    estimated = steps[-1].columns["condition"]
    assert sum(estimated["estimated_shares"]) == pytest.approx(1)
    assert estimated["rows"] == outcome.released.rows
    assert outcome.report.models[0].holds
    json.dumps(outcome.report.to_document(), allow_nan=False)


def test_noise_first_is_made_coarse_after() -> None:
    outcome = carry_out(NOISE, CODING, FULL_DOMAIN)
    assert outcome.solution
    assert outcome.report.classes.smallest >= 2


def test_noise_on_what_is_coarse_already_is_refused() -> None:
    levels = {"name": "levels", "levels": {"age": 1, "zip": 5}}
    with pytest.raises(InvalidPlan, match="are no numbers when this method comes to them"):
        carry_out(levels, NOISE)


def test_a_rule_broken_by_a_later_method_means_no_release() -> None:
    """Three alike in each town until their sex is randomized."""
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in ("town", "sex")}
    table = Table.from_rows(list(columns), [["A", "f"]] * 3 + [["B", "m"]] * 3)
    k = {"model": "k-anonymity", "k": 3}
    randomize = {"name": "pram", "columns": ["sex"], "epsilon": 0.1}
    asked = document(columns, models=[k], method=[{"name": "none"}])
    assert protect(table, Plan.from_document(asked)).solution
    chain = Plan.from_document({**asked, "method": [*asked["method"], randomize]})
    outcome = protect(table, chain, secret=known_secret())
    assert not outcome.solution
    assert outcome.released is None
    assert outcome.report.blocked_by == "k-anonymity"


def test_the_same_chain_twice_does_not_draw_the_same() -> None:
    """Each method has random numbers of its own, else the second would undo or repeat the first."""
    once = carry_out(PRAM, models=[])
    twice = carry_out(PRAM, PRAM, models=[])
    assert once.released is not None
    assert twice.released is not None
    assert list(once.released["condition"].cells()) != list(twice.released["condition"].cells())


def test_a_level_above_a_taxonomy_that_became_lower_is_its_top() -> None:
    """Masking 100 takes three levels; once it is shown as 50, nothing has three digits."""
    columns = {"age": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}}}
    methods = [
        {"name": "coding", "columns": ["age"], "top": 50},
        {"name": "levels", "levels": {"age": 3}},
    ]
    table = Table.from_rows(["age"], [["10"], ["20"], ["100"]])
    released = protect(table, Plan.from_document(document(columns, method=methods))).released
    assert released is not None
    assert list(released["age"].cells()) == ["**"] * 3


def test_a_step_does_not_name_what_a_later_one_hid() -> None:
    rows = [["30", "Flu"]] * 6 + [["97", "Rare disease"]]
    table = Table.from_rows(["age", "condition"], rows)
    document = {
        "plan": 1,
        "columns": {"age": {"role": "quasi-identifier"}, "condition": {"role": "quasi-identifier"}},
        "models": [{"model": "k-anonymity", "k": 3}],
        "method": [
            {"name": "coding", "columns": ["age"], "top_share": 0.1},
            {"name": "pram", "columns": ["condition"], "epsilon": 30},
            {"name": "levels", "levels": {}},
        ],
    }
    report = protect(table, Plan.from_document(document), secret=known_secret()).report
    assert report.rows == RowCounts(released=6, suppressed=1)
    told = json.dumps(report.transformation.to_document())
    assert "Rare disease" not in told
    assert "97" not in told


def test_nothing_after_a_private_table_looks_at_more_than_it_shows() -> None:
    columns = {"person": {"role": "identifier"}, "day": {"role": "quasi-identifier"}}
    methods = [
        {"name": "dp-table", "epsilon": 1.0, "delta": 1e-6, "levels": {}},
        {"name": "date-shifting", "columns": ["day"], "days": 3, "person": "person"},
    ]
    document = {"plan": 1, "columns": columns, "models": [], "method": methods}
    with pytest.raises(InvalidPlan, match="the proof does not know"):
        Plan.from_document(document)
