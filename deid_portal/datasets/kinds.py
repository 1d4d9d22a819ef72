"""Pages that only tables have, or only networks, asked for a dataset of the other kind.

A view says by the way it fetches its dataset which kind it is for. Asked for another kind, it does
not exist; a page that has a twin leads there.
"""

from collections.abc import Callable, Iterable
from typing import cast
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import get_dataset_or_404
from deid_portal.datasets.subjects import Subject, SubjectKind


class OfOtherKind(Http404):
    """The dataset is there, and the person may know of it, but has no such page."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__()
        self.dataset = dataset


def check_kind(dataset: Dataset, kind: SubjectKind) -> None:
    if dataset.kind != kind:
        raise OfOtherKind(dataset)


def get_table_or_404(user: User, dataset_id: UUID) -> Dataset:
    dataset = get_dataset_or_404(user, dataset_id)
    check_kind(dataset, SubjectKind.TABLE)
    return dataset


def get_network_or_404(user: User, dataset_id: UUID) -> Dataset:
    dataset = get_dataset_or_404(user, dataset_id)
    check_kind(dataset, SubjectKind.NETWORK)
    return dataset


class OtherKindMiddleware:
    """Lead from a page that a dataset of this kind does not have to its twin, if there is one."""

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
