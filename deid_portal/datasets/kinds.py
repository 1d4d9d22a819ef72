"""Pages that exist only for tables, or only for networks.

A view states its kind by the function that fetches its dataset. For a dataset of the other kind the
page does not exist; if there is a corresponding page, the request is redirected to it.
"""

from collections.abc import Callable, Iterable
from typing import cast
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import get_dataset_or_404
from deid_portal.datasets.subjects import Subject, TableSubject


class OfOtherKind(Http404):
    """The dataset is visible to the person, but its kind has no such page."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__()
        self.dataset = dataset


def get_dataset_about_or_404(user: User, dataset_id: UUID, subject: type[Subject]) -> Dataset:
    """Return a dataset about this subject; a further kind that extends one has its pages, too."""
    dataset = get_dataset_or_404(user, dataset_id)
    if not isinstance(dataset.subject, subject):
        raise OfOtherKind(dataset)
    return dataset


def get_table_or_404(user: User, dataset_id: UUID) -> Dataset:
    return get_dataset_about_or_404(user, dataset_id, TableSubject)


class OtherKindMiddleware:
    """Redirect from a page that this kind of dataset does not have to the corresponding page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        asked = request.resolver_match
        if not isinstance(error, OfOtherKind) or request.method != "GET" or asked is None:
            return None
        there = error.dataset.subject.pages.get(_names_of_pages().get(asked.view_name, ""))
        return redirect(there, error.dataset.id) if there else None


def _names_of_pages() -> dict[str, str]:
    """Return what every kind calls the pages that others have, too."""
    kinds = cast(Iterable[type[Subject]], Subject.of_kind.values())
    return {view: name for kind in kinds for name, view in kind.pages.items()}
