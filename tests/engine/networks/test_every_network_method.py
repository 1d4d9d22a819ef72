"""One contract for all methods and models of networks."""

import io
import json
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Cancelled, InvalidPlan, Table
from deid_portal.engine.networks import (
    Network,
    NetworkOutcome,
    NetworkPlan,
    assess_network,
    protect_network,
)
from deid_portal.engine.networks.files.writer import write_edges, write_network_graphml, write_nodes
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.networks.models import NETWORK_MODELS
from deid_portal.engine.publication import publish_report
from deid_portal.engine.randomness.chance import REPEATABLE
from deid_portal.engine.report import Report
from deid_portal.engine.report.report import Randomness
from deid_portal.policies.gates import check_gates
from deid_portal.policies.rules import Rules
from deid_portal.reports.network_verdicts import judge_network
from deid_portal.reports.verdicts import key_numbers
from deid_portal.runs.networks import publish_network_plan
from deid_portal.runs.summaries import summarize_run
from tests.chance import known_secret
from tests.engine.networks.networks import karate, plan_of

EXAMPLES: list[Any] = [
    {"name": "none"},
    {"name": "k-degree", "k": 3},
    {"name": "k-degree", "k": 3, "changes": "additions-deletions", "algorithm": "greedy"},
    {"name": "k-neighbourhood", "k": 2},
    {"name": "k-grouping", "k": 3},
    [{"name": "k-degree", "k": 3}, {"name": "attributes", "k": 3}],
    {"name": "noise-graph", "share": 0.1},
    {"name": "random-links", "share": 0.2},
    {"name": "random-links", "share": 0.2, "kind": "switch"},
    {"name": "private-degrees", "epsilon": 1.0},
    {"name": "private-degrees", "epsilon": 1.0, "protects": "people", "bound": 8},
]
NAMES = [json.dumps(example) for example in EXAMPLES]
COLUMNS = {
    "secret name": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"width": 10, "widen": [3]}}},
    "job": {"role": "insensitive"},
}


def club() -> Network:
    """Return the karate club with ages and names nobody may see."""
    rows = [[f"Zz{node}", str(20 + node % 2), "cook"] for node in range(34)]
    table = Table.from_rows(["secret name", "age", "job"], rows)
    return Network.from_pairs(
        34, karate().pairs, labels=[f"Zz{node}" for node in range(34)], table=table
    )


def outcome_of(example: Any, secret: bytes | None = known_secret(5), **more: Any) -> NetworkOutcome:
    return protect_network(club(), plan_of(example, columns=COLUMNS, **more), secret=secret)


def test_every_method_has_an_example() -> None:
    named = {part["name"] for own in EXAMPLES for part in (own if isinstance(own, list) else [own])}
    assert named == set(NETWORK_METHODS)


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_neither_id_nor_identifier_nor_order_leaves(example: Any) -> None:
    outcome = outcome_of(example)
    released = outcome.released
    assert released is not None
    assert released.labels is None
    stream = io.BytesIO()
    for write in (write_edges, write_nodes, write_network_graphml):
        write(released, stream)
    assert b"Zz" not in stream.getvalue()
    assert "Zz" not in json.dumps(outcome.report.to_document())
    if outcome.rows is not None and (outcome.rows >= 0).all():
        assert sorted(outcome.rows.tolist()) == list(range(34))
        assert outcome.rows.tolist() != list(range(34))


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_the_same_secret_gives_the_same_release_and_none_another(example: Any) -> None:
    method = NETWORK_METHODS[example[0]["name"] if isinstance(example, list) else example["name"]]
    first, again, other = (
        outcome_of(example, secret) for secret in (known_secret(5), known_secret(5), None)
    )
    assert first.released is not None
    assert again.released is not None
    assert other.released is not None
    same = np.array_equal(first.released.keys, again.released.keys)
    assert same != method.is_private
    assert not np.array_equal(first.released.keys, other.released.keys)


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_a_seed_is_refused_and_a_confirmed_one_is_told(example: Any) -> None:
    """Nodes get their numbers by chance, so no release of a network may be repeatable."""
    plan = plan_of(example, columns=COLUMNS, seed=7)
    with pytest.raises(InvalidPlan, match=r"^seed: [^.]+ leave (the seed|it) out\.$"):
        protect_network(club(), plan)
    if plan.is_private:
        with pytest.raises(InvalidPlan, match="has no seed"):
            protect_network(club(), plan, is_repeatable=True)
        return
    first, again = (protect_network(club(), plan, is_repeatable=True) for _ in range(2))
    assert first.released is not None
    assert again.released is not None
    assert np.array_equal(first.released.keys, again.released.keys)
    published = publish_report(first.report, publish_network_plan(plan))
    assert "seed" not in published.plan
    for report in (first.report, published):
        assert report.randomness == Randomness(repeatable=True, note=REPEATABLE)
        assert "epsilon" not in json.dumps(report.transformation.to_document())


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_the_report_serves_gates_verdicts_and_summaries(example: Any) -> None:
    told = json.loads(json.dumps(outcome_of(example).report.to_document()))
    report = Report.from_document(told)
    assert report.solution
    assert {gate.name for gate in check_gates(Rules(), report)} <= {*Rules().sentences()}
    assert judge_network(report, Rules()).sentence
    assert len(key_numbers(report, Rules())) == 8
    assert summarize_run(report).classes.count == report.classes.count
    assert report.utility.loss is not None
    assert 0 <= report.utility.loss <= 1
    assert report.rows.released + report.rows.suppressed > 0


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_a_run_can_be_stopped_in_every_phase(example: Any) -> None:
    phases: list[str] = []

    def note(done: int, total: int, phase: str, **figures: Any) -> None:
        phases.append(phase)

    plan = plan_of(example, columns=COLUMNS)
    protect_network(club(), plan, note)
    assert {"protect", "release", "measure"} <= set(phases)
    for wanted in dict.fromkeys(phases):

        def stop(done: int, total: int, phase: str, wanted: str = wanted, **figures: Any) -> None:
            if phase == wanted:
                raise Cancelled("Stopped.")

        with pytest.raises(Cancelled):
            protect_network(club(), plan, stop)


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_a_plan_comes_back_from_its_document(example: Any) -> None:
    plan = plan_of(example, columns=COLUMNS, knowledge="neighbourhood", other_columns="remove")
    again = NetworkPlan.from_document(plan.to_document())
    assert again.to_document() == plan.to_document()
    assert again.sha256 == plan.sha256
    assert all(method.explain().endswith((".", ")")) for method in plan.methods)
    assert all(type(method).cites and type(method).title for method in plan.methods)


@pytest.mark.parametrize("name", NETWORK_MODELS)
def test_every_model_is_judged_on_what_leaves(name: str) -> None:
    model = {"model": name, "k": 3}
    plan = plan_of({"name": "none"}, model, columns=COLUMNS)
    report = assess_network(club(), plan)
    assert report.models[0].achieved["k"] == report.classes.smallest == 1
    assert not report.solution
    assert plan.models[0].explain()
    assert plan.models[0].cites
    with pytest.raises(InvalidPlan, match=r"models\[0\]\.k"):
        plan_of({"name": "none"}, {"model": name, "k": 1}, columns=COLUMNS)


def test_attributes_and_degrees_together_have_k_look_alikes() -> None:
    method = [{"name": "k-degree", "k": 4}, {"name": "attributes", "k": 4}]
    outcome = outcome_of(method, models=[{"model": "k-degree-attributes", "k": 4}])
    released = outcome.released
    assert released is not None
    assert released.table is not None
    assert released.table.names == ("age", "job")
    shown = list(zip(released.degrees.tolist(), released.table["age"].cells(), strict=True))
    assert min(shown.count(own) for own in shown) >= 4
    assert 0 <= outcome.report.columns["age"].loss < 1


def test_a_release_can_be_measured_again() -> None:
    outcome = outcome_of({"name": "k-degree", "k": 3})
    plan = plan_of({"name": "none"}, {"model": "k-degree", "k": 3}, columns=COLUMNS)
    report = assess_network(club(), plan, outcome.released, outcome.rows)
    assert report.solution
    assert report.network.links == outcome.report.network.links
