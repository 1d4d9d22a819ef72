"""People, teams, and what a person may do in a team."""

from collections.abc import Iterable
from typing import Any, ClassVar
from uuid import uuid4

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models

from deid_portal.accounts.names import fold_name


class Role(models.TextChoices):
    STEWARD = "steward", "Steward"
    REVIEWER = "reviewer", "Reviewer"
    APPROVER = "approver", "Approver"
    ANALYST = "analyst", "Analyst"
    ADMINISTRATOR = "administrator", "Administrator"


class PeopleManager(UserManager["User"]):
    use_in_migrations = False

    def find(self, name: str) -> "User | None":
        """Return the person of this name in any spelling; an exact match comes first."""
        spelled = models.Q(username=name) | models.Q(folded_username=fold_name(name))
        return min(self.filter(spelled), key=lambda user: user.username != name, default=None)

    def get_by_natural_key(self, username: str | None) -> "User":
        """Find a person as the sign-in does; `createsuperuser` asks this way, too."""
        found = self.find(username or "")
        if found is None:
            raise User.DoesNotExist
        return found


class User(AbstractUser):
    class Theme(models.TextChoices):
        AUTO = "auto", "As the system"
        LIGHT = "light", "Light"
        DARK = "dark", "Dark"

    theme = models.CharField(max_length=5, choices=Theme, default=Theme.AUTO)
    # A demo account has a public password; a production portal does not start while one is active.
    is_demo = models.BooleanField(default=False)
    # The name that sign-in looks up. Unique, since two people with spellings of one name could not
    # be told apart.
    folded_username = models.CharField(max_length=450, unique=True, editable=False)

    objects: ClassVar[PeopleManager] = PeopleManager()

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        folded = fold_name(self.username)
        # An old account whose folded name was taken stays marked until it gets another name.
        if self.folded_username.partition("#")[0] != folded:
            self.folded_username = folded
        if update_fields is not None and "username" in update_fields:
            update_fields = {*update_fields, "folded_username"}
        super().save(*args, update_fields=update_fields, **kwargs)

    @property
    def display_name(self) -> str:
        return self.get_full_name() or self.username


class Team(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)
    # Set by the policy in force; stored here because every request needs it.
    requires_second_factor = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One role of one person in one team; a person may hold several."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=15, choices=Role)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "team", "role"], name="one_row_per_role_of_a_person_in_a_team"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.get_role_display()} of {self.team}"


class Invitation(models.Model):
    """A link that lets one person into a team; only its hash is kept, and it opens once."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True, default="")
    roles = models.JSONField()
    token_sha256 = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    invited_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-invited_at"]

    def __str__(self) -> str:
        return f"invitation to {self.team}"

    @property
    def role_labels(self) -> list[str]:
        return [Role(role).label for role in self.roles]
