"""Notices for people: what happened, and a link. Never a value of a table."""

from uuid import uuid4

from django.db import models

from deid_portal.accounts.models import Team, User


class Notice(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    # A dotted fact, as the audit record says it: run.finished, review.asked.
    kind = models.CharField(max_length=60)
    words = models.CharField(max_length=300)
    url = models.CharField(max_length=300)
    # True if the person is asked to act.
    asks = models.BooleanField(default=False)
    at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)
    mail_due = models.BooleanField(default=False)
    mail_tries = models.PositiveSmallIntegerField(default=0)
    mail_tried_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-at"]
        indexes = [
            models.Index(fields=["person", "read_at"], name="unread_notices"),
            models.Index(
                fields=["mail_tried_at"], condition=models.Q(mail_due=True), name="mails_to_send"
            ),
        ]

    def __str__(self) -> str:
        return self.words

    @property
    def is_read(self) -> bool:
        return self.read_at is not None


class Preference(models.Model):
    class ByMail(models.TextChoices):
        ALL = "all", "Everything I am told"
        ASKS = "asks", "Only what waits for me"
        NOTHING = "nothing", "Nothing"

    person = models.OneToOneField(User, on_delete=models.CASCADE, related_name="notice_preference")
    by_mail = models.CharField(max_length=10, choices=ByMail, default=ByMail.ALL)

    def __str__(self) -> str:
        return f"{self.person}: {self.get_by_mail_display()}"
