"""How long work will take: what a model says of it, corrected by how long the last such work took.

A model (bytes of a file, a short search) knows what work consists of and not how fast this machine
is, or what else it does. So each piece of work that finishes leaves a timing, and the median of how
many times longer than modelled the last ones took is the pace of the next. The median is not moved
by one run that stood still. Work on the same object is compared first, where a model is wrong in
the same way each time; then work on this machine, then on any.
"""

import math
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from deid_portal.work.models import Timing

# Timings looked at, and kept of each kind.
LAST = 9
KEPT = 100
# A single odd timing is no reason to promise a hundredth or a hundred times.
SLOWEST, FASTEST = 50.0, 0.05
LEAST_SECONDS = 0.05


@dataclass(frozen=True)
class ExpectedTime:
    """The seconds of a piece of work: `kind` and `about` say with which others it is compared."""

    kind: str
    modelled: float
    about: str = ""  # the id of the object

    @cached_property
    def seconds(self) -> float:
        return self.modelled * usual_pace(self.kind, self.about)

    def learn(self, took: float) -> None:
        """Keep the duration of the finished work for the expectations of the next."""
        Timing.objects.create(
            machine=this_machine(),
            kind=self.kind,
            about=self.about,
            modelled_seconds=max(self.modelled, LEAST_SECONDS),
            seconds=max(took, LEAST_SECONDS),
        )
        of_kind = Timing.objects.filter(kind=self.kind)
        oldest = of_kind.order_by("-id").values_list("id", flat=True)[KEPT - 1 : KEPT].first()
        if oldest is not None:
            of_kind.filter(id__lt=oldest).delete()


def this_machine() -> str:
    return socket.gethostname()[:80]


def usual_pace(kind: str, about: str = "") -> float:
    """Return how many times longer than modelled such work takes here; 1 without experience."""
    return usual_paces([kind], about)[kind]


def usual_paces(kinds: Sequence[str], about: str = "") -> dict[str, float]:
    """Return the paces of several kinds, with one query."""
    latest = Timing.objects.filter(kind__in=kinds).order_by("-id")
    timings: dict[str, list[Timing]] = {kind: [] for kind in kinds}
    for timing in latest[: KEPT * len(kinds)]:
        timings[timing.kind].append(timing)
    return {kind: _pace_of(timings[kind], about) for kind in kinds}


def _pace_of(timings: Sequence[Timing], about: str) -> float:
    """Return the middle pace of the last of those that are most like the work to come."""
    here = this_machine()
    closest_first: Sequence[Callable[[Timing], bool]] = (
        lambda timing: timing.about == about != "" and timing.machine == here,
        lambda timing: timing.machine == here,
        lambda timing: True,
    )
    for is_like in closest_first:
        ratios = [timing.ratio for timing in timings if is_like(timing)][:LAST]
        if ratios:
            return min(max(_middle(ratios), FASTEST), SLOWEST)
    return 1.0


def _middle(ratios: Sequence[float]) -> float:
    """Return the median, by factors: of twice and half as long as modelled the middle is one."""
    return math.exp(median(math.log(ratio) for ratio in ratios))
