"""Estimates of the time of an attack: that of the last time, else by the number of rows."""

from deid_portal.attacks.kinds import traits_of
from deid_portal.attacks.models import AttackTest
from deid_portal.runs.models import Run
from deid_portal.work.leases import WorkStatus

# Seconds for opening release and original: fixed, and per hundred thousand rows.
OPENING = (0.5, 1.0)
TESTS_LOOKED_AT = 100


def usual_seconds(attack: str, rows: int) -> float:
    hundred_thousands = rows / 100_000
    own = traits_of(attack).usual_seconds
    return sum(fixed + per * hundred_thousands for fixed, per in (OPENING, own))


def expected_seconds(run: Run) -> dict[str, float]:
    """Return the last duration on this table by attack; without attacks never made."""
    ended = AttackTest.objects.filter(run__dataset=run.dataset_id, status=WorkStatus.FINISHED)
    times = ended.order_by("-queued_at").values_list("attack", "started_at", "finished_at")
    return {
        attack: (finished - started).total_seconds()
        for attack, started, finished in reversed(times[:TESTS_LOOKED_AT])
        if started and finished
    }
