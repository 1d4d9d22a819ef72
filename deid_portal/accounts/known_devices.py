"""Browsers that have signed in to an account before: strangers do not close it for them.

Such a browser keeps a signed mark for each account (after OWASP's device cookies). The mark opens
nothing. It only has wrong tries of this browser counted by themselves. It is signed with the state
of the password: a change of it makes all marks worthless, or somebody who once had the password
could have collected marks to go on guessing with.
"""

import secrets
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse

from deid_portal.accounts.models import User

COOKIE = "known_device"
DAYS = 180
SECONDS = DAYS * 24 * 3600
# A workplace may be shared; one cookie holds the marks of the people who signed in last.
MOST_MARKS = 8
SEPARATOR = "~"  # no sign of the marks themselves


def find_device(request: HttpRequest, user: User | None) -> str:
    """Return the id of a browser that has signed in as this person, or nothing."""
    account = user or User()  # a name that is no account takes as long
    read = (_read_mark(mark, account) for mark in _marks_of(request))
    return next((device for device in read if device), "")


def remember_device(request: HttpRequest, user: User) -> None:
    """Have the answer to this request mark the browser, which keeps its id if it has one."""
    others = [mark for mark in _marks_of(request) if not _read_mark(mark, user)]
    device = find_device(request, user) or secrets.token_urlsafe(16)
    marks = [_signer(user).sign(device), *others][:MOST_MARKS]
    request.META[COOKIE] = SEPARATOR.join(marks)


class KnownDeviceMiddleware:
    """Write the cookie with the answer of whichever page has signed a person in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        marks = request.META.get(COOKIE)
        if marks:
            response.set_cookie(
                COOKIE,
                marks,
                max_age=SECONDS,
                path=settings.SESSION_COOKIE_PATH,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response


def remember_after_sign_in(request: HttpRequest, user: User, **kwargs: Any) -> None:
    remember_device(request, user)


def connect() -> None:
    # Sent when all steps of signing in are done, the second factor included.
    user_logged_in.connect(remember_after_sign_in)


def _marks_of(request: HttpRequest) -> list[str]:
    return request.COOKIES.get(COOKIE, "").split(SEPARATOR)[:MOST_MARKS]


def _read_mark(mark: str, user: User) -> str:
    try:
        return _signer(user).unsign(mark, max_age=SECONDS)
    except BadSignature:
        return ""


def _signer(user: User) -> TimestampSigner:
    return TimestampSigner(salt=f"known-device:{user.pk}:{user.get_session_auth_hash()}")
