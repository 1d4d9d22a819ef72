"""A published report follows from the release, the published plan and stated totals only."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.publication import publish_report
from deid_portal.engine.publication.allow_list import (
    ANY,
    PUBLISHED,
    Origin,
    list_reasons,
    pick_allowed,
)
from deid_portal.engine.report import Report
from deid_portal.engine.report.table import RowCounts
from deid_portal.engine.verification.dictionary import describe_fields
from tests.engine.publication.twins import (
    COLUMNS,
    DOMAIN,
    LEVELS,
    draw_people,
    make_twins,
    what_is_known,
    what_is_published,
)
from tests.engine.tables import document

K3 = {"model": "k-anonymity", "k": 3}
EVERYBODY = list(itertools.product(*(DOMAIN[name] for name in LEVELS))) * 12
POPULATION = "\n".join(
    [",".join(LEVELS), *(",".join(cell or "" for cell in person) for person in EVERYBODY)]
).encode()
ENOUGH = 4  # pairs of originals per plan
BY_LEVELS = {"name": "levels", "levels": LEVELS, "suppression_limit": 1.0}
PLANS: dict[str, dict[str, Any]] = {
    "levels": {"models": [K3], "method": BY_LEVELS},
    "levels, half of the columns exact": {
        "models": [K3],
        "method": {**BY_LEVELS, "levels": {"town": 0, "age": 3, "zip": 5, "visit": 2}},
    },
    "diversity and closeness": {
        "models": [
            {"model": "k-anonymity", "k": 2},
            {"model": "l-diversity", "l": 2, "column": "illness"},
            {"model": "t-closeness", "t": 0.7, "column": "illness"},
            {"model": "beta-likeness", "beta": 5, "column": "illness"},
        ],
        "method": BY_LEVELS,
        "measures": {
            "risk": {"population_size": 5000},
            "utility": {"groups": ["sex"]},
        },
    },
    "population": {
        "models": [K3, {"model": "k-map", "k": 2, "population": "people.csv"}],
        "method": BY_LEVELS,
        "measures": {"risk": {"population": "people.csv"}},
    },
    "attacked": {
        "models": [K3],
        "method": BY_LEVELS,
        "measures": {"attacks": [{"attack": "record-linkage"}, {"attack": "homogeneity"}]},
    },
    "searched": {
        "models": [K3],
        "method": {"name": "full-domain", "suppression_limit": 0.4, "metric": "loss"},
    },
    "rounds": {"models": [K3], "method": {"name": "local-recoding", "suppression_limit": 0.3}},
    "then coded": {
        "models": [K3],
        "method": [BY_LEVELS, {"name": "rounding", "columns": ["age"], "base": 5}],
    },
}


def plan_of(way: str) -> Plan:
    asked = PLANS[way]
    columns = {name: dict(own) for name, own in COLUMNS.items()}
    if way == "then coded":
        columns["age"]["role"] = "insensitive"
        columns["age"].pop("taxonomy")
        levels = {name: level for name, level in LEVELS.items() if name != "age"}
        asked = {**asked, "method": [{**BY_LEVELS, "levels": levels}, asked["method"][1]]}
    return Plan.from_document(document(columns, **asked), read_file=lambda name: POPULATION)


@pytest.mark.parametrize("way", PLANS)
def test_two_originals_with_the_same_release_are_published_alike(way: str) -> None:
    generator, plan = np.random.default_rng(len(way)), plan_of(way)
    twins = itertools.islice(twins_of(generator, plan), ENOUGH)
    left_out, compared, kept_back = 0, 0, 0
    for first, second in twins:
        left_out += first.report.rows.suppressed
        compared += 1
        assert written(plan, first) == written(plan, second)
        kept_back += first.report != second.report
    assert compared == ENOUGH
    assert kept_back, "or both would be alike without a list"
    assert left_out, "or nobody was there to be found"


def twins_of(generator: np.random.Generator, plan: Plan) -> Iterator[tuple[Outcome, Outcome]]:
    for _ in range(20):
        yield from make_twins(generator, draw_people(generator, 50), plan, tries=4)


def written(plan: Plan, outcome: Outcome) -> dict[str, str]:
    """Return everything that leaves beside the rows, as it is written."""
    assert outcome.released is not None
    publication, report = what_is_published(plan, outcome)
    documents = {
        "report": report.to_document(),
        "plan": publication.plan,
        "files": publication.files,
        "dictionary": describe_fields(in_order(outcome.released), report),
    }
    return {name: json.dumps(own, sort_keys=False) for name, own in documents.items()}


def in_order(table: Table) -> Table:
    """Return the rows in one order, as the released order is drawn by chance."""
    rows = sorted(table.head(table.rows), key=lambda row: [cell or "" for cell in row])
    return Table.from_rows(list(table.names), rows)


# What was solved once: 401 people, one of them left out, and each figure fitted one value.
FACULTIES = {"sex": ["F", "M"], "region": ["north", "south", "east"], "faculty": ["law", "arts"]}


def crowd() -> list[list[str | None]]:
    kinds = list(itertools.product(*FACULTIES.values()))
    loner = ("M", "north", "law")
    sizes = {kind: 30 + 3 * number for number, kind in enumerate(kinds) if kind != loner}
    rows: list[list[str | None]] = [list(kind) for kind, size in sizes.items() for _ in range(size)]
    return rows[:400]


def outcomes_with(plan: Plan) -> Iterator[tuple[tuple[str, ...], Outcome]]:
    """Return the outcome for everybody that the one person left out could have been."""
    others = [*FACULTIES.values()]
    for person in itertools.product(*([*own, "elsewhere"] for own in others)):
        table = Table.from_rows(list(FACULTIES), [*crowd(), list(person)])
        yield person, protect(table, plan)


@pytest.mark.parametrize("method", ["levels", "full-domain"])
def test_a_package_does_not_tell_who_the_one_person_left_out_was(method: str) -> None:
    """Whoever has the package tries everybody that person could have been: all fit."""
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in FACULTIES}
    asked: dict[str, Any] = {"name": method, "suppression_limit": 0.01}
    asked |= {"levels": {}} if method == "levels" else {}
    plan = Plan.from_document(
        document(columns, models=[{"model": "k-anonymity", "k": 5}], method=asked)
    )
    people = dict(outcomes_with(plan))
    truth = people["M", "north", "law"]
    assert truth.report.rows == RowCounts(released=400, suppressed=1)
    package = written(plan, truth)
    alike = [own for own, other in people.items() if what_is_known(other) == what_is_known(truth)]
    fitting = [own for own in alike if written(plan, people[own]) == package]
    assert fitting == alike
    for place in range(len(FACULTIES)):
        assert len({own[place] for own in fitting}) > 1, "one value alone would have been found"


def test_every_entry_that_leaves_is_listed_with_its_reason() -> None:
    plan = plan_of("diversity and closeness")
    table = Table.from_rows(list(DOMAIN), draw_people(np.random.default_rng(1), 80))
    _, report = what_is_published(plan, protect(table, plan))
    listed = [place.split(".") for place, _ in list_reasons()]
    kept = {k: own for k, own in report.to_document().items() if k not in ("plan", "models")}
    for place in places_of(kept):
        assert any(_covers(own, place) for own in listed), ".".join(place)
    assert all(reason.words for _, reason in list_reasons())


def places_of(document: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(document, dict) and document:
        for key, own in document.items():
            yield from places_of(own, (*place, key))
    elif isinstance(document, list | tuple) and document:
        for own in document:
            yield from places_of(own, (*place, ANY))
    else:
        yield place


def _covers(listed: list[str], place: tuple[str, ...]) -> bool:
    pairs = zip(listed, place, strict=False)
    return len(listed) <= len(place) and all(own in (ANY, step) for own, step in pairs)


def test_a_new_entry_stays_until_it_is_listed() -> None:
    plan = plan_of("levels")
    table = Table.from_rows(list(DOMAIN), draw_people(np.random.default_rng(1), 80))
    outcome = protect(table, plan)
    report = json.loads(json.dumps(outcome.report.to_document()))
    report["surprise"] = report["risk"]["after"]["surprise"] = 1
    report["columns"]["sex"]["surprise"] = report["classes"]["bins"][0]["surprise"] = 1
    assert "surprise" not in json.dumps(pick_allowed(report))
    published = publish_report(Report.from_document(report), report["plan"])
    assert "surprise" not in json.dumps(published.to_document())


def test_nothing_listed_is_about_the_time_before() -> None:
    places = [place for place, reason in list_reasons() if reason.origin is not Origin.TOTAL]
    assert not [place for place in places if "before" in place]
    assert [p for p, r in list_reasons() if r.origin is Origin.TOTAL] == [
        "input.rows", "rows.suppressed", "rows.not_drawn"
    ]  # fmt: skip
    assert "comparison" not in PUBLISHED


TOWNS = b";unknown;north;*\nKiel;k;north;*\nUlm;u;south;*\n"
OF_ONE_LEFT_OUT = {
    "a gap": (
        {"town": {"role": "quasi-identifier", "taxonomy": {"file": "towns.csv"}}},
        {"town": 2},
        ("Kiel", "Ulm", None),
        b"town,sex\n" + b"Kiel,m\n" * 6 + b",m\n" * 5 + b"Ulm,f\n" * 2,
    ),
    "the longest code": (
        {"town": {"role": "quasi-identifier", "taxonomy": {"mask": {}}}},
        {"town": 5},
        ("13053", "13068", "1305399"),
        b"town,sex\n" + b"13053,m\n" * 6 + b"1305399,m\n" * 5 + b"130,m\n" * 7,
    ),
}


@pytest.mark.parametrize("what", OF_ONE_LEFT_OUT)
def test_who_is_found_in_the_population_does_not_tell_of_somebody_left_out(what: str) -> None:
    """Taxonomies are built for everybody in the table; before, the journalist's risk showed it."""
    columns, levels, (shown, one, other), people = OF_ONE_LEFT_OUT[what]
    asked = document(
        {**columns, "sex": {"role": "quasi-identifier"}},
        models=[{"model": "k-anonymity", "k": 2}],
        method={"name": "levels", "levels": levels, "suppression_limit": 1.0},
        measures={"risk": {"population": "people.csv"}},
    )
    files = {"towns.csv": TOWNS, "people.csv": people}
    plan = Plan.from_document(asked, read_file=files.__getitem__)
    outcomes = [
        protect(Table.from_rows(["town", "sex"], [[shown, "m"]] * 4 + [[left, "f"]]), plan)
        for left in (one, other)
    ]
    assert what_is_known(outcomes[0]) == what_is_known(outcomes[1])
    first, second = (what_is_published(plan, outcome)[1] for outcome in outcomes)
    assert first == second
    after = first.risk.after
    assert after.journalist == after.prosecutor.highest
    assert after.population is None
