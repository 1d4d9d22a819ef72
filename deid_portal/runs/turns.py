"""Whose run is next; pure functions.

Teams take turns: the team with the fewest runs at work is served first, and among equals the one
whose last turn was longest ago. So a team with a hundred runs waiting delays another by one run at
most. Within a team, what a dead worker left comes first, then what a steward moved ahead, then
single runs before members of a sweep, then the oldest.
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
    was_left: bool = False  # its worker died; its turn had come already

    @property
    def place_in_team(self) -> tuple[bool, float, int, datetime]:
        ahead = self.moved_ahead_at.timestamp() if self.moved_ahead_at else 0.0
        return (not self.was_left, -ahead, self.priority, self.queued_at)


@dataclass(frozen=True)
class Share:
    """What a team has had so far."""

    running: int = 0
    last_turn: float = 0.0  # on any clock; 0 for a team that never had one


def in_turn(waiting: Iterable[WaitingRun], shares: Mapping[UUID, Share]) -> list[WaitingRun]:
    """Return the runs in the order in which free workers take them.

    Each turn counts against its team at once, so the order further back is what will happen if
    nothing ends and nothing new comes.
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
