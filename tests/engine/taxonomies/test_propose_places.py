"""Values without a place go beside what they resemble; what resembles nothing waits."""

from deid_portal.engine import Column
from deid_portal.engine.taxonomies import Outline, apply_step, parse_json, propose_places
from deid_portal.engine.taxonomies.json_files import write_json

SCHOOLS = """{"*": {"Higher": ["Bachelors", "Masters"], "Primary": ["1st-4th", "5th-6th"]}}"""


def _schools(*more: str) -> Outline:
    cells = ["Bachelors", "Masters", "1st-4th", "5th-6th", *more]
    return parse_json(SCHOOLS.encode(), Column.from_cells("q", cells))


def _named(outline: Outline) -> dict[str, str | None]:
    return {value: outline.branches[group].label for value, group in propose_places(outline)}


def test_words_go_beside_the_word_written_most_alike() -> None:
    outline = _schools("bachelor", "7th-8th", "PRIMARY", "plumbing")
    assert _named(outline) == {"bachelor": "Higher", "7th-8th": "Primary", "PRIMARY": "Primary"}


def test_numbers_go_beside_the_nearest_number() -> None:
    tree = b'{"*": {"low": ["1", "2"], "high": ["90", "95"]}}'
    outline = parse_json(tree, Column.from_cells("q", ["1", "2", "90", "95", "11", "60", "400"]))
    assert _named(outline) == {"11": "low", "60": "high", "400": "high"}


def test_all_are_placed_in_one_step() -> None:
    outline = _schools("bachelor", "7th-8th")
    changed = apply_step(outline, {"do": "place each", "places": propose_places(outline)})
    assert not changed.unplaced
    assert {"bachelor", "7th-8th"} <= {branch.label for branch in changed.values()}


def test_names_of_levels_survive_a_json_file() -> None:
    content = b"""{"taxonomy": {"name": "*", "level": 1, "children": [{"value": "a"}]},
        "levels": ["exact", "hidden"]}"""
    outline = parse_json(content, Column.from_cells("q", ["a"]))
    assert outline.level_names == ("exact", "hidden")
    again = parse_json(write_json(outline), Column.from_cells("q", ["a"]))
    assert again.level_names == outline.level_names
