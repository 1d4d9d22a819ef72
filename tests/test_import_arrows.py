"""The arrows of the house: who may import whom. Read from the source, so nothing needs to run."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.source_trees import HOUSE, tree_of

# Rooms and single modules, from the ground up; each may use those in lines above. After the floor
# that all stand on, the rooms follow in the order data walks.
ORDER = """
engine environment
celery_app timer
web
vault
work
audit
accounts
audit_trail
policies
serving
notices
datasets
sources
pseudonyms
taxonomies
plans
versions
networks
runs
reports
attacks
querydesk
reviews
releases
guide
commands settings urls wsgi
"""
PLACE = {room: line for line, rooms in enumerate(ORDER.split("\n")) for room in rooms.split()}
# Approval makes the release in its own transaction, so reviews hands over to the one room after it.
HANDS_OVER = {("reviews", "releases")}
# Commands of the engine work without the portal around them.
USES_ONLY = {"commands": {"engine"}}
# Rooms of the engine and the single modules beside them; each uses only those in lines above.
ENGINE = """
errors progress registry tether version wording
compiled documents report
charts
parameters table
files outcome randomness risk taxonomies
detection privacy utility
attacks search
differential draft
measures methods
plan
evidence release
protection
attack_cases remedies
networks
kernel_warm_up publication
verification
"""
# The same inside the engine's room for networks.
NETWORKS = """
kernels measures
network
files knowledge private_counts structure
change_estimate changing models
methods
plan
first_draft outcome released_network report_builder
attacks questions
protection
warm_up
"""

# Imports of our own modules inside functions, and why. Elsewhere they stand at the top.
PLOTLY = "Plotly, which nobody loads who draws nothing"
PANDAS = "pandas, which nobody loads who brings no frame; and frames are made of tables"
GRAPH_LOOPS = "the compiled loops of networks, which plans of tables need not load"
LOOPS = "all compiled loops, which the web server does without"
INSIDE_FUNCTIONS = {
    ("commands/files.py", "deid_portal.engine.charts.figure_parts"): PLOTLY,
    ("commands/files.py", "deid_portal.engine.charts.gallery"): PLOTLY,
    ("commands/files.py", "deid_portal.engine.charts.svg"): PLOTLY,
    ("commands/management/commands/answer.py", "deid_portal.commands.network_files"): GRAPH_LOOPS,
    ("commands/management/commands/assess.py", "deid_portal.commands.network_files"): GRAPH_LOOPS,
    ("commands/management/commands/protect.py", "deid_portal.commands.network_files"): GRAPH_LOOPS,
    ("engine/files/isolated_reader.py", "deid_portal.engine.files.arrow"): "pyarrow",
    ("engine/networks/outcome.py", "deid_portal.engine.charts.gallery"): PLOTLY,
    ("engine/outcome.py", "deid_portal.engine.charts.gallery"): PLOTLY,
    ("engine/protection.py", "deid_portal.engine.table.frames"): PANDAS,
    ("engine/table/table.py", "deid_portal.engine.table.frames"): PANDAS,
    ("serving/readiness.py", "deid_portal.engine.kernel_warm_up"): LOOPS,
}


@cache
def _imports(path: Path) -> set[str]:
    names = _imported_in(tree_of(path))
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def _imported_in(part: ast.AST) -> set[str]:
    """Return the modules that a part of a source imports."""
    names: set[str] = set()
    for node in ast.walk(part):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def _rooms_used(path: Path) -> set[str]:
    parts = [name.split(".") for name in _imports(path) if name.startswith("deid_portal.")]
    return {part[1] for part in parts if len(part) > 1}


SOURCES = [path for path in sorted(HOUSE.rglob("*.py")) if "migrations" not in path.parts]


def _room(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


ROOMS = sorted({_room(path) for path in SOURCES} - {"__init__"})


def _sources_of(room: str) -> list[Path]:
    return [path for path in SOURCES if _room(path) == room]


@pytest.mark.parametrize("room", ROOMS)
def test_imports_follow_the_arrows(room: str) -> None:
    wrong = {path.name: found for path in _sources_of(room) if (found := _against(path, room))}
    assert not wrong, f"{room} must not use these"


def _against(path: Path, room: str) -> set[str]:
    """Return what a module imports although the arrows lead the other way."""
    used = _rooms_used(path) - {room}
    if room == "engine":
        foreign = {"django", "celery"} | ({"plotly"} if path.parent.name != "charts" else set())
        return used | {n for n in _imports(path) if n.split(".")[0] in foreign}
    allowed = USES_ONLY.get(room, {other for other in PLACE if PLACE[other] < PLACE[room]})
    return {other for other in used - allowed if (room, other) not in HANDS_OVER}


def test_imports_inside_functions_have_a_reason() -> None:
    """Django allows models to be loaded only when it is ready; the rest is heavy or a cycle."""
    found = {
        (path.relative_to(HOUSE).as_posix(), module)
        for path in SOURCES
        if path.name != "apps.py"
        for module in _imports_inside_functions(path)
    }
    assert found == set(INSIDE_FUNCTIONS)


def _imports_inside_functions(path: Path) -> set[str]:
    functions = (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef))
    names = {name for function in functions for name in _imported_in(function)}
    return {name for name in names if name.startswith("deid_portal.")}


@pytest.mark.parametrize("room", ROOMS)
def test_nobody_imports_the_doors_of_another_room(room: str) -> None:
    doors = {
        (path.name, name)
        for path in _sources_of(room)
        if path.name != "urls.py"
        for name in _imports(path)
        for part in [name.split(".")]
        if len(part) > 2 and part[0] == "deid_portal" and part[2] in {"views", "forms"}
        if part[1] != room
    }
    assert not doors


def test_every_room_has_its_place() -> None:
    assert set(ROOMS) == set(PLACE)


@pytest.mark.parametrize(("package", "lines"), [("engine", ENGINE), ("engine.networks", NETWORKS)])
def test_arrows_inside_the_engine_lead_one_way(package: str, lines: str) -> None:
    place = {room: line for line, rooms in enumerate(lines.split("\n")) for room in rooms.split()}
    wrong = {
        f"{path.relative_to(HOUSE)} uses {other}"
        for path in _sources_in(package)
        for room in [_room_in(package, path)]
        if room != "__init__"
        for other in _rooms_used_in(package, path) - {room}
        if place[other] >= place[room]
    }
    assert not wrong


def _sources_in(package: str) -> list[Path]:
    folder = HOUSE / package.replace(".", "/")
    return [path for path in SOURCES if path.is_relative_to(folder)]


def _room_in(package: str, path: Path) -> str:
    return path.relative_to(HOUSE / package.replace(".", "/")).parts[0].removesuffix(".py")


def _rooms_used_in(package: str, path: Path) -> set[str]:
    door = f"deid_portal.{package}."
    used = {n.removeprefix(door).split(".")[0] for n in _imports(path) if n.startswith(door)}
    return used - _names_at_the_door(package)


@cache
def _names_at_the_door(package: str) -> set[str]:
    """What stands in the package itself: `from deid_portal.engine import Plan`."""
    rooms = {_room_in(package, path) for path in _sources_in(package)}
    door = HOUSE / package.replace(".", "/") / "__init__.py"
    return {name.rpartition(".")[2] for name in _imports(door)} - rooms


def test_the_page_about_the_house_shows_the_lines_of_the_engine() -> None:
    page = (HOUSE.parent / "templates" / "help" / "architecture.md").read_text()
    picture = page.partition("A line uses only the lines above it:\n\n")[2].partition("\n\n")[0]
    shown = [line.strip().partition("  ")[0].split() for line in picture.split("\n")]
    assert shown == [
        [_as_shown(room) for room in line.split()] for line in ENGINE.split("\n")[1:-1]
    ]


def _as_shown(room: str) -> str:
    return f"{room}/" if (HOUSE / "engine" / room).is_dir() else room


def test_the_package_stays_empty() -> None:
    """A line here would load Django whenever the engine is imported."""
    assert (HOUSE / "__init__.py").read_text() == ""
