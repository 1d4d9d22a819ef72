"""When a specialization is allowed: every model must still hold after it.

All of them are anti-monotone here: what breaks a rule once breaks it after any further step. So
each specialization is judged only once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb

import numpy as np

from deid_portal.engine.methods.top_down import cut_kernels
from deid_portal.engine.methods.top_down.partition import NO_COLUMN, Cells, ClassPartition
from deid_portal.engine.methods.top_down.scores import Entries
from deid_portal.engine.privacy import KAnonymity, PrivacyModel, WholeTable
from deid_portal.engine.privacy.k_concealment import KConcealment
from deid_portal.engine.privacy.k_confusion import KConfusion
from deid_portal.engine.privacy.k_l_anonymity import KLAnonymity
from deid_portal.engine.privacy.lkc_privacy import LKCPrivacy
from deid_portal.engine.privacy.model import ROUNDING
from deid_portal.engine.table.patterns import Classes, Pairs, Patterns, View
from deid_portal.engine.table.table import Codes, Counts

MOST_AT_ONCE = 50_000_000  # refined cells per call of a kernel: a fraction of a second
_NO_COLUMNS = np.zeros((0, 0), np.int32)
_NO_CODES = np.zeros(0, np.int32)
_NO_COUNTS = np.zeros(0, np.int64)
# Called between two parts of a long check, so that it can be stopped.
Pause = Callable[[], None]


@dataclass(frozen=True, eq=False)
class ProposedSplit:
    """A specialization that waits for judgement."""

    partition: ClassPartition
    cells: Cells
    # Per column: code of a value -> number of the label it would show.
    nodes: Callable[[], Sequence[Codes]]


class Rule(ABC):
    """One model as the stopping rule."""

    @property
    def least(self) -> int:
        """Return how many records every label needs at least."""
        return 1

    @abstractmethod
    def allows(self, proposal: ProposedSplit, pause: Pause) -> bool: ...


class ProjectionRule(Rule):
    """Groups of a size, and shares under a bound, for everybody who knows a few columns.

    Only choices of columns with the specialized one among them can change, and of those only the
    groups that show the node. Choosing fewer columns gives larger groups, mixtures of these.
    """

    def __init__(self, known: int, least: int, share: float, entries: Entries) -> None:
        self._known = known
        self._least = least
        self._share = share
        self._entries = entries  # per pattern, of the values to protect

    @property
    def least(self) -> int:
        return self._least

    def allows(self, proposal: ProposedSplit, pause: Pause) -> bool:
        cells = proposal.cells
        if cells.records[cells.records > 0].min(initial=self._least) < self._least:
            return False
        projections = Projections.of(proposal, self._known)
        # Most of what is refused is refused for its size, and counting values takes longest.
        if not projections.hold(self._least, 1.0, _nothing(len(cells.sizes)), pause):
            return False
        if not self._entries.different:
            return True
        return projections.hold(self._least, self._share, cells.tally(self._entries), pause)


@dataclass(frozen=True, eq=False)
class Projections:
    """Cells as seen by everybody who knows a few columns, the specialized one always."""

    sizes: Counts  # records per cell
    first: Codes  # what each cell shows in the specialized column
    first_count: int
    codes: Codes  # column × cell: what it shows in the others
    different: Counts  # labels per column
    known: int  # how many of the others somebody knows

    @classmethod
    def of(cls, proposal: ProposedSplit, known: int) -> "Projections":
        cells, shown = proposal.cells, proposal.partition.shown
        if known >= len(shown):
            everything = np.arange(len(cells.sizes), dtype=np.int32)
            return cls(cells.sizes, everything, len(everything), _NO_COLUMNS, _NO_COUNTS, 0)
        others = [column for column, own in enumerate(shown) if own > 1 and column != cells.column]
        # The finest first: what breaks a rule tends to break it there.
        others.sort(key=lambda column: (-shown[column], column))
        return cls(
            sizes=cells.sizes,
            first=cells.children,
            first_count=len(cells.records),
            codes=np.ascontiguousarray(proposal.partition.positions[others][:, cells.classes]),
            different=np.array([shown[column] for column in others], np.int64),
            known=min(known - (cells.column != NO_COLUMN), len(others)),
        )

    def hold(self, least: int, share: float, tallied: Entries, pause: Pause) -> bool:
        """Say whether all groups are large enough and no value has too large a share of one."""
        for low, high in pairwise(self._parts()):
            pause()
            if not cut_kernels.every_projection_holds(
                self.first,
                self.first_count,
                self.codes,
                self.different,
                self.known,
                low,
                high,
                least,
                share,
                self.sizes,
                tallied.starts,
                tallied.values,
                tallied.counts,
                tallied.different,
            ):
                return False
        return True

    def _parts(self) -> list[int]:
        """Return the first columns at which one call of the kernel ends and the next begins."""
        if self.known == 0:
            return [0, 1]
        columns = len(self.codes)
        bounds, load = [0], 0
        for column in range(columns - self.known + 1):
            load += len(self.sizes) * comb(columns - column - 1, self.known - 1)
            if load > MOST_AT_ONCE:
                bounds.append(column + 1)
                load = 0
        return bounds if bounds[-1] == columns else [*bounds, columns]


class SplitModelRule(Rule):
    """Any other model, asked about the classes as they would be."""

    def __init__(
        self,
        model: PrivacyModel,
        whole: WholeTable,
        patterns: Patterns,
        entries: Mapping[str, Entries],
    ) -> None:
        self._model = model
        self._whole = whole
        self._patterns = patterns
        self._entries = entries  # per sensitive column and pattern

    def allows(self, proposal: ProposedSplit, pause: Pause) -> bool:
        pause()
        # A rule about single classes need not judge unchanged classes again.
        cells = [proposal.cells]
        if self._model.judges_release and proposal.cells.column != NO_COLUMN:
            cells.append(_untouched(proposal))
        classes = self._classes(cells, proposal.nodes())
        passes = self._model.passes(classes, self._whole)
        return bool(passes.all()) and self._model.accepts(classes, self._whole)

    def _classes(self, parts: Sequence[Cells], nodes: Sequence[Codes]) -> Classes:
        members = np.concatenate([part.patterns[part.starts[:-1]] for part in parts])
        sizes = np.concatenate([part.sizes for part in parts])
        sensitive = {
            name: _pairs([part.tally(self._entries[name]) for part in parts])
            for name in self._model.counted_columns
        }
        return Classes(members, sizes, sensitive, View(self._patterns.codes, nodes))


def make_rules(models: Sequence[PrivacyModel], whole: WholeTable, patterns: Patterns) -> list[Rule]:
    """Return the stopping rules, those that are quick to ask first."""
    entries = {
        name: Entries.of_pairs(
            pairs.groups,
            pairs.codes,
            pairs.counts,
            len(patterns.counts),
            len(whole.sensitive[name].column.values),
        )
        for name, pairs in patterns.sensitive.items()
    }
    rules = [_make_rule(model, whole, patterns, entries) for model in models]
    return sorted(rules, key=lambda rule: isinstance(rule, SplitModelRule))


def _make_rule(
    model: PrivacyModel, whole: WholeTable, patterns: Patterns, entries: Mapping[str, Entries]
) -> Rule:
    columns, count = patterns.codes.shape
    nothing = _nothing(count)
    match model:
        # A cut shows every value in one way, so nobody may be behind records of another class.
        case KAnonymity() | KConcealment() | KConfusion():
            return ProjectionRule(columns, model.k, 1.0, nothing)
        case KLAnonymity():
            return ProjectionRule(model.l, model.k, 1.0, nothing)
        case LKCPrivacy():
            protected = _protected(model, whole, patterns) if model.C < 1 else nothing
            return ProjectionRule(model.L, model.K, model.C + ROUNDING, protected)
        case _:
            return SplitModelRule(model, whole, patterns, entries)


def _nothing(count: int) -> Entries:
    """Return empty entries for so many patterns or cells."""
    return Entries(np.zeros(count + 1, np.int64), _NO_CODES, _NO_COUNTS, 0)


def _protected(model: LKCPrivacy, whole: WholeTable, patterns: Patterns) -> Entries:
    """Return the counts of all values to protect, of all columns, numbered one after the other."""
    groups, values, counts = [_NO_CODES], [_NO_CODES], [_NO_COUNTS]
    different = 0
    for name, wanted in (model.values or {}).items():
        column, pairs = whole.sensitive[name], patterns.sensitive[name]
        codes = column.codes_of(wanted)
        numbers = np.full(len(column.column.values), -1, np.int32)
        numbers[codes] = different + np.arange(len(codes), dtype=np.int32)
        different += len(codes)
        chosen = np.flatnonzero(numbers[pairs.codes] >= 0)
        groups.append(pairs.groups[chosen])
        values.append(numbers[pairs.codes[chosen]])
        counts.append(pairs.counts[chosen])
    return Entries.of_pairs(
        np.concatenate(groups),
        np.concatenate(values),
        np.concatenate(counts),
        len(patterns.counts),
        different,
    )


def _untouched(proposal: ProposedSplit) -> Cells:
    """Return the classes a specialization leaves as they are."""
    everything = proposal.partition.everything()
    kept = ~np.isin(everything.classes, proposal.cells.classes)
    lengths = np.diff(everything.starts)
    return Cells(
        column=proposal.cells.column,
        patterns=everything.patterns[np.repeat(kept, lengths)],
        starts=np.cumsum(np.append(0, lengths[kept])),
        classes=everything.classes[kept],
        children=everything.children[kept],
        sizes=everything.sizes[kept],
        records=everything.records,
    )


def _pairs(tallied: Sequence[Entries]) -> Pairs:
    """Return the entries of one part after the other as pairs of class and value."""
    lengths = np.concatenate([np.diff(own.starts) for own in tallied])
    return Pairs(
        np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        np.concatenate([own.values for own in tallied]),
        np.concatenate([own.counts for own in tallied]),
    )
