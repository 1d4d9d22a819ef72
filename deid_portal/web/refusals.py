"""Why something may not happen: one sentence, for the guard and the greyed-out button alike."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from deid_portal.web.full_disk import is_full_disk, no_room_page


class Refused(Exception):  # noqa: N818 -- reads as the fact it states
    """An action that may not happen now; the message is a sentence for the person who tried."""


class StepClosed(Refused):
    """A step of a dataset that is not available yet; shown within the dataset's layout."""

    def __init__(self, reason: str, dataset: Model, step: str) -> None:
        super().__init__(reason)
        self.dataset = dataset
        self.step = step


@contextmanager
def entering_step(dataset: Model, step: str) -> Iterator[None]:
    """Turn a refusal into the page of a closed step, with a link to what is missing."""
    try:
        yield
    except Refused as reason:
        raise StepClosed(str(reason), dataset, step) from None


def refusal(check: Callable[..., None], *args: object) -> str:
    """Return why `check` would refuse, or an empty string if it would not."""
    try:
        check(*args)
    except Refused as reason:
        return str(reason)
    return ""


class RefusalMiddleware:
    """Show a refusal that no view handled as a page with its message."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, StepClosed):
            context = {"reason": str(error), "dataset": error.dataset, "current": error.step}
            return render(request, "step_closed.html", context, status=409)
        if is_full_disk(error):
            return no_room_page()
        if isinstance(error, Refused):
            return render(request, "403.html", {"reason": str(error)}, status=403)
        return None
