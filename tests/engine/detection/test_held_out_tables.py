"""What the detector makes of eight tables that were written before it was taught their languages.

`tests/data/held_out/make_tables.py` says where they come from.
"""

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from deid_portal.engine import Table
from deid_portal.engine.detection import Suggestion
from deid_portal.engine.table.missing_words import find_missing_words
from tests.engine.detection.suggested_roles import suggest_roles

FOLDER = Path(__file__).parents[2] / "data" / "held_out"
TRUTH: dict[str, dict[str, dict[str, Any]]] = json.loads((FOLDER / "truth.json").read_text())
LANGUAGES = sorted(TRUTH)
# False alarms make work but harm nobody; there is none today.
MOST_FALSE_ALARMS = 1


@cache
def read_rows(language: str) -> list[list[str]]:
    text = (FOLDER / f"{language}.csv").read_text(encoding="utf-8")
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    return list(csv.reader(text.splitlines(), delimiter=delimiter))


@cache
def suggest(language: str) -> dict[str, Suggestion]:
    names, *rows = read_rows(language)
    found = suggest_roles(Table.from_rows(tuple(names), [tuple(row) for row in rows]))
    return dict(zip(names, found.suggestions, strict=True))


def columns_that_are(language: str, what: str) -> set[str]:
    return {name for name, truth in TRUTH[language].items() if truth["is"] == what}


def suggested_as(language: str, role: str | None) -> set[str]:
    return {name for name, found in suggest(language).items() if found.role == role}


def test_there_are_enough_columns_to_judge_by() -> None:
    assert len(LANGUAGES) == 8
    identifiers = sum(len(columns_that_are(language, "identifier")) for language in LANGUAGES)
    assert identifiers >= 60
    assert sum(len(columns) for columns in TRUTH.values()) >= 120


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_identifier_is_found(language: str) -> None:
    assert columns_that_are(language, "identifier") <= suggested_as(language, "identifier")


@pytest.mark.parametrize("language", LANGUAGES)
def test_free_text_gets_no_role(language: str) -> None:
    found = suggested_as(language, None)
    assert found == columns_that_are(language, "free text")
    assert all(suggest(language)[name].is_free_text for name in found)


def test_few_columns_are_taken_for_identifiers_that_are_none() -> None:
    alarms = [
        f"{language}: {name}"
        for language in LANGUAGES
        for name in suggested_as(language, "identifier") - columns_that_are(language, "identifier")
    ]
    assert len(alarms) <= MOST_FALSE_ALARMS, alarms


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_for_missing_values_are_found(language: str) -> None:
    """What is surely one is one; others, such as "none" as somebody's degree, are only offered."""
    names, *rows = read_rows(language)
    for place, name in enumerate(names):
        sure, doubtful = find_missing_words(row[place] for row in rows)
        gaps = set(TRUTH[language][name]["gaps"])
        assert set(sure) <= gaps <= {*sure, *doubtful}, name
