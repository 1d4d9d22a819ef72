"""The interface of every privacy model: a rule on equivalence classes that explains itself."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place, plain_value, quoted
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import (
    Choice,
    Declared,
    Values,
    ValuesByColumn,
    columns_named,
    number_of_look_alikes,
)
from deid_portal.engine.privacy.distances import Distances
from deid_portal.engine.privacy.hidden_names import NameOf, is_hidden_name
from deid_portal.engine.privacy.kinds import AttackModel, Disclosure
from deid_portal.engine.privacy.sensitive import SensitiveColumn
from deid_portal.engine.table.patterns import Classes, Patterns
from deid_portal.engine.table.table import Codes, Column, Counts, Table
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Recipe, Taxonomy
from deid_portal.engine.taxonomies.recipe import ReadFile

if TYPE_CHECKING:
    from deid_portal.engine.privacy.population import Population

Answers = NDArray[np.bool_]
ROUNDING = 1e-9  # tolerance for rounding


@dataclass(frozen=True, eq=False)
class WholeTable:
    """The whole original table before suppression, which classes may be compared with."""

    rows: int
    sensitive: Mapping[str, SensitiveColumn] = field(default_factory=dict)
    original: "Original | None" = None
    populations: "Sequence[Population]" = ()  # tables of the people it is drawn from


@dataclass(frozen=True, eq=False)
class Original:
    """The quasi-identifiers of the original table, in its order."""

    columns: Sequence[Column]
    taxonomies: Sequence[Taxonomy]
    patterns: Patterns
    recipes: Sequence[Recipe | None] = ()

    def parts(self) -> Iterator[tuple[Column, Taxonomy, Recipe | None]]:
        """Return each column with its taxonomy and, if known, how that was made."""
        recipes = self.recipes or [None] * len(self.columns)
        return zip(self.columns, self.taxonomies, recipes, strict=True)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def labels_of(self, classes: Classes) -> Codes:
        """Return what each class shows, column × class: labels of the taxonomies, nothing else."""
        if not self.knows_labels_of(classes):
            raise InvalidPlan(
                "models: the release shows values that no taxonomy has, so a model that looks for "
                "labels cannot be measured on it; choose another model or another method."
            )
        return classes.labels

    def knows_labels_of(self, classes: Classes) -> bool:
        """Say whether all classes show labels of the taxonomies.

        Ranges and made-up values, which some methods show, are not labels of a taxonomy.
        """
        return len(classes.labels) == len(self.taxonomies) and bool(self.recognize(classes).all())

    def recognize(self, classes: Classes) -> Answers:
        """Say of each class whether all it shows are labels of the taxonomies."""
        known: Answers = np.ones(len(classes.sizes), np.bool_)
        for taxonomy, shown in zip(self.taxonomies, classes.labels, strict=True):
            known &= shown < sum(map(len, taxonomy.labels))
        return known

    @cached_property
    def distances(self) -> Distances:
        return Distances(self.columns, self.taxonomies, self.patterns)


LOOK_ALIKES = number_of_look_alikes()


class PrivacyModel(ABC):
    """A rule for the classes of a release; subclasses are frozen dataclasses.

    Fields of the dataclass are the parameters, in the names `plan-format.md` gives them, and
    `parameters` declares what is accepted for each.

    `is_monotone`: if the rule holds for the table without suppression, it does for any coarser
    table. `is_monotone_per_record`: a class that passes still passes after any other records join
    it. Once records are suppressed, a search can only rely on the second, because a failing class
    may join a passing one.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Declared, ...]]
    cites: ClassVar[str]
    addresses: ClassVar[tuple[AttackModel, ...]]
    disclosure: ClassVar[Disclosure]
    needs_quasi_identifiers: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False  # at least one sensitive column
    judges_release: ClassVar[bool] = False  # whether `accepts` may refuse
    judges_classes: ClassVar[bool] = True  # whether `passes` may fail a class
    needs_labels: ClassVar[bool] = False  # whether classes must show labels of taxonomies
    # Whether it compares with the distribution of the whole table, suppressed people included.
    compares_with_original: ClassVar[bool] = False
    needs_besides: ClassVar[str] = ""  # data it needs beyond the release, in words
    look_alikes: ClassVar[str] = ""  # the parameter with the number of look-alikes
    names_sensitive: ClassVar[str] = "column"  # the parameter that names sensitive columns, if any
    speaks_of_sensitive: ClassVar[bool] = False  # whether it protects a sensitive column
    largest_share: ClassVar[str] = ""  # the parameter that bounds shares of sensitive values
    # The parameter with the number of quasi-identifiers an intruder knows; empty: all of them.
    columns_known: ClassVar[str] = ""
    # Whether it is quick enough for an estimate; not if it compares with original records or checks
    # all combinations of columns.
    can_be_estimated: ClassVar[bool] = True

    @property
    @abstractmethod
    def is_monotone(self) -> bool: ...

    @property
    @abstractmethod
    def is_monotone_per_record(self) -> bool: ...

    @property
    def sensitive_column(self) -> str | None:
        """Return the sensitive column the rule is about, if it is about one."""
        return None

    @property
    def counted_columns(self) -> tuple[str, ...]:
        """Return the columns whose values the rule counts within a class."""
        return () if self.sensitive_column is None else (self.sensitive_column,)

    @property
    def people(self) -> "Population | None":
        """Return the table of a population the rule compares with, if it compares with one."""
        return None

    @property
    def needs_taxonomy(self) -> bool:
        """Say whether the sensitive column must have a taxonomy."""
        return False

    @property
    def needs_numbers(self) -> bool:
        """Say whether the sensitive column must hold numbers."""
        return False

    @property
    def needs_order(self) -> bool:
        """Say whether the values of the sensitive column must have an order."""
        return False

    @property
    def ignores_nearness(self) -> bool:
        """Say whether it asks no more than that sensitive values differ, however near they are.

        Where nearly all values differ, as amounts to the cent do, such a rule holds by itself.
        """
        return False

    def names_values_of(self, column: str) -> bool:
        """Say whether a parameter names values of a sensitive column."""
        for own in self.parameters:
            value = getattr(self, own.name, None)
            if isinstance(own, ValuesByColumn) and value and value.get(column) is not None:
                return True
            if isinstance(own, Values) and value is not None and self.sensitive_column == column:
                return True
        return False

    @property
    def chance_granted(self) -> float | None:
        """Return the chance of a right match that the rule allows, if it limits that.

        One of k look-alikes is found by guessing with a chance of 1 in k.
        """
        return 1 / getattr(self, self.look_alikes) if self.look_alikes else None

    @abstractmethod
    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        """Return one True or False per class."""

    def judge(self, classes: Classes, whole: WholeTable) -> tuple[Answers, Counts]:
        """Return which classes pass, and how many records of each are lost at any finer level.

        The second is a lower bound that a search relies on: however a class is divided, at least so
        many of its records end up in classes that break the rule. If the rule is monotone per
        record, that is all records of a failing class; if not, it is 0 unless a model proves more.
        """
        passes = self.passes(classes, whole)
        if self.is_monotone_per_record:
            return passes, classes.sizes * ~passes
        return passes, np.zeros(len(classes.sizes), np.int64)

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        """Judge the release as a whole, after violating classes were left out."""
        return True

    @abstractmethod
    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        """Return the parameters the release reaches, the best for which the rule would hold."""

    @abstractmethod
    def explain(self) -> str:
        """Return the sentence shown to the person choosing this model."""

    @staticmethod
    def _at_least(records: NDArray[np.float64], passes: Answers) -> Counts:
        """Return whole numbers of records, none where a class passes."""
        return np.where(passes, 0, np.ceil(records - 1e-6)).astype(np.int64)

    @classmethod
    def parse(cls, place: Place) -> Self:
        """Read a model entry of a plan."""
        # A planned variant may have keys of its own; then the message says that it is planned.
        for parameter in cls.parameters:
            if isinstance(parameter, Choice):
                parameter.read(place)
        place.check_keys(
            required=("model",), optional=[parameter.name for parameter in cls.parameters]
        )
        return cls(**{parameter.name: parameter.read(place) for parameter in cls.parameters})

    @classmethod
    def sensitive_columns_of(cls, rule: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the sensitive columns that a rule of a plan names."""
        naming = [own for own in cls.parameters if own.name == cls.names_sensitive]
        return tuple(columns_named(naming, rule))

    def to_document(self) -> dict[str, Any]:
        declared = {parameter.name for parameter in self.parameters}
        names = [field.name for field in fields(self) if field.name in declared]  # type: ignore[arg-type]
        chosen = {name: getattr(self, name) for name in names}
        said = {name: plain_value(value) for name, value in chosen.items() if value is not None}
        return {"model": self.name, **said}

    def published(self, name_of: NameOf) -> Self:
        """Return the model as a published plan may show it: without values no released record has.

        Models whose parameters name values must override it.
        """
        return self

    def with_files(self, place: Place, read_file: ReadFile | None) -> Self:
        """Return the model with the files it names read."""
        return self

    def for_columns(self, sensitive: Sequence[str]) -> Self:
        """Return the model with every sensitive column of the plan where it names none."""
        return self

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:  # noqa: B027
        """Refuse columns that the plan does not have or gives another role."""

    def cautions(self) -> list[str]:
        """Return a sentence for every parameter that is accepted but unusual."""
        found = (
            parameter.caution_for(getattr(self, parameter.name)) for parameter in self.parameters
        )
        return [sentence for sentence in found if sentence]

    def check_rows(self, place: Place, rows: int) -> None:
        """Refuse parameters that no release of this many rows can meet."""
        if self.look_alikes and getattr(self, self.look_alikes) > rows:
            place[self.look_alikes].refuse(
                f"the table has {rows} rows, so at most {rows} is accepted."
            )

    def check_table(self, place: Place, table: Table) -> None:
        """Refuse what does not fit this table."""
        self.check_rows(place, table.rows)


def check_sensitive(place: Place, names: Collection[str], roles: Mapping[str, str]) -> None:
    """Refuse names that are not those of sensitive columns."""
    if not all(roles.get(name) == "sensitive" for name in names):
        known = [name for name, role in roles.items() if role == "sensitive"]
        place.refuse(f"the names of sensitive columns are accepted; the plan has {quoted(known)}.")


def check_values(place: Place, values: Collection[str | None], table: Table, name: str) -> None:
    """Refuse values the column does not have: a misspelt value would protect nothing.

    A number in place of a value comes from a published plan and stands for an unreleased value.
    """
    known = table[name].values if name in table else ()
    foreign = sum(value not in known and not is_hidden_name(value) for value in values)
    if foreign:
        place.refuse(f'{foreign} of the values do not occur in the column "{name}"; name others.')


def check_numeric(place: Place, table: Table, name: str) -> None:
    if name in table and table[name].type not in (ColumnType.INTEGER, ColumnType.NUMBER):
        place.refuse(f'this rule is about numbers, and the column "{name}" holds none.')
