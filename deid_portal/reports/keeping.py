"""The run nearest to this one that keeps the columns it lost: proposed below its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from deid_portal.engine.report.table import LostColumns
from deid_portal.engine.wording.words import listed
from deid_portal.reports.scenarios import Scenario


@dataclass(frozen=True)
class KeepingRun:
    """Another run, the lost columns it keeps, and what it has to say for itself."""

    id: UUID
    number: int
    keeps: str
    words: str


def find_keeping_run(
    number: int, lost: LostColumns, scenarios: Sequence[Scenario]
) -> KeepingRun | None:
    """Return the run that keeps most of these columns and, of several, is nearest in risk.

    A run the policy does not allow, or that loses other columns in their place, is none.
    """
    own = next((run for run in scenarios if run.number == number), None)
    others = [run for run in scenarios if run.has_numbers and run.is_allowed and run is not own]
    keeping = [run for run in others if _kept(lost, run) and not _lost_besides(lost, run)]
    if own is None or not keeping:
        return None
    best = min(
        keeping,
        key=lambda run: (
            -len(_kept(lost, run)),
            abs(run.highest_risk - own.highest_risk),
            run.share_left_out,
            -run.number,
        ),
    )
    words = ", ".join([f"{best.label}", best.lost_words, best.cost_words])
    return KeepingRun(best.id, best.number, listed(_kept(lost, best)), words)


def _kept(lost: LostColumns, run: Scenario) -> list[str]:
    gone = _lost_in(run).names
    return [name for name in lost.names if name not in gone and name in run.summary.columns]


def _lost_besides(lost: LostColumns, run: Scenario) -> set[str]:
    return set(_lost_in(run).names) - set(lost.names)


def _lost_in(run: Scenario) -> LostColumns:
    return LostColumns.of(run.summary.columns, run.summary.rows)
