"""Pages that only tables have, or only networks, asked for a dataset of the other kind.

A view says by the way it fetches its dataset which kind it is for. Asked for another kind, it does
not exist; a page that has a twin leads there.
"""

from collections.abc import Callable
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import get_dataset_or_404

# Pages of tables, and the page of a network on which the same is done.
TWINS = {
    "datasets:preview": "networks:show",
    "datasets:reading": "networks:reading",
    "plans:protection": "networks:protection",
    "plans:document": "networks:document",
    "versions:drift": "networks:changes",
}


class OfOtherKind(Http404):
    """The dataset is there, and the person may know of it, but has no such page."""

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
    """Lead from a page that a dataset of this kind does not have to its twin, if there is one."""

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
