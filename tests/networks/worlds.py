"""The karate club, uploaded, read, protected and run by the services people use."""

from typing import Any

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.reading_job import perform_reading
from deid_portal.datasets.services import tag_columns
from deid_portal.networks.models import NetworkReading
from deid_portal.networks.services import choose_network_protection, upload_network
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.runs.execution import perform_run
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.work.leases import claim
from tests.factories import DATA, store_upload

KARATE_LINKS = DATA / "networks" / "karate-links.csv"
KARATE_PEOPLE = DATA / "networks" / "karate-people.csv"


def upload_karate(person: User, team: Team, *, people: bool = False) -> Dataset:
    """Zachary's karate club, uploaded and waiting to be read; see tests/data/README.md."""
    nodes = store_upload(KARATE_PEOPLE.read_bytes(), "people.csv") if people else None
    return upload_network(
        team=team,
        uploaded_by=person,
        links=store_upload(KARATE_LINKS.read_bytes(), "links.csv"),
        nodes=nodes,
        name="Karate club",
        is_directed=False,
    )


def upload_next_month(person: User, before: Dataset) -> Dataset:
    """The club a month later: member 12 left, a newcomer has one link, the rest is as it was."""
    lines = KARATE_LINKS.read_text().splitlines()
    kept = [line for line in lines if "12" not in line.split(",")]
    links = "\n".join([*kept, "newcomer,1"]).encode()
    members = KARATE_PEOPLE.read_text().splitlines()
    people = "\n".join([*(own for own in members if not own.startswith("12,")), "newcomer,new"])
    has_people = before.network.has_node_table
    return upload_network(
        team=before.team,
        uploaded_by=person,
        links=store_upload(links, "links.csv"),
        nodes=store_upload(people.encode(), "people.csv") if has_people else None,
        name="",
        is_directed=False,
        next_of=before,
    )


def read_uploaded(dataset: Dataset) -> Dataset:
    """Do what a worker does with an uploaded network."""
    lease = claim(NetworkReading, dataset.network_readings.get(status="queued").id)
    assert lease is not None
    perform_reading(lease)
    return Dataset.objects.get(id=dataset.id)


def make_network(person: User, team: Team, *, people: bool = False) -> Dataset:
    """The karate club, read; with people, their club is known."""
    dataset = read_uploaded(upload_karate(person, team, people=people))
    if people:
        tag_columns(dataset=dataset, tagged_by=person, roles={0: "quasi-identifier"})
    return Dataset.objects.get(id=dataset.id)


def protect_karate(person: User, dataset: Dataset, k: int = 3, **method: Any) -> None:
    choice = ProtectionChoice(
        [{"model": "k-degree", "k": k}], {"name": "k-degree", "k": k, **method}
    )
    choose_network_protection(dataset=dataset, chosen_by=person, choice=choice, knowledge="degree")


def run_network(person: User, dataset: Dataset) -> Run:
    run = start_run(dataset=Dataset.objects.get(id=dataset.id), started_by=person)
    lease = claim(Run, run.id)
    assert lease is not None
    perform_run(lease)
    run.refresh_from_db()
    return run
