"""A run is one execution of a plan on a dataset; a sweep is a set of runs started together."""

from typing import cast
from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.engine import Plan
from deid_portal.engine.networks import NetworkPlan
from deid_portal.engine.publication import Publication
from deid_portal.engine.report import Report
from deid_portal.engine.report.summary import RunSummary
from deid_portal.plans.basis import AnyPlan, basis_of
from deid_portal.runs.chance import honest_report, new_run_secret
from deid_portal.taxonomies.models import TaxonomyVersion
from deid_portal.vault.sealed_fields import SealedJSONField, SealedObjectField
from deid_portal.work.leases import Work


class Priority(models.IntegerChoices):
    """Within a team, single runs go before runs of a sweep."""

    SINGLE = 0, "Single run"
    SWEEP = 1, "Part of a sweep"


class SealedReportField(SealedObjectField[Report | None]):
    kind = Report


class SealedPublicationField(SealedObjectField[Publication | None]):
    kind = Publication


class SealedSummaryField(SealedObjectField[RunSummary]):
    kind = RunSummary


class Run(Work):
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField()
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    # Who chose the protection; counts as an author of the release like the one who started the run.
    planned_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    # For variants: the run whose plan was changed (none: the protection), and the change in words.
    based_on = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="variants"
    )
    change_words = models.TextField(default="", blank=True)
    # The number of a release of an earlier version whose approved plan this run repeats.
    repeats = models.PositiveIntegerField(null=True)
    priority = models.PositiveSmallIntegerField(choices=Priority, default=Priority.SINGLE)
    # When a steward chose "run next": before all other waiting runs of the team.
    moved_ahead_at = models.DateTimeField(null=True)
    # The failed or stopped run that this one repeats.
    retry_of = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="retries"
    )
    # The versions of taxonomies in the frozen plan; versions are immutable.
    taxonomies = models.ManyToManyField(TaxonomyVersion, related_name="runs")
    # The plan in words, without values, so that lists and polls need not unseal the plan.
    plan_words = models.CharField(max_length=200, default="", blank=True)
    short_words = models.CharField(max_length=80, default="", blank=True)
    # The plan as executed, and the taxonomy files it names; sealed, since both can hold values.
    plan = SealedJSONField()
    plan_files = SealedJSONField(default=dict)
    plan_sha256 = models.CharField(max_length=64)
    # The source of random numbers, until the run has ended; see chance.py.
    secret = SealedJSONField(null=True, default=new_run_secret, editable=False)
    input_sha256 = models.CharField(max_length=64)
    engine_version = models.CharField(max_length=20, default="", blank=True)
    # Published form of plan and taxonomies, without values that the release does not contain.
    published = SealedPublicationField(null=True)
    solution = models.BooleanField(null=True)
    report = SealedReportField(null=True)
    # Entries of plan and report needed by boards and lists, which open neither; see summaries.py.
    summary = SealedSummaryField(default=dict)
    output_sha256 = models.CharField(max_length=64, default="", blank=True)
    output_bytes = models.BigIntegerField(default=0)
    # Unreleased rows are deleted with their table; the report is kept.
    rows_deleted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "number"], name="runs_are_numbered_per_dataset"
            )
        ]
        # For the query of workers looking for work, and of pages of waiting runs.
        indexes = [models.Index(fields=["status", "queued_at"], name="open_runs")]

    def __str__(self) -> str:
        return f"Run {self.number} of {self.dataset}"

    @property
    def publication(self) -> Publication:
        """Return what leaves beside the released rows of a run that has some; others have none."""
        if self.published is None:
            raise ValueError("This run has nothing to publish.")
        return self.published

    @property
    def finished_report(self) -> Report:
        """Return the report; raises ValueError if the run has none."""
        if self.report is None:
            raise ValueError("This run has no report.")
        return self.report

    @property
    def published_report(self) -> Report:
        """Return the published part of the report."""
        return self.publication.publish_report(honest_report(self))

    def frozen_plan(self) -> AnyPlan:
        """Return the plan without a seed that would undo the protection.

        Plans of earlier versions may have such a seed.
        """
        return basis_of(self.plan, self.plan_files).to_plan()

    def frozen_table_plan(self) -> Plan:
        return cast(Plan, self.frozen_plan())

    def frozen_network_plan(self) -> NetworkPlan:
        return cast(NetworkPlan, self.frozen_plan())

    @property
    def has_release(self) -> bool:
        """True if the run ended with rows to release, and they were not deleted."""
        is_done = self.status == self.Status.FINISHED and self.solution is True
        return is_done and self.rows_deleted_at is None

    @property
    def origin_words(self) -> str:
        """For variants, where the plan comes from: "from run 12: hides among 10"."""
        if not self.change_words:
            return ""
        origin = f"run {self.based_on.number}" if self.based_on else "the protection"
        return f"from {origin}: {self.change_words}"

    @property
    def release_file(self) -> str:
        """The name of the released rows in the vault, different for each attempt."""
        ending = self.dataset.subject.release_ending
        return f"{self.attempt_folder(self.attempt)}/release.{ending}"

    def attempt_folder(self, attempt: int) -> str:
        return f"runs/{self.id}/{attempt}"


class Sweep(models.Model):
    """A set of runs started together."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="sweeps")
    number = models.PositiveIntegerField()
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)
    words = models.TextField()  # what was varied; numbers and names of methods only
    runs = models.ManyToManyField(Run, through="SweepMember", related_name="sweeps")

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "number"], name="sweeps_are_numbered_per_dataset"
            )
        ]

    def __str__(self) -> str:
        return f"Sweep {self.number} of {self.dataset}"


class SweepMember(models.Model):
    """A run in a sweep; if not `is_new`, it existed before and is not stopped with the sweep."""

    sweep = models.ForeignKey(Sweep, on_delete=models.CASCADE, related_name="members")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="memberships")
    is_new = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sweep", "run"], name="a_run_is_once_in_a_sweep")
        ]

    def __str__(self) -> str:
        return f"{self.run} in {self.sweep}"


class Promotion(models.Model):
    """The run of a dataset chosen for review."""

    dataset = models.OneToOneField(Dataset, on_delete=models.PROTECT, related_name="promotion")
    run = models.OneToOneField(Run, on_delete=models.PROTECT, related_name="promotion")
    promoted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    promoted_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.run}, promoted"
