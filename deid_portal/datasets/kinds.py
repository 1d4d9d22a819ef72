"""Pages that exist only for tables, or only for networks.

A view states its kind by the function that fetches its dataset. For a dataset of the other kind the
page does not exist; if there is a corresponding page, the request is redirected to it.
"""

from collections.abc import Callable
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import get_dataset_or_404

# Pages of tables, and the corresponding pages of networks.
TWINS = {
    "datasets:preview": "networks:show",
    "datasets:reading": "networks:reading",
    "plans:protection": "networks:protection",
    "plans:document": "networks:document",
    "versions:drift": "networks:changes",
}


class OfOtherKind(Http404):
    """The dataset is visible to the person, but its kind has no such page."""

    def __init__(self, dataset: Dataset) -> None:
        super().__init__()
        self.dataset = dataset


def check_kind(dataset: Dataset, kind: Dataset.Kind) -> None:
    if dataset.kind != kind:
        raise OfOtherKind(dataset)


def get_table_or_404(user: User, dataset_id: UUID) -> Dataset:
    dataset = get_dataset_or_404(user, dataset_id)
    check_kind(dataset, Dataset.Kind.TABLE)
    return dataset


def get_network_or_404(user: User, dataset_id: UUID) -> Dataset:
    dataset = get_dataset_or_404(user, dataset_id)
    check_kind(dataset, Dataset.Kind.NETWORK)
    return dataset


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
        twins = {**TWINS, **{own: other for other, own in TWINS.items()}}
        there = twins.get(asked.view_name)
        return redirect(there, error.dataset.id) if there else None
