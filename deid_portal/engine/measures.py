"""What a plan wants to be measured beyond its models: risk, attacks, usefulness."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from deid_portal.engine.attacks import ATTACKS, Attack
from deid_portal.engine.documents import Place, plain_value, quoted
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv.format import detect_csv
from deid_portal.engine.files.csv.reader import read_csv
from deid_portal.engine.parameters import ColumnName, ColumnNames, Parameter
from deid_portal.engine.privacy.population import Population
from deid_portal.engine.table.table import Table
from deid_portal.engine.taxonomies.recipe import ReadFile

THRESHOLD = Parameter("threshold", minimum=0, maximum=1, default=0.2)
POPULATION_SIZE = Parameter("population_size", minimum=1, whole=True, optional=True)
QUERIES = Parameter("queries", minimum=0, maximum=100_000, whole=True, default=0)
GROUPS = ColumnNames("groups", optional=True)
FILES = ("control", "outside")  # tables an attacker may have beside the release


@dataclass(frozen=True, eq=False)
class OutsideFile:
    """A table an attacker has, read when it is needed."""

    name: str
    content: bytes

    @cached_property
    def table(self) -> Table:
        return read_csv(io.BytesIO(self.content), detect_csv(self.content).format)

    @cached_property
    def people(self) -> Population:
        return Population(self.table)


@dataclass(frozen=True, eq=False)
class PlannedAttack:
    """An attack with its parameters, the column it is after and what the attacker has.

    `person` names a column, in the original and in the outside table, that says who is who; it
    tells right links from wrong ones and is not known to the attacker.
    """

    attack: Attack
    column: str | None = None
    outside: OutsideFile | None = None
    control: OutsideFile | None = None
    person: str | None = None

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "PlannedAttack":
        place.check_object()
        kind = ATTACKS[place["attack"].choice(ATTACKS)]
        own = [parameter.name for parameter in kind.parameters]
        place.check_keys(
            required=("attack", *(key for key in FILES if key in kind.needs)),
            optional=(*own, "column", "outside", "control", "person"),
        )
        if "others" in kind.needs:
            place["attack"].refuse("this compares several releases, and a plan makes one.")
        return cls(
            attack=kind(**{parameter.name: parameter.read(place) for parameter in kind.parameters}),
            column=place["column"].text() if "column" in place else None,
            outside=_read_outside(place, "outside", read_file),
            control=_read_outside(place, "control", read_file),
            person=place["person"].text() if "person" in place else None,
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the attack itself, as a document holds them."""
        declared = {parameter.name for parameter in self.attack.parameters}
        names = [field.name for field in fields(self.attack) if field.name in declared]  # type: ignore[arg-type]
        return {name: plain_value(getattr(self.attack, name)) for name in names}

    def to_document(self) -> dict[str, Any]:
        given = {
            "column": self.column,
            "outside": self.outside and self.outside.name,
            "control": self.control and self.control.name,
            "person": self.person,
        }
        said = {key: value for key, value in given.items() if value is not None}
        return {"attack": self.attack.name, **self.parameters, **said}

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        if self.column is not None and self.column not in roles:
            place["column"].refuse(f"a column of the plan is accepted: {quoted(roles)}.")
        needs_one = "sensitive" in self.attack.needs and self.column is None
        if needs_one and "sensitive" not in roles.values():
            place.refuse("this needs a sensitive column, and the plan has none.")
        if self.person is not None and self.person not in roles:
            place["person"].refuse(f"a column of the plan is accepted: {quoted(roles)}.")


@dataclass(frozen=True, eq=False)
class Measures:
    """Everything asked for under `measures`; absent, what costs little is measured."""

    threshold: float = 0.2  # a risk above it is counted
    population_size: int | None = None
    population: OutsideFile | None = None  # the people the table is drawn from
    attacks: tuple[PlannedAttack, ...] = ()
    class_column: str | None = None  # what classifiers learn
    queries: int = 0  # random counts to compare
    groups: tuple[str, ...] = ()  # columns by which it is told who pays
    is_asked: bool = False

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "Measures":
        place.check_keys(optional=("risk", "attacks", "utility"))
        risk = place["risk"] if "risk" in place else Place({}, "measures.risk")
        utility = place["utility"] if "utility" in place else Place({}, "measures.utility")
        risk.check_keys(optional=("threshold", "population_size", "population"))
        utility.check_keys(optional=("class_column", "queries", "groups"))
        attacks = place["attacks"].items() if "attacks" in place else []
        class_column = ColumnName("class_column")
        return cls(
            threshold=THRESHOLD.read(risk),
            population_size=POPULATION_SIZE.read(risk),
            population=_read_outside(risk, "population", read_file),
            attacks=tuple(PlannedAttack.parse(item, read_file) for item in attacks),
            class_column=class_column.read(utility) if "class_column" in utility else None,
            queries=QUERIES.read(utility),
            groups=GROUPS.read(utility) or (),
            is_asked=True,
        )

    @property
    def people(self) -> Population | None:
        return None if self.population is None else self.population.people

    def to_document(self) -> dict[str, Any]:
        risk: dict[str, Any] = {"threshold": self.threshold}
        if self.population_size is not None:
            risk["population_size"] = self.population_size
        if self.population is not None:
            risk["population"] = self.population.name
        utility: dict[str, Any] = {"queries": self.queries}
        if self.class_column is not None:
            utility["class_column"] = self.class_column
        if self.groups:
            utility["groups"] = list(self.groups)
        attacks = [attack.to_document() for attack in self.attacks]
        return {"risk": risk, "attacks": attacks, "utility": utility}

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        if not self.is_asked:
            return
        named = (*self.groups, *((self.class_column,) if self.class_column else ()))
        if not all(name in roles for name in named):
            place["utility"].refuse(f"columns of the plan are accepted: {quoted(roles)}.")
        if any(roles[name] == "identifier" for name in self.groups):
            place["utility"]["groups"].refuse(
                "columns that are no identifiers are accepted: the report names their values."
            )
        if self.people is not None:
            self.people.check_columns(place["risk"]["population"], roles)
        places = place["attacks"].items() if self.attacks else []
        for attack, here in zip(self.attacks, places, strict=True):
            attack.check_columns(here, roles)

    def check_rows(self, rows: int) -> None:
        """Refuse a population that cannot hold the people of the table."""
        sizes = {
            "population_size": self.population_size,
            "population": None if self.people is None else self.people.size,
        }
        for key, size in sizes.items():
            if size is not None and size < rows:
                place = Place(size, f"measures.risk.{key}")
                place.refuse(f"at least the {rows} rows of the table are accepted.")

    def without_files(self) -> "Measures":
        """Return the measures without those that need tables which are not published."""
        kept = (own for own in self.attacks if own.outside is None and own.control is None)
        return replace(self, attacks=tuple(kept), population=None)


NO_MEASURES = Measures()


def _read_outside(place: Place, key: str, read_file: ReadFile | None) -> OutsideFile | None:
    if key not in place:
        return None
    here = place[key]
    if read_file is None:
        here.refuse("files cannot be read here.")
    try:
        outside = OutsideFile(here.text(), read_file(here.text()))
        outside.table  # noqa: B018 - read now, so that a bad file is refused with its place
    except (OSError, KeyError):
        here.refuse(f'there is no readable file "{here.value}" beside the plan.')
    except InvalidTable as error:
        here.refuse(f"the file cannot be read: {error}")
    return outside
