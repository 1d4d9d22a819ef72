"""The policies of a team: numbered versions, of which the newest is in force."""

from django.db import models

from deid_portal.accounts.models import Team, User


class Policy(models.Model):
    """One version; immutable, so that requests can refer to the one they were checked against."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="policies")
    version = models.PositiveIntegerField()
    rules = models.JSONField()
    reason = models.CharField(max_length=300, blank=True, default="")
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "version"], name="policies_are_numbered_per_team"
            )
        ]

    def __str__(self) -> str:
        return f"policy version {self.version}"
