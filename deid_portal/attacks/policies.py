"""In which state a run can be attacked."""

from deid_portal.datasets.policies import check_is_ready
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused


def check_can_be_attacked(run: Run) -> None:
    if run.is_open:
        raise Refused("The run is still at work.")
    if not run.solution:
        raise Refused("This run released nothing, so there is nothing to attack.")
    check_is_ready(run.dataset)
    if run.input_sha256 != run.dataset.file_sha256:
        raise Refused("The table has changed since this run, so nobody could be told apart.")
