"""What the team home shows: what waits, where everything stands, what the portal is doing."""

from collections.abc import Iterable
from dataclasses import dataclass

from deid_portal.accounts.models import Role
from deid_portal.datasets.models import Dataset
from deid_portal.guide.awaiting import WaitingLine
from deid_portal.guide.steps import Step, load_for_steps, next_step, standing_of, steps_of
from deid_portal.reviews.models import ReviewRequest
from deid_portal.runs.models import Run
from deid_portal.runs.progress import ProgressView, describe_progress


@dataclass(frozen=True)
class DatasetLine:
    dataset: Dataset
    steps: list[Step]
    standing: str
    next_act: str
    turn: str  # "you", "portal", or whose turn it is
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


def describe_datasets(
    datasets: Iterable[Dataset], waiting: Iterable[WaitingLine]
) -> list[DatasetLine]:
    """Describe where datasets stand; "your turn" is on exactly those with something waiting."""
    wanted = list(datasets)
    loaded = load_for_steps(dataset.id for dataset in wanted)
    mine = {line.dataset_id for line in waiting}
    return [
        _describe(loaded[dataset.id], is_mine=dataset.id in mine)
        for dataset in wanted
        if dataset.id in loaded
    ]


def _describe(dataset: Dataset, *, is_mine: bool) -> DatasetLine:
    steps = steps_of(dataset)
    step = next_step(steps)
    url = step.url or steps[0].url
    if dataset.is_forgotten:
        return DatasetLine(dataset, steps, "Deleted", "Nothing to do any more", "", steps[0].url)
    if step.state == "done":
        return DatasetLine(dataset, steps, "Released", "Released", "", url)
    if dataset.state == Dataset.State.READING or any(run.is_open for run in dataset.runs.all()):
        return DatasetLine(dataset, steps, _standing(step), "Nothing to do yet", "portal", url)
    request = standing_of(dataset).request
    act, turn = NEXT_ACTS[step.name], dataset.created_by.display_name
    if step.name == "review" and request is not None:
        act, turn = _review_turn(request)
    return DatasetLine(dataset, steps, _standing(step), act, "you" if is_mine else turn, url)


def _review_turn(request: ReviewRequest) -> tuple[str, str]:
    if request.status == ReviewRequest.Status.SUBMITTED:
        return "Decide on the request", Role.APPROVER.label
    if request.status == ReviewRequest.Status.CHANGES_REQUESTED:
        return "Answer the approver", request.asked_by.display_name
    return "Ask for review", request.asked_by.display_name


def _standing(step: Step) -> str:
    return step.reason if step.state == "attention" and step.reason else step.label


def describe_runs(runs: list[Run]) -> list[RunLine]:
    return [RunLine(run, describe_progress(run)) for run in runs]


def title_of(waiting: int) -> str:
    """Count what waits, in words a person would use."""
    words = {0: "Nothing is", 1: "One thing is", 2: "Two things are", 3: "Three things are"}
    return f"{words.get(waiting, f'{waiting} things are')} waiting for you"
