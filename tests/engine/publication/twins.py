"""Twins of an original: other tables from which the same release is made.

People left out are changed at will; people in the release get other exact values that the release
shows by the same labels. Where a plan makes the same release of both, whoever holds the package
must not be able to tell them apart.
"""

import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.publication import Publication
from deid_portal.engine.report import Report

REGIONS = {"*": {"north": ["Kiel", "Bremen", "Emden"], "south": ["Ulm", "Passau", "Lindau"]}}
DOMAIN: dict[str, list[str | None]] = {
    "sex": ["m", "f"],
    "town": ["Kiel", "Ulm", "Bremen", "Passau", None],
    "age": ["21", "24", "28", "33", "47", "58"],
    "zip": ["13053", "13068", "14850", "1485012"],
    "visit": ["2024-01-03", "2024-02-11", "2025-07-01"],
    "illness": ["flu", "ulcer", "gout", "asthma"],
    "ward": ["A", "B"],
}
COLUMNS: dict[str, Any] = {
    "sex": {"role": "quasi-identifier"},
    "town": {"role": "quasi-identifier", "taxonomy": {"tree": REGIONS}},
    "age": {
        "role": "quasi-identifier",
        "taxonomy": {"intervals": {"start": 0, "width": 10, "widen": [2]}},
    },
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {}}},
    "visit": {"role": "quasi-identifier", "taxonomy": {"dates": ["month", "year"]}},
    "illness": {"role": "sensitive"},
    "ward": {"role": "insensitive"},
}
LEVELS = {"sex": 0, "town": 1, "age": 2, "zip": 3, "visit": 2}


def draw_people(generator: np.random.Generator, rows: int) -> list[list[str | None]]:
    """Return people who crowd in a few places, so that some groups are large and some are not."""
    shares = {name: _crowded(len(values)) for name, values in DOMAIN.items()}
    return [
        [DOMAIN[name][int(generator.choice(len(own), p=own))] for name, own in shares.items()]
        for _ in range(rows)
    ]


def _crowded(count: int) -> "np.ndarray[Any, np.dtype[np.float64]]":
    weights = 0.5 ** np.arange(count)
    return weights / weights.sum()


def make_twins(
    generator: np.random.Generator, rows: list[list[str | None]], plan: Plan, tries: int
) -> Iterator[tuple[Outcome, Outcome]]:
    """Return outcomes of two originals whose releases are the same, and whose totals are.

    Every other one differs in the people left out alone, which a search is least likely to answer
    with another release.
    """
    first = protect(Table.from_rows(list(DOMAIN), rows), plan)
    if first.released is None or first.rows is None:
        return
    for number in range(tries):
        other = _change_people_left_out(generator, rows, first)
        if number % 2:
            other = _swap_exact_values(generator, other, first)
        second = protect(Table.from_rows(list(DOMAIN), other), plan)
        if second.released is not None and what_is_known(first) == what_is_known(second):
            yield first, second


def _change_people_left_out(
    generator: np.random.Generator, rows: list[list[str | None]], outcome: Outcome
) -> list[list[str | None]]:
    """Make two of them somebody else: more would often be enough for a group of their own."""
    assert outcome.rows is not None
    left_out = sorted(set(range(len(rows))) - set(outcome.rows.tolist()))
    changed = list(rows)
    for number in generator.permutation(left_out)[:2]:
        changed[number] = [own[int(generator.integers(len(own)))] for own in DOMAIN.values()]
    return changed


def _swap_exact_values(
    generator: np.random.Generator, rows: list[list[str | None]], outcome: Outcome
) -> list[list[str | None]]:
    """Give people in the release another's exact value, where both are shown by the same label."""
    assert outcome.released is not None
    assert outcome.rows is not None
    changed = [list(row) for row in rows]
    for place, name in enumerate(DOMAIN):
        if name not in LEVELS:
            continue
        codes = outcome.released[name].codes.tolist()
        # In the order of the original: that of the release is drawn anew each time.
        shown = sorted(zip(outcome.rows.tolist(), codes, strict=True))
        behind: dict[int, list[str | None]] = {}
        for number, label in shown:
            behind.setdefault(label, []).append(rows[number][place])
        for number, label in shown:
            alike = behind[label]
            changed[number][place] = alike[int(generator.integers(len(alike)))]
    return changed


def what_is_known(outcome: Outcome) -> Any:
    """Return the release, in no order, with the totals and levels that are stated beside it."""
    assert outcome.released is not None
    stream = io.BytesIO()
    write_csv(outcome.released, stream)
    report = outcome.report
    return (
        sorted(stream.getvalue().decode().splitlines()),
        report.input.rows,
        report.rows,
        report.transformation.levels,
    )


def what_is_published(plan: Plan, outcome: Outcome) -> tuple[Publication, Report]:
    """Return what leaves of a plan and its report, as documents."""
    assert outcome.released is not None
    whole = outcome.full_report
    publication = Publication.of(plan, outcome.released, whole)
    document = json.loads(json.dumps(publication.to_document()))
    return Publication.from_document(document), publication.publish_report(whole)
