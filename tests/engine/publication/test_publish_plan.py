"""A published plan names nothing that its release does not show, and still measures the same."""

from dataclasses import replace
from typing import Any

import pytest

from deid_portal.engine import Column, Plan, Table, assess, protect
from deid_portal.engine.documents import Place
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.publication import (
    Publication,
    publish_plan,
    publish_report,
    values_behind,
)
from deid_portal.engine.publication.label_groups import describe_label_groups
from deid_portal.engine.report.table import InputSummary, RowCounts
from deid_portal.engine.taxonomies import FileTaxonomy, Recipe, TreeTaxonomy
from tests.engine.tables import FOUR, four_plan

ROWS = [["Nurse", "1"], ["Nurse", "1"], ["Doctor", "1"], ["Doctor", "1"], ["Bishop", "2"]]
FLAT = b"Nurse\nDoctor\nBishop\n"
JOBS = b"Nurse;Health;*\nDoctor;Health;*\nBishop;Church;*\nPope;Church;*\n"
TREE: dict[str, Any] = {"*": {"Health": ["Nurse", "Doctor"], "Church": ["Bishop", "Pope"]}}


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
        (0, {"Bishop", "Pope", "Church"}, {"Nurse", "Doctor", "Health"}),
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
    assert assess(table, _plan({"tree": TREE}, 0)).classes.smallest == 1


def test_seed_of_a_random_method_stays_in_the_house() -> None:
    noise = {"name": "rank-swapping", "columns": ["condition"], "window": 10}
    for method, seed in ((noise, None), ({"name": "none"}, 7)):
        plan = four_plan(models=[], method=method, seed=7)
        published, _ = publish_plan(plan, FOUR, {})
        assert published.seed == seed


# Two nurses, two doctors, and a bishop who is left out with his gout; jobs are shown by group.
SICK = [
    ["Nurse", "flu"],
    ["Nurse", "ulcer"],
    ["Doctor", "flu"],
    ["Doctor", "ulcer"],
    ["Bishop", "gout"],
]
ILLS = {"*": {"mild": ["flu", "ulcer"], "grave": ["gout", "plague"]}}


def _sick_plan(model: dict[str, Any], ills: dict[str, Any] | None = None) -> Plan:
    illness = {"role": "sensitive"} | ({"taxonomy": {"tree": ills}} if ills else {})
    document = {
        "plan": 1,
        "columns": {
            "job": {"role": "quasi-identifier", "taxonomy": {"tree": TREE}},
            "illness": illness,
        },
        "models": [{"model": "k-anonymity", "k": 2}, model],
        "method": {"name": "levels", "levels": {"job": 1}, "suppression_limit": 0.5},
    }
    return Plan.from_document(document)


MODELS_THAT_NAME_VALUES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"model": "alpha-k-anonymity", "alpha": 0.6, "k": 2, "column": "illness"},
        {"values": ["gout", "flu"]},
    ),
    ({"model": "confidence-bounding", "h": 0.6, "column": "illness"}, {"values": ["gout", "flu"]}),
    (
        {"model": "lkc-privacy", "L": 1, "K": 2, "C": 0.6},
        {"values": {"illness": ["gout", "flu"]}},
    ),
    (
        {"model": "result-privacy", "support": 0.1, "confidence": 0.9},
        {
            "rules": [
                {"if": {"job": "Bishop"}, "then": {"illness": "gout"}},
                {"if": {"job": "Health"}, "then": {"illness": "flu"}},
            ]
        },
    ),
]


@pytest.mark.parametrize("ills", [None, ILLS], ids=["bare", "taxonomy"])
@pytest.mark.parametrize(
    ("model", "named"),
    MODELS_THAT_NAME_VALUES,
    ids=[one["model"] for one, _ in MODELS_THAT_NAME_VALUES],
)
def test_models_name_nothing_that_the_release_does_not_show(
    model: dict[str, Any], named: dict[str, Any], ills: dict[str, Any] | None
) -> None:
    table = Table.from_rows(["job", "illness"], SICK)
    plan = _sick_plan(model | named, ills)
    outcome = protect(table, plan)
    assert outcome.released is not None
    assert outcome.report.rows == RowCounts(released=4, suppressed=1)
    published, files = publish_plan(plan, outcome.released, {"job": 1})
    text = str(published.to_document()) + b"".join(files.values()).decode()
    assert not [word for word in ("gout", "plague", "Bishop", "Nurse", "Doctor") if word in text]
    assert "flu" in str(published.models[1].to_document())
    report = publish_report(outcome.report, published.to_document())
    assert not [
        word
        for word in ("gout", "plague", "Bishop", "Nurse", "Doctor")
        if word in str(report.to_document())
    ]
    assert report.plan_sha256 == published.sha256 != outcome.report.plan_sha256
    for said, measured in zip(report.models, outcome.report.models, strict=True):
        is_decided = not MODELS[said.model].needs_besides
        assert said.achieved == (measured.achieved if is_decided else None)

    # Any exact values under the groups of the release, protected again, give the same figures.
    again = Plan.from_document(published.to_document(), read_file=files.__getitem__)
    released = Table.from_rows(
        ["job", "illness"],
        [
            [hidden_leaf(files["taxonomies/column-01.csv"]), row[1]]
            for row in outcome.released.head(9)
        ],
    )
    found = protect(released, again).report.models[1]
    assert found.holds
    assert found.achieved == outcome.report.models[1].achieved


def hidden_leaf(taxonomy: bytes) -> str:
    """Return a value under the one group the release shows."""
    return next(line.split(";")[0] for line in taxonomy.decode().splitlines() if "Health" in line)


def test_a_rule_and_the_taxonomy_hide_a_value_under_the_same_number() -> None:
    table = Table.from_rows(["job", "illness"], SICK)
    model, named = MODELS_THAT_NAME_VALUES[-1]
    plan = _sick_plan(model | named, ILLS)
    outcome = protect(table, plan)
    assert outcome.released is not None
    published, files = publish_plan(plan, outcome.released, {"job": 1})
    rule = published.models[1].to_document()["rules"][0]
    jobs, ills = (files[f"taxonomies/column-0{number}.csv"].decode() for number in (1, 2))
    assert f"{rule['if']['job']};(group at level 1, no. 1);*" in jobs.splitlines()
    assert f"{rule['then']['illness']};(group at level 1, no. 1);*" in ills.splitlines()


def test_a_branch_that_nobody_shows_hangs_from_the_root() -> None:
    """Which named label it belongs to would say where somebody who was left out is at home."""
    table = Table.from_rows(["job", "ward"], [["Nurse", "1"]] * 2 + [["Doctor", "1"]])
    plan = _plan({"tree": TREE}, 0)
    outcome = protect(table, plan)
    assert outcome.released is not None
    _, files = publish_plan(plan, outcome.released, {"job": 0, "ward": 0})
    rows = [line.split(";") for line in files["taxonomies/column-01.csv"].decode().splitlines()]
    assert ["Nurse", "Health", "*"] in rows
    assert [row for row in rows if row[1] == "Health"] == [["Nurse", "Health", "*"]]
    assert len(rows) == 4, "how many values there are stays, so that the detail lost can be counted"


def test_values_without_any_label_above_them_are_hidden_too() -> None:
    table = Table.from_rows(["job", "ward"], ROWS)
    asked = _plan({"file": "jobs.csv"}, 0).to_document()
    asked["columns"]["job"]["taxonomy"] = {"file": "flat.csv"}
    flat = Plan.from_document(asked, read_file=lambda name: FLAT)
    outcome = protect(table, flat)
    assert outcome.released is not None
    _, files = publish_plan(flat, outcome.released, {"job": 0, "ward": 0})
    assert "Bishop" not in str(files)
    assert "Nurse" in str(files)


def test_a_gap_has_no_name_to_hide_and_all_values_stay_all() -> None:
    table = Table.from_rows(["job", "illness"], [*SICK[:4], ["Nurse", None]])
    bound = {"model": "confidence-bounding", "h": 0.9, "column": "illness"}
    for values in ({}, {"values": ["flu", None]}):
        plan = _sick_plan(bound | values)
        published, _ = publish_plan(plan, table, {})
        assert published.models == plan.models


def test_report_of_a_private_table_tells_nothing_of_the_original() -> None:
    """What the proof does not cover stays in the house."""
    columns = {
        "job": {"role": "quasi-identifier", "taxonomy": {"tree": TREE}},
        "ward": {"role": "quasi-identifier", "taxonomy": {"tree": {"*": ["1", "2"]}}},
    }
    method = {"name": "synthetic", "epsilon": 1.0}
    plan = Plan.from_document({"plan": 1, "columns": columns, "models": [], "method": method})
    outcome = protect(Table.from_rows(["job", "ward"], ROWS * 20), plan)
    assert outcome.released is not None
    published, _ = publish_plan(plan, outcome.released, {})
    report = publish_report(outcome.report, published.to_document())
    assert report.rows == RowCounts.telling(released=outcome.released.rows)
    assert report.risk.before is None
    assert not report.tells("input")
    assert not report.tells("utility")
    assert report.steps[0].notes["epsilon"] == 1.0


def test_report_does_not_confirm_a_guessed_input() -> None:
    plan = four_plan()
    outcome = protect(FOUR, plan)
    assert outcome.released is not None
    published, _ = publish_plan(plan, outcome.released, {})
    report = publish_report(outcome.report, published.to_document())
    assert report.input == InputSummary.telling(rows=4)


def _with_public_labels(plan: Plan) -> Plan:
    columns = (replace(own, public_labels=own.name == "job") for own in plan.columns)
    return replace(plan, columns=tuple(columns))


@pytest.mark.parametrize("taxonomy", [{"file": "jobs.csv"}, {"tree": TREE}], ids=["file", "tree"])
def test_public_labels_tell_what_a_group_stands_for(taxonomy: dict[str, object]) -> None:
    """Nobody of the release is a bishop, and nobody at all the pope: neither is named."""
    rows = [*ROWS, ["Surgeon", "2"]]
    jobs = JOBS + b"Surgeon;Health;*\n"
    table = Table.from_rows(["job", "ward"], rows)
    plan = _with_public_labels(_plan({"file": "jobs.csv"}, 1))
    read: Recipe = FileTaxonomy.from_content("jobs.csv", jobs)
    if "tree" in taxonomy:
        read = TreeTaxonomy.parse(
            Place({"tree": {"*": {**TREE["*"], "Health": ["Nurse", "Doctor", "Surgeon"]}}}), None
        )
    columns = (replace(own, taxonomy=read) if own.name == "job" else own for own in plan.columns)
    plan = replace(plan, columns=tuple(columns))
    outcome = protect(table, plan)
    assert outcome.released is not None
    assert outcome.rows is not None
    behind = values_behind(plan, plan.typed(table), outcome.rows)
    assert behind == {"job": {"Nurse", "Doctor"}}
    published, files = publish_plan(plan, outcome.released, {"job": 1, "ward": 0}, behind)
    text = b"".join(files.values()).decode()
    assert not [word for word in ("Bishop", "Pope", "Church", "Surgeon") if word in text]
    own = describe_label_groups(outcome.released["job"], _reread(published, files))
    assert own["groups"] == [{"label": "Health", "values": ["Doctor", "Nurse"], "unnamed": 1}]
    numbered, files = publish_plan(_plan({"tree": TREE}, 1), outcome.released, {"job": 1})
    own = describe_label_groups(outcome.released["job"], _reread(numbered, files))
    assert own == {"labelsBelow": "numbered"}


def test_a_hidden_column_names_nothing() -> None:
    table = Table.from_rows(["job", "ward"], ROWS[:4])
    plan = _with_public_labels(_plan({"tree": TREE}, 2))
    outcome = protect(table, plan)
    assert outcome.released is not None
    assert outcome.rows is not None
    behind = values_behind(plan, plan.typed(table), outcome.rows)
    _, files = publish_plan(plan, outcome.released, {"job": 2}, behind)
    assert "Nurse" not in b"".join(files.values()).decode()


def test_public_labels_change_no_figure() -> None:
    table = Table.from_rows(["job", "ward"], ROWS)
    plan = _with_public_labels(_plan({"tree": TREE}, 1))
    outcome = protect(table, plan)
    assert outcome.released is not None
    assert outcome.rows is not None
    behind = values_behind(plan, plan.typed(table), outcome.rows)
    named = Publication.of(plan, outcome.released, outcome.report, behind)
    numbered = Publication.of(plan, outcome.released, outcome.report)
    assert named.detail == numbered.detail
    assert named.files != numbered.files


def _reread(plan: Plan, files: dict[str, bytes]) -> Plan:
    return Plan.from_document(plan.to_document(), read_file=lambda name: files[name])
