"""Teams that require a second factor: people without one can only set it up.

A team may also require it again for important decisions. The submitted form is stored meanwhile and
continues once the factor was given.
"""

import time
from collections.abc import Callable

from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from deid_portal.accounts.people import person_of
from deid_portal.accounts.selectors import (
    has_second_factor,
    look_up_memberships,
    needs_second_factor,
)
from deid_portal.web.http import go_to, wants_part

NEEDED = (
    "Your team asks for a second factor. Set up an authenticator app or a passkey to go on; "
    "nothing you saved is lost."
)
# Pages that stay reachable: signing out, one's own account, static files.
OPEN_PATHS = ("/sign-out/", "/account/", "/sign-in/", "/join/", "/static/", "/healthz", "/help/")


# Set while the factor is requested: then the password alone is not accepted.
ASKED = "second_factor_asked"


def confirm_second_factor(request: HttpRequest) -> None:
    """Redirect to the second factor unless it was given recently; the submitted form is kept."""
    if was_factor_given(request):
        request.session.pop(ASKED, None)
        return
    request.session[ASKED] = True
    raise ReauthenticationRequired


def was_factor_given(request: HttpRequest) -> bool:
    records = get_authentication_records(request, person_of(request))
    since = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
    return any(record["method"] == "mfa" and record["at"] > since for record in records)


class SecondFactorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if self._is_missing(request):
            there = reverse("mfa_index")
            if wants_part(request):
                return go_to(there)
            messages.warning(request, NEEDED)
            return redirect(there)
        return self.get_response(request)

    def _is_missing(self, request: HttpRequest) -> bool:
        if not request.user.is_authenticated:
            return False
        person = person_of(request)
        look_up_memberships(person)
        if request.path.startswith(OPEN_PATHS):
            return False
        return needs_second_factor(person) and not has_second_factor(person)
