"""Sweeps: runs over several values of k, suppression limits and methods.

Each member is a separate run, queued behind single runs. If there is already a run of the same plan
on this table, that run is added to the sweep instead of a new one.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine.methods import METHODS
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.wording.numbers import percent
from deid_portal.networks.guidance import ways_to_sweep
from deid_portal.plans.basis import AnyPlan, Basis
from deid_portal.plans.changes import (
    Change,
    HideAmong,
    LeaveOut,
    UseMethod,
    apply_changes,
)
from deid_portal.plans.subjects import check_plan_chosen
from deid_portal.runs.models import Priority, Run, Sweep, SweepMember
from deid_portal.runs.permissions import check_can_run
from deid_portal.runs.selectors import HEAVY
from deid_portal.runs.services import hold_dataset, queue_run
from deid_portal.runs.variants import (
    basis_of_protection,
    find_twins,
    validate_changed_plan,
)
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import OPEN_STATUSES, request_stop

MOST_MEMBERS = 60


@dataclass(frozen=True)
class SweepMethod:
    """A variant of a method that a sweep can try, with its entry in a plan."""

    name: str
    title: str
    entry: Mapping[str, Any]


WAYS_OF_TABLES = {
    name: SweepMethod(name, kind.title, {"name": name})
    for name, kind in METHODS.items()
    if kind.can_be_swept
}
WAYS_OF_NETWORKS = {
    own.name: SweepMethod(own.name, own.title, {"name": name, **own.parameters})
    for name, kind in NETWORK_METHODS.items()
    for own in kind.variants
}
WAYS = WAYS_OF_TABLES | WAYS_OF_NETWORKS


def ways_of(dataset: Dataset) -> list[SweepMethod]:
    """Return the variants of methods that a sweep of this dataset can try."""
    return [WAYS[name] for name in SweptSubject.of(dataset).ways()]


class SweptSubject(SubjectPart):
    @abstractmethod
    def ways(self) -> Sequence[str]:
        """Return the names of the variants a sweep can try, keys of WAYS."""


class SweptTable(SweptSubject, kind=SubjectKind.TABLE):
    def ways(self) -> Sequence[str]:
        return tuple(WAYS_OF_TABLES)


class SweptNetwork(SweptSubject, kind=SubjectKind.NETWORK):
    def ways(self) -> Sequence[str]:
        return ways_to_sweep(self.dataset)


@dataclass(frozen=True)
class SweepGrid:
    """The values to vary; for an empty axis those of the protection are used."""

    look_alikes: tuple[int, ...] = ()
    limits: tuple[float, ...] = ()
    methods: tuple[str, ...] = ()  # names of WAYS

    def changes(self, basis: Basis) -> Iterator[list[Change]]:
        """Yield the changes of each member; limits are skipped for methods without suppression."""
        for method in self.methods or (None,):
            other = _use(WAYS[method], basis) if method is not None else []
            has_limit = apply_changes(basis, other)[0].limit is not None
            for limit in (self.limits if has_limit else ()) or (None,):
                left_out: list[Change] = [LeaveOut(limit)] if limit is not None else []
                for k in self.look_alikes or (None,):
                    hides: list[Change] = [HideAmong(k)] if k is not None else []
                    yield [*other, *hides, *left_out]

    def words(self) -> str:
        """Describe the values to vary."""
        said = []
        if self.look_alikes:
            said.append(f"hides among {_listed(f'{k:,}' for k in self.look_alikes)}")
        if self.limits:
            said.append(f"may leave out {_listed(percent(limit) for limit in self.limits)}")
        if self.methods:
            said.append(_listed(WAYS[name].title for name in self.methods))
        return "; ".join(said)


def _use(way: SweepMethod, basis: Basis) -> list[Change]:
    """Return the change to a method; none if the plan uses it, so that its parameters are kept."""
    return [] if basis.is_using(way.entry) else [UseMethod(dict(way.entry))]


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)


@dataclass(frozen=True)
class SweptPlan:
    plan: AnyPlan
    words: str


def check_can_sweep(user: User, dataset: Dataset) -> None:
    check_can_run(user, dataset)
    check_plan_chosen(dataset)


def plan_members(dataset: Dataset, grid: SweepGrid) -> tuple[Basis, list[SweptPlan]]:
    """Return the different plans of a sweep of the protection.

    Raises Refused if there are too few or too many, InvalidPlan if one is invalid.
    """
    basis = basis_of_protection(dataset)
    wanted = list(grid.changes(basis))
    check_size(len(wanted))
    members: dict[str, SweptPlan] = {}
    for changes in wanted:
        changed, words = apply_changes(basis, changes)
        plan = validate_changed_plan(dataset, changed)
        members.setdefault(plan.sha256, SweptPlan(plan, words))
    return basis, list(members.values())


def check_size(count: int) -> None:
    if count < 2:
        raise Refused("A sweep compares: give at least two numbers or two methods to try.")
    if count > MOST_MEMBERS:
        raise Refused(
            f"That would be {count:,} runs; a sweep has at most {MOST_MEMBERS}. "
            "Take fewer numbers or fewer methods."
        )


def start_sweep(*, dataset: Dataset, grid: SweepGrid, started_by: User) -> Sweep:
    """Queue a run for every plan of the grid that has no run yet."""
    check_can_sweep(started_by, dataset)
    basis, members = plan_members(dataset, grid)
    with transaction.atomic():
        twins = find_twins(hold_dataset(dataset), [member.plan for member in members])
        last = dataset.sweeps.aggregate(last=Max("number"))["last"] or 0
        sweep = Sweep.objects.create(
            dataset=dataset, number=last + 1, started_by=started_by, words=grid.words()
        )
        record_event(
            "sweep.started",
            actor=started_by,
            team=dataset.team,
            subject=sweep,
            facts={"runs": len(members), "ran_before": len(twins), "varied": sweep.words},
        )
        runs = [
            twins.get(member.plan.sha256)
            or queue_run(
                dataset=dataset,
                plan=member.plan,
                files=basis.files,
                planned_by=dataset.protection.changed_by,
                started_by=started_by,
                change_words=member.words,
                priority=Priority.SWEEP,
            )
            for member in members
        ]
        SweepMember.objects.bulk_create(
            SweepMember(sweep=sweep, run=run, is_new=run.plan_sha256 not in twins) for run in runs
        )
    return sweep


@transaction.atomic
def stop_sweep(*, sweep: Sweep, stopped_by: User) -> int:
    """Stop the open runs that the sweep has started; returns their number."""
    check_can_run(stopped_by, sweep.dataset)
    open_runs = list(_started_and_open(sweep))
    if not open_runs:
        raise Refused("Every run of this sweep has already ended.")
    for run in open_runs:
        action = "run.stopped" if request_stop(run) else "run.stop_requested"
        record_event(action, actor=stopped_by, team=sweep.dataset.team, subject=run)
    facts = {"runs": len(open_runs)}
    record_event(
        "sweep.stopped", actor=stopped_by, team=sweep.dataset.team, subject=sweep, facts=facts
    )
    return len(open_runs)


def _started_and_open(sweep: Sweep) -> QuerySet[Run]:
    mine = Run.objects.filter(memberships__sweep=sweep, memberships__is_new=True)
    return mine.filter(status__in=OPEN_STATUSES).defer(*HEAVY)
