"""The column that identifies people across the versions of a table."""

from django.db import models

from deid_portal.accounts.models import Team, User


class PersonColumn(models.Model):
    """Chosen by a steward for a series; releases of its versions are crossed by it."""

    series = models.UUIDField(unique=True)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=300)
    named_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    named_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"person column {self.name}"
