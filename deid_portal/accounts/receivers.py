"""What allauth changes about an account goes on record, too, in the same transaction."""

from typing import Any

from allauth.account.signals import password_changed
from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models.signals import post_delete, post_save

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event


def _record(action: str, user: User, facts: dict[str, str] | None = None) -> None:
    with transaction.atomic():
        record_event(action, actor=user, team=None, subject=user, facts=facts)


def record_factor_added(instance: Authenticator, created: bool, **kwargs: Any) -> None:
    if created:  # saved again whenever it is used
        _record("account.second_factor_added", instance.user, {"kind": instance.type})


def record_factor_removed(instance: Authenticator, **kwargs: Any) -> None:
    _record("account.second_factor_removed", instance.user, {"kind": instance.type})


def record_password_changed(user: User, **kwargs: Any) -> None:
    _record("account.password_changed", user)


def connect() -> None:
    post_save.connect(record_factor_added, sender=Authenticator)
    post_delete.connect(record_factor_removed, sender=Authenticator)
    password_changed.connect(record_password_changed)
