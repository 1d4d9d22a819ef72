"""A small tree typed by hand: {"ANY": {"Technical": ["Carpenter"], "Manager": []}}."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.documents import Place
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe

DEEPEST = 50


@dataclass(frozen=True)
class TreeTaxonomy(Recipe):
    """The names without children are the values.

    Levels are counted from the root, so a value high up in the tree stays itself on the levels
    below its parent.
    """

    document: dict[str, Any]
    leaf_paths: tuple[tuple[str, ...], ...]  # value first, root last; all equally long

    kind: ClassVar[str] = "tree"

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "TreeTaxonomy":
        place.check_keys(required=("tree",))
        tree = place["tree"]
        tree.check_object()
        if len(tree.value) != 1:
            tree.refuse("one root is accepted, with everything else beneath it.")
        paths = list(_walk(tree, ()))
        _check_names_are_distinct(tree, paths)
        depth = max(len(path) for path in paths)
        padded = tuple((path[0],) * (depth - len(path)) + path for path in paths)
        return cls(tree.value, padded)

    def to_document(self) -> dict[str, Any]:
        return {"tree": self.document}

    def paths(self, column: Column) -> dict[str, tuple[str, ...]]:
        return {path[0]: path[1:] for path in self.leaf_paths}


def _walk(place: Place, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the path from each leaf to the root."""
    if len(above) > DEEPEST:
        place.refuse(f"at most {DEEPEST} levels are accepted.")
    if isinstance(place.value, dict):
        for name, below in place.entries():
            if not name:
                place.refuse("every name needs at least one character.")
            yield from _walk(below, (name, *above)) if below.value else [(name, *above)]
    elif isinstance(place.value, list):
        yield from ((item.text(), *above) for item in place.items())
    else:
        place.refuse("a list of values or an object of groups is needed.")


def _check_names_are_distinct(place: Place, paths: list[tuple[str, ...]]) -> None:
    seen: dict[str, tuple[str, ...]] = {}
    leaves = set()
    for path in paths:
        if path[0] in leaves:
            place.refuse("a value stands in it twice; every value needs exactly one place.")
        leaves.add(path[0])
        for index, name in enumerate(path):
            if seen.setdefault(name, path[index:]) != path[index:]:
                place.refuse("two groups have the same name; every name may stand in it once.")
