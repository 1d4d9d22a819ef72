"""What remains of the protection when all releases of the same people are laid side by side.

For the gate of a review as well as for the attack: one computation, so the two cannot disagree.
"""

from deid_portal.attacks.opening import earlier_releases, open_case
from deid_portal.engine.attacks.intersection import cross_releases
from deid_portal.policies.gates import Crossing
from deid_portal.runs.models import Run


def cross_with_releases(run: Run, look_alikes: int) -> Crossing:
    """Cross a run with every other release of these people; a second or so per million rows.

    Raises Refused where a release was made before the portal kept what this needs.
    """
    earlier = earlier_releases(run)
    if not earlier:
        return Crossing(releases=0, smallest=None)
    case = open_case(run)
    cases = [case, *(open_case(own.run, case.original) for own in earlier)]
    crossed = cross_releases([own.setting() for own in cases])
    return Crossing(
        releases=len(earlier),
        smallest=crossed.smallest,
        people=int(crossed.people_below(look_alikes).sum()),
    )
