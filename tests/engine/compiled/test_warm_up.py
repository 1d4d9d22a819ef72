"""After warming up nothing is left to compile in a user's first run.

One process that has compiled nothing tries it in the order of a user's first day.
"""

import json
import subprocess
import sys

import pytest

FIRST_DAY = """
import io, json, sys
import numpy as np
from deid_portal.engine import Plan, protect
from deid_portal.engine.compiled import kernels
from deid_portal.engine.detection import look_at, measure_isolation, suggest_by_looks
from deid_portal.engine.files.table_reader import detect_file, preview_file, read_table
from deid_portal.engine.kernel_warm_up import warm_up, warm_up_intake
from deid_portal.engine.methods.method import records_allowed
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.optimum import find_optimum
from deid_portal.engine.table.profile import profile_column
from deid_portal.engine.utility import METRICS
from deid_portal.guide.demo.invented import demo_table
from tests.engine.files import files
from tests.engine.privacy.test_every_privacy_model import EXAMPLES, model_of
from tests.engine.tables import (
    adult_columns, adult_table, document, random_problem, read_adult
)

def compiled():
    modules = [(name, module) for name, module in list(sys.modules.items())
               if name.startswith("deid_portal.engine")]
    return {f"{module}.{name}": set(kernel.signatures) for module, content in modules
            for name, kernel in vars(content).items() if hasattr(kernel, "signatures")}

def late_of(before):
    return sorted(name for name, now in compiled().items() if now != before.get(name, set()))

def upload():
    names = ("person", "born", "pay", "seen", "sex")
    rows = [(f"p{n}@mail.test", f"{1 + n % 28}.02.19{n % 90 + 10}", 0.5 * n,
             None if n % 5 else "?", ("male", "female")[n % 2]) for n in range(700)]
    uploads = [write(names, rows) for write in (files.sav, files.parquet, files.xlsx)]
    for content in [*uploads, demo_table()]:
        form = detect_file(io.BytesIO(content)).format
        preview_file(io.BytesIO(content), form)
        table = read_table(io.BytesIO(content), form)
        looks = tuple(look_at(column) for column in table.columns)
        profiles = [profile_column(column) for column in table.columns]
        suggest_by_looks(table, looks)
        measure_isolation(table.columns.__getitem__, range(len(table.columns)), table.rows)

def run():
    models = [{"model": "k-anonymity", "k": 5},
              {"model": "t-closeness", "t": 0.4, "column": "occupation"}]
    for name in ("full-domain", "local-recoding"):
        columns = adult_columns(["sex", "age", "race", "education"], ("occupation",))
        method = {"name": name, "suppression_limit": 0.05}
        plan = document(columns, models=models, method=method, other_columns="remove")
        protect(adult_table(), Plan.from_document(plan, read_file=read_adult))

def search_with(model):
    problem = random_problem(np.random.default_rng(1), [model], rows=30)
    for metric in ("loss", "discernibility"):
        checker = problem.checker(METRICS[metric])
        find_optimum(checker, records_allowed(0.2, problem.rows), Progress(None))

models = [model_of(example) for example in EXAMPLES]  # their modules are imported now
warm_up_intake()
before = compiled()
upload()
late_in_upload = late_of(before)
warm_up()
idle = [name for name, kernel in vars(kernels).items()
        if hasattr(kernel, "signatures") and not kernel.signatures]
before = compiled()
run()
late_in_run = late_of(before)
late_in_models = []
for example, model in zip(EXAMPLES, models, strict=True):
    before = compiled()
    search_with(model)
    late_in_models += [f"{name} for {example['model']}" for name in late_of(before)]
print(json.dumps({"never warmed": idle, "late in the first upload": late_in_upload,
                  "late in a first run": late_in_run, "late in the models": late_in_models,
                  "models tried": len(models)}))
"""


@pytest.fixture(scope="module")
def first_day() -> dict[str, object]:
    ended = subprocess.run([sys.executable, "-c", FIRST_DAY], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    told: dict[str, object] = json.loads(ended.stdout)
    return told


def test_a_first_upload_compiles_nothing(first_day: dict[str, object]) -> None:
    assert first_day["late in the first upload"] == []


def test_every_kernel_is_compiled_for_the_types_it_is_used_with(
    first_day: dict[str, object],
) -> None:
    assert first_day["never warmed"] == []
    assert first_day["late in a first run"] == []


def test_no_model_compiles_anything_in_a_first_run(first_day: dict[str, object]) -> None:
    assert first_day["models tried"] > 20
    assert first_day["late in the models"] == []
