"""Small answers that htmx understands and a browser without scripts does too."""

from django.http import HttpRequest, HttpResponse

# htmx stops polling when it sees this status.
STOP_POLLING = 286


def wants_part(request: HttpRequest) -> bool:
    """True when htmx asks for the part of a page that changes, not for the page."""
    return request.headers.get("HX-Request") == "true" and not request.headers.get("HX-Boosted")


def go_to(url: str) -> HttpResponse:
    """End polling and lead the browser to another page."""
    return HttpResponse(status=STOP_POLLING, headers={"HX-Redirect": url})
