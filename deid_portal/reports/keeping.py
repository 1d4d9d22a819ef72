"""What keeps the columns a run lost, proposed below its verdict: another run, or other levels."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from deid_portal.engine.report import Report
from deid_portal.engine.report.table import LostColumns
from deid_portal.engine.wording.words import counted, listed
from deid_portal.reports.combinations import write_pick
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


@dataclass(frozen=True)
class KeepingCombination:
    """Other levels that satisfy the plan of this run, and the lost columns they keep."""

    pick: str
    keeps: str
    words: str


def find_keeping_combination(report: Report) -> KeepingCombination | None:
    """Return the best combination checked that keeps lost columns and hides no other instead."""
    exploration = report.exploration
    if exploration is None:
        return None
    hidden = exploration.hidden_by(exploration.levels_of(report.transformation.levels))
    keeping = [
        found
        for found in exploration.combinations
        if found.satisfies and exploration.hidden_by(found.levels) < hidden
    ]
    if not keeping:
        return None
    # They stand in order, the best first; of those that hide as few columns it is taken.
    best = min(keeping, key=lambda found: len(exploration.hidden_by(found.levels)))
    kept = hidden - exploration.hidden_by(best.levels)
    return KeepingCombination(
        pick=write_pick(best.levels),
        keeps=listed([name for name in exploration.names if name in kept]),
        words=f"{exploration.metric.replace('_', ' ')} {best.value:.4g}, "
        f"{counted(best.suppressed, 'row')} left out",
    )


def _kept(lost: LostColumns, run: Scenario) -> list[str]:
    gone = _lost_in(run).names
    return [name for name in lost.names if name not in gone and name in run.summary.columns]


def _lost_besides(lost: LostColumns, run: Scenario) -> set[str]:
    return set(_lost_in(run).names) - set(lost.names)


def _lost_in(run: Scenario) -> LostColumns:
    return LostColumns.of(run.summary.columns, run.summary.rows)
