"""Limits of attempts at the secrets of an account, and the messages when they are reached.

Every form that asks for a password or a code is checked here (`forms.py`, `adapters.py`). Wrong
attempts are counted in three ways: by account and network, so that a guesser waits while others do
not; by account, against guessing from many networks; by network, against guessing for many
accounts. A browser that has signed in to the account before has its own counter, so strangers
cannot lock its owner out; nor can they lock out somebody with the password and a second factor. A
known network gets no such exception: others in it could find out which accounts exist.

Names that are no account are counted by the same rules and get the same messages. The keys of
counters hold neither names nor addresses: a typed name may have been a password.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from deid_portal.accounts.attempt_counters import AttemptResult, Limit, counters
from deid_portal.accounts.known_devices import find_device
from deid_portal.accounts.models import User
from deid_portal.accounts.names import fold_name
from deid_portal.accounts.selectors import has_second_factor
from deid_portal.accounts.services import record_failed_attempt
from deid_portal.web.addresses import network_of_client
from deid_portal.web.templatetags.numbers import duration_words

T = TypeVar("T")

RETRY_AFTER = "deid_portal.retry_after"
BY_NETWORK = 10  # times the limit of an account: many people may share a network


class Secret(StrEnum):
    PASSWORD = "password"  # noqa: S105 -- the word, not one
    CODE = "code"  # of an authenticator app or for recovery
    PASSKEY = "passkey"
    INVITATION = "invitation"


# Ratio of the limit of an account for all networks together to that for one network. It is lower
# for codes, which are short and only asked for after the password.
BY_ACCOUNT = {Secret.PASSWORD: 4, Secret.CODE: 1}

# Advice for people who are not signed in.
WAY_OUT = {
    Secret.PASSWORD: "or use a passkey or a browser you have signed in with before; "
    "whoever has forgotten the password asks an administrator of the team",
    Secret.CODE: "or use a passkey or a browser you have signed in with before",
    Secret.PASSKEY: "or use your password",
    Secret.INVITATION: "or ask the person who invited you for a new link",
}


def check_secret(
    request: HttpRequest, secret: Secret, name: str, user: User | None, check: Callable[[], T]
) -> T:
    """Return the result of `check`, unless there were too many wrong attempts before.

    `user` is the account of `name`, if there is one. A result of None, or a ValidationError, is a
    wrong attempt. Attempts are counted before they are checked; wrong ones are on record.
    """
    device = find_device(request, user)
    account = user.folded_username if user else fold_name(name)
    if device:
        limits = [_device_limit(secret, account, device)]
        return _check(request, secret, user, _take(request, secret, limits), check, device)
    near = [_pair_limit(request, secret, account), _network_limit(request, secret)]
    taken = _ask([*near, _account_limit(secret, account)])
    if not taken.wait_seconds:
        return _check(request, secret, user, taken, check)
    if secret != Secret.PASSWORD:
        raise too_many(request, secret, taken.wait_seconds)
    # Strangers may have reached the limit of the account. A right password then still leads to the
    # second factor, which has its own limits; every other attempt gets the message of a locked
    # account, after the same work, so that it reveals neither the password nor who has a second
    # factor.
    found = _check(request, secret, user, _take(request, secret, near), check)
    if not found or user is None or not has_second_factor(user):
        raise too_many(request, secret, taken.wait_seconds)
    return found


def _check(
    request: HttpRequest,
    secret: Secret,
    user: User | None,
    taken: AttemptResult,
    check: Callable[[], T],
    device: str = "",
) -> T:
    try:
        found = check()
    except ValidationError:
        _record(request, secret, user, taken, device)
        raise
    if found:
        taken.give_back()
    else:
        _record(request, secret, user, taken, device)
    return found


def check_passkey(request: HttpRequest, user: User | None, check: Callable[[], T]) -> T:
    """Return the result of `check`; a right passkey always passes.

    The signature of a passkey cannot be guessed, so a limit must not lock out its owner. The limit
    only keeps strangers from filling the audit record.
    """
    try:
        return check()
    except ValidationError:
        _record(request, Secret.PASSKEY, user, count_wrong(request, Secret.PASSKEY))
        raise


def count_wrong(request: HttpRequest, secret: Secret) -> AttemptResult:
    """Count, by network alone, a wrong attempt that was checked already."""
    return _take(request, secret, [_network_limit(request, secret)])


def claim_code(user: User, code: str, seconds: float) -> bool:
    """Say whether a code is used for the first time; an observed code must not work again."""
    return counters.claim(_key("used", str(user.pk), code), seconds)


def too_many(request: HttpRequest, secret: Secret, seconds: float) -> ValidationError:
    """Return the message: how long to wait and what else can be done; the same for every name."""
    request.META[RETRY_AFTER] = seconds
    way_out = "" if request.user.is_authenticated else f", {WAY_OUT[secret]}"
    return ValidationError(
        f"Too many wrong tries: wait {duration_words(seconds)} and try again{way_out}."
    )


class TooManyAttemptsMiddleware:
    """Answer with status 429 and Retry-After if there were too many attempts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_redirect = 300 <= response.status_code < 400
        if RETRY_AFTER in request.META and not is_redirect:
            response.status_code = 429
            response.headers["Retry-After"] = str(round(request.META[RETRY_AFTER]) + 1)
        return response


def _ask(limits: list[Limit]) -> AttemptResult:
    return counters.take(limits, settings.SIGN_IN_WAIT_MINUTES * 60)


def _take(request: HttpRequest, secret: Secret, limits: list[Limit]) -> AttemptResult:
    taken = _ask(limits)
    if taken.wait_seconds:
        raise too_many(request, secret, taken.wait_seconds)
    return taken


def _device_limit(secret: Secret, account: str, device: str) -> Limit:
    key = _key(secret, "device", account, device)
    return Limit(key, settings.SIGN_IN_ATTEMPTS, ends_with_success=True)


def _pair_limit(request: HttpRequest, secret: Secret, account: str) -> Limit:
    key = _key(secret, "account and network", account, network_of_client(request))
    return Limit(key, settings.SIGN_IN_ATTEMPTS, ends_with_success=True)


def _account_limit(secret: Secret, account: str) -> Limit:
    return Limit(_key(secret, "account", account), settings.SIGN_IN_ATTEMPTS * BY_ACCOUNT[secret])


def _network_limit(request: HttpRequest, secret: Secret) -> Limit:
    key = _key(secret, "network", network_of_client(request))
    return Limit(key, settings.SIGN_IN_ATTEMPTS * BY_NETWORK)


def _key(*parts: str) -> str:
    return "tries:" + salted_hmac("deid_portal.attempts", "\0".join(parts)).hexdigest()


def _record(
    request: HttpRequest, secret: Secret, user: User | None, taken: AttemptResult, device: str = ""
) -> None:
    record_failed_attempt(
        user=user,
        is_signed_in=request.user.is_authenticated,
        secret=secret,
        network=network_of_client(request),
        known_device=bool(device),
        reached_limit=taken.reached_limit,
    )
