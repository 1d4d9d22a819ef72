"""A small network in the demo, up to its report: friendships in Zachary's karate club."""

from pathlib import Path

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import ColumnRoleChoices, Dataset
from deid_portal.datasets.reading_job import perform_reading
from deid_portal.datasets.services import tag_columns
from deid_portal.guide.demo.files import store_file
from deid_portal.networks.models import NetworkReading
from deid_portal.networks.services import choose_network_protection, upload_network
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.runs.execution import perform_run
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.work.leases import claim

NAME = "Karate club"
DATA = Path(__file__).parent / "data"
LINKS, PEOPLE = DATA / "karate-links.csv", DATA / "karate-people.csv"
PROTECTION = ProtectionChoice(
    [{"model": "k-degree", "k": 5}],
    {"name": "k-degree", "k": 5, "changes": "additions-deletions"},
)


def make_network(team: Team, steward: User) -> Dataset:
    """Upload, tag, protect and run it through the services of the pages, up to a report."""
    dataset = upload_network(
        team=team,
        uploaded_by=steward,
        links=store_file(LINKS.name, LINKS.read_bytes()),
        nodes=store_file(PEOPLE.name, PEOPLE.read_bytes()),
        name=NAME,
        is_directed=False,
    )
    reading = claim(NetworkReading, str(dataset.network_readings.get().id))
    if reading is not None:
        perform_reading(reading)
    dataset = Dataset.objects.get(id=dataset.id)
    tag_columns(dataset=dataset, tagged_by=steward, roles={0: ColumnRoleChoices.INSENSITIVE})
    choose_network_protection(
        dataset=dataset, chosen_by=steward, choice=PROTECTION, knowledge="degree"
    )
    run = claim(Run, str(start_run(dataset=dataset, started_by=steward).id))
    if run is not None:
        perform_run(run)
    return dataset
