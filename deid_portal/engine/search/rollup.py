"""Classes at any combination of levels, computed from the smallest finer classes in memory.

A label is written as the first leaf under it. A key made of such leaves can be raised further
without knowing at which level it stands, and classes roll up to coarser ones from their keys alone.
"""

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled import kernels
from deid_portal.engine.search.lattice import Levels
from deid_portal.engine.table.patterns import WORD_BITS, Classes, Keys, Patterns, View, combine
from deid_portal.engine.table.table import Codes, Counts
from deid_portal.engine.taxonomies import Taxonomy

REMEMBERED_BYTES = 128 << 20
SMALL = 1000  # patterns
STEPS = (1, 2, 4)  # numbers of columns to raise in an intermediate step


@dataclass(frozen=True, eq=False, slots=True)
class RolledUpClasses:
    """The classes at one combination of levels and the finer ones they were made from."""

    levels: Levels
    classes: Classes
    words: list[Keys]  # the key of each class, in as many words as it takes
    class_of: Codes  # class of each class of the source
    source: "RolledUpClasses | None" = None  # None: the patterns themselves

    def spread(self, answers: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Hand one answer per class down to the patterns."""
        grouped: RolledUpClasses | None = self
        while grouped is not None:
            answers = kernels.spread(answers, grouped.class_of)
            grouped = grouped.source
        return answers

    @property
    def byte_count(self) -> int:
        pairs = sum(len(pairs.counts) for pairs in self.classes.sensitive.values())
        own = len(self.classes.sizes) * (12 + 8 * len(self.words))
        return own + 4 * len(self.class_of) + 16 * pairs


class LevelKeys:
    """Lookup tables from a leaf to the leaf that stands for its label, per column and level.

    Columns share 64-bit words; a column that no longer fits opens the next word.
    """

    def __init__(self, taxonomies: Sequence[Taxonomy], value_counts: Sequence[int]) -> None:
        self.word_of: list[int] = []
        self.starts: list[list[int]] = []  # per column: start of each level
        self.label_counts: list[list[int]] = []  # per column and level
        shifts: list[int] = []
        masks: list[int] = []
        tables: list[Keys] = [np.zeros(0, np.uint64)]
        length = word = used = 0
        for taxonomy, values in zip(taxonomies, value_counts, strict=True):
            bits = max(values - 1, 0).bit_length()
            if used + bits > WORD_BITS:
                word, used = word + 1, 0
            # A column of one value takes no bits; after a full word its shift would be out of
            # range.
            shift = min(used, WORD_BITS - 1)
            leaves = _first_leaves(taxonomy.codes[:, :values])
            tables.append((leaves << np.uint64(shift)).reshape(-1))
            self.starts.append([length + values * level for level in range(len(leaves))])
            self.label_counts.append([len(np.unique(level)) for level in leaves])
            self.word_of.append(word)
            shifts.append(shift)
            masks.append((1 << bits) - 1)
            length += leaves.size
            used += bits
        self.word_count = word + 1
        self.shifts = np.array(shifts, np.uint64)
        self.masks = np.array(masks, np.uint64)
        self.lookup = np.concatenate(tables)
        self.columns_of_word = [
            [column for column, own in enumerate(self.word_of) if own == word]
            for word in range(self.word_count)
        ]
        everyone = range(len(self.starts))
        self._one_step = [
            [self._place([column], [start]) for start in self.starts[column]] for column in everyone
        ]

    def most_classes(self, levels: Levels) -> int:
        """Return how many combinations of labels there are."""
        pairs = zip(self.label_counts, levels, strict=True)
        return math.prod([counts[level] for counts, level in pairs])

    def pack(self, codes: Codes) -> list[Keys]:
        """Return the keys of patterns at level 0: one array per word."""
        words = [np.zeros(codes.shape[1], np.uint64) for _ in range(self.word_count)]
        for column, word in enumerate(self.word_of):
            words[word] |= codes[column].astype(np.uint64) << self.shifts[column]
        return words

    def places(self, columns: list[int], levels: Levels) -> tuple[Keys, Keys, Keys]:
        """Return where these columns of one word stand in a key, and their levels in a lookup."""
        if len(columns) == 1:
            return self._one_step[columns[0]][levels[columns[0]]]
        return self._place(columns, [self.starts[column][levels[column]] for column in columns])

    def _place(self, columns: list[int], starts: list[int]) -> tuple[Keys, Keys, Keys]:
        return self.shifts[columns], self.masks[columns], np.array(starts, np.uint64)

    def raise_words(self, words: list[Keys], columns: list[int], levels: Levels) -> list[Keys]:
        """Return the keys with these columns raised to their levels."""
        raised = list(words)
        for word in range(self.word_count):
            own = [column for column in columns if self.word_of[column] == word]
            if own:
                places = self.places(own, levels)
                raised[word] = kernels.raise_keys(words[word], *places, self.lookup)
        return raised


class Grouper:
    """Groups the patterns of one table at any combination of levels."""

    def __init__(self, patterns: Patterns, taxonomies: Sequence[Taxonomy]) -> None:
        self.patterns = patterns
        self.value_counts = [int(codes.max(initial=-1)) + 1 for codes in patterns.codes]
        self.keys = LevelKeys(taxonomies, self.value_counts)
        self.nodes = [list(taxonomy.nodes) for taxonomy in taxonomies]
        everyone = np.arange(len(patterns.counts), dtype=np.int32)
        self.finest = RolledUpClasses(
            (0,) * len(taxonomies),
            Classes(
                everyone, patterns.counts, patterns.sensitive, self._view((0,) * len(taxonomies))
            ),
            self.keys.pack(patterns.codes),
            everyone,
        )
        # Columns of many values first: raised early, they leave fewest classes to the others.
        self.column_order = sorted(range(len(taxonomies)), key=lambda c: -self.value_counts[c])
        self._remembered: OrderedDict[Levels, RolledUpClasses] = OrderedDict()
        self._remembered_bytes = 0

    def group(self, levels: Levels, finer: RolledUpClasses | None = None) -> RolledUpClasses:
        """Return the classes at these levels, computed from classes that are nowhere coarser."""
        source = self.finest if finer is None else finer
        own = source.classes
        class_of, words, members, sizes = self._join(source, levels)
        sensitive = {name: pairs.regroup(class_of) for name, pairs in own.sensitive.items()}
        classes = Classes(members, sizes, sensitive, self._view(levels))
        return RolledUpClasses(
            levels, classes, words, class_of, None if source is self.finest else source
        )

    def _join(
        self, source: RolledUpClasses, levels: Levels
    ) -> tuple[Codes, list[Keys], Codes, Counts]:
        """Return the class of each class of the source; keys, members and sizes of the classes."""
        keys, own = self.keys, source.classes
        raised = [column for column, level in enumerate(levels) if level != source.levels[column]]
        most = min(len(own.sizes), keys.most_classes(levels))
        if keys.word_count == 1:
            class_of, word, members, sizes = kernels.raise_and_join(
                source.words[0],
                own.members,
                own.sizes,
                most,
                *keys.places(raised, levels),
                keys.lookup,
            )
            return class_of, [word], members, sizes
        words = keys.raise_words(source.words, raised, levels)
        class_of, first, members, sizes = kernels.join_classes(
            _join_words(words), own.members, own.sizes, most
        )
        return class_of, [kernels.pick_keys(word, first) for word in words], members, sizes

    def roll_up(self, levels: Levels) -> RolledUpClasses:
        """Return the same classes as `group`, by way of remembered finer ones."""
        found = self._remembered.get(levels)
        if found is not None:
            self._remembered.move_to_end(levels)
            return found
        found = self.group(levels, self._source_for(levels))
        self._remember(found)
        return found

    def _view(self, levels: Levels) -> View:
        nodes = [nodes[level] for nodes, level in zip(self.nodes, levels, strict=True)]
        return View(self.patterns.codes, nodes)

    def _source_for(self, levels: Levels) -> RolledUpClasses:
        """Return finer classes, in which only the first of the columns to raise are raised.

        Many combinations share the levels of the first columns, so these classes are soon used
        again. Small tables are grouped directly, a step costs more than it saves.
        """
        if len(self.patterns.counts) < SMALL:
            return self.finest
        raised = [column for column in self.column_order if levels[column]]
        step = next((step for step in reversed(STEPS) if step < len(raised)), 0)
        kept = set(raised[:step])
        lower = tuple(level if c in kept else 0 for c, level in enumerate(levels))
        return self.roll_up(lower) if kept else self.finest

    def _remember(self, grouped: RolledUpClasses) -> None:
        self._remembered[grouped.levels] = grouped
        self._remembered_bytes += grouped.byte_count
        while self._remembered_bytes > REMEMBERED_BYTES:
            _, forgotten = self._remembered.popitem(last=False)
            self._remembered_bytes -= forgotten.byte_count


def _join_words(words: list[Keys]) -> Keys:
    """Return one key per class: the only word, or a number for each combination of words."""
    keys = words[0]
    for word in words[1:]:
        keys = combine(kernels.number_keys(keys)[0], kernels.number_keys(word)[0])
    return keys


def _first_leaves(codes: Codes) -> Keys:
    """Return, per level and leaf, the first leaf with the same label."""
    answers = np.empty(codes.shape, np.uint64)
    for level, labels in enumerate(codes):
        _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
        answers[level] = first[inverse]
    return answers
