"""Browsers that have signed in to an account before: strangers cannot lock it for them.

Such a browser keeps a signed mark for each account (after OWASP's device cookies). The mark grants
no access; it only gives wrong attempts of this browser their own counter. It is signed with the
state of the password, so that a new password invalidates all marks: otherwise somebody who once had
the password could collect marks for further guessing.
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
# Computers may be shared: one cookie holds the marks of the people who signed in last.
MOST_MARKS = 8
SEPARATOR = "~"  # does not occur in marks


def find_device(request: HttpRequest, user: User | None) -> str:
    """Return the id of a browser that has signed in as this person, or an empty text."""
    account = user or User()  # takes the same time for an unknown name
    read = (_read_mark(mark, account) for mark in _marks_of(request))
    return next((device for device in read if device), "")


def remember_device(request: HttpRequest, user: User) -> None:
    """Mark the browser with the response to this request; it keeps its id if it has one."""
    others = [mark for mark in _marks_of(request) if not _read_mark(mark, user)]
    device = find_device(request, user) or secrets.token_urlsafe(16)
    marks = [_signer(user).sign(device), *others][:MOST_MARKS]
    request.META[COOKIE] = SEPARATOR.join(marks)


class KnownDeviceMiddleware:
    """Write the cookie with the response that signs a person in."""

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


def connect_known_devices() -> None:
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
