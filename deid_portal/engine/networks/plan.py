"""The plan of a network: a frozen request, checked before any work is done.

A sibling of the plan of a table, with the same entries wherever they mean the same: `columns` are
those of the node table. The entry `network` distinguishes the two.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deid_portal.engine.documents import PLAN_VERSION, Place, hash_document
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.measures import NO_MEASURES, NetworkMeasures
from deid_portal.engine.networks.methods import NetworkMethod, parse_network_methods
from deid_portal.engine.networks.models import NetworkModel, parse_network_model
from deid_portal.engine.networks.network import Network
from deid_portal.engine.plan import (
    ColumnPlan,
    ColumnRole,
    Plan,
    Treatment,
    is_network_plan,
    parse_other_columns,
    parse_seed,
)
from deid_portal.engine.randomness.seeds import SeededPlan
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.taxonomies.recipe import ReadFile


@dataclass(frozen=True)
class NetworkPlan(SeededPlan):
    """Directions, what is known, roles of attributes, models, methods, seed."""

    models: tuple[NetworkModel, ...]
    methods: tuple[NetworkMethod, ...]
    knowledge: Knowledge = Knowledge.DEGREE
    directed: bool = False
    id_column: str | None = None  # of the node table; its first without
    columns: tuple[ColumnPlan, ...] = ()
    removes_other_columns: bool = False
    measures: NetworkMeasures = NO_MEASURES
    seed: int | None = None

    @classmethod
    def from_document(
        cls, document: dict[str, Any], *, read_file: ReadFile | None = None
    ) -> "NetworkPlan":
        """Read a network plan, refusing anything unknown or meaningless.

        Raises InvalidPlan with the place in the document; `read_file` is that of a table's plan.
        """
        place = Place(document)
        place.check_keys(
            required=("plan", "network", "method"),
            optional=("columns", "other_columns", "knowledge", "models", "measures", "seed"),
        )
        if place["plan"].value != PLAN_VERSION or isinstance(place["plan"].value, bool):
            place["plan"].refuse(f"version {PLAN_VERSION} is accepted.")
        models = _parse_models(place)
        plan = cls(
            models=models,
            methods=parse_network_methods(place["method"]),
            knowledge=_parse_knowledge(place, models),
            directed=parse_directed(place["network"]),
            id_column=place["network"]["id"].text() if "id" in place["network"] else None,
            columns=_parse_columns(place, read_file),
            removes_other_columns=parse_other_columns(place),
            measures=_parse_measures(place),
            seed=parse_seed(place),
        )
        plan._check_attributes(place)
        return plan

    def to_document(self) -> dict[str, Any]:
        """Return the document with every default filled in."""
        methods = [method.to_document() for method in self.methods]
        document: dict[str, Any] = {
            "plan": PLAN_VERSION,
            "network": {"directed": self.directed},
            "columns": {column.name: column.to_document() for column in self.columns},
            "knowledge": self.knowledge.value,
            "models": [model.to_document() for model in self.models],
            "method": methods[0] if len(methods) == 1 else methods,
        }
        if self.id_column is not None:
            document["network"]["id"] = self.id_column
        if self.removes_other_columns:
            document["other_columns"] = "remove"
        if self.measures.is_asked:
            document["measures"] = self.measures.to_document()
        if self.seed is not None:
            document["seed"] = self.seed
        return document

    @property
    def sha256(self) -> str:
        return hash_document(self.to_document())

    def column(self, name: str) -> ColumnPlan | None:
        return next((column for column in self.columns if column.name == name), None)

    @property
    def quasi_identifiers(self) -> list[str]:
        return [c.name for c in self.columns if c.role == ColumnRole.QUASI_IDENTIFIER]

    @property
    def protects_by_chance(self) -> bool:
        """Always: released nodes are numbered at random, whatever the method."""
        return True

    @property
    def is_private(self) -> bool:
        return any(method.is_private for method in self.methods)

    def known_columns(self, table: Table | None) -> tuple[Column, ...]:
        """Return the attributes somebody could know, as a table shows them."""
        if table is None:
            return ()
        return tuple(table[name] for name in self.quasi_identifiers if name in table)

    def cautions(self) -> list[str]:
        """Return a sentence for everything that is accepted but unusual."""
        found = [sentence for part in self.models for sentence in part.cautions()]
        found += [sentence for part in self.methods for sentence in part.cautions()]
        if not self.models and not self.is_private:
            found.append("The plan asks for no privacy model, so nothing is protected.")
        return found

    def check_network(self, network: Network) -> None:
        """Refuse what does not fit this network: sizes, directions, attributes."""
        if network.nodes < 1:
            raise InvalidTable("The network has no nodes.")
        self._check_table(network.table)
        for index, model in enumerate(self.models):
            model.check_nodes(Place({}, f"models[{index}]"), network.nodes)
        given = network if self.directed else network.undirected
        for index, method in enumerate(self.methods):
            path = "method" if len(self.methods) == 1 else f"method[{index}]"
            method.check_network(Place({}, path), given)

    def typed(self, table: Table) -> Table:
        """Return the node table read as the types the plan gives."""
        return table.with_types({c.name: c.type for c in self.columns if c.type})

    def _check_table(self, table: Table | None) -> None:
        if table is None or not table.columns:
            if self.columns:
                Place({}, "columns").refuse(
                    "the network has no node table; give one, or leave the columns out."
                )
            return
        Plan(self.columns, (), (), removes_other_columns=self.removes_other_columns).check_table(
            table
        )

    def _check_attributes(self, place: Place) -> None:
        for column in self.columns:
            if column.treatment not in (None, Treatment.REMOVE):
                place["columns"][column.name]["treatment"].refuse(
                    '"remove" is accepted; nodes get new random numbers in every release.'
                )
        known = self.quasi_identifiers
        for index, model in enumerate(self.models):
            model.check_columns(place["models"].items()[index], known)
        several = isinstance(place["method"].value, list)
        places = place["method"].items() if several else [place["method"]]
        for method, here in zip(self.methods, places, strict=True):
            method.check_columns(here, known)
        asked = [model for model in self.models if model.knowledge is Knowledge.ATTRIBUTES]
        if (asked or self.knowledge is Knowledge.ATTRIBUTES) and not self.quasi_identifiers:
            place["columns"].refuse(
                "whoever knows attributes knows quasi-identifiers; give a column that role."
            )


def load_network_plan(path: Path) -> NetworkPlan | None:
    """Read a plan file if it is about a network; taxonomy files are found relative to it."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # the reader of table plans reports what is wrong with the file
    if not is_network_plan(document):
        return None
    return NetworkPlan.from_document(
        document, read_file=lambda name: (path.parent / name).read_bytes()
    )


def _parse_models(place: Place) -> tuple[NetworkModel, ...]:
    if "models" not in place:
        return ()
    return tuple(parse_network_model(item) for item in place["models"].items())


def _parse_knowledge(place: Place, models: tuple[NetworkModel, ...]) -> Knowledge:
    """Return the knowledge the plan states, or else that of its first model."""
    if "knowledge" in place:
        return Knowledge(place["knowledge"].choice([known.value for known in Knowledge]))
    return models[0].knowledge if models else Knowledge.DEGREE


def parse_directed(place: Place) -> bool:
    place.check_keys(optional=("directed", "id"))
    if "directed" not in place:
        return False
    if not isinstance(place["directed"].value, bool):
        place["directed"].refuse("true or false is accepted.")
    return bool(place["directed"].value)


def _parse_columns(place: Place, read_file: ReadFile | None) -> tuple[ColumnPlan, ...]:
    if "columns" not in place:
        return ()
    return tuple(
        ColumnPlan.parse(name, entry, read_file) for name, entry in place["columns"].entries()
    )


def _parse_measures(place: Place) -> NetworkMeasures:
    if "measures" not in place:
        return NO_MEASURES
    return NetworkMeasures.parse(place["measures"])


__all__ = ["InvalidPlan", "NetworkPlan", "is_network_plan", "load_network_plan"]
