"""A team may ask for a second factor: without one its people get no further than setting it up."""

from collections.abc import Callable

from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from deid_portal.accounts.people import person_of
from deid_portal.accounts.selectors import needs_second_factor
from deid_portal.common.http import go_to, wants_part

NEEDED = (
    "Your team asks for a second factor. Set up an authenticator app or a passkey to go on; "
    "nothing you saved is lost."
)
# Signing out, the account's own pages and static files stay reachable.
OPEN_PATHS = ("/sign-out/", "/account/", "/sign-in/", "/join/", "/static/", "/healthz", "/help/")


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
        if not request.user.is_authenticated or request.path.startswith(OPEN_PATHS):
            return False
        person = person_of(request)
        return needs_second_factor(person) and not is_mfa_enabled(person)
