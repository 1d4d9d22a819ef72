"""After warming up nothing is left to compile in a user's first run."""

import subprocess
import sys

WARM = """
import sys
from deid_portal.engine import Plan, protect
from deid_portal.engine.kernel_warm_up import warm_up
from deid_portal.engine.compiled import kernels
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

EVERY_MODEL = """
import sys
import numpy as np
from deid_portal.engine.kernel_warm_up import warm_up
from deid_portal.engine.methods.method import records_allowed
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.optimum import find_optimum
from deid_portal.engine.utility import METRICS
from tests.engine.tables import random_problem
from tests.engine.privacy.test_every_privacy_model import EXAMPLES, model_of

def compiled():
    modules = [(name, module) for name, module in list(sys.modules.items())
               if name.startswith("deid_portal.engine")]
    return {f"{module}.{name}": len(kernel.signatures) for module, content in modules
            for name, kernel in vars(content).items() if hasattr(kernel, "signatures")}

models = [model_of(example) for example in EXAMPLES]  # their modules are imported now
warm_up()
before = compiled()
late = set()
for example, model in zip(EXAMPLES, models, strict=True):
    problem = random_problem(np.random.default_rng(1), [model], rows=30)
    for metric in ("loss", "discernibility"):
        checker = problem.checker(METRICS[metric])
        find_optimum(checker, records_allowed(0.2, problem.rows), Progress(None))
    now = compiled()
    late |= {f"{name} for {example['model']}" for name in now if now[name] != before.get(name, 0)}
    before = now
sys.exit(", ".join(sorted(late)) or 0)
"""

FIRST_UPLOAD = """
import io, sys
from deid_portal.engine.detection import look_at, measure_isolation, suggest_by_looks
from deid_portal.engine.files.table_reader import detect_file, preview_file, read_table
from deid_portal.engine.table.profile import profile_column
from deid_portal.engine.kernel_warm_up import warm_up_intake
from deid_portal.guide.demo.invented import demo_table
from tests.engine.files import files

def compiled():
    modules = [(name, module) for name, module in list(sys.modules.items())
               if name.startswith("deid_portal.engine")]
    return {f"{module}.{name}": len(kernel.signatures) for module, content in modules
            for name, kernel in vars(content).items() if hasattr(kernel, "signatures")}

warm_up_intake()
before = compiled()
names = ("person", "born", "pay", "seen", "sex")
rows = [(f"p{n}@mail.test", f"{1 + n % 28}.02.19{n % 90 + 10}", 0.5 * n, None if n % 5 else "?",
         ("male", "female")[n % 2]) for n in range(700)]
uploads = [write(names, rows) for write in (files.sav, files.parquet, files.xlsx)] + [demo_table()]
for content in uploads:
    form = detect_file(io.BytesIO(content)).format
    preview_file(io.BytesIO(content), form)
    table = read_table(io.BytesIO(content), form)
    looks = tuple(look_at(column) for column in table.columns)
    profiles = [profile_column(column) for column in table.columns]
    suggest_by_looks(table, looks)
    measure_isolation(table.columns.__getitem__, range(len(table.columns)), table.rows)
late = [name for name, count in compiled().items() if count != before.get(name, 0)]
sys.exit(", ".join(late) or 0)
"""


def test_every_kernel_is_compiled_for_the_types_it_is_used_with() -> None:
    answer = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def test_no_model_compiles_anything_in_a_first_run() -> None:
    answer = subprocess.run([sys.executable, "-c", EVERY_MODEL], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def test_a_first_upload_compiles_nothing() -> None:
    answer = subprocess.run([sys.executable, "-c", FIRST_UPLOAD], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
