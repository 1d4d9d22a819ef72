"""Pages of tables asked for a network, and pages of networks asked for a table."""

from collections.abc import Callable

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.runs.models import Run
from tests import factories
from tests.conftest import Cast
from tests.networks import worlds
from tests.test_authorization import TABLE, Line

OF_TABLES_ONLY = {
    *("datasets:preview", "datasets:set-format", "datasets:place", "datasets:keep"),
    *("datasets:reading", "datasets:stop-reading", "datasets:set-deletion"),
    *("versions:drift", "versions:name-people"),
    *("attacks:bring-outside", "attacks:start-outside", "attacks:discard-outside"),
    "attacks:compare",
    *(name for name in TABLE if name.startswith("plans:")),
}
LEADS_TO = {
    "datasets:preview": "networks:show",
    "datasets:reading": "networks:reading",
    "plans:protection": "networks:protection",
    "plans:document": "networks:document",
    "versions:drift": "networks:changes",
}


@pytest.fixture(params=["with people", "links alone"])
def run(cast: Cast, request: pytest.FixtureRequest) -> Run:
    has_people = request.param == "with people"
    dataset = worlds.make_network(cast.steward, cast.team, people=has_people)
    worlds.protect_karate(cast.steward, dataset)
    return worlds.run_network(cast.steward, dataset)


def _ask(client: Client, line: Line, address: str) -> tuple[int, str]:
    client.raise_request_exception = False
    with transaction.atomic():
        answer = client.get(address) if line.method == "GET" else client.post(address)
        transaction.set_rollback(True)
    return answer.status_code, answer.headers.get("Location", "")


def test_no_page_breaks_at_a_network(
    cast: Cast, run: Run, signed_in: Callable[[User], Client]
) -> None:
    ids = {
        "dataset": {"dataset_id": run.dataset_id},
        "column": {"dataset_id": run.dataset_id, "position": 0},
        "run": {"run_id": run.id},
    }
    for who in ("reviewer", "steward"):
        client = signed_in(getattr(cast, who))
        for name, line in TABLE.items():
            if line.about not in ids:
                continue
            address = reverse(name, kwargs={**ids[line.about], **dict(line.kwargs)})
            status, there = _ask(client, line, address)
            assert status < 500, name
            if name in LEADS_TO:
                assert (status, there) == (302, reverse(LEADS_TO[name], args=[run.dataset_id]))
            elif name in OF_TABLES_ONLY:
                assert status in (403, 404), name


def test_who_may_not_know_of_a_network_is_not_led_to_it(
    cast: Cast, run: Run, signed_in: Callable[[User], Client]
) -> None:
    for who in ("outsider", "analyst"):
        client = signed_in(getattr(cast, who))
        for name in OF_TABLES_ONLY:
            line = TABLE[name]
            own = {"run_id": run.id} if line.about == "run" else {"dataset_id": run.dataset_id}
            address = reverse(name, kwargs={**own, **dict(line.kwargs)})
            assert _ask(client, line, address) == (404, ""), name


def test_a_table_has_no_page_of_networks(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    table = factories.make_planned_dataset(cast.steward, cast.team)
    twins = {of_network: of_table for of_table, of_network in LEADS_TO.items()}
    for who in ("outsider", "reviewer", "steward"):
        client = signed_in(getattr(cast, who))
        for name, line in TABLE.items():
            if line.about != "network":
                continue
            status, there = _ask(client, line, reverse(name, args=[table.id]))
            if name in twins and who != "outsider":
                assert (status, there) == (302, reverse(twins[name], args=[table.id])), name
            else:
                assert status == 404, name


def test_a_network_cannot_be_made_the_file_of_a_table(
    cast: Cast, run: Run, signed_in: Callable[[User], Client]
) -> None:
    client = signed_in(cast.steward)
    form = {
        "delimiter": ",",
        "quote": '"',
        "encoding": "utf-8",
        "has_header": "yes",
        "decimal": ".",
    }
    address = reverse("datasets:set-format", args=[run.dataset_id])
    assert client.post(address, form).status_code == 404
    assert Dataset.objects.get(id=run.dataset_id).file_format == run.dataset.file_format
