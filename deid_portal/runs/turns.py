"""The order in which waiting runs are executed; pure functions.

Teams take turns: the team with the fewest running runs is served first, among equals the one whose
last turn was longest ago. So a team with a hundred waiting runs delays another by one run at most.
Within a team, runs of workers that died come first, then runs that a steward moved ahead, then
single runs before those of a sweep, then the oldest.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class WaitingRun:
    """A run that any free worker may take."""

    id: UUID
    team: UUID
    queued_at: datetime
    priority: int = 0
    moved_ahead_at: datetime | None = None
    was_left: bool = False  # its worker died, so it already had its turn

    @property
    def place_in_team(self) -> tuple[bool, float, int, datetime]:
        ahead = self.moved_ahead_at.timestamp() if self.moved_ahead_at else 0.0
        return (not self.was_left, -ahead, self.priority, self.queued_at)


@dataclass(frozen=True)
class Share:
    """The running runs of a team, and when it had its last turn."""

    running: int = 0
    last_turn: float = 0.0  # a timestamp; 0 for a team that never had a turn


def in_turn(waiting: Iterable[WaitingRun], shares: Mapping[UUID, Share]) -> list[WaitingRun]:
    """Return the runs in the order in which free workers take them.

    The order assumes that until then no run ends and no run is added.
    """
    lines: dict[UUID, list[WaitingRun]] = defaultdict(list)
    for run in sorted(waiting, key=lambda run: run.place_in_team, reverse=True):
        lines[run.team].append(run)
    given = {team: shares.get(team, Share()) for team in lines}
    now = max((share.last_turn for share in given.values()), default=0.0)
    order: list[WaitingRun] = []

    def turn_of(team: UUID) -> tuple[int, float, datetime]:
        return (given[team].running, given[team].last_turn, lines[team][-1].queued_at)

    while lines:
        team = min(lines, key=turn_of)
        order.append(lines[team].pop())
        given[team] = Share(given[team].running + 1, now + len(order))
        if not lines[team]:
            del lines[team]
    return order
