"""Damaged files: every reader says a sentence or reads them. `make fuzz` tries many more."""

import json
import subprocess
import sys

import pytest

from tests.fuzz.mutations import damaged
from tests.fuzz.readers import READERS
from tests.launcher.portal import ROOT

INPUTS = 50


@pytest.fixture(scope="module")
def faults() -> dict[str, list[str]]:
    """Apart from the tests: a reader that crashes must not take them along."""
    command = [sys.executable, "-m", "tests.fuzz", "--inputs", str(INPUTS), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("reader", READERS)
def test_every_damaged_file_gets_a_sentence_or_is_read(
    reader: str, faults: dict[str, list[str]]
) -> None:
    assert faults[reader] == []


@pytest.mark.parametrize("reader", READERS)
def test_damaged_files_are_the_same_each_time_and_differ(reader: str) -> None:
    seeds = READERS[reader].seeds()
    made = [damaged(seeds, number) for number in range(30)]
    assert made == [damaged(seeds, number) for number in range(30)]
    assert len(set(made)) > 20
