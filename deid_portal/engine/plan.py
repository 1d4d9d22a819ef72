"""The plan: everything asked of the engine in one frozen document, validated in one place."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from deid_portal.engine.documents import PLAN_VERSION, Place, hash_document, quoted
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.measures import NO_MEASURES, Measures
from deid_portal.engine.methods import Method, parse_methods
from deid_portal.engine.parameters import Flag
from deid_portal.engine.privacy import PrivacyModel, parse_model
from deid_portal.engine.privacy.population import Population
from deid_portal.engine.randomness.seeds import SeededPlan
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType, count_misfits
from deid_portal.engine.taxonomies import FlatTaxonomy, Recipe, parse_recipe
from deid_portal.engine.taxonomies.recipe import ReadFile

LARGEST_SEED = 2**63 - 1
PUBLIC_LABELS = Flag("public_labels")


class ColumnRole(StrEnum):
    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


class Treatment(StrEnum):
    """What happens to an identifier."""

    REMOVE = "remove"
    PSEUDONYM = "pseudonym"
    # A pseudonym like any other; beside the release, whoever runs it keeps who is behind it.
    REVERSIBLE = "reversible"
    MASK = "mask"


@dataclass(frozen=True)
class ColumnPlan:
    """What the plan says about one column."""

    name: str
    role: ColumnRole
    type: ColumnType | None = None
    treatment: Treatment | None = None
    taxonomy: Recipe | None = None
    weight: float = 1.0
    # Whether everybody may know which values stand below which group of the taxonomy.
    public_labels: bool = False

    @property
    def recipe(self) -> Recipe:
        """Return how the column becomes coarser: shown or hidden unless the plan says more."""
        return self.taxonomy or FlatTaxonomy()

    @property
    def is_removed(self) -> bool:
        return self.treatment == Treatment.REMOVE

    @property
    def is_pseudonym(self) -> bool:
        return self.treatment in (Treatment.PSEUDONYM, Treatment.REVERSIBLE)

    @classmethod
    def parse(cls, name: str, place: Place, read_file: ReadFile | None) -> "ColumnPlan":
        place.check_keys(
            required=("role",),
            optional=("type", "treatment", "taxonomy", "weight", "public_labels"),
        )
        role = ColumnRole(place["role"].choice([role.value for role in ColumnRole]))
        _check_keys_fit_role(place, role)
        types = [type.value for type in ColumnType]
        return cls(
            name=name,
            role=role,
            type=ColumnType(place["type"].choice(types)) if "type" in place else None,
            treatment=_parse_treatment(place) if role == ColumnRole.IDENTIFIER else None,
            taxonomy=parse_recipe(place["taxonomy"], read_file) if "taxonomy" in place else None,
            weight=_parse_weight(place),
            public_labels=PUBLIC_LABELS.read(place),
        )

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"role": self.role.value}
        if self.type is not None:
            document["type"] = self.type.value
        if self.treatment is not None:
            document["treatment"] = self.treatment.value
        if self.taxonomy is not None:
            document["taxonomy"] = self.taxonomy.to_document()
        if self.public_labels:
            document[PUBLIC_LABELS.name] = True
        if self.role == ColumnRole.QUASI_IDENTIFIER:
            document["weight"] = self.weight
        return document


@dataclass(frozen=True)
class Plan(SeededPlan):
    """A frozen request: roles, models, method, seed."""

    columns: tuple[ColumnPlan, ...]
    models: tuple[PrivacyModel, ...]
    methods: tuple[Method, ...]
    seed: int | None = None
    removes_other_columns: bool = False
    measures: Measures = NO_MEASURES

    @classmethod
    def from_document(
        cls, document: dict[str, Any], *, read_file: ReadFile | None = None
    ) -> "Plan":
        """Read a plan, refusing anything unknown or meaningless.

        `read_file` returns the content of a taxonomy file by the name the plan gives it; it raises
        OSError or KeyError when there is none. Raises InvalidPlan with the place in the document.
        """
        place = Place(document)
        if isinstance(document, dict) and "queries" in document and "method" not in document:
            place.refuse("This plan asks questions and has no method; the command answer takes it.")
        place.check_keys(
            required=("plan", "columns", "method"),
            optional=("models", "seed", "other_columns", "measures"),
        )
        if place["plan"].value != PLAN_VERSION or isinstance(place["plan"].value, bool):
            place["plan"].refuse(f"version {PLAN_VERSION} is accepted.")
        columns = tuple(
            ColumnPlan.parse(name, entry, read_file) for name, entry in place["columns"].entries()
        )
        plan = cls(
            columns=columns,
            models=_parse_models(place, columns, read_file),
            methods=parse_methods(place["method"]),
            seed=parse_seed(place),
            removes_other_columns=parse_other_columns(place),
            measures=_parse_measures(place, read_file),
        )
        plan._check_columns(place)
        return plan

    def to_document(self) -> dict[str, Any]:
        """Return the document with every default filled in."""
        methods = [method.to_document() for method in self.methods]
        document: dict[str, Any] = {
            "plan": PLAN_VERSION,
            "columns": {column.name: column.to_document() for column in self.columns},
            "models": [model.to_document() for model in self.models],
            "method": methods[0] if len(methods) == 1 else methods,
        }
        if self.removes_other_columns:
            document["other_columns"] = "remove"
        if self.measures.is_asked:
            document["measures"] = self.measures.to_document()
        if self.seed is not None:
            document["seed"] = self.seed
        return document

    @property
    def sha256(self) -> str:
        """Return the hash of the plan; the order of its columns makes no difference."""
        return hash_document(self.to_document())

    @property
    def reversible_columns(self) -> list[str]:
        """The columns whose pseudonyms shall have a way back."""
        return [c.name for c in self.columns if c.treatment == Treatment.REVERSIBLE]

    def column(self, name: str) -> ColumnPlan | None:
        return next((column for column in self.columns if column.name == name), None)

    def names_of(self, role: ColumnRole) -> list[str]:
        return [column.name for column in self.columns if column.role == role]

    @property
    def quasi_identifiers(self) -> list[str]:
        return self.names_of(ColumnRole.QUASI_IDENTIFIER)

    @property
    def protects_by_chance(self) -> bool:
        return any(method.protects_by_chance for method in self.methods)

    @property
    def is_private(self) -> bool:
        return any(method.is_private for method in self.methods)

    def cautions(self) -> list[str]:
        """Return a sentence for everything that is accepted but unusual."""
        parts: Sequence[PrivacyModel | Method] = (*self.models, *self.methods)
        found = [caution for part in parts for caution in part.cautions()]
        if not self.models:
            found.append("The plan asks for no privacy model, so nothing is protected.")
        found += [
            f'The column "{column.name}" has weight 0, so losing it costs nothing.'
            for column in self.columns
            if column.role == ColumnRole.QUASI_IDENTIFIER and column.weight == 0
        ]
        return found

    def check_table(self, table: Table) -> None:
        """Refuse what does not fit this table: columns, types, taxonomies, sizes."""
        if not table.rows:
            raise InvalidTable("The table has no rows below its column names.")
        self._check_names(table)
        for column in self.columns:
            _check_type(column, table[column.name])
        typed = self.typed(table)
        for index, model in enumerate(self.models):
            model.check_table(Place(model.to_document(), f"models[{index}]"), typed)
        self.measures.check_rows(table.rows)
        for planned in self.columns:
            if planned.role == ColumnRole.QUASI_IDENTIFIER or planned.taxonomy is not None:
                self._check_taxonomy(planned, typed[planned.name])

    def typed(self, table: Table) -> Table:
        """Return the table read as the types the plan gives."""
        return table.with_types(
            {column.name: column.type for column in self.columns if column.type}
        )

    def _check_columns(self, place: Place) -> None:
        if not self.columns:
            place["columns"].refuse("at least one column is needed.")
        quasi = [c for c in self.columns if c.role == ColumnRole.QUASI_IDENTIFIER]
        if quasi and not any(column.weight for column in quasi):
            place["columns"].refuse("at least one quasi-identifier needs a weight above 0.")
        if not quasi:
            self._check_nothing_needs_quasi_identifiers(place)
        for index, model in enumerate(self.models):
            here = place["models"].items()[index]
            if model.needs_sensitive and not self.names_of(ColumnRole.SENSITIVE):
                here.refuse("the plan has no sensitive column; give one that role first.")
            if model.sensitive_column is not None:
                self._check_sensitive(here, model)
            model.check_columns(here, self._roles)
        several = isinstance(place["method"].value, list)
        places = place["method"].items() if several else [place["method"]]
        for method, here in zip(self.methods, places, strict=True):
            method.check_columns(here, self._roles)
            method.check_models(here, self.models)
        self.measures.check_columns(place["measures"], self._roles)

    @property
    def populations(self) -> tuple[Population, ...]:
        """The tables of the people this one is drawn from, wherever the plan names one."""
        named = (self.measures.people, *(model.people for model in self.models))
        return tuple(people for people in named if people is not None)

    @property
    def _roles(self) -> dict[str, str]:
        return {column.name: column.role.value for column in self.columns}

    def _check_sensitive(self, place: Place, model: PrivacyModel) -> None:
        sensitive = {c.name: c for c in self.columns if c.role == ColumnRole.SENSITIVE}
        name = model.sensitive_column or ""
        if name not in sensitive:
            place["column"].refuse(
                f"the name of a sensitive column is accepted; the plan has {quoted(sensitive)}."
                if sensitive
                else "the plan has no sensitive column; give one that role first."
            )
        if model.needs_taxonomy and sensitive[name].taxonomy is None:
            place["column"].refuse(
                f'this needs a taxonomy; give the column "{name}" one or choose another distance.'
            )

    def _check_nothing_needs_quasi_identifiers(self, place: Place) -> None:
        parts: Sequence[PrivacyModel | Method] = (*self.models, *self.methods)
        needy = [part.name for part in parts if part.needs_quasi_identifiers]
        if needy:
            place["columns"].refuse(
                f"{needy[0]} needs at least one quasi-identifier; give a column that role."
            )

    def _check_names(self, table: Table) -> None:
        place = Place({}, "columns")
        for column in self.columns:
            if column.name not in table:
                place[column.name].refuse("the table has no column of this name.")
        planned = {column.name for column in self.columns}
        others = [name for name in table.names if name not in planned]
        if others and not self.removes_other_columns:
            shown = quoted(others[:5]) + (" and more" if len(others) > 5 else "")
            place.refuse(
                f"{len(others)} of the table's columns have no role ({shown}); give them one or "
                f'say "other_columns": "remove".'
            )

    def _check_taxonomy(self, planned: ColumnPlan, column: Column) -> None:
        missing = planned.recipe.uncovered(column)
        if missing:
            Place({}, f"columns.{column.name}")["taxonomy"].refuse(
                f'{len(missing)} of the {len(column.values)} values of column "{column.name}" are '
                f"not covered; give each a place in the taxonomy."
            )


def load_plan(path: Path) -> Plan:
    """Read a plan file; taxonomy files are found relative to it."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise InvalidPlan(f'There is no readable plan at "{path}".') from None
    except (ValueError, RecursionError):
        raise InvalidPlan(f'The plan "{path}" is not valid JSON.') from None
    return Plan.from_document(document, read_file=lambda name: (path.parent / name).read_bytes())


def _check_keys_fit_role(place: Place, role: ColumnRole) -> None:
    allowed = {
        ColumnRole.IDENTIFIER: {"treatment"},
        ColumnRole.QUASI_IDENTIFIER: {"taxonomy", "weight", "public_labels"},
        ColumnRole.SENSITIVE: {"taxonomy", "public_labels"},
        ColumnRole.INSENSITIVE: set[str](),
    }[role]
    for key in ("treatment", "taxonomy", "weight", "public_labels"):
        if key in place and key not in allowed:
            place[key].refuse(f'a column with the role "{role}" has no {key}.')


def _parse_treatment(place: Place) -> Treatment:
    if "treatment" not in place:
        return Treatment.REMOVE
    return Treatment(place["treatment"].choice([treatment.value for treatment in Treatment]))


def _parse_weight(place: Place) -> float:
    if "weight" not in place:
        return 1.0
    weight = place["weight"].number()
    if weight < 0:
        place["weight"].refuse("a number of 0 or more is accepted.")
    return float(weight)


def _parse_models(
    place: Place, columns: Sequence[ColumnPlan], read_file: ReadFile | None
) -> tuple[PrivacyModel, ...]:
    if "models" not in place:
        return ()
    sensitive = [column.name for column in columns if column.role == ColumnRole.SENSITIVE]
    return tuple(
        parse_model(item, read_file).for_columns(sensitive) for item in place["models"].items()
    )


def _parse_measures(place: Place, read_file: ReadFile | None) -> Measures:
    return Measures.parse(place["measures"], read_file) if "measures" in place else NO_MEASURES


def parse_seed(place: Place) -> int | None:
    if "seed" not in place or place["seed"].value is None:
        return None
    seed = place["seed"].integer()
    if not 0 <= seed <= LARGEST_SEED:
        place["seed"].refuse("a whole number of 0 or more is accepted.")
    return seed


def parse_other_columns(place: Place) -> bool:
    return "other_columns" in place and bool(place["other_columns"].choice(("remove",)))


def _check_type(planned: ColumnPlan, column: Column) -> None:
    if planned.type is None:
        return
    misfits = count_misfits(column.values, planned.type, column.decimal)
    if misfits:
        Place({}, f"columns.{planned.name}")["type"].refuse(
            f'{misfits} of the {len(column.values)} values cannot be read as "{planned.type}"; '
            f"choose another type or leave it out."
        )


def is_network_plan(document: Any) -> bool:
    """Say whether a plan is about a network, whatever else is wrong with it."""
    return isinstance(document, Mapping) and "network" in document
