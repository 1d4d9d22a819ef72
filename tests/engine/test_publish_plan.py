"""A published plan names nothing that its release does not show, and still measures the same."""

import pytest

from deid_portal.engine import Column, Plan, Table, assess, protect
from deid_portal.engine.publishing import publish_plan
from tests.engine.tables import FOUR, four_plan

ROWS = [["Nurse", "1"], ["Nurse", "1"], ["Doctor", "1"], ["Doctor", "1"], ["Bishop", "2"]]
JOBS = b"Nurse;Health;*\nDoctor;Health;*\nBishop;Church;*\nPope;Church;*\n"
TREE = {"*": {"Health": ["Nurse", "Doctor"], "Church": ["Bishop", "Pope"]}}


def _plan(taxonomy: dict[str, object], level: int) -> Plan:
    document = {
        "plan": 1,
        "columns": {
            "job": {"role": "quasi-identifier", "taxonomy": taxonomy},
            "ward": {"role": "quasi-identifier", "taxonomy": {"mask": {}}},
        },
        "models": [{"model": "k-anonymity", "k": 2}],
        "method": {
            "name": "levels",
            "levels": {"job": level, "ward": 0},
            "suppression_limit": 0.5,
        },
    }
    return Plan.from_document(document, read_file=lambda name: JOBS)


@pytest.mark.parametrize("taxonomy", [{"file": "jobs.csv"}, {"tree": TREE}], ids=["file", "tree"])
@pytest.mark.parametrize(
    ("level", "hidden", "named"),
    [
        (0, {"Bishop", "Pope"}, {"Nurse", "Doctor", "Church"}),
        (1, {"Bishop", "Pope", "Nurse", "Doctor", "Church"}, {"Health"}),
    ],
)
def test_only_what_the_release_shows_is_named(
    taxonomy: dict[str, object], level: int, hidden: set[str], named: set[str]
) -> None:
    table = Table.from_rows(["job", "ward"], ROWS)
    plan = _plan(taxonomy, level)
    outcome = protect(table, plan)
    assert outcome.released is not None
    published, files = publish_plan(plan, outcome.released, {"job": level, "ward": 0})
    text = str(published.to_document()) + b"".join(files.values()).decode()
    assert not [word for word in hidden if word in text]
    assert not [word for word in named if word not in text]


def test_the_published_plan_can_be_read_and_measures_the_release() -> None:
    table = Table.from_rows(["job", "ward"], ROWS)
    plan = _plan({"tree": TREE}, 1)
    outcome = protect(table, plan)
    assert outcome.released is not None
    published, files = publish_plan(plan, outcome.released, {"job": 1, "ward": 0})
    again = Plan.from_document(published.to_document(), read_file=files.__getitem__)
    assert again.sha256 == published.sha256
    taxonomy = again.columns[0].recipe.build(Column.from_cells("job", []))
    assert sorted(taxonomy.leaves[1].tolist()) == [2, 2]


def test_assess_still_understands_the_full_plan() -> None:
    table = Table.from_rows(["job", "ward"], ROWS)
    assert assess(table, _plan({"tree": TREE}, 0))["classes"]["smallest"] == 1


def test_seed_of_a_random_method_stays_in_the_house() -> None:
    noise = {"name": "rank-swapping", "columns": ["condition"], "window": 10}
    for method, seed in ((noise, None), ({"name": "none"}, 7)):
        plan = four_plan(models=[], method=method, seed=7)
        published, _ = publish_plan(plan, FOUR, {})
        assert published.seed == seed
