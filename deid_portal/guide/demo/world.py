"""Make and remove the demo: people with public passwords, a table, a finished network."""

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.services import add_member, close_account, create_team
from deid_portal.datasets.models import ColumnRoleChoices, Dataset, Reading
from deid_portal.datasets.reading_job import perform_reading
from deid_portal.datasets.services import keep_dataset, tag_columns, upload_dataset
from deid_portal.guide.demo.desk import open_for_questions
from deid_portal.guide.demo.files import store_file
from deid_portal.guide.demo.invented import demo_table, demo_taxonomy
from deid_portal.guide.demo.network import make_network
from deid_portal.guide.demo.people import PEOPLE, TEAM
from deid_portal.plans.services import choose_protection
from deid_portal.taxonomies.services import set_taxonomy_from_file
from deid_portal.work.leases import claim

DATASET = "Adult census"
IDENTIFIERS = ("name", "email", "person-no")


def make_people() -> None:
    """Make the demo's people and teams; those that exist are left as they are."""
    for person in PEOPLE:
        user = User.objects.filter(username=person.username).first()
        if user is None:
            user = User.objects.create_user(
                person.username,
                password=person.password,
                first_name=person.username.capitalize(),
                is_demo=True,
            )
        team = Team.objects.filter(name=person.team).first() or create_team(name=person.team)
        add_member(team=team, user=user, roles=[person.role], added_by=None)


def make_dataset() -> Dataset | None:
    """Upload the demo table and prepare it up to the protection; a network up to its report."""
    team = Team.objects.get(name=TEAM)
    steward = User.objects.get(username="steward")
    if Dataset.objects.filter(team=team).exists():
        return None
    dataset = upload_dataset(
        team=team,
        uploaded_by=steward,
        upload=store_file("adult_2026-10.csv", demo_table()),
        name=DATASET,
    )
    reading = keep_dataset(dataset=dataset, kept_by=steward)
    lease = claim(Reading, str(reading.id))
    if lease is not None:
        perform_reading(lease)
    dataset.refresh_from_db()
    tag_columns(
        dataset=dataset,
        tagged_by=steward,
        roles={column.position: _role(column.name) for column in dataset.columns.all()},
    )
    for column in dataset.columns.filter(role=ColumnRoleChoices.QUASI_IDENTIFIER):
        content = demo_taxonomy(column.name)
        if content is not None:
            set_taxonomy_from_file(column=column, changed_by=steward, content=content)
    choose_protection(
        dataset=dataset,
        chosen_by=steward,
        rules=[
            {"model": "k-anonymity", "k": 5},
            {"model": "l-diversity", "variant": "distinct", "l": 3, "column": "condition"},
        ],
        method={"name": "full-domain", "suppression_limit": 0.05, "metric": "loss"},
    )
    open_for_questions(dataset, steward)
    make_network(team, steward)
    return dataset


def _role(column: str) -> ColumnRoleChoices:
    if column in IDENTIFIERS:
        return ColumnRoleChoices.IDENTIFIER
    return (
        ColumnRoleChoices.SENSITIVE if column == "condition" else ColumnRoleChoices.QUASI_IDENTIFIER
    )


def remove_people() -> int:
    """Close the demo accounts for good; their audit records stay."""
    demo = list(User.objects.filter(is_demo=True, is_active=True))
    for user in demo:
        close_account(user=user)
    return len(demo)
