"""What is heavy is loaded only where it is needed: people at a terminal wait for every import.

Numba itself looks for the top of scipy; the parts that cost time must stay out.
"""

import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

from deid_portal import engine
from tests.engine.tables import document, four_columns

PROJECT = Path(__file__).parents[3]
HEAVY = ("scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.spatial", "sklearn", "pandas")
PORTAL = (
    "celery",
    "kombu",
    "cryptography",
    "django.contrib.auth",
    "deid_portal.datasets",
    "pyarrow",
    "cffi",
)
MATRIX_PRODUCT = re.compile(r"np\.(dot|vdot|linalg)|\s@\s")


def found_in(code: str, unwanted: tuple[str, ...], *arguments: str) -> str:
    """Run the code in a fresh interpreter; return which unwanted modules it has loaded."""
    code += f"\nsys.exit(', '.join(sorted(set({unwanted!r}) & set(sys.modules))) or 0)"
    command = [sys.executable, "-c", code, *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT)
    return answer.stderr or "it failed" if answer.returncode else ""


def test_importing_every_measure_and_attack_loads_nothing_heavy() -> None:
    code = (
        "import pkgutil, importlib, sys\n"
        "from deid_portal.engine import attacks, risk, utility\n"
        "for room in (attacks, risk, utility):\n"
        "    for found in pkgutil.iter_modules(room.__path__, room.__name__ + '.'):\n"
        "        importlib.import_module(found.name)"
    )
    assert found_in(code, HEAVY) == ""


@pytest.mark.parametrize("command", ["protect", "assess", "answer"])
def test_engine_commands_load_neither_the_portal_nor_anything_heavy(
    command: str, tmp_path: Path
) -> None:
    table, plan = tmp_path / "table.csv", tmp_path / "plan.json"
    table.write_text("zip,age,condition\n1,20,Flu\n1,20,Cold\n2,30,Flu\n2,30,Cold\n")
    asking = {
        "plan": 1,
        "privacy": {"neighbours": "add_remove"},
        "domains": {},
        "queries": [{"query": "count", "epsilon": 1}],
    }
    plan.write_text(json.dumps(asking if command == "answer" else document(four_columns())))
    arguments = [command, str(table), "--plan", str(plan)]
    if command == "protect":
        arguments += ["--out", str(tmp_path)]
    code = "import runpy, sys\nrunpy.run_path('manage.py', run_name='__main__')"
    assert found_in(code, HEAVY + PORTAL, *arguments) == ""


def test_no_kernel_multiplies_matrices() -> None:
    """The commands start numba without scipy.linalg, which such a kernel would need."""
    for found in pkgutil.walk_packages(engine.__path__, engine.__name__ + "."):
        for kernel in vars(importlib.import_module(found.name)).values():
            if isinstance(kernel, Dispatcher):
                assert not MATRIX_PRODUCT.search(inspect.getsource(kernel.py_func)), found.name
