"""The eight steps of a dataset and their states, computed from the rooms they belong to.

The guide may import all other rooms; none of them imports it.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.urls import reverse

from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.policies import check_columns_decided, check_is_ready
from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.networks.policies import check_attributes_decided
from deid_portal.plans.subjects import check_plan_chosen
from deid_portal.releases.models import Release
from deid_portal.reviews.models import ReviewRequest
from deid_portal.runs.models import Run
from deid_portal.runs.selectors import HEAVY
from deid_portal.taxonomies.policies import check_taxonomies_complete
from deid_portal.taxonomies.selectors import quasi_identifiers, taxonomy_of
from deid_portal.web.refusals import Refused


@dataclass(frozen=True)
class GuideStep:
    number: int
    name: str
    label: str
    url: str = ""
    state: str = "closed"  # done, current, open, attention or closed
    reason: str = ""

    @property
    def remark(self) -> str:
        """Return what is read out after the label, as the rest of its sentence."""
        states = {"done": ", done", "attention": ", needs attention", "closed": ", not open yet"}
        return states.get(self.state, "") + (f": {self.reason}" if self.reason else "")


LABELS = {
    "upload": "Upload",
    "risk": "Risk",
    "columns": "Columns",
    "taxonomies": "Taxonomies",
    "protection": "Protection",
    "run": "Run",
    "report": "Report",
    "review": "Review",
    "release": "Release",
}


# A step, the URL name of its page, the check that opens it, the check that it is done.
Check = Callable[[Dataset], None]
Door = tuple[str, str, Check | None, Check]


def _light_columns() -> QuerySet[DatasetColumn]:
    """Columns with the state of their taxonomy, but without anything that is sealed."""
    columns = DatasetColumn.objects.select_related("taxonomy")
    return columns.defer("profile", "taxonomy__recipe", "taxonomy__file_text")


def load_for_steps(dataset_ids: Iterable[UUID]) -> dict[UUID, Dataset]:
    """Fetch datasets with everything their steps depend on: a handful of queries for any number."""
    datasets = Dataset.objects.filter(id__in=dataset_ids).defer("drift")
    datasets = datasets.select_related("team", "protection", "promotion", "created_by")
    return {
        dataset.id: dataset
        for dataset in datasets.prefetch_related(
            Prefetch("columns", _light_columns()),
            Prefetch("runs", Run.objects.defer(*HEAVY)),
            Prefetch("runs__requests", ReviewRequest.objects.select_related("release", "asked_by")),
        )
    }


@dataclass(frozen=True)
class DatasetStanding:
    """The latest run, review request and release of a dataset.

    `finished` is the run used in later steps: the promoted one, else the latest finished one.
    """

    run: Run | None
    finished: Run | None
    request: ReviewRequest | None
    release: Release | None


def standing_of(dataset: Dataset, run_id: UUID | None = None) -> DatasetStanding:
    """Return the standing of a dataset or, if given, of one of its runs."""
    runs = [run for run in dataset.runs.all() if run_id in (None, run.id)]
    finished = [run for run in runs if run.status == Run.Status.FINISHED]
    promotion = getattr(dataset, "promotion", None)
    finished.sort(key=lambda run: promotion is None or run.id != promotion.run_id)
    requests = sorted(
        (request for run in runs for request in run.requests.all()),
        key=lambda request: request.asked_at,
        reverse=True,
    )
    releases = [request.release for request in requests if hasattr(request, "release")]
    return DatasetStanding(
        run=runs[0] if runs else None,
        finished=finished[0] if finished else None,
        request=requests[0] if requests else None,
        release=releases[0] if releases else None,
    )


def _steps_through(dataset: Dataset, doors: Sequence[Door]) -> list[GuideStep]:
    steps = []
    for number, (name, url_name, may_enter, is_done) in enumerate(doors, start=1):
        step = GuideStep(number, name, LABELS[name], reverse(url_name, args=[dataset.id]))
        closed = _why(may_enter, dataset) if may_enter else ""
        if closed:
            steps.append(replace(step, state="closed", reason=closed))
        else:
            steps.append(replace(step, state="open" if _why(is_done, dataset) else "done"))
    return steps


class GuidedSubject(SubjectPart):
    """The steps up to the first run; those after it are the same for every dataset."""

    @abstractmethod
    def doors(self) -> list[Door]: ...

    def first_steps(self) -> list[GuideStep]:
        return _steps_through(self.dataset, self.doors())


class GuidedTable(GuidedSubject, kind=SubjectKind.TABLE):
    def doors(self) -> list[Door]:
        return [
            ("upload", "datasets:preview", None, check_is_ready),
            ("columns", "datasets:columns", check_is_ready, check_columns_decided),
            ("taxonomies", "taxonomies:overview", check_columns_decided, check_taxonomies_complete),
            ("protection", "plans:protection", check_taxonomies_complete, check_plan_chosen),
        ]

    def first_steps(self) -> list[GuideStep]:
        return [self._with_attention(step) for step in super().first_steps()]

    def _with_attention(self, step: GuideStep) -> GuideStep:
        if step.name == "taxonomies" and step.state == "open" and _misses_values(self.dataset):
            return replace(step, state="attention", reason="Some values have no place yet.")
        return step


class GuidedNetwork(GuidedSubject, kind=SubjectKind.NETWORK):
    """Networks have a step of looking at risk; only a node table has columns to tag."""

    def doors(self) -> list[Door]:
        tagging: Door = (
            "columns",
            "datasets:columns",
            check_is_ready,
            check_attributes_decided,
        )
        return [
            ("upload", "networks:show", None, check_is_ready),
            ("risk", "networks:risk", check_is_ready, check_is_ready),
            *([tagging] if self.dataset.columns.all() else []),
            ("protection", "networks:protection", check_attributes_decided, check_plan_chosen),
        ]


def _why(check: Callable[[Dataset], None], dataset: Dataset) -> str:
    try:
        check(dataset)
    except Refused as reason:
        return str(reason)
    return ""


def steps_of(dataset: Dataset, run_id: UUID | None = None) -> list[GuideStep]:
    """Return the eight steps of a dataset that `load_for_steps` has fetched."""
    first = GuidedSubject.of(dataset).first_steps()
    steps = [*first, *_last_steps(dataset, standing_of(dataset, run_id))]
    return [replace(step, number=number) for number, step in enumerate(steps, start=1)]


def _misses_values(dataset: Dataset) -> bool:
    taxonomies = (taxonomy_of(column) for column in quasi_identifiers(dataset))
    return any(taxonomy is not None and taxonomy.uncovered for taxonomy in taxonomies)


def _last_steps(dataset: Dataset, standing: DatasetStanding) -> list[GuideStep]:
    return [
        _run_step(dataset, standing),
        _report_step(standing),
        _review_step(standing),
        _release_step(standing),
    ]


def _run_step(dataset: Dataset, standing: DatasetStanding) -> GuideStep:
    step = GuideStep(5, "run", LABELS["run"], reverse("runs:list", args=[dataset.id]))
    if standing.run is None:
        closed = _why(check_plan_chosen, dataset)
        return replace(step, state="closed" if closed else "open", reason=closed)
    if standing.run.is_open:
        return replace(step, url=reverse("runs:show", args=[standing.run.id]), state="open")
    if standing.finished is None:
        return replace(step, state="attention", reason="The last run did not finish.")
    return replace(step, state="done")


def _report_step(standing: DatasetStanding) -> GuideStep:
    step = GuideStep(
        6, "report", LABELS["report"], reason="The report is there when a run has ended."
    )
    if standing.finished is None:
        return step
    url = reverse("reports:report", args=[standing.finished.id])
    if not standing.finished.solution:
        return replace(step, url=url, state="attention", reason="The plan had no solution.")
    return replace(step, url=url, state="done", reason="")


def _review_step(standing: DatasetStanding) -> GuideStep:
    step = GuideStep(7, "review", LABELS["review"], reason="A review is of a finished run.")
    if standing.request is not None:
        url = reverse("reviews:show", args=[standing.request.id])
        state, reason = {
            "approved": ("done", ""),
            "released": ("done", ""),
            "expired": ("done", ""),
            "changes-requested": ("attention", "The approver asked for changes."),
        }.get(standing.request.status, ("open", ""))
        if standing.release is not None and standing.release.request_id == standing.request.id:
            state, reason = "done", ""  # also where the release was withdrawn
        return replace(step, url=url, state=state, reason=reason)
    if standing.finished is not None and standing.finished.solution:
        return replace(
            step, url=reverse("reviews:ask", args=[standing.finished.id]), state="open", reason=""
        )
    return step


def _release_step(standing: DatasetStanding) -> GuideStep:
    step = GuideStep(
        8, "release", LABELS["release"], reason="A release exists once it is approved."
    )
    if standing.release is None:
        return step
    url = reverse("releases:show", args=[standing.release.id])
    return replace(step, url=url, state="done", reason="")


def next_step(steps: list[GuideStep]) -> GuideStep:
    """Return the current step: the first one that is not done, or the last."""
    return next((step for step in steps if step.state != "done"), steps[-1])
