"""What the team home shows: what waits, where everything stands, what the portal is doing."""

from dataclasses import dataclass

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import has_role
from deid_portal.common.work import OPEN_STATUSES
from deid_portal.datasets.models import Dataset
from deid_portal.guide.steps import Step, next_step, steps_of
from deid_portal.reviews.models import ReviewRequest
from deid_portal.runs.models import Run
from deid_portal.runs.progress import ProgressView, describe_progress


@dataclass(frozen=True)
class DatasetLine:
    dataset: Dataset
    steps: list[Step]
    standing: str
    next_act: str
    turn: str  # "you", "portal" or the name of the role whose turn it is
    url: str


@dataclass(frozen=True)
class RunLine:
    run: Run
    progress: ProgressView


NEXT_ACTS = {
    "upload": "Look at the preview",
    "columns": "Tag the columns",
    "taxonomies": "Complete the taxonomies",
    "protection": "Choose the protection",
    "run": "Start a run",
    "report": "Look at the report",
    "review": "Ask for review",
    "release": "Hand it over",
}


def describe_dataset(dataset: Dataset, user: User) -> DatasetLine:
    steps = steps_of(dataset)
    step = next_step(steps)
    request = ReviewRequest.objects.filter(run__dataset=dataset).first()
    working = (
        dataset.state == Dataset.State.READING
        or dataset.runs.filter(status__in=OPEN_STATUSES).exists()
    )
    act = NEXT_ACTS[step.name]
    turn = Role.STEWARD.label
    if working:
        act, turn = "Nothing to do yet", "portal"
    elif request is not None and step.name == "review":
        act, turn = _review_turn(request)
    if turn == Role.STEWARD.label and has_role(user, dataset.team, Role.STEWARD):
        turn = "you"
    if turn == Role.APPROVER.label and _may_decide(user, request):
        turn = "you"
    if step.name == "release" and step.state == "done":
        act, turn = "Released", ""
    return DatasetLine(dataset, steps, _standing(step), act, turn, step.url or steps[0].url)


def _review_turn(request: ReviewRequest) -> tuple[str, str]:
    if request.status == ReviewRequest.Status.SUBMITTED:
        return "Decide on the request", Role.APPROVER.label
    if request.status == ReviewRequest.Status.CHANGES_REQUESTED:
        return "Answer the approver", Role.STEWARD.label
    return "Ask for review", Role.STEWARD.label


def _may_decide(user: User, request: ReviewRequest | None) -> bool:
    if request is None or request.asked_by_id == user.pk:
        return False
    return has_role(user, request.run.dataset.team, Role.APPROVER)


def _standing(step: Step) -> str:
    if step.state == "done":
        return "Released"
    return step.reason if step.state == "attention" and step.reason else step.label


def describe_runs(runs: list[Run]) -> list[RunLine]:
    return [RunLine(run, describe_progress(run)) for run in runs]


def title_of(waiting: int) -> str:
    """Count what waits, in words a person would use."""
    words = {0: "Nothing is", 1: "One thing is", 2: "Two things are", 3: "Three things are"}
    return f"{words.get(waiting, f'{waiting} things are')} waiting for you"


def is_new(team: Team) -> bool:
    return not team.datasets.exists()
