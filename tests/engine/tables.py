"""Small tables, plans and random problems the engine's tests share."""

import io
from pathlib import Path
from typing import Any

import numpy as np

from deid_portal.engine import Plan, Table, assess
from deid_portal.engine.documents import Place
from deid_portal.engine.files.csv.reader import CsvFormat, read_csv
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.privacy import Original, PrivacyModel, SensitiveColumn, WholeTable
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.taxonomies import Taxonomy, parse_recipe

DATA = Path(__file__).parent.parent / "data"
ADULT = DATA / "adult"

# The taxonomy of the sensitive column of random problems.
SECRETS = {"tree": {"*": {"low": ["0", "1"], "high": ["2", "3"], "other": ["7", "9"]}}}

# Four people: two alike, one of a kind, one with a gap.
FOUR = Table.from_rows(
    ["zip", "age", "condition"],
    [
        ["13053", "28", "Flu"],
        ["13053", "28", "Cancer"],
        ["13068", "35", "Flu"],
        ["13068", None, "Flu"],
    ],
)


def adult_table() -> Table:
    return read_csv(ADULT / "adult.csv", CsvFormat(delimiter=";"))


def read_adult(name: str) -> bytes:
    return (ADULT / name).read_bytes()


def adult_columns(names: list[str], sensitive: tuple[str, ...] = ()) -> dict[str, Any]:
    columns: dict[str, Any] = {
        name: {
            "role": "quasi-identifier",
            "taxonomy": {"file": f"adult_hierarchy_{name}.csv"},
        }
        for name in names
    }
    return columns | {name: {"role": "sensitive"} for name in sensitive}


def document(columns: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a plan document: k = 2, nothing suppressed, unless said otherwise."""
    plan: dict[str, Any] = {
        "plan": 1,
        "columns": columns,
        "models": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "full-domain", "suppression_limit": 0.0, "metric": "loss"},
    }
    return plan | changes


def four_columns(**changes: Any) -> dict[str, Any]:
    """Return roles for FOUR: zip masked, age shown or hidden, condition sensitive."""
    columns: dict[str, Any] = {
        "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
        "age": {"role": "quasi-identifier"},
        "condition": {"role": "sensitive"},
    }
    return columns | changes


def four_plan(**changes: Any) -> Plan:
    return Plan.from_document(document(four_columns(), **changes))


def random_problem(
    generator: np.random.Generator, models: list[PrivacyModel], rows: int = 40
) -> Problem:
    """Return a random table of 2-4 columns with random nested taxonomies and a sensitive one."""
    width = int(generator.integers(2, 5))
    names = [f"q{index}" for index in range(width)]
    values = [int(generator.integers(1, 7)) for _ in names]
    cells = [[f"v{code}" for code in generator.integers(0, count, rows)] for count in values]
    secrets = [f"{code}" for code in generator.integers(0, 4, rows)]
    table = Table.from_rows([*names, "secret"], zip(*cells, secrets, strict=True))
    taxonomies = [random_taxonomy(generator, len(table[name].values)) for name in names]
    patterns = reduce_table(table, names, ["secret"], Progress(None))
    return Problem(
        table=table,
        names=tuple(names),
        taxonomies=taxonomies,
        weights=[float(weight) for weight in generator.choice([0.5, 1.0, 2.0], width)],
        models=models,
        patterns=patterns,
        whole=WholeTable(
            rows,
            {"secret": SensitiveColumn(table["secret"], parse_recipe(Place(SECRETS)))},
            Original([table[name] for name in names], taxonomies, patterns),
        ),
    )


def random_taxonomy(generator: np.random.Generator, values: int) -> Taxonomy:
    """Return a taxonomy of height 0-3 over this many values; most end in one root."""
    height = int(generator.integers(0, 4))
    paths: list[list[str | None]] = [[f"v{leaf}"] for leaf in range(values)]
    groups = list(range(values))
    for level in range(1, height + 1):
        joined = {group: int(generator.integers(0, 1 + len(set(groups)) // 2)) for group in groups}
        is_root = level == height and generator.random() < 0.9
        groups = [0 if is_root else joined[group] for group in groups]
        for path, group in zip(paths, groups, strict=True):
            path.append(f"l{level}g{group}")
    return Taxonomy.from_paths(paths)


def judge_secrets(groups: dict[str, list[Any]], model: dict[str, Any]) -> RuleVerdict:
    """Return what assess says of a model; `groups` holds the secrets of the people of each zip."""
    rows = [
        [code, None if secret is None else str(secret)]
        for code, secrets in groups.items()
        for secret in secrets
    ]
    table = Table.from_rows(["zip", "secret"], rows)
    columns = {"zip": {"role": "quasi-identifier"}, "secret": {"role": "sensitive"}}
    plan = Plan.from_document(document(columns, models=[model], method={"name": "none"}))
    return assess(table, plan).models[0]


def judge_rows(
    names: str,
    rows: list[str],
    model: dict[str, Any],
    roles: dict[str, Any] | None = None,
    files: dict[str, str] | None = None,
) -> RuleVerdict:
    """Return what assess says of a model; rows are words, "-" a gap, other roles are given."""
    cells = [[None if cell == "-" else cell for cell in row.split()] for row in rows]
    columns = {name: {"role": "quasi-identifier"} for name in names.split()} | (roles or {})
    asked = document(columns, models=[model], method={"name": "none"})
    plan = Plan.from_document(asked, read_file=lambda name: (files or {})[name].encode())
    return assess(Table.from_rows(names.split(), cells), plan).models[0]


def csv_bytes(table: Table, delimiter: str = ",") -> bytes:
    """Return the CSV of a table that fits in memory."""
    stream = io.BytesIO()
    write_csv(table, stream, delimiter)
    return stream.getvalue()
