"""The risk of somebody who only knows the population, against counting people one by one.

The oracle reads the released cells and the tables the plan names, and shares no code with the
engine.
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, assess, protect
from deid_portal.engine.report import Report
from deid_portal.engine.report.risk import PopulationMatch
from tests.engine.tables import document

Row = tuple[str | None, ...]
NAMES = ["a", "b"]
ABOVE = {f"v{code}": f"g{code // 2}" for code in range(8)}  # no table has v7, the taxonomy does
TREE = {"*": {group: [v for v, g in ABOVE.items() if g == group] for group in set(ABOVE.values())}}
COLUMNS: dict[str, Any] = {
    **{name: {"role": "quasi-identifier", "taxonomy": {"tree": TREE}} for name in NAMES},
    "secret": {"role": "sensitive"},
}
METHODS: dict[str, dict[str, Any]] = {
    "full-domain": {"name": "full-domain", "suppression_limit": 0.3},
    "local-recoding": {"name": "local-recoding", "suppression_limit": 0.2},
    "none": {"name": "none"},
    "groups": {"name": "bucketization", "l": 2, "column": "secret"},
    "mondrian": {"name": "mondrian"},
}
TOWN, COUNTY = "town.csv", "county.csv"
# Where a plan may name a population, and which of them it does.
NAMED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "measures": ({"measures": {"risk": {"population": TOWN}}}, [TOWN]),
    "k-map": ({"models": [{"model": "k-map", "k": 2, "population": TOWN}]}, [TOWN]),
    "delta-presence": (
        {"models": [{"model": "delta-presence", "minimum": 0, "maximum": 1, "population": TOWN}]},
        [TOWN],
    ),
    "two": (
        {
            "models": [{"model": "k-map", "k": 2, "population": TOWN}],
            "measures": {"risk": {"population": COUNTY}},
        },
        [TOWN, COUNTY],
    ),
    "none": ({}, []),
}


def draw(generator: np.random.Generator, rows: int, values: list[str | None]) -> list[Row]:
    return [
        tuple(values[code] for code in generator.integers(0, len(values), 2)) for _ in range(rows)
    ]


def write(rows: list[Row]) -> bytes:
    return "\n".join(
        [",".join(NAMES), *(",".join(cell or "" for cell in row) for row in rows)]
    ).encode()


def looks_like(cell: str | None, label: str | None) -> bool:
    """Say whether a person with this value would show the label; a gap shows as one below "*"."""
    if label is None or label == "*":
        return cell is None or label == "*"
    return label in (cell, ABOVE.get(cell or ""))


def expect(released: list[Row], populations: list[list[Row]]) -> tuple[float, float]:
    """Return the journalist's and the marketer's risk of these cells."""

    def people(row: Row) -> int:
        counted = [sum(all(map(looks_like, person, row)) for person in own) for own in populations]
        return max(min(counted, default=0), released.count(row))

    chances = [1 / people(row) for row in released]
    return max(chances, default=0.0), sum(chances) / max(len(chances), 1)


def cells_of(table: Table) -> list[Row]:
    own = Table(tuple(table[name] for name in NAMES))
    return [tuple(row) for row in own.head(own.rows)]


# Models of a population look for labels, which groups and ranges do not show: they are refused.
LABELLED = ("full-domain", "local-recoding", "none")


@pytest.mark.parametrize(
    ("method", "named"),
    [
        (method, named)
        for method in METHODS
        for named, (changes, _) in NAMED.items()
        if method in LABELLED or "models" not in changes
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_people_are_counted_one_by_one(seed: int, method: str, named: str) -> None:
    generator = np.random.default_rng([seed, len(method), len(named)])
    rows = draw(generator, 14, ["v0", "v1", "v2", "v3", "v4", *([None] if seed % 2 else [])])
    strangers: list[str | None] = [*ABOVE, "not in the taxonomy", None]
    # Sometimes the people of the table are missing from the town.
    town = draw(generator, 30, strangers) + (rows if seed else [])
    county = [*rows, *draw(generator, 200, strangers)]
    files = {TOWN: write(town), COUNTY: write(county)}
    changes, names = NAMED[named]
    table = Table.from_rows(
        [*NAMES, "secret"], [[*row, f"s{place % 3}"] for place, row in enumerate(rows)]
    )
    asked = document(COLUMNS, method=METHODS[method], **({"models": []} | changes))
    plan = Plan.from_document(asked, read_file=files.__getitem__)
    outcome = protect(table, plan)
    populations = [town if name == TOWN else county for name in names]
    risk = outcome.report.risk
    states = {"before": rows, "after": cells_of(outcome.released) if outcome.released else []}
    for when, cells in states.items():
        journalist, marketer = expect(cells, populations)
        told = getattr(risk, when)
        assert told.journalist == pytest.approx(journalist)
        assert told.marketer == pytest.approx(marketer)
        assert (told.population is not None) == bool(names)
    if outcome.released is not None and method != "groups":
        measured = assess(table, plan, outcome.released).risk.after
        assert measured.journalist == risk.after.journalist


PEOPLE = Table.from_rows(["zip"], [["1"], ["1"], ["2"]])


def measure(town: str, **changes: Any) -> Report:
    columns = {"zip": {"role": "quasi-identifier"}}
    asked = document(columns, **({"models": [], "method": {"name": "none"}} | changes))
    plan = Plan.from_document(asked, read_file=lambda name: f"zip\n{town}\n".encode())
    return protect(PEOPLE, plan).report


def test_it_is_never_more_than_that_of_the_prosecutor() -> None:
    """Nobody of the town lives in 2, and one only in 1: so the town leaves people out."""
    report = measure("1\n3\n3\n3", measures={"risk": {"population": "town.csv"}})
    risk = report.risk.after
    assert risk.journalist == risk.prosecutor.highest == 1
    assert risk.marketer == risk.prosecutor.average == pytest.approx(2 / 3)
    assert risk.population == PopulationMatch(short_classes=2)
    assert any("fewer people than the release in 2 of its 2 groups" in own for own in report.notes)
    assert report.risk.details.after.journalist.is_bound


def test_a_population_in_which_all_are_found_is_no_bound() -> None:
    report = measure("1\n1\n1\n2\n2", models=[{"model": "k-map", "k": 2, "population": "town.csv"}])
    assert report.risk.after.journalist == 1 / 2
    assert report.risk.after.population == PopulationMatch(short_classes=0)
    assert not report.risk.details.after.journalist.is_bound
    assert report.models[0].achieved == {"k": 2}
    assert report.notes == ()


def test_values_that_nobody_has_are_bounded_and_not_refused() -> None:
    """Noise shows values that no taxonomy has; before, the run ended with an error for that."""
    table = Table.from_rows(["age"], [[str(age)] for age in range(20, 40)])
    columns = {"age": {"role": "quasi-identifier", "type": "integer"}}
    noise = {"name": "noise", "columns": ["age"], "scale": 1.5}
    risk = {"risk": {"population": "town.csv"}}
    asked = document(columns, models=[], method=noise, measures=risk, seed=4)
    town = b"age\n" + b"\n".join(str(age).encode() for age in (*range(20, 40), 21, 22))
    plan = Plan.from_document(asked, read_file=lambda name: town)
    report = protect(table, plan, is_repeatable=True).report
    assert report.risk.after.population.short_classes > 0
    assert report.risk.before.population.short_classes == 0


@pytest.mark.parametrize(
    ("town", "sentence"),
    [
        ("1", "measures.risk.population: at least the 3 rows of the table are accepted."),
        (None, 'measures.risk.population: the file has no column "zip"'),
    ],
)
def test_a_population_that_cannot_be_it_is_refused_before_anything_is_done(
    town: str | None, sentence: str
) -> None:
    columns = {"zip": {"role": "quasi-identifier"}}
    content = b"city\n1\n2\n3\n" if town is None else f"zip\n{town}\n".encode()
    asked = document(columns, models=[], measures={"risk": {"population": "town.csv"}})
    with pytest.raises(InvalidPlan) as refusal:
        protect(PEOPLE, Plan.from_document(asked, read_file=lambda name: content))
    assert str(refusal.value).startswith(sentence)


def test_the_oracle_counts_look_alikes() -> None:
    """Two of the town are v0 or v1; the table has one of them, and nobody else."""
    town: list[Row] = [("v0", "v0"), ("v1", "v0"), ("v2", "v0")]
    assert Counter(looks_like(person[0], "g0") for person in town) == {True: 2, False: 1}
    assert expect([("g0", "v0")], [town]) == (1 / 2, 1 / 2)
