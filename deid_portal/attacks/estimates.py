"""Estimates of the time of an attack: by the number of rows, and by how long the last ones took."""

from collections.abc import Sequence

from deid_portal.attacks.kinds import traits_of
from deid_portal.datasets.models import Dataset
from deid_portal.runs.models import Run
from deid_portal.work.timings import ExpectedTime, usual_paces

# Seconds for opening release and original: fixed, and per hundred thousand rows.
OPENING = (0.5, 1.0)


def usual_seconds(attack: str, rows: int) -> float:
    hundred_thousands = rows / 100_000
    own = traits_of(attack).usual_seconds
    return sum(fixed + per * hundred_thousands for fixed, per in (OPENING, own))


def expect_attack(attack: str, dataset: Dataset) -> ExpectedTime:
    """Return how long an attack will take with its remedies, learned from the last ones."""
    return ExpectedTime(_kind(attack), usual_seconds(attack, dataset.rows), str(dataset.id))


def expected_seconds(run: Run, attacks: Sequence[str]) -> dict[str, float]:
    """Return the seconds of several attacks at once."""
    dataset = run.dataset
    paces = usual_paces([_kind(attack) for attack in attacks], str(dataset.id))
    return {
        attack: paces[_kind(attack)] * usual_seconds(attack, dataset.rows) for attack in attacks
    }


def _kind(attack: str) -> str:
    return f"attack {attack}"[:60]
