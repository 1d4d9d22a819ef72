"""After warming up nothing is left to compile in a user's first run."""

import subprocess
import sys

WARM = """
import sys
from deid_portal.engine import Plan, kernels, protect, warm_up
from tests.engine.tables import adult_columns, adult_table, document, read_adult

def compiled():
    return {name: set(kernel.signatures) for name, kernel in vars(kernels).items()
            if hasattr(kernel, "signatures")}

warm_up()
before = compiled()
idle = [name for name, signatures in before.items() if not signatures]
models = [{"model": "k-anonymity", "k": 5},
          {"model": "t-closeness", "t": 0.4, "column": "occupation"}]
for name in ("full-domain", "local-recoding"):
    columns = adult_columns(["sex", "age", "race", "education"], ("occupation",))
    method = {"name": name, "suppression_limit": 0.05}
    plan = document(columns, models=models, method=method, other_columns="remove")
    protect(adult_table(), Plan.from_document(plan, read_file=read_adult))
late = [name for name, signatures in compiled().items() if signatures != before[name]]
sys.exit(", ".join([f"{name} is never warmed" for name in idle]
                   + [f"{name} was compiled late" for name in late]) or 0)
"""


def test_every_kernel_is_compiled_for_the_types_it_is_used_with() -> None:
    answer = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
