"""A run: one plan executed on one dataset, and the answer."""

from django.db import models

from deid_portal.accounts.models import User
from deid_portal.common.sealing import SealedJSONField
from deid_portal.common.work import Work
from deid_portal.datasets.models import Dataset


class Run(Work):
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField()
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    # Who chose the protection: as much an author of the release as whoever pressed start.
    planned_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    # A variant: another run's plan (or the protection's) with a change, said in words.
    based_on = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="variants"
    )
    change_words = models.TextField(default="", blank=True)
    # The plan exactly as executed, with the taxonomy files it names; both can hold values.
    plan = SealedJSONField()
    plan_files = SealedJSONField(default=dict)
    plan_sha256 = models.CharField(max_length=64)
    input_sha256 = models.CharField(max_length=64)
    engine_version = models.CharField(max_length=20, default="", blank=True)
    # Plan and taxonomies as they may leave with the release: nothing in them that it does not show.
    published = SealedJSONField(null=True)
    solution = models.BooleanField(null=True)
    report = SealedJSONField(null=True)
    output_sha256 = models.CharField(max_length=64, default="", blank=True)
    output_bytes = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "number"], name="runs_are_numbered_per_dataset"
            )
        ]

    def __str__(self) -> str:
        return f"Run {self.number} of {self.dataset}"

    @property
    def has_release(self) -> bool:
        """True when the run ended with rows that could be released."""
        return self.status == self.Status.FINISHED and self.solution is True

    @property
    def origin_words(self) -> str:
        """Say where the plan comes from, if it is a variant: "from run 12: hides among 10"."""
        if not self.change_words:
            return ""
        origin = f"run {self.based_on.number}" if self.based_on else "the protection"
        return f"from {origin}: {self.change_words}"

    @property
    def release_file(self) -> str:
        """The released rows in the vault; a name per attempt, so two workers never share one."""
        return f"runs/{self.id}/{self.attempt}/release.csv"
