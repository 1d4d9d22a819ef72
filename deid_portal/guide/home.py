"""What the team home shows: what waits, where everything stands, what the portal is doing."""

from collections.abc import Iterable
from dataclasses import dataclass

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.permissions import has_role
from deid_portal.datasets.models import Dataset
from deid_portal.guide.steps import Step, load_for_steps, next_step, standing_of, steps_of
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.permissions import authors_of
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


def describe_datasets(datasets: Iterable[Dataset], user: User) -> list[DatasetLine]:
    wanted = list(datasets)
    loaded = load_for_steps(dataset.id for dataset in wanted)
    return [_describe(loaded[dataset.id], user) for dataset in wanted if dataset.id in loaded]


def _describe(dataset: Dataset, user: User) -> DatasetLine:
    steps = steps_of(dataset)
    step = next_step(steps)
    standing = standing_of(dataset)
    url = step.url or steps[0].url
    if step.state == "done":
        return DatasetLine(dataset, steps, "Released", "Released", "", url)
    if dataset.state == Dataset.State.READING or any(run.is_open for run in dataset.runs.all()):
        return DatasetLine(dataset, steps, _standing(step), "Nothing to do yet", "portal", url)
    act, role = NEXT_ACTS[step.name], Role.STEWARD
    if step.name == "review" and standing.request is not None:
        act, role = _review_turn(standing.request)
    turn = "you" if _is_turn_of(user, dataset, role, standing.request) else role.label
    return DatasetLine(dataset, steps, _standing(step), act, turn, url)


def _is_turn_of(user: User, dataset: Dataset, role: Role, request: ReviewRequest | None) -> bool:
    is_author = request is not None and user.pk in authors_of(request)
    return has_role(user, dataset.team, role) and not (role == Role.APPROVER and is_author)


def _review_turn(request: ReviewRequest) -> tuple[str, Role]:
    if request.status == ReviewRequest.Status.SUBMITTED:
        return "Decide on the request", Role.APPROVER
    if request.status == ReviewRequest.Status.CHANGES_REQUESTED:
        return "Answer the approver", Role.STEWARD
    return "Ask for review", Role.STEWARD


def _standing(step: Step) -> str:
    return step.reason if step.state == "attention" and step.reason else step.label


def describe_runs(runs: list[Run]) -> list[RunLine]:
    return [RunLine(run, describe_progress(run)) for run in runs]


def title_of(waiting: int) -> str:
    """Count what waits, in words a person would use."""
    words = {0: "Nothing is", 1: "One thing is", 2: "Two things are", 3: "Three things are"}
    return f"{words.get(waiting, f'{waiting} things are')} waiting for you"
