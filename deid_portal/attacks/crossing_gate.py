"""Crossing for a gate: the protection that remains given all other releases."""

from dataclasses import asdict

from deid_portal.attacks.cases import releases_to_cross
from deid_portal.attacks.models import RunCrossing
from deid_portal.attacks.subjects import AttackedSubject
from deid_portal.attacks.table_crossing import question_of
from deid_portal.policies.gates import CrossingResult
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused


def crossing_of(run: Run, look_alikes: int) -> CrossingResult:
    """Cross a run with all other releases of its people; an answer that still holds is reused."""
    question = [run.output_sha256, look_alikes, *question_of(run)]
    kept = RunCrossing.objects.filter(run=run).first()
    if kept is not None and kept.question == question:
        return CrossingResult(**kept.answer)
    try:
        crossing = cross_with_releases(run, max(look_alikes, 2))
    except Refused as reason:
        return CrossingResult(1, 0, problem=str(reason))
    RunCrossing.objects.update_or_create(
        run=run, defaults={"question": question, "answer": asdict(crossing)}
    )
    return crossing


def cross_with_releases(run: Run, look_alikes: int) -> CrossingResult:
    """Cross a run with all other releases of these people.

    Raises Refused if a release is older than the data stored for crossing, or if the table of an
    earlier version was deleted.
    """
    earlier = releases_to_cross(run)
    if not earlier:
        return CrossingResult(releases=0, smallest=None)
    return AttackedSubject.of(run.dataset).cross(run, earlier, look_alikes)
