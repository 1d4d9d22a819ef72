"""Top-down specialization held against the same written out plainly: every step, every record."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import log2
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Plan, Table
from deid_portal.engine.methods.top_down import cut_kernels
from deid_portal.engine.methods.top_down.cuts import Specialization
from deid_portal.engine.privacy.model import ROUNDING
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from tests.engine.tables import document

Row = dict[str, Any]
# A node: what it shows and the values under it; an inner node of a tree also its children.
Holds = Callable[[list[tuple[str, ...]], list[Row]], bool]


class PlainNode:
    def __init__(self, label: str, values: frozenset[Any], children: "list[PlainNode]") -> None:
        self.label, self.values, self.children = label, values, children


class PlainTopDown:
    """Algorithm 6.3.1 of the deck, nothing remembered: all candidates are judged at every step."""

    def __init__(
        self, rows: list[Row], trees: dict[str, PlainNode], holds: Holds, least: int, by: str
    ) -> None:
        """`by` names the class column, or is empty for discernibility."""
        self.rows, self.holds, self.least, self.by = rows, holds, least, by
        self.cuts = {name: [root] for name, root in trees.items()}
        self.steps: list[tuple[str, str, float]] = []

    def run(self) -> bool:
        if not self.holds(self.shown(self.cuts), self.rows):
            return False
        while True:
            best = min(self.candidates(), key=lambda found: found[0], default=None)
            if best is None:
                return True
            _, score, name, node, children = best
            self.steps.append((name, node.label, score))
            self.cuts[name] = self.replaced(name, node, children)

    def candidates(self) -> Iterator[tuple[Any, ...]]:
        for column, (name, cut) in enumerate(self.cuts.items()):
            for node in cut:
                if not self.under(name, node):
                    continue
                for order, children in enumerate(self.ways(name, node)):
                    cuts = self.cuts | {name: self.replaced(name, node, children)}
                    if self.holds(self.shown(cuts), self.rows):
                        score = self.score(name, node, children)
                        key = (-round(score, 9), column, node.label, order)
                        yield key, score, name, node, children
                        break

    def ways(self, name: str, node: PlainNode) -> list[list[PlainNode]]:
        """Return the ways to specialize a node, the best first."""
        numbers = sorted(node.values) if all(isinstance(v, int) for v in node.values) else []
        if not numbers:
            return [node.children] if node.children else []
        if len(numbers) == 1:
            return [[_stretch(numbers, numbers, self.rows, name)]] if node.label == "*" else []
        ways = []
        for place in range(1, len(numbers)):
            parts = [numbers[:place], numbers[place:]]
            children = [_stretch(part, numbers, self.rows, name) for part in parts]
            sizes = [len(self.under(name, child)) for child in children]
            if min(sizes) >= self.least:
                even = -sum(size * size for size in sizes)
                worth = round(self.score(name, node, children), 10) if self.by else even
                ways.append((-worth, place, children))
        return [children for *_, children in sorted(ways, key=lambda way: way[:2])]

    def score(self, name: str, node: PlainNode, children: list[PlainNode]) -> float:
        under = self.under(name, node)
        if not self.by:
            classes = Counter(self.shown(self.cuts))
            place = list(self.cuts).index(name)
            return float(sum(n * n for own, n in classes.items() if own[place] == node.label))
        parts = [self.under(name, child) for child in children]
        return self.entropy(under) - sum(
            len(part) / len(under) * self.entropy(part) for part in parts if part
        )

    def entropy(self, rows: list[Row]) -> float:
        counts = Counter(row[self.by] for row in rows).values()
        return -sum(count / len(rows) * log2(count / len(rows)) for count in counts)

    def under(self, name: str, node: PlainNode) -> list[Row]:
        return [row for row in self.rows if row[name] in node.values]

    def replaced(self, name: str, node: PlainNode, children: list[PlainNode]) -> list[PlainNode]:
        return [own for own in self.cuts[name] if own is not node] + children

    def shown(self, cuts: dict[str, list[PlainNode]]) -> list[tuple[str, ...]]:
        label_of = {
            name: {value: node.label for node in cut for value in node.values}
            for name, cut in cuts.items()
        }
        return [tuple(label_of[name][row[name]] for name in cuts) for row in self.rows]


def _stretch(part: list[int], of: list[int], rows: list[Row], name: str) -> PlainNode:
    """Return a node of numbers; its label is that of the engine, read off the whole column."""
    every = sorted({row[name] for row in rows})
    low, after = part[0], [number for number in every if number > part[-1]]
    if len(part) == 1:
        label = str(part[0])
    elif low == every[0]:
        label = f"<{after[0]}"
    else:
        label = f"[{low}, {after[0]})" if after else f"≥{low}"
    return PlainNode(label, frozenset(part), [])


def few_facts(known: int, k: int, share: float) -> Holds:
    """LKC-privacy as it is defined: every choice of at most so many columns."""

    def holds(shown: list[tuple[str, ...]], rows: list[Row]) -> bool:
        for count in range(1, known + 1):
            for columns in combinations(range(len(shown[0])), min(count, len(shown[0]))):
                groups: dict[tuple[str, ...], list[str]] = {}
                for cells, row in zip(shown, rows, strict=True):
                    groups.setdefault(tuple(cells[c] for c in columns), []).append(row["secret"])
                for secrets in groups.values():
                    most = max(secrets.count(secret) for secret in ("a", "b"))
                    if len(secrets) < k or most / len(secrets) > share + ROUNDING:
                        return False
        return True

    return holds


def different(least: int) -> Holds:
    """Distinct l-diversity."""

    def holds(shown: list[tuple[str, ...]], rows: list[Row]) -> bool:
        secrets: dict[tuple[str, ...], set[str]] = {}
        for cells, row in zip(shown, rows, strict=True):
            secrets.setdefault(cells, set()).add(row["secret"])
        return all(len(own) >= least for own in secrets.values())

    return holds


def few_classes(limit: float) -> Holds:
    """Average risk."""
    return lambda shown, rows: len(set(shown)) <= limit * len(rows)


LKC = {"model": "lkc-privacy", "values": {"secret": ["a", "b"]}}
CASES: list[tuple[dict[str, Any], Holds, int]] = [
    (LKC | {"L": 1, "K": 4, "C": 0.8}, few_facts(1, 4, 0.8), 4),
    (LKC | {"L": 2, "K": 2, "C": 0.7}, few_facts(2, 2, 0.7), 2),
    (LKC | {"L": 2, "K": 3, "C": 1.0}, few_facts(2, 3, 1.0), 3),
    (LKC | {"L": 3, "K": 2, "C": 0.75}, few_facts(3, 2, 0.75), 2),
    ({"model": "k-l-anonymity", "k": 3, "l": 2}, few_facts(2, 3, 1.0), 3),
    ({"model": "k-anonymity", "k": 2}, few_facts(4, 2, 1.0), 2),
    (
        {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "secret"},
        different(2),
        1,
    ),
    ({"model": "average-risk", "limit": 0.3}, few_classes(0.3), 1),
]


def random_tree(generator: np.random.Generator, values: Sequence[str], name: str) -> Any:
    """Return a random tree over these values: leaves at different depths, some groups of one."""
    if len(values) == 1 and generator.random() < 0.7:
        return {values[0]: {}}
    cut = int(generator.integers(0, len(values)))
    parts = [values[:cut], values[cut:]] if cut else [values]
    if len(parts) == 1 and len(values) <= 3:
        return {name: {value: {} for value in values}}
    below: dict[str, Any] = {}
    for number, part in enumerate(parts):
        below |= random_tree(generator, part, f"{name}{number}")
    return {name: below}


def plain_tree(tree: dict[str, Any]) -> PlainNode:
    ((label, below),) = tree.items()
    children = [plain_tree({name: own}) for name, own in sorted(below.items())]
    values = frozenset().union(*(child.values for child in children))
    return PlainNode(label, values or frozenset([label]), children)


@pytest.mark.parametrize("by", ["answer", ""])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_it_does_what_the_algorithm_says(case: int, by: str) -> None:
    model, holds, least = CASES[case]
    for seed in range(12):
        generator = np.random.default_rng([case, seed])
        count = int(generator.integers(8, 40))
        names = [f"q{index}" for index in range(int(generator.integers(1, 4)))]
        values = {name: [f"{name}v{v}" for v in range(generator.integers(1, 6))] for name in names}
        rows: list[Row] = [
            {
                "number": int(generator.integers(0, 9)),
                **{name: str(generator.choice(values[name])) for name in names},
                "answer": str(generator.choice(["yes", "no"])),
                # The first ones have the values to protect: a plan may not name others.
                "secret": str(generator.choice(["a", "b", "c", "d"])) if row > 1 else "ab"[row],
            }
            for row in range(count)
        ]
        trees = {name: random_tree(generator, values[name], f"{name}-") for name in names}
        numbers = frozenset(row["number"] for row in rows)
        plain = PlainTopDown(
            rows,
            {"number": PlainNode("*", numbers, [])}
            | {name: plain_tree(tree) for name, tree in trees.items()},
            holds,
            least,
            by,
        )
        cuts = _run(rows, trees, model, by)
        if not plain.run():
            assert cuts is None
            continue
        assert cuts is not None
        assert [(step.column, step.label) for step in cuts.steps] == [
            (name, label) for name, label, _ in plain.steps
        ]
        assert [step.score for step in cuts.steps] == pytest.approx(
            [score for *_, score in plain.steps], abs=1e-9
        )
        for own, cut in zip(cuts.nodes, plain.cuts.values(), strict=True):
            assert {node.label for node in own} == {node.label for node in cut}


def _run(rows: list[Row], trees: dict[str, Any], model: dict[str, Any], by: str) -> Any:
    columns: dict[str, Any] = {
        "number": {"role": "quasi-identifier"},
        **{
            name: {"role": "quasi-identifier", "type": "text", "taxonomy": {"tree": tree}}
            for name, tree in trees.items()
        },
        "answer": {"role": "insensitive"},
        "secret": {"role": "sensitive"},
    }
    table = Table.from_rows(list(columns), [[str(row[name]) for name in columns] for row in rows])
    plan = Plan.from_document(document(columns, models=[model], method={"name": "top-down"}))
    problem = pose_problem(table, plan, Progress(None))
    return Specialization(problem, by or None, Progress(None)).run()


@pytest.mark.parametrize("spread", [3, 100_000])  # few keys: a table; many: hashing
def test_every_choice_of_columns_is_looked_at(spread: int) -> None:
    """The compiled walk over all choices against counting them one by one."""
    for seed in range(40):
        generator = np.random.default_rng(seed)
        cells, columns, known = (int(generator.integers(1, most)) for most in (30, 6, 4))
        known = min(known, columns)
        shown = generator.integers(0, spread, (columns + 1, cells)).astype(np.int32)
        shown[:, generator.integers(0, cells, cells)] = shown[:, :1]
        sizes = generator.integers(1, 6, cells)
        secrets = generator.integers(0, sizes + 1)
        least, share = int(generator.integers(1, 5)), float(generator.choice([0.5, 0.8]))
        answer = cut_kernels.every_projection_holds(
            shown[0],
            spread,
            shown[1:],
            np.full(columns, spread),
            known,
            0,
            columns,
            least,
            share,
            sizes,
            np.arange(cells + 1),
            np.zeros(cells, np.int32),
            secrets,
            1,
        )
        expected = True
        for choice in combinations(range(1, columns + 1), known):
            groups: Counter[tuple[int, ...]] = Counter()
            found: Counter[tuple[int, ...]] = Counter()
            for cell in range(cells):
                key = tuple(int(shown[column, cell]) for column in (0, *choice))
                groups[key] += int(sizes[cell])
                found[key] += int(secrets[cell])
            expected &= all(n >= least and found[key] <= share * n for key, n in groups.items())
        assert answer == expected
