"""What every privacy model is: a rule on equivalence classes that can explain itself."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place, listed, plain
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Choice, Declared, Parameter
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
ROUNDING = 1e-9  # what rounding may make of two equal numbers


@dataclass(frozen=True, eq=False)
class Whole:
    """The table a release comes from, nothing suppressed: what a class may be compared with."""

    rows: int
    sensitive: Mapping[str, SensitiveColumn] = field(default_factory=dict)
    original: "Original | None" = None
    populations: "Sequence[Population]" = ()  # tables of the people it is drawn from


@dataclass(frozen=True, eq=False)
class Original:
    """The quasi-identifiers of the table as it came, in its order."""

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

        Ranges and made-up values, which only some methods show, have no place there.
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


LOOK_ALIKES = Parameter(
    "k",
    minimum=2,
    whole=True,
    unusual_below=3,
    unusual_above=1000,
    caution="k = {value} is unusual: 2 protects little, above 1,000 little detail is left.",
)


class PrivacyModel(ABC):
    """One promise about the classes of a release; subclasses are frozen dataclasses.

    Fields of the dataclass are the parameters, in the names `plan-format.md` gives them, and
    `parameters` declares what is accepted for each.

    `is_monotone`: if the whole table keeps to the rule, nothing left out, so does any coarser one.
    `is_monotone_per_record`: a class that passes still passes after any other records join it.
    Only the second lets a search conclude anything once records are suppressed, because then a
    passing class may be joined by one that failed.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Declared, ...]]
    cites: ClassVar[str]
    addresses: ClassVar[tuple[AttackModel, ...]]
    disclosure: ClassVar[Disclosure]
    needs_quasi_identifiers: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False  # any sensitive column, named or not
    judges_release: ClassVar[bool] = False  # whether `accepts` has anything to say
    judges_classes: ClassVar[bool] = True  # whether `passes` has anything to say
    needs_labels: ClassVar[bool] = False  # whether it looks for labels of the taxonomies
    # Whether it is measured against the distribution of the whole table, people left out included.
    compares_with_original: ClassVar[bool] = False
    needs_besides: ClassVar[str] = ""  # what it is measured with that no release holds, in words
    look_alikes: ClassVar[str] = ""  # the parameter that says among how many everybody hides
    speaks_of_sensitive: ClassVar[bool] = False  # whether it protects a sensitive column
    # Whether checking it is quick enough for an estimate; not where it compares with the records
    # as they came, or looks at all combinations of columns.
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
    def chance_granted(self) -> float | None:
        """Return the chance of a right match that the rule leaves an intruder, if it speaks of it.

        One of k look-alikes is found by guessing with a chance of 1 in k.
        """
        return 1 / getattr(self, self.look_alikes) if self.look_alikes else None

    @abstractmethod
    def passes(self, classes: Classes, whole: Whole) -> Answers:
        """Return one True or False per class."""

    def judge(self, classes: Classes, whole: Whole) -> tuple[Answers, Counts]:
        """Return which classes pass, and how many records of each are lost when it is split.

        The second is a promise a search builds on: however a class is cut into finer ones, at
        least so many of its records end up in classes that break the rule. All of them do if the
        rule is monotone per record; nothing is promised where it is not, unless a model proves it.
        """
        passes = self.passes(classes, whole)
        if self.is_monotone_per_record:
            return passes, classes.sizes * ~passes
        return passes, np.zeros(len(classes.sizes), np.int64)

    def accepts(self, kept: Classes, whole: Whole) -> bool:
        """Judge the release as a whole, after violating classes were left out."""
        return True

    @abstractmethod
    def achieved(self, kept: Classes, whole: Whole) -> dict[str, Any]:
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
        # A variant that is still to come may have keys of its own; say that it is to come.
        for parameter in cls.parameters:
            if isinstance(parameter, Choice):
                parameter.read(place)
        place.check_keys(
            required=("model",), optional=[parameter.name for parameter in cls.parameters]
        )
        return cls(**{parameter.name: parameter.read(place) for parameter in cls.parameters})

    def to_document(self) -> dict[str, Any]:
        declared = {parameter.name for parameter in self.parameters}
        names = [field.name for field in fields(self) if field.name in declared]  # type: ignore[arg-type]
        chosen = {name: getattr(self, name) for name in names}
        said = {name: plain(value) for name, value in chosen.items() if value is not None}
        return {"model": self.name, **said}

    def published(self, name_of: NameOf) -> Self:
        """Return the model as a published plan may have it, without values nobody is shown to have.

        A model whose parameters name values must answer.
        """
        return self

    def with_files(self, place: Place, read_file: ReadFile | None) -> Self:
        """Return the model with the files it names read."""
        return self

    def for_columns(self, sensitive: Sequence[str]) -> Self:
        """Return the model with every sensitive column of the plan where it names none."""
        return self

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:  # noqa: B027
        """Refuse columns that the plan does not have, or not with the right role."""

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
        place.refuse(f"the names of sensitive columns are accepted; the plan has {listed(known)}.")


def check_values(place: Place, values: Collection[str | None], table: Table, name: str) -> None:
    """Refuse values the column does not have: a slip of the pen would protect nothing.

    A number in place of a value comes from a published plan, and nobody in its release has it.
    """
    known = table[name].values if name in table else ()
    foreign = sum(value not in known and not is_hidden_name(value) for value in values)
    if foreign:
        place.refuse(f'{foreign} of the values do not occur in the column "{name}"; name others.')


def check_numeric(place: Place, table: Table, name: str) -> None:
    if name in table and table[name].type not in (ColumnType.INTEGER, ColumnType.NUMBER):
        place.refuse(f'this rule is about numbers, and the column "{name}" holds none.')
