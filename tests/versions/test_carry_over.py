"""What is carried over to the next version, and what is not: by name and type."""

from dataclasses import dataclass

import pytest

from deid_portal.audit.models import Event
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.datasets.models import Dataset, Reading
from deid_portal.datasets.reading import ReadTable
from deid_portal.datasets.reading_job import perform_reading
from deid_portal.datasets.services import choose_treatment, keep_dataset, tag_columns
from deid_portal.plans.models import Protection
from deid_portal.plans.services import choose_protection
from deid_portal.runs.services import start_run
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyKind, TaxonomyVersion
from deid_portal.taxonomies.services import edit_taxonomy, set_taxonomy
from deid_portal.work.leases import WorkStatus, claim
from tests import factories
from tests.conftest import Cast

AUGUST = factories.PATIENTS.read_bytes()
FILE = "13053;130;*\n13068;130;*\n14850;148;*\n14853;148;*\n"


def table(header: str, *rows: str) -> bytes:
    return "\n".join([header, *rows]).encode()


@pytest.fixture
def planned(cast: Cast) -> Dataset:
    """August: tagged, with a file taxonomy of Zip, intervals of Age and a plan."""
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    zip_column = dataset.columns.get(name="Zip")
    set_taxonomy(
        column=zip_column,
        changed_by=cast.steward,
        kind=TaxonomyKind.FILE,
        recipe={"file": "taxonomy.csv"},
        file_text=FILE,
    )
    return dataset


@dataclass(frozen=True)
class Case:
    """A column of the new file against the one before, and what of its decisions stays."""

    name: str
    cell: str
    role: str
    has_taxonomy: bool


@pytest.mark.parametrize(
    "case",
    [
        Case("Zip", "13053", "quasi-identifier", True),
        Case("Age", "44", "quasi-identifier", True),
        Case("Condition", "Flu", "sensitive", False),
        Case("Name", "Ann", "identifier", False),
        Case("zip", "13053", "", False),  # another name
        Case("Age", "44.5", "", False),  # another type: numbers, not whole ones
        Case("Zip", "A3053", "", False),  # text now
        Case("Ward", "North", "", False),  # new
    ],
    ids=lambda case: f"{case.name}={case.cell}",
)
def test_roles_and_taxonomies_stay_with_name_and_type(
    case: Case, cast: Cast, planned: Dataset
) -> None:
    rows = [f"{number},{case.cell}" for number in range(1, 6)]
    version = factories.make_next_version(planned, cast.teammate, table(f"Id,{case.name}", *rows))
    column = version.columns.get(name=case.name)
    assert (column.role, column.carried_role) == (case.role, case.role)
    assert column.is_carried == bool(case.role)
    assert hasattr(column, "taxonomy") == case.has_taxonomy


def test_treatments_of_identifiers_stay(cast: Cast, planned: Dataset) -> None:
    column = planned.columns.get(name="Id")
    choose_treatment(column=column, chosen_by=cast.steward, treatment="pseudonym")  # type: ignore[arg-type]
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    assert version.columns.get(name="Id").treatment == "pseudonym"
    assert version.columns.get(name="Name").treatment == "remove"


def test_the_same_file_again_can_be_run_at_once(cast: Cast, planned: Dataset) -> None:
    version = factories.make_next_version(planned, cast.teammate, AUGUST)
    run = factories.finish_run(start_run(dataset=version, started_by=cast.teammate))
    assert run.solution
    first = factories.finish_run(start_run(dataset=planned, started_by=cast.steward))
    assert run.plan_sha256 == first.plan_sha256


def test_whoever_chose_the_plan_stays_its_author(cast: Cast, planned: Dataset) -> None:
    version = factories.make_next_version(planned, cast.teammate, AUGUST)
    run = start_run(dataset=version, started_by=cast.teammate)
    assert (run.planned_by, run.started_by) == (cast.steward, cast.teammate)


def test_new_values_wait_to_be_placed(cast: Cast, planned: Dataset) -> None:
    content = AUGUST.replace(b"13068", b"99999")
    version = factories.make_next_version(planned, cast.steward, content)
    taxonomy = ColumnTaxonomy.objects.get(column__dataset=version, column__name="Zip")
    assert taxonomy.uncovered == 1
    assert taxonomy.version is not None
    assert taxonomy.version.words == "Carried over from v1"
    assert taxonomy.version.outline["unplaced"] == [["99999", 4]]
    # What the new file no longer has keeps its place, for the month in which it comes back.
    labels = [branch[3] for branch in taxonomy.version.outline["branches"]]
    assert "13068" in labels
    column = version.columns.get(name="Zip")
    group = next(b[0] for b in taxonomy.version.outline["branches"] if b[3] == "148")
    step = {"do": "place", "values": ["99999"], "under": group}
    edit_taxonomy(column=column, changed_by=cast.steward, steps=[step])
    assert factories.finish_run(start_run(dataset=version, started_by=cast.steward)).solution


def test_taxonomies_that_are_rules_cover_what_comes(cast: Cast, planned: Dataset) -> None:
    version = factories.make_next_version(planned, cast.steward, AUGUST.replace(b",50,", b",97,"))
    taxonomy = ColumnTaxonomy.objects.get(column__dataset=version, column__name="Age")
    assert (taxonomy.kind, taxonomy.uncovered) == ("intervals", 0)


def test_the_history_of_a_tree_stays_with_its_version(cast: Cast, planned: Dataset) -> None:
    before = TaxonomyVersion.objects.filter(column__dataset=planned, column__name="Zip")
    assert before.count() == 2
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    after = TaxonomyVersion.objects.get(column__dataset=version, column__name="Zip")
    assert (after.number, after.made_by) == (1, cast.steward)


def test_a_taxonomy_that_cannot_be_laid_over_is_left_behind(
    cast: Cast, planned: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deid_portal.taxonomies.services.MOST_VALUES", 3)
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    column = version.columns.get(name="Zip")
    assert column.role == "quasi-identifier"
    assert not hasattr(column, "taxonomy")


def test_one_record_says_what_was_carried_over(cast: Cast, planned: Dataset) -> None:
    version = factories.make_next_version(
        planned, cast.teammate, AUGUST.replace(b"13068", b"99999")
    )
    event = Event.objects.get(action="dataset.carried_over")
    assert (event.actor, event.subject_id) == (cast.teammate, str(version.id))
    assert event.facts == {
        "from_version": 1,
        "roles": {
            "1": "identifier",
            "2": "identifier",
            "3": "quasi-identifier",
            "4": "quasi-identifier",
            "5": "sensitive",
        },
        "taxonomies": 2,
        "incomplete_taxonomies": 1,
        "plan": True,
    }


def test_a_role_that_is_changed_is_no_longer_called_carried(cast: Cast, planned: Dataset) -> None:
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    column = version.columns.get(name="Condition")
    roles = {column.position: "insensitive"}
    tag_columns(dataset=version, tagged_by=cast.steward, roles=roles)
    column.refresh_from_db()
    assert not column.is_carried


def test_the_version_before_is_left_as_it_was(cast: Cast, planned: Dataset) -> None:
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    choose_protection(
        dataset=version,
        chosen_by=cast.steward,
        rules=[{"model": "k-anonymity", "k": 2}],
        method=factories.METHOD,
    )
    assert Protection.objects.get(dataset=planned).rules == factories.RULES


def test_from_a_forgotten_version_only_roles_are_left(cast: Cast, planned: Dataset) -> None:
    forget_dataset(planned, cast.steward)
    planned.refresh_from_db()
    version = factories.make_next_version(planned, cast.steward, AUGUST)
    assert version.columns.get(name="Zip").role == "quasi-identifier"
    assert not ColumnTaxonomy.objects.filter(column__dataset=version).exists()
    assert not Protection.objects.filter(dataset=version).exists()


def test_a_fault_while_carrying_leaves_nothing_half_done(
    cast: Cast, planned: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = factories.make_next_upload(planned, cast.steward, AUGUST)
    reading = keep_dataset(dataset=version, kept_by=cast.steward)

    def fail(*_: object) -> None:
        raise RuntimeError("the machine caught fire")

    with monkeypatch.context() as patched:
        patched.setattr("deid_portal.versions.carry_over.copy_protection", fail)
        lease = claim(Reading, str(reading.id))
        assert lease is not None
        with pytest.raises(RuntimeError, match="caught fire"):
            perform_reading(lease)
    version.refresh_from_db()
    reading.refresh_from_db()
    assert (version.state, reading.status) == (Dataset.State.UPLOADED, WorkStatus.FAILED)
    assert reading.problem == ReadTable.unexpected
    assert not version.columns.exists()
    factories.read_upload(version, cast.steward)
    assert version.columns.get(name="Zip").is_carried
