"""Signal handlers that record allauth's changes of accounts, in the same transaction."""

from typing import Any

from allauth.account.signals import password_changed
from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models.signals import post_delete, post_init, post_save
from django.http import HttpRequest

from deid_portal.accounts import known_devices
from deid_portal.accounts.known_devices import remember_device
from deid_portal.accounts.models import User
from deid_portal.accounts.sealed_factors import bind_secrets
from deid_portal.audit.services import record_event


def _record(action: str, user: User, facts: dict[str, str] | None = None) -> None:
    with transaction.atomic():
        record_event(action, actor=user, team=None, subject=user, facts=facts)


def record_factor_added(instance: Authenticator, created: bool, **kwargs: Any) -> None:
    if created:  # also saved on every use
        _record("account.second_factor_added", instance.user, {"kind": instance.type})


def record_factor_removed(instance: Authenticator, **kwargs: Any) -> None:
    _record("account.second_factor_removed", instance.user, {"kind": instance.type})


def record_password_changed(user: User, request: HttpRequest, **kwargs: Any) -> None:
    _record("account.password_changed", user)
    remember_device(request, user)  # the change invalidated all marks, its own included


def connect_receivers() -> None:
    known_devices.connect_known_devices()
    post_init.connect(bind_secrets, sender=Authenticator)
    post_save.connect(record_factor_added, sender=Authenticator)
    post_delete.connect(record_factor_removed, sender=Authenticator)
    password_changed.connect(record_password_changed)
