"""The decks' worked examples about generalization and utility, from the file."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine import Table
from deid_portal.engine.documents import Place
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies import Taxonomy, parse_recipe
from deid_portal.engine.utility import METRICS, MeasuredColumn, MeasuredRelease
from deid_portal.engine.utility.class_matching import match_people
from deid_portal.engine.utility.coverage import cover, cover_all
from deid_portal.engine.utility.information_gain import entropy_of
from tests.engine.vectors import check, read_table, vectors


@vectors("generalise_equals")
def test_generalization(vector: dict[str, Any]) -> None:
    original, released = (read_table(vector["input"][name]) for name in ("original", "released"))
    given = vector["parameters"]
    names, key = tuple(given["qi"]), given["id"]
    place = {text: row for row, text in enumerate(original[key].cells())}
    rows = np.array([place[text] for text in released[key].cells()], np.int32)
    matches = match_people(original, released, names, cover_all(original, released, names, {}))
    covers = matches.includes(rows, np.arange(released.rows, dtype=np.int32))
    unchanged = all(
        [original[name].values[original[name].codes[row]] for row in rows]
        == list(released[name].cells())
        for name in given["sa"]
    )
    check(
        vector,
        {
            "covers": bool(covers.all()),
            "sensitive_unchanged": unchanged,
            "k": int(matches.classes.counts.min()),
        },
    )


@vectors("is_cut")
def test_cut(vector: dict[str, Any]) -> None:
    taxonomy = parse_recipe(Place({"tree": nest(vector["input"]["tree"])}))
    leaves = list(taxonomy.paths(Column.from_cells("job", [])))
    column = Column.from_cells("job", leaves)
    built = taxonomy.build(column)
    found = {
        name: cover(column, Column.from_cells("job", labels), built).is_cut
        for name, labels in vector["input"]["cuts"].items()
    }
    check(vector, found)


def nest(flat: dict[str, list[str]]) -> dict[str, Any]:
    """Turn {parent: children} into the nested form of a plan."""
    below = {child for children in flat.values() for child in children}
    root = next(name for name in flat if name not in below)

    def grow(name: str) -> Any:
        return {child: grow(child) for child in flat.get(name, [])}

    return {root: grow(root)}


def gain_of_split(children: NDArray[np.int64]) -> float:
    """Return what is learned about the class when one group is split (child × class counts)."""
    rows = max(int(children.sum()), 1)
    rest = sum(int(child.sum()) / rows * entropy_of(child) for child in children)
    return entropy_of(children.sum(axis=0)) - rest


@vectors("hdtds", without=["s4-hdtds-run"])  # test_top_down.py
def test_information_gain_of_the_topmost_splits(vector: dict[str, Any]) -> None:
    table, given = read_table(vector["input"]["table"]), vector["parameters"]
    found = {}
    for name, root in given["root"].items():
        tree = vector["input"]["taxonomy"][name]
        children = [leaves_under(tree, child) for child in tree[root]]
        split = [count_classes(table, name, leaves, given["cls"]) for leaves in children]
        found[f"{name}:{root}"] = gain_of_split(np.array(split))
    check(vector, {"first_scores": found})


def leaves_under(tree: dict[str, list[str]], name: str) -> list[str]:
    if name not in tree:
        return [name]
    return [leaf for child in tree[name] for leaf in leaves_under(tree, child)]


def count_classes(table: Table, name: str, leaves: list[str], class_column: str) -> list[int]:
    covered = cover(table[name], Column.from_cells(name, leaves)).covered
    codes = np.concatenate(covered)
    inside = np.isin(table[name].codes, codes)
    column = table[class_column]
    return np.bincount(column.codes[inside], minlength=len(column.values)).tolist()


@vectors("entropy_of_counts")
def test_entropy(vector: dict[str, Any]) -> None:
    check(vector, entropy_of(np.array(vector["input"]["counts"])))


@vectors("distortion")
def test_distortion(vector: dict[str, Any]) -> None:
    """Distortion of one value is what its precision lacks."""
    height = vector["parameters"]["HGV"]
    heights = vector["input"]["heights"]
    check(
        vector, {label: 1 - precision_of([height], [[level]]) for label, level in heights.items()}
    )


@vectors("minimal_distortion_units")
def test_distortion_units(vector: dict[str, Any]) -> None:
    """One unit per record and level."""
    levels = [level for n, level in vector["input"]["instances_levels"] for _ in range(n)]
    height = max(levels) + 1
    check(vector, (1 - precision_of([height], [levels])) * len(levels) * height)


@vectors("precision_metric")
def test_precision(vector: dict[str, Any]) -> None:
    check(vector, precision_of(vector["parameters"]["HGV"], vector["input"]["heights"]))


@vectors("iloss")
def test_iloss(vector: dict[str, Any]) -> None:
    """Ours divides by the leaves (ambiguities, 32); all nodes are as many leaves as there are."""
    levels = [{1: 0, 2: 1}[leaves] for leaves in vector["input"]["LN"]]
    found = {}
    for name, size in vector["parameters"]["denominators"].items():
        others = [(f"{leaf}", "MA", "*") for leaf in range(size - 2)]
        column = measured(
            Taxonomy.from_paths([("a", "NY", "*"), ("b", "NY", "*"), *others]), levels
        )
        found[name] = METRICS["iloss"].value(
            MeasuredRelease(len(levels), np.array([1, 1]), [column])
        )
    check(vector, found)


def precision_of(heights: list[int], levels: list[list[int]]) -> float:
    """Return the precision of columns whose taxonomies are so high, given each record's levels."""
    columns = [
        measured(Taxonomy.from_paths([tuple(f"{level}" for level in range(height + 1))]), own)
        for height, own in zip(heights, levels, strict=True)
    ]
    rows = len(levels[0])
    return METRICS["precision"].value(MeasuredRelease(rows, np.array([rows]), columns))


def measured(taxonomy: Taxonomy, levels: list[int]) -> MeasuredColumn:
    """Return a column of records that all have the first value, each at its level."""
    counts = np.zeros(taxonomy.leaf_count, np.int64)
    counts[0] = len(levels)
    cells = np.zeros((taxonomy.height + 1, taxonomy.leaf_count))
    for level, records in Counter(levels).items():
        cells[level, 0] = records
    return MeasuredColumn(taxonomy, counts, cells)


@vectors("discernibility")
def test_discernibility(vector: dict[str, Any]) -> None:
    table, given = read_table(vector["input"]["table"]), vector["parameters"]
    sizes = reduce_table(table, given["qi"], (), Progress(None)).counts
    release = MeasuredRelease(table.rows, sizes, [], given.get("k", 1))
    found = {
        "DM": METRICS["discernibility"].value(release),
        "C_avg": METRICS["average_class_size"].value(release),
    }
    check(vector, found)
