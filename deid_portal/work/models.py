from uuid import uuid4

from django.db import models


class WorkerProcess(models.Model):
    """A process that takes work from the queue, and its last sign of life."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"worker {self.id}"
