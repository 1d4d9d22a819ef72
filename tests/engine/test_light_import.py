"""Measures and attacks load what is heavy only when they need it.

Numba itself looks for the top of scipy; the parts that cost time must stay out.
"""

import subprocess
import sys


def test_importing_every_measure_and_attack_loads_nothing_heavy() -> None:
    code = (
        "import pkgutil, importlib, sys\n"
        "from deid_portal.engine import attacks, risk, utility\n"
        "for room in (attacks, risk, utility):\n"
        "    for found in pkgutil.iter_modules(room.__path__, room.__name__ + '.'):\n"
        "        importlib.import_module(found.name)\n"
        "wanted = {'scipy.optimize', 'scipy.sparse', 'scipy.spatial', 'sklearn'}\n"
        "heavy = wanted & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
