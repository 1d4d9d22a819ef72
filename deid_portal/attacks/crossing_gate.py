"""Crossing for a gate: the protection that remains given all other releases."""

from deid_portal.attacks.cases import releases_to_cross
from deid_portal.attacks.subjects import AttackedSubject
from deid_portal.policies.gates import CrossingResult
from deid_portal.runs.models import Run


def cross_with_releases(run: Run, look_alikes: int) -> CrossingResult:
    """Cross a run with all other releases of these people.

    Raises Refused if a release is older than the data stored for crossing, or if the table of an
    earlier version was deleted.
    """
    earlier = releases_to_cross(run)
    if not earlier:
        return CrossingResult(releases=0, smallest=None)
    return AttackedSubject.of(run.dataset).cross(run, earlier, look_alikes)
