"""What a dataset is about, a table or a network, decided once: by the kind it was uploaded as.

Whatever rooms do differently for one kind than for another, they ask an object that was chosen
here. A room that has such questions declares them as a subclass of `SubjectPart`, and answers them
in one subclass per kind:

    class RunSubject(SubjectPart):  # what a run asks of its dataset
        @abstractmethod
        def work_on(self, lease): ...

    class TableRun(RunSubject, kind=SubjectKind.TABLE): ...
    class NetworkRun(RunSubject, kind=SubjectKind.NETWORK): ...

    RunSubject.of(dataset).work_on(lease)

A further kind is a line in `SubjectKind` and a subclass of each part; `tests/test_subjects.py`
lists what is missing. What is true of a kind everywhere, such as its words, stands in `Subject`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from django.db.models import TextChoices

if TYPE_CHECKING:
    from deid_portal.datasets.models import Dataset


class SubjectKind(TextChoices):
    TABLE = "table", "Table"
    NETWORK = "network", "Network"


class SubjectPart(ABC):
    """What one room asks of a dataset; one implementation per kind, with the dataset at hand."""

    of_kind: ClassVar[dict[str, type["SubjectPart"]]]

    def __init__(self, dataset: "Dataset") -> None:
        self.dataset = dataset

    def __init_subclass__(cls, *, kind: SubjectKind | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if SubjectPart in cls.__bases__:
            cls.of_kind = {}
        if kind is not None:
            cls.of_kind[kind] = cls

    @classmethod
    def kinds(cls) -> list[str]:
        """Return the kinds that are answered by this class or by one that extends it."""
        return [kind for kind, own in cls.of_kind.items() if issubclass(own, cls)]

    @classmethod
    def of(cls, dataset: "Dataset") -> Self:
        """Return the implementation for this dataset."""
        return cast(Self, cls.of_kind[dataset.kind](dataset))


class Subject(SubjectPart):
    """What every room and page may ask; `dataset.subject` is it."""

    noun: ClassVar[str]  # "This is a table."
    series_noun: ClassVar[str]  # "Versions of this dataset"
    unit: ClassVar[str]  # what its rows are called: "30,162 rows"
    contents: ClassVar[str]  # what may be asked about: "30,162 people and their links"
    single: ClassVar[str]  # what nobody gets to see at the query desk: "a row"
    never_shown: ClassVar[str]  # the same as a promise
    icon: ClassVar[str]
    place: ClassVar[str]  # the room in the top bar
    list_page: ClassVar[str]
    upload_page: ClassVar[str]
    # Pages on which the same is done for every kind, under names of their own.
    pages: ClassVar[Mapping[str, str]]
    # Of the released rows in the vault.
    release_ending: ClassVar[str]
    # A seed is refused where all that protects people is drawn by chance.
    takes_seed: ClassVar[bool]
    # Quasi-identifiers without a taxonomy stop a run.
    needs_taxonomies: ClassVar[bool]
    # Treatments of identifiers can be chosen; otherwise none of them ever leaves.
    treats_identifiers: ClassVar[bool]
    # A plan can leave people out of the release.
    leaves_people_out: ClassVar[bool]

    @property
    @abstractmethod
    def page_after_reading(self) -> str:
        """Where the work goes on: at the columns, at what a next version changed, or at a doubt."""

    @property
    @abstractmethod
    def size_words(self) -> str:
        """What it has besides its rows, once it is read: "13 columns"."""

    @property
    def facts(self) -> list[str]:
        """How large it is; nothing as long as it is not read."""
        if not self.dataset.is_ready:
            return []
        return [f"{self.dataset.rows:,} {self.unit}", self.size_words]


class TableSubject(Subject, kind=SubjectKind.TABLE):
    noun, series_noun, unit, icon = "table", "dataset", "rows", "table"
    contents, single, never_shown = "rows", "a row", "No rows are ever shown"
    place, list_page, upload_page = "Datasets", "datasets:list", "datasets:new"
    pages: ClassVar[Mapping[str, str]] = {
        "preview": "datasets:preview",
        "reading": "datasets:reading",
        "protection": "plans:protection",
        "document": "plans:document",
        "changes": "versions:drift",
    }
    release_ending = "csv"
    takes_seed = needs_taxonomies = treats_identifiers = leaves_people_out = True

    @property
    def page_after_reading(self) -> str:
        return "versions:drift" if self.dataset.previous_id else "datasets:columns"

    @property
    def size_words(self) -> str:
        return f"{self.dataset.column_count:,} columns"
