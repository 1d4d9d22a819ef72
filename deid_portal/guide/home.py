"""The datasets on the team home: the state of each, the next step, and whose turn it is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery

from deid_portal.accounts.models import Role, User
from deid_portal.datasets.models import Dataset, Reading
from deid_portal.datasets.progress import describe_reading
from deid_portal.engine.wording.words import capital, number_words
from deid_portal.guide.jobs import Job
from deid_portal.guide.pending_items import WaitingLine
from deid_portal.guide.steps import GuideStep, load_for_steps, next_step, standing_of, steps_of
from deid_portal.releases.models import Release
from deid_portal.reviews.models import ReviewRequest
from deid_portal.runs.models import Run
from deid_portal.taxonomies.selectors import quasi_identifiers, taxonomy_of
from deid_portal.web.templatetags.numbers import duration_words

NOTHING_WAITS = "Nothing is waiting for you"
TABS = {"active": "Active", "released": "Released", "archived": "Archived"}


@dataclass(frozen=True)
class DatasetLine:
    dataset: Dataset
    steps: list[GuideStep]
    standing: str
    next_act: str
    turn: str  # "you", "portal", or the people whose turn it is
    url: str
    needs_attention: bool = False
    owner: User | None = None  # who goes on with it, if that is one person

    def is_for(self, person: User) -> bool:
        """Say whether this person can go on with it; nobody else asked them to."""
        return self.owner == person and self.turn not in ("", "you", "portal")


NEXT_ACTS = {
    "upload": "Look at the preview",
    "columns": "Tag the columns",
    "taxonomies": "Complete the taxonomies",
    "protection": "Choose the protection",
    "run": "Start a run",
    "risk": "See who stands out",
    "report": "Look at the report",
    "review": "Ask for review",
    "release": "Hand it over",
}


def _with_dates(datasets: QuerySet[Dataset]) -> QuerySet[Dataset]:
    releases = Release.objects.filter(request__run__dataset=OuterRef("pk")).order_by()
    last_release = releases.values("request__run__dataset").annotate(last=Max("released_at"))
    runs = Run.objects.filter(dataset=OuterRef("pk")).order_by().values("dataset")
    return datasets.annotate(
        last_release=Subquery(last_release.values("last")),
        last_run=Subquery(runs.annotate(last=Max("queued_at")).values("last")),
    )


def _in_tab(tab: str) -> Q:
    """Filter by tab: a dataset with a run after its release is active, a deleted one archived."""
    is_archived = Q(state=Dataset.State.FORGOTTEN)
    is_released = Q(last_release__isnull=False, last_release__gte=F("last_run"))
    return {
        "active": ~is_archived & ~is_released,
        "released": is_released & ~is_archived,
        "archived": is_archived,
    }[tab]


def datasets_in_tab(datasets: QuerySet[Dataset], tab: str) -> QuerySet[Dataset]:
    return _with_dates(datasets).filter(_in_tab(tab))


def count_tabs(datasets: QuerySet[Dataset]) -> dict[str, int]:
    counts = {tab: Count("pk", filter=_in_tab(tab)) for tab in TABS}
    counted: dict[str, int] = _with_dates(datasets.order_by()).aggregate(**counts)
    return counted


def describe_datasets(
    datasets: Iterable[Dataset],
    waiting: Iterable[WaitingLine],
    jobs: Mapping[UUID, Job] | None = None,
) -> list[DatasetLine]:
    """Describe datasets; "your turn" is set for exactly those with something waiting."""
    wanted = list(datasets)
    loaded = load_for_steps(dataset.id for dataset in wanted)
    mine = {line.dataset_id: line for line in waiting}
    reading = _readings(wanted)
    lines = []
    for dataset in (loaded[one.id] for one in wanted if one.id in loaded):
        line = _describe(dataset)
        if dataset.id in reading:
            line = _while_reading(line, reading[dataset.id])
        elif jobs and dataset.id in jobs:
            line = _while_running(line, jobs[dataset.id])
        elif dataset.id in mine:
            line = replace(line, turn="you", next_act=mine[dataset.id].next_act)
        lines.append(line)
    return lines


def _readings(datasets: Iterable[Dataset]) -> dict[UUID, Reading]:
    """Return the readings in progress, without a query if there are none."""
    ids = [dataset.id for dataset in datasets if dataset.state == Dataset.State.READING]
    if not ids:
        return {}
    readings = Reading.objects.filter(dataset__in=ids).order_by("queued_at")
    return {reading.dataset_id: reading for reading in readings}


def _while_reading(line: DatasetLine, reading: Reading) -> DatasetLine:
    progress = describe_reading(reading)
    percent = "waits" if progress.percent is None else f"{progress.percent} %"
    return replace(
        line, standing=f"Reading file, {percent}", next_act=progress.phase, turn="portal"
    )


def _while_running(line: DatasetLine, job: Job) -> DatasetLine:
    left = job.seconds_left
    act = f"{duration_words(left).capitalize()} left" if left is not None else job.phase
    return replace(line, standing=job.standing, next_act=act, turn="portal", url=job.url)


def _describe(dataset: Dataset) -> DatasetLine:
    steps = steps_of(dataset)
    step = next_step(steps)
    url = step.url or steps[0].url
    if dataset.is_forgotten:
        return DatasetLine(dataset, steps, "Deleted", "Nothing to do any more", "", steps[0].url)
    if step.state == "done":
        return DatasetLine(dataset, steps, "Released", "Released", "", url)
    if dataset.state == Dataset.State.READING or any(run.is_open for run in dataset.runs.all()):
        return DatasetLine(dataset, steps, step.label, "Nothing to do yet", "portal", url)
    standing, act = _standing(dataset, step)
    owner: User | None = dataset.created_by
    request = standing_of(dataset).request
    if step.name == "review" and request is not None:
        standing, act, owner = _review_turn(request)
    turn = owner.display_name if owner is not None else Role.APPROVER.label
    attention = step.state == "attention"
    return DatasetLine(dataset, steps, standing, act, turn, url, attention, owner)


def _standing(dataset: Dataset, step: GuideStep) -> tuple[str, str]:
    """Return the state of the current step, and what to do next."""
    if step.name == "columns":
        roles = [column.role for column in dataset.columns.all()]
        undecided = roles.count("")
        act = f"Tag {_counted(undecided, 'column')}" if undecided else "Tag a quasi-identifier"
        return f"Columns, {len(roles) - undecided} of {len(roles)}", act
    if step.name == "taxonomies":
        taxonomies = [taxonomy_of(column) for column in quasi_identifiers(dataset)]
        complete = sum(taxonomy is not None and taxonomy.is_complete for taxonomy in taxonomies)
        missing = len(taxonomies) - complete
        act = f"Complete {_counted(missing, 'taxonomy')}" if missing else NEXT_ACTS[step.name]
        return f"Taxonomies, {complete} of {len(taxonomies)}", act
    if step.state == "attention" and step.name == "run":
        run = standing_of(dataset).run
        if run is not None and run.status == Run.Status.STOPPED:
            return "The last run was stopped", "Retry, or change the protection"
        return "The last run did not finish", "See why, or retry"
    if step.state == "attention" and step.name == "report":
        return "The plan had no solution", "Change the protection"
    if step.state == "attention" and step.reason:
        return step.reason, NEXT_ACTS[step.name]
    return step.label, NEXT_ACTS[step.name]


def _review_turn(request: ReviewRequest) -> tuple[str, str, User | None]:
    """Return the state, the next act, and who acts; None stands for the approvers."""
    if request.status == ReviewRequest.Status.SUBMITTED:
        return "In review", "Decide on the request", None
    if request.status == ReviewRequest.Status.CHANGES_REQUESTED:
        return "Changes requested", "Answer the approver", request.asked_by
    if request.status == ReviewRequest.Status.DRAFT:
        return "Draft of a request", "Go on with the draft", request.asked_by
    return "Review", "Ask for review", request.asked_by


def _counted(count: int, word: str) -> str:
    if count == 1:
        return f"1 {word}"
    return f"{count:,} {word[:-1]}ies" if word.endswith("y") else f"{count:,} {word}s"


def title_of_home(waiting: int, own: int) -> str:
    """Return the title for the number of waiting items, and of datasets to go on with."""
    if waiting or not own:
        are = "thing is" if waiting == 1 else "things are"
        return f"{_how_many(waiting)} {are} waiting for you" if waiting else NOTHING_WAITS
    which = "dataset is" if own == 1 else "datasets are"
    return f"{_how_many(own)} {which} yours to go on with"


def _how_many(count: int) -> str:
    return capital(number_words(count)) if count < 4 else f"{count}"
