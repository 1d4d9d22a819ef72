"""Recompute the claims about a released network from its files alone."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.csv.reader import read_csv
from deid_portal.engine.files.csv.writer import undo_neutralizing
from deid_portal.engine.networks.files.graphml import read_graphml
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.knowledge.risk import describe_knowledge
from deid_portal.engine.networks.models import parse_network_model
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.structure.structure import Structure
from deid_portal.engine.progress import Progress
from deid_portal.engine.report import Report
from deid_portal.engine.report.network import NetworkReport
from deid_portal.engine.risk.classes import measure_risk, summarize_classes
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.verification.claims import Claims

EDGES, NODES, GRAPHML, GROUPS = "edges.csv", "nodes.csv", "network.graphml", "groups.csv"
# Measures that do not depend on the numbering of nodes; paths and communities are sampled.
INVARIANT = ("mean_degree", "largest_degree", "density", "clustering", "transitivity",
             "triangles", "components", "largest_component")  # fmt: skip
CSV = CsvFormat(",")


def is_network_package(files: Mapping[str, bytes]) -> bool:
    return EDGES in files


def read_released_network(files: Mapping[str, bytes], *, directed: bool) -> Network:
    """Read links and nodes; raises InvalidTable if they are inconsistent."""
    links, nodes = (_read(files, name) for name in (EDGES, NODES))
    if links.names != ("source", "target"):
        raise InvalidTable(f"{EDGES}: its columns must be source and target.")
    numbers = _numbers(nodes.columns[0], NODES)
    if sorted(numbers.tolist()) != list(range(1, nodes.rows + 1)):
        raise InvalidTable(f"{NODES}: nodes must be numbered from 1 on, each once.")
    order = np.argsort(numbers)
    attributes = tuple(column.take(order) for column in nodes.columns[1:])
    pairs = np.column_stack([_numbers(column, EDGES) for column in links.columns]) - 1
    return Network.from_pairs(
        nodes.rows, pairs, directed=directed, table=Table(attributes) if attributes else None
    )


def _read(files: Mapping[str, bytes], name: str) -> Table:
    if name not in files:
        raise InvalidTable(f"{name}: missing.")
    return undo_neutralizing(read_csv(io.BytesIO(files[name]), CSV))


def _numbers(column: Column, name: str) -> Any:
    try:
        values = np.array([int(text or "") for text in column.values], np.int64)
    except ValueError:
        raise InvalidTable(f"{name}: a node has no number.") from None
    return values[column.codes]


def recompute_network(files: Mapping[str, bytes], report: Report, claims: Claims) -> Network:
    """Compare the report with everything that can be computed from the released files."""
    told = report.network
    if told is None:
        raise InvalidTable("report.json: it is not about a network.")
    network = read_released_network(files, directed=told.directed)
    _check_graphml(files, network, claims)
    claims.compare("people in the release", report.rows, {"released": network.nodes})
    claims.compare("links", told.links, {"after": network.edges})
    claims.compare("nodes", told.nodes, {"after": network.nodes})
    classes = _classes_of(files, network, report)
    _check_look_alikes(report, told, classes, claims)
    _check_structure(told, network, claims)
    claims.trust("links added and removed, loss", "they compare with the original")
    claims.trust("risk before and attacks", "they need the original")
    return network


def _check_graphml(files: Mapping[str, bytes], network: Network, claims: Claims) -> None:
    """Check that both files have the same links."""
    if GRAPHML not in files:
        claims.hold(GRAPHML, False, f"{GRAPHML}: missing.")
        return
    other = read_graphml(files[GRAPHML], None)
    is_same = (other.nodes, other.edges) == (network.nodes, network.edges) and np.array_equal(
        np.sort(other.degrees), np.sort(network.degrees)
    )
    claims.hold(GRAPHML, is_same, f"{GRAPHML}: it holds other links than {EDGES}.")


def _classes_of(files: Mapping[str, bytes], network: Network, report: Report) -> NodeClasses:
    columns = report.columns if report.tells("columns") else {}
    known = tuple(
        column
        for column in (network.table.columns if network.table else ())
        if column.name in columns and columns[column.name].role == "quasi-identifier"
    )
    return NodeClasses(network, known, Progress(None), _groups_of(files))


def _groups_of(files: Mapping[str, bytes]) -> NodePartition | None:
    """Return the classes if only groups are released: all members of a group look alike."""
    if GROUPS not in files:
        return None
    groups = _read(files, GROUPS)
    people = _numbers(groups["people"], GROUPS)
    return NodePartition(np.repeat(np.arange(len(people), dtype=np.int32), people))


def _check_look_alikes(
    report: Report, network: NetworkReport, classes: NodeClasses, claims: Claims
) -> None:
    sizes = classes.of(Knowledge(network.knowledge)).sizes
    claims.compare("groups of look-alikes", report.classes, summarize_classes(sizes))
    claims.compare("risk", report.risk.after, measure_risk(sizes))
    for name, told in network.risk.items() if network.tells("risk") else ():
        own = describe_knowledge(classes.of(Knowledge(name)), told.after.k)
        claims.compare(f"risk by {name}", told.after, own)
    for place, entry in enumerate(report.models):
        model = parse_network_model(Place(entry.rule, f"models[{place}]"))
        alike = model.alike(classes)
        measured = {"holds": model.holds(alike), "achieved": model.achieved(alike)}
        claims.compare(model.name, entry, measured)


def _check_structure(told: NetworkReport, network: Network, claims: Claims) -> None:
    if told.structure is None:
        return
    found = Structure(network.undirected).describe().to_document()
    claims.compare("structure", told.structure.after, {key: found[key] for key in INVARIANT})
    claims.trust("paths, eigenvalues, communities", "they are drawn or compare with the original")
