"""How runs differ by kind of dataset: executing a plan, and removing values from a plan."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from deid_portal.datasets.pseudonyms import pseudonym_key_of
from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine import EngineError, Outcome
from deid_portal.engine.networks import NetworkOutcome
from deid_portal.engine.publication import hide_values
from deid_portal.networks.estimation import expect_network_run
from deid_portal.plans.estimation import expect_table_run
from deid_portal.runs.models import Run
from deid_portal.runs.networks import (
    network_plan_without_values,
    protect_network_of,
    store_network,
)
from deid_portal.runs.progress_watch import ProgressWatch
from deid_portal.runs.stored_releases import StoredRelease
from deid_portal.runs.tables import protect_table_of, store_table
from deid_portal.runs.ways_back import StoredWayBack, store_way_back_of
from deid_portal.work.leases import Lease
from deid_portal.work.timings import ExpectedTime


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a plan came to; `stored` is None where nothing may be released."""

    outcome: Outcome | NetworkOutcome
    stored: StoredRelease | None
    way_back: StoredWayBack | None = None


def watch_run(lease: Lease[Run], expectation: ExpectedTime) -> ProgressWatch:
    lease.expect(expectation)
    return ProgressWatch(lease.progress, lambda: lease.memory_mb, expected=expectation.seconds)


class RunSubject(SubjectPart):
    @abstractmethod
    def carry_out(self, lease: Lease[Run]) -> RunResult:
        """Carry out the frozen plan of a run and store what it releases."""

    @abstractmethod
    def plan_without_values(self, run: Run) -> dict[str, Any]:
        """Return the plan of a run without any value of the table."""


class RunOfTable(RunSubject, kind=SubjectKind.TABLE):
    def carry_out(self, lease: Lease[Run]) -> RunResult:
        run, plan = lease.work, lease.work.frozen_table_plan()
        key = pseudonym_key_of(self.dataset.team)
        watch = watch_run(lease, expect_table_run(self.dataset, plan))
        outcome = protect_table_of(run, plan, key, watch)
        stored = store_table(lease, plan, outcome)
        return RunResult(outcome, stored, store_way_back_of(run, plan, outcome, key))

    def plan_without_values(self, run: Run) -> dict[str, Any]:
        try:
            plan = run.frozen_table_plan()
        except EngineError:
            # The plan is too old for this engine to read. Deletion must not fail because of it.
            rules = [_without_values(rule) for rule in run.plan["models"]]
            return {"columns": {}, "models": rules}
        return hide_values(plan).to_document()


class RunOfNetwork(RunSubject, kind=SubjectKind.NETWORK):
    def carry_out(self, lease: Lease[Run]) -> RunResult:
        expected = expect_network_run(self.dataset, lease.work.frozen_network_plan())
        watch = watch_run(lease, expected)
        plan, outcome = protect_network_of(lease.work, watch)
        return RunResult(outcome, store_network(lease, plan, outcome))

    def plan_without_values(self, run: Run) -> dict[str, Any]:
        return network_plan_without_values(run.plan)


def _without_values(rule: dict[str, Any]) -> dict[str, Any]:
    """Keep numbers, and text that cannot be a cell of the table."""
    is_word = ("model", "variant", "distance", "column")
    return {k: own for k, own in rule.items() if k in is_word or isinstance(own, int | float)}
