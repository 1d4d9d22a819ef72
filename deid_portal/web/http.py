"""Responses for htmx that also work in browsers without scripts."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url

# The status at which htmx stops polling.
STOP_POLLING = 286


def wants_part(request: HttpRequest) -> bool:
    """Say whether htmx requests the changing part of a page."""
    return request.headers.get("HX-Request") == "true" and not request.headers.get("HX-Boosted")


def go_to(url: str) -> HttpResponse:
    """End polling and lead the browser to another page."""
    return HttpResponse(status=STOP_POLLING, headers={"HX-Redirect": url})


class PrivatePagesMiddleware:
    """Keep private pages out of caches, and the sign-in page out of htmx parts.

    The Back button must not show rows after signing out. An htmx request without a session would
    insert the sign-in page into a table row; it is redirected there instead, and back to its page
    afterwards.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        sign_in = resolve_url(settings.LOGIN_URL)
        if wants_part(request) and response.headers.get("Location", "").startswith(sign_in):
            back = urlencode({REDIRECT_FIELD_NAME: _page_asked_from(request)})
            return HttpResponse(status=204, headers={"HX-Redirect": f"{sign_in}?{back}"})
        return response


def _page_asked_from(request: HttpRequest) -> str:
    """Return the path of the page that htmx runs on; the sign-in page refuses other sites."""
    parts = urlsplit(request.headers.get("HX-Current-URL", ""))
    return f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
