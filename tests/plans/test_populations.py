"""Tables of the population: added on the page, named by a rule, carried by the run, forgotten."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.datasets.models import Dataset
from deid_portal.engine import InvalidPlan
from deid_portal.plans import populations
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.plans.estimation import NoEstimate, estimate_table_run
from deid_portal.plans.models import PopulationTable
from deid_portal.plans.populations import add_population, remove_population
from deid_portal.plans.services import check_choice, choose_protection
from deid_portal.runs.services import start_run
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
# Twice as many people as the release has, under the names of its quasi-identifiers.
PEOPLE = factories.PATIENTS.read_text().splitlines()
REGISTER = "\n".join([*PEOPLE, *PEOPLE[1:]]) + "\n"


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    return factories.make_planned_dataset(cast.steward, cast.team)


def _add(dataset: Dataset, cast: Cast, text: str = REGISTER) -> PopulationTable:
    upload = factories.store_upload(text.encode(), "register.csv")
    return add_population(dataset=dataset, upload=upload, added_by=cast.steward)


def _post(client: Client, dataset: Dataset, text: str) -> str:
    file = SimpleUploadedFile("register.csv", text.encode())
    address = reverse("plans:add-population", args=[dataset.id])
    return client.post(address, {"file": file}, follow=True).content.decode()


def test_only_the_columns_that_are_compared_are_kept(cast: Cast, dataset: Dataset) -> None:
    population = _add(dataset, cast)
    assert (population.rows, population.columns) == (24, ["Zip", "Age"])
    with vault.open_reader(population.file) as stream:
        assert stream.read().decode().splitlines()[0] == "Zip,Age"
    assert Event.objects.get(action="plan.population_added").facts["rows"] == 24


def test_a_run_compares_with_it_and_carries_it(cast: Cast, dataset: Dataset) -> None:
    population = _add(dataset, cast)
    rules = [{"model": "k-map", "k": 4, "population": population.name}]
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=rules, method=factories.METHOD)
    dataset.refresh_from_db()
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    assert run.solution is True
    assert run.report.models[0].achieved["k"] >= 4
    assert population.name in run.plan_files
    assert population.name not in run.publication.files
    with pytest.raises(Refused, match="The protection compares with this table"):
        remove_population(population=population, removed_by=cast.steward)


def test_there_is_no_estimate_that_would_mislead(cast: Cast, dataset: Dataset) -> None:
    rules = [{"model": "k-map", "k": 4, "population": _add(dataset, cast).name}]
    plan = check_choice(dataset, ProtectionChoice(rules, factories.METHOD))
    with pytest.raises(NoEstimate, match="No estimate for k-map"):
        estimate_table_run(dataset, plan)


def test_a_table_of_another_dataset_cannot_be_named(cast: Cast, dataset: Dataset) -> None:
    other = factories.make_planned_dataset(cast.steward, cast.team)
    rules = [{"model": "k-map", "k": 4, "population": _add(other, cast).name}]
    with pytest.raises(InvalidPlan, match="no readable file"):
        check_choice(dataset, ProtectionChoice(rules, factories.METHOD))


def test_it_goes_with_the_table(
    cast: Cast,
    dataset: Dataset,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    population = _add(dataset, cast)
    with django_capture_on_commit_callbacks(execute=True):
        forget_dataset(dataset, cast.steward)
    assert not PopulationTable.objects.exists()
    assert not vault.path_of(population.file).exists()


def test_the_page_adds_offers_and_removes(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    assert "24 people were added" in _post(client, dataset, REGISTER)
    address = reverse("plans:protection", args=[dataset.id])
    data = {"view": "expert", "act": "add rule", "new-rule": "k-map", "method": "0:full-domain"}
    page = client.post(address, data).content.decode()
    assert "register.csv, 24 people" in page
    population = PopulationTable.objects.get()
    gone = reverse("plans:remove-population", args=[dataset.id, population.id])
    assert "The table is deleted." in client.post(gone, follow=True).content.decode()
    assert not PopulationTable.objects.exists()


def test_a_rule_without_a_table_says_what_is_missing(
    cast: Cast, dataset: Dataset, signed_in: SignIn
) -> None:
    address = reverse("plans:protection", args=[dataset.id])
    data = {"view": "expert", "act": "add rule", "new-rule": "k-map", "method": "0:full-domain"}
    page = signed_in(cast.steward).post(address, data).content.decode()
    assert "This compares with a table of the population. Add one below first." in page


def test_what_does_not_fit_is_refused_with_a_sentence(
    cast: Cast, dataset: Dataset, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(cast.steward)
    assert "The table has no column Age" in _post(client, dataset, "Zip,Sex\n1,f\n")
    address = reverse("plans:add-population", args=[dataset.id])
    assert "Choose a file first." in client.post(address, follow=True).content.decode()
    monkeypatch.setattr(populations, "MOST_BYTES", 10)
    assert "Take fewer people." in _post(client, dataset, REGISTER)
    assert not PopulationTable.objects.exists()


def test_a_reviewer_sees_and_adds_nothing(cast: Cast, dataset: Dataset, signed_in: SignIn) -> None:
    _add(dataset, cast)
    client = signed_in(cast.reviewer)
    file = SimpleUploadedFile("register.csv", REGISTER.encode())
    address = reverse("plans:add-population", args=[dataset.id])
    assert client.post(address, {"file": file}).status_code == 403
    page = client.get(reverse("plans:protection", args=[dataset.id]) + "?view=expert")
    assert "register.csv" not in page.content.decode()
