"""A network plan is refused in one sentence that names the place."""

from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, Table
from deid_portal.engine.networks import NetworkPlan, is_network_plan
from deid_portal.engine.networks.network import Network
from tests.engine.networks.networks import karate, plan_of, protect

BARE: dict[str, Any] = {"plan": 1, "network": {}, "method": {"name": "none"}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"plan": 2}, "plan: version 1"),
        ({"network": {"direction": True}}, 'network: "direction" is not known'),
        ({"network": {"directed": "yes"}}, r"network\.directed: true or false"),
        ({"knowledge": "all"}, "knowledge: accepted are"),
        ({"models": [{"model": "k-anonymity", "k": 5}]}, r"models\[0\]\.model: accepted are"),
        ({"models": [{"model": "k-degree"}]}, r"models\[0\]\.k: this is required"),
        ({"method": {"name": "mondrian"}}, r"method\.name: accepted are"),
        ({"method": []}, "method: at least one"),
        ({"method": {"name": "noise-graph", "share": 0}}, r"method\.share"),
        ({"method": {"name": "private-degrees", "epsilon": 1, "protects": "people"}}, "bound"),
        ({"method": {"name": "k-neighbourhood", "k": 2, "label": "job"}}, r"method\.label"),
        ({"knowledge": "attributes+degree"}, "columns: whoever knows attributes"),
        ({"columns": {"a": {"role": "identifier", "treatment": "pseudonym"}}}, "treatment"),
        ({"measures": {"attacks": ["phone"]}}, r"measures\.attacks\[0\]"),
        ({"seed": -1}, "seed"),
        ({"colour": "red"}, '"colour" is not known'),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidPlan, match=words):
        NetworkPlan.from_document(BARE | change)


def test_columns_need_a_node_table_and_the_node_table_needs_roles() -> None:
    columns = {"age": {"role": "quasi-identifier"}}
    with pytest.raises(InvalidPlan, match="no node table"):
        protect(karate(), {"name": "none"}, columns=columns)
    table = Table.from_rows(["age", "job"], [["1", "x"]] * 34)
    people = Network.from_pairs(34, karate().pairs, table=table)
    with pytest.raises(InvalidPlan, match="have no role"):
        protect(people, {"name": "none"}, columns=columns)


def test_methods_for_links_without_directions_say_so() -> None:
    people = Network.from_pairs(34, karate().pairs, directed=True)
    with pytest.raises(InvalidPlan, match='"directed": false'):
        protect(people, {"name": "k-neighbourhood", "k": 3}, network={"directed": True})
    outcome = protect(people, {"name": "k-neighbourhood", "k": 3})
    assert outcome.released is not None
    assert not outcome.released.directed
    assert any("without" in note for note in outcome.report.notes)
    kept = protect(people, {"name": "none"}, network={"directed": True}).released
    assert kept is not None
    assert kept.directed


def test_what_is_unusual_is_said_and_what_is_known_follows_the_rule() -> None:
    plan = plan_of({"name": "noise-graph", "share": 2}, {"model": "k-neighbourhood", "k": 2})
    assert len(plan.cautions()) == 2
    assert plan.knowledge == "neighbourhood"
    assert len(plan_of({"name": "none"}).cautions()) == 1


def test_plans_of_tables_and_networks_are_told_apart() -> None:
    assert is_network_plan(BARE)
    assert not is_network_plan({"plan": 1, "columns": {}})
