"""A table of the population a release is drawn from, generalized to the release's labels."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.files.csv.format import detect_csv
from deid_portal.engine.files.csv.reader import read_csv
from deid_portal.engine.privacy.model import Original
from deid_portal.engine.privacy.projections import number_columns
from deid_portal.engine.privacy.record_matching import levels_of_labels
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import Classes, Patterns, reduce_table
from deid_portal.engine.table.table import Codes, Column, Counts, Table
from deid_portal.engine.taxonomies import Recipe, Taxonomy
from deid_portal.engine.taxonomies.recipe import ReadFile

NOWHERE = -1  # the number of a label that the release cannot show


@dataclass(frozen=True, eq=False)
class Population:
    """People, each with the columns that are the release's quasi-identifiers."""

    table: Table
    _seen: dict[int, "SeenPopulation"] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, place: Place, read_file: ReadFile | None) -> "Population":
        """Read the CSV file a plan names; its form is detected."""
        if read_file is None:
            place.refuse("files cannot be read here.")
        try:
            content = read_file(place.text())
        except (OSError, KeyError):
            place.refuse(f'there is no readable file "{place.value}" beside the plan.')
        try:
            return cls(read_csv(io.BytesIO(content), detect_csv(content).format))
        except InvalidTable as error:
            place.refuse(f"the file cannot be read: {error}")

    @property
    def size(self) -> int:
        return self.table.rows

    def count(self, classes: Classes, original: Original | None) -> Counts:
        """Return how many people of the population look like each class."""
        if original is None or not original.names:
            return np.full(len(classes.sizes), self.size, np.int64)
        return self._through(original).count(classes)

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        """Refuse a file that lacks a quasi-identifier: it cannot be compared with a release."""
        quasi = [name for name, role in roles.items() if role == "quasi-identifier"]
        missing = [name for name in quasi if name not in self.table]
        if missing:
            place.refuse(f'the file has no column "{missing[0]}", which is a quasi-identifier.')

    def count_recognizable(self, classes: Classes, original: Original) -> Counts:
        """Count as `count` does, with 0 for classes that show labels of no taxonomy."""
        recognizable = original.recognize(classes)
        counts = np.zeros(len(classes.sizes), np.int64)
        counts[recognizable] = self.count(classes.only(recognizable), original)
        return counts

    def _through(self, original: Original) -> "SeenPopulation":
        """Return the population generalized by the taxonomies of this table, prepared once."""
        seen = self._seen.get(id(original))
        if seen is None or seen.original is not original:
            seen = SeenPopulation(self.table, original)
            self._seen[id(original)] = seen
        return seen


def count_fewest(
    populations: Sequence[Population], classes: Classes, original: Original | None
) -> Counts | None:
    """Return how many people look like each class, in the population where they are fewest.

    None without a population, or without the quasi-identifiers to compare with it.
    """
    if not populations or original is None:
        return None
    counts = [own.count_recognizable(classes, original) for own in populations]
    fewest: Counts = np.minimum.reduce(counts)
    return fewest


class SeenPopulation:
    """The population's patterns with the number of every label above every value."""

    def __init__(self, table: Table, original: Original) -> None:
        self.original = original
        self.patterns: Patterns = reduce_table(table, original.names, (), Progress(None))
        self.nodes = [
            _number_labels(table[column.name], column, taxonomy, recipe)
            for column, taxonomy, recipe in original.parts()
        ]
        self.levels = [levels_of_labels(taxonomy) for taxonomy in original.taxonomies]

    def count(self, classes: Classes) -> Counts:
        labels = self.original.labels_of(classes)
        levels = np.array([own[row] for own, row in zip(self.levels, labels, strict=True)])
        counts = np.zeros(len(classes.sizes), np.int64)
        for at in np.unique(levels, axis=1).T:
            here = np.flatnonzero((levels == at[:, None]).all(axis=0))
            columns = zip(self.nodes, at, self.patterns.codes, strict=True)
            shown = np.array([nodes[level][codes] for nodes, level, codes in columns], np.int32)
            counts[here] = _match(labels[:, here], shown, self.patterns.counts)
        return counts


def _match(labels: Codes, shown: Codes, people: Counts) -> Counts:
    """Return how many people show each class's labels; labels of classes all differ."""
    everywhere = (shown != NOWHERE).all(axis=0)
    both = np.concatenate([labels, shown[:, everywhere]], axis=1)
    numbers = number_columns(both, range(len(both)))
    classes = labels.shape[1]
    found = np.bincount(numbers[classes:], people[everywhere], int(numbers.max(initial=0)) + 1)
    return found[numbers[:classes]].astype(np.int64)


def _number_labels(
    people: Column, own: Column, taxonomy: Taxonomy, recipe: Recipe | None
) -> list[Codes]:
    """Return, per level, the number of the label above each of the population's values.

    A value the table does not hold is looked up among the taxonomy's other leaves or, if the
    taxonomy is a rule, by that rule. A value that is not found has the label of a single root only.
    """
    starts = np.cumsum([0, *(len(labels) for labels in taxonomy.labels)])
    known = [
        {text: int(start) + code for code, text in enumerate(labels)}
        for labels, start in zip(taxonomy.labels, starts, strict=False)
    ]
    leaves = {text: leaf for leaf, text in enumerate(taxonomy.labels[0])}
    strangers = [text for text in people.values if text is not None and text not in leaves]
    paths = _paths_of(strangers, own, recipe)
    numbers = np.full((taxonomy.height + 1, len(people.values)), NOWHERE, np.int32)
    for code, text in enumerate(people.values):
        if text in leaves:
            numbers[:, code] = [nodes[leaves[text]] for nodes in taxonomy.nodes]
        elif text in paths:
            path = (text, *paths[text])[: taxonomy.height + 1]
            numbers[: len(path), code] = [
                names.get(label, NOWHERE) for names, label in zip(known, path, strict=False)
            ]
    if len(taxonomy.labels[-1]) == 1:
        numbers[-1] = starts[-2]
    return list(numbers)


def _paths_of(
    strangers: list[str], own: Column, recipe: Recipe | None
) -> dict[str, tuple[str, ...]]:
    if recipe is None or not strangers:
        return {}
    everything = dict.fromkeys((*own.values, *strangers))
    codes = np.zeros(0, np.int32)
    try:
        return recipe.paths(Column(own.name, own.type, codes, tuple(everything), own.decimal))
    except InvalidPlan:
        return {}
