from uuid import uuid4

from django.db import models


class WorkerProcess(models.Model):
    """A process that takes work from the queue, and its last sign of life."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"worker {self.id}"


class Timing(models.Model):
    """How long a finished piece of work took, beside what was modelled; see timings.py."""

    machine = models.CharField(max_length=80)
    kind = models.CharField(max_length=60)
    about = models.CharField(max_length=40, default="", blank=True)
    modelled_seconds = models.FloatField()
    seconds = models.FloatField()

    class Meta:
        indexes = [models.Index(fields=["kind", "-id"], name="latest_timings")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.seconds:.1f} s"

    @property
    def ratio(self) -> float:
        return self.seconds / self.modelled_seconds
