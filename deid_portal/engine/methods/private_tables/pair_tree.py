"""A table made up from counts of single columns and of pairs of columns that form a tree.

Only `measure` sees rows, and only through a counter that adds noise; all that follows works on its
answers and costs no privacy. Pairs are chosen as by R. McKenna, G. Miklau and D. Sheldon (Winning
the NIST contest: a scalable and general approach to differentially private synthetic data, 2021):
one after the other, those that differ most from independence of their columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Protocol

import numpy as np

from deid_portal.engine.progress import Progress
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes, Counts

MOST_CELLS = 1 << 18
RAKING_ROUNDS = 40
# Shares of ε for the single columns, for choosing pairs, and for counting them.
LEARNED, IN_ORDER = (0.25, 0.25, 0.5), (0.2, 0.0, 0.8)

Pair = tuple[int, int]


class Counter(Protocol):
    """A source of counts: `private_counts.PrivateCounter`, or in tests one without noise."""

    def count(self, counts: Counts, epsilon: float, report: "ProgressReport") -> Counts: ...

    def choose(self, scores: Sequence[int], epsilon: float) -> int: ...


class ProgressReport(Protocol):
    def __call__(self) -> None: ...


@dataclass(frozen=True, eq=False)
class NoisyPairCounts:
    """Noisy counts, and the variance of the noise in a cell of each kind."""

    singles: list[Counts]
    pairs: dict[Pair, Counts]
    single_variance: float
    pair_variance: float


@dataclass(frozen=True, eq=False)
class Link:
    """How a column follows from another: row i holds the chances where the parent shows i."""

    parent: int
    child: int
    chances: Numbers


@dataclass(frozen=True, eq=False)
class PairTree:
    """Shares of every column, and links, each parent before its children."""

    rows: int
    shares: list[Numbers]
    links: list[Link]


def measure(
    codes: Sequence[Codes],
    sizes: Sequence[int],
    epsilon: float,
    learns_pairs: bool,
    counter: Counter,
    progress: Progress,
) -> NoisyPairCounts:
    """Ask for the counts of every column and of the pairs of a tree; all costs ε together.

    Pairs of more than MOST_CELLS cells are never counted. Unless they are learned, each column goes
    with the one before it.
    """
    parts = LEARNED if learns_pairs else IN_ORDER
    links = max(len(sizes) - 1, 1)
    for_singles, for_choices, for_pairs = (
        epsilon * part / times
        for part, times in zip(parts, (len(sizes), links, links), strict=True)
    )
    if len(sizes) == 1:
        for_singles = epsilon
    total = 2 * len(sizes)

    def report() -> None:
        progress.report(len(singles) + len(pairs), total, "protect")

    singles: list[Counts] = []
    pairs: dict[Pair, Counts] = {}
    for own, size in zip(codes, sizes, strict=True):
        singles.append(counter.count(_count_single(own, size), for_singles, report))
    if learns_pairs:
        chosen = _choose_pairs(codes, singles, for_choices, for_pairs, counter, progress)
    else:
        chosen = [pair for pair in pairwise(range(len(sizes))) if _is_small(pair, sizes)]
    for pair in chosen:
        pairs[pair] = counter.count(_count_pair(codes, sizes, pair), for_pairs, report)
    return NoisyPairCounts(singles, pairs, 2 / for_singles**2, 2 / for_pairs**2)


def fit(measured: NoisyPairCounts) -> PairTree:
    """Make noisy counts agree with each other: no negative ones, one total, equal margins."""
    rows = max(round(_total(measured)), 1)
    margins = [_margin(measured, column, rows) for column in range(len(measured.singles))]
    joint = {
        pair: _rake(
            project_to_total(counts.astype(np.float64), rows), *(margins[end] for end in pair)
        )
        for pair, counts in measured.pairs.items()
    }
    shares = [margin / rows for margin in margins]
    return PairTree(rows, shares, _links(joint, margins))


def sample(tree: PairTree, rows: int, generator: np.random.Generator) -> list[Codes]:
    """Draw made-up records, a column after the one it follows from."""
    columns: dict[int, Codes] = {}
    children = {link.child for link in tree.links}
    for column, shares in enumerate(tree.shares):
        if column not in children:
            columns[column] = _draw(rows, shares, generator)
    for link in tree.links:
        parent = columns[link.parent]
        order = np.argsort(parent, kind="stable")
        starts = np.searchsorted(parent[order], np.arange(len(link.chances) + 1))
        own = np.empty(rows, np.int32)
        for code, chances in enumerate(link.chances):
            here = order[starts[code] : starts[code + 1]]
            own[here] = _draw(len(here), chances, generator)
        columns[link.child] = own
    return [columns[column] for column in range(len(tree.shares))]


def project_to_total(counts: Numbers, total: float) -> Numbers:
    """Return the nearest numbers that are not negative and have this sum."""
    flat = counts.ravel()
    highest = np.sort(flat)[::-1]
    surplus = (np.cumsum(highest) - total) / np.arange(1, len(flat) + 1)
    kept = np.flatnonzero(highest > surplus)[-1]
    projected: Numbers = np.maximum(counts - surplus[kept], 0)
    return projected


def _count_single(codes: Codes, size: int) -> Counts:
    return np.bincount(codes, minlength=size).astype(np.int64)


def _count_pair(codes: Sequence[Codes], sizes: Sequence[int], pair: Pair) -> Counts:
    first, second = pair
    keys = codes[first].astype(np.int64) * sizes[second] + codes[second]
    counts = np.bincount(keys, minlength=sizes[first] * sizes[second])
    return counts.reshape(sizes[first], sizes[second]).astype(np.int64)


def _choose_pairs(
    codes: Sequence[Codes],
    singles: Sequence[Counts],
    epsilon: float,
    epsilon_of_pair: float,
    counter: Counter,
    progress: Progress,
) -> list[Pair]:
    """Choose pairs, each time one that connects two trees."""
    sizes = [len(counts) for counts in singles]
    small = [pair for pair in combinations(range(len(sizes)), 2) if _is_small(pair, sizes)]
    scores = {}
    for place, pair in enumerate(small):
        progress.report(place, len(small), "protect")
        scores[pair] = _score(_count_pair(codes, sizes, pair), singles, pair, epsilon_of_pair)
    tree_of = list(range(len(sizes)))
    chosen: list[Pair] = []
    for _ in range(len(sizes) - 1):
        open_pairs = [pair for pair in small if tree_of[pair[0]] != tree_of[pair[1]]]
        if not open_pairs:
            break
        pair = open_pairs[counter.choose([scores[one] for one in open_pairs], epsilon)]
        chosen.append(pair)
        joined = tree_of[pair[1]]
        tree_of = [tree_of[pair[0]] if tree == joined else tree for tree in tree_of]
    return chosen


def _is_small(pair: Pair, sizes: Sequence[int]) -> bool:
    return sizes[pair[0]] * sizes[pair[1]] <= MOST_CELLS


def _score(counts: Counts, singles: Sequence[Counts], pair: Pair, epsilon: float) -> int:
    """Return how far a pair is from independence, less the noise counting it would bring.

    The counts expected under independence come from noisy counts and are rounded to whole numbers,
    so that one row more or less changes the score by at most one.
    """
    first, second = (np.maximum(singles[end], 0) for end in pair)
    expected = np.outer(first, second) // max(int(first.sum()), 1)
    return int(np.abs(counts - expected).sum()) - int(counts.size / epsilon)


def _total(measured: NoisyPairCounts) -> float:
    """Return the number of rows: the mean of the sums of all counts, weighted by precision."""
    sums = [(counts.sum(), counts.size * measured.single_variance) for counts in measured.singles]
    sums += [
        (counts.sum(), counts.size * measured.pair_variance) for counts in measured.pairs.values()
    ]
    return float(_weigh([np.array([total]) for total, _ in sums], [noise for _, noise in sums])[0])


def _margin(measured: NoisyPairCounts, column: int, rows: int) -> Numbers:
    """Return the counts of a column, from its own and from every pair it is in."""
    own = [measured.singles[column].astype(np.float64)]
    noise = [measured.single_variance]
    for pair, counts in measured.pairs.items():
        if column in pair:
            axis = 1 - pair.index(column)
            own.append(counts.sum(axis=axis).astype(np.float64))
            noise.append(measured.pair_variance * counts.shape[axis])
    return project_to_total(_weigh(own, noise), rows)


def _weigh(estimates: list[Numbers], variances: list[float]) -> Numbers:
    weights = 1 / np.array(variances)
    mean: Numbers = weights @ np.array(estimates) / weights.sum()
    return mean


def _rake(counts: Numbers, rows: Numbers, columns: Numbers) -> Numbers:
    """Scale rows and columns in turn until they have the margins asked for."""
    # A row or column without counts gets those of independence, else its margin cannot be met.
    expected = np.outer(rows, columns) / rows.sum()
    counts = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, expected)
    counts = np.where(counts.sum(axis=0, keepdims=True) > 0, counts, expected)
    for _ in range(RAKING_ROUNDS):
        counts = counts * _ratio(columns, counts.sum(axis=0))[np.newaxis, :]
        counts = counts * _ratio(rows, counts.sum(axis=1))[:, np.newaxis]
    return counts


def _ratio(wanted: Numbers, found: Numbers) -> Numbers:
    return np.divide(wanted, found, out=np.zeros_like(found), where=found > 0)


def _links(joint: dict[Pair, Numbers], margins: Sequence[Numbers]) -> list[Link]:
    """Walk the tree from its first column on."""
    links: list[Link] = []
    reached: set[int] = set()
    for root in range(len(margins)):
        waiting = [] if root in reached else [root]
        reached.add(root)
        while waiting:
            parent = waiting.pop()
            for pair, counts in joint.items():
                if parent not in pair:
                    continue
                child = pair[1] if pair[0] == parent else pair[0]
                if child in reached:
                    continue
                table = counts if pair[0] == parent else counts.T
                links.append(Link(parent, child, _chances(table, margins[child])))
                reached.add(child)
                waiting.append(child)
    return links


def _chances(counts: Numbers, margin: Numbers) -> Numbers:
    """Return each row as shares; a row without counts gets the shares of the whole column."""
    sums = counts.sum(axis=1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1), margin / margin.sum())


def _draw(rows: int, shares: Numbers, generator: np.random.Generator) -> Codes:
    """Draw categories in random order, each as often as its share says, rounded up or down."""
    steps = np.cumsum(shares)
    steps[np.flatnonzero(shares)[-1] :] = np.inf
    points = (np.arange(rows) + generator.random()) / max(rows, 1)
    drawn = np.searchsorted(steps, points, side="right")
    return generator.permutation(drawn).astype(np.int32)
