"""From the plan of a network to its report: chosen in plain words, run, measured, shown."""

import zipfile
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.engine import InvalidPlan
from deid_portal.networks.composition import compose_network_plan
from deid_portal.networks.services import choose_network_protection
from deid_portal.plans.changes import Change, HideAmong, SetMethod, UseMethod
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.runs.models import Run
from deid_portal.runs.sweeps import SweepGrid, start_sweep
from deid_portal.runs.variants import start_variant
from deid_portal.vault import vault
from tests.charts import check_chart
from tests.conftest import Cast
from tests.networks import worlds

SignIn = Callable[[User], Client]


@pytest.fixture
def karate(cast: Cast) -> Dataset:
    return worlds.make_network(cast.steward, cast.team)


@pytest.fixture
def finished(cast: Cast, karate: Dataset) -> Run:
    worlds.protect_karate(cast.steward, karate)
    return worlds.run_network(cast.steward, karate)


def test_the_page_proposes_the_policys_k_and_the_fitting_method(
    cast: Cast, karate: Dataset, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(reverse("networks:protection", args=[karate.id]))
    choosing = page.context["choosing"]
    assert (choosing.method, choosing.form["k"].value()) == ("k-degree", 5)
    assert "at least 4 others" in page.content.decode()
    check_chart(choosing.prices)


def test_what_is_chosen_is_saved_and_leads_to_the_run(
    cast: Cast, karate: Dataset, signed_in: SignIn
) -> None:
    data = {"knowledge": "degree", "k": "3", "method": "k-degree", "shown": ""}
    answer = signed_in(cast.steward).post(reverse("networks:protection", args=[karate.id]), data)
    assert answer["Location"] == reverse("runs:list", args=[karate.id])
    karate.refresh_from_db()
    assert karate.protection.rules == [{"model": "k-degree", "k": 3}]


def test_the_page_says_who_finds_people_nevertheless(
    cast: Cast, karate: Dataset, signed_in: SignIn
) -> None:
    address = reverse("networks:protection", args=[karate.id])
    choosing = signed_in(cast.steward).get(address).context["choosing"]
    assert choosing.knowledge == "degree"
    assert [own.split(".")[0] for own in choosing.gaps] == [
        "how many links people and their contacts have",
        "which of their contacts know each other",
    ]
    assert "23 people stand alone" in choosing.gaps[0]


def test_what_a_report_proposes_can_be_looked_at(
    cast: Cast, karate: Dataset, signed_in: SignIn
) -> None:
    worlds.protect_karate(cast.steward, karate)
    address = reverse("networks:protection", args=[karate.id])
    proposed = {"knowledge": "neighbour-degrees", "method": "k-grouping"}
    page = signed_in(cast.steward).get(address, proposed)
    choosing = page.context["choosing"]
    assert (choosing.knowledge, choosing.method) == ("neighbour-degrees", "k-grouping")
    assert (choosing.gaps, choosing.problem) == ([], "")
    assert signed_in(cast.steward).get(address, {"method": "nonsense"}).status_code == 200


def test_attributes_become_coarser_where_somebody_knows_them(cast: Cast) -> None:
    people = worlds.make_network(cast.steward, cast.team, people=True)
    choice = ProtectionChoice(
        [{"model": "k-degree-attributes", "k": 3}], {"name": "k-grouping", "k": 3}
    )
    known = "attributes+degree"
    plan = compose_network_plan(people, choice, known).to_plan()
    assert [method.name for method in plan.methods] == ["k-grouping", "attributes"]
    choose_network_protection(
        dataset=people, chosen_by=cast.steward, choice=choice, knowledge=known
    )
    run = worlds.run_network(cast.steward, people)
    assert run.solution
    started = start_variant(
        run=run, changes=[UseMethod({"name": "k-degree"})], started_by=cast.steward
    )
    assert [own["name"] for own in started.run.plan["method"]] == ["k-degree", "attributes"]


@pytest.mark.parametrize("k", ["1", "", "many", "35"])
def test_a_meaningless_number_is_refused_and_nothing_saved(
    cast: Cast, karate: Dataset, signed_in: SignIn, k: str
) -> None:
    data = {"knowledge": "degree", "k": k, "method": "k-degree", "shown": ""}
    answer = signed_in(cast.steward).post(reverse("networks:protection", args=[karate.id]), data)
    assert answer.status_code == 422
    assert not hasattr(Dataset.objects.get(id=karate.id), "protection")


def test_a_run_ends_with_an_archive_of_what_may_leave(finished: Run) -> None:
    assert finished.solution, finished.problem
    with vault.open_reader(finished.release_file) as stream, zipfile.ZipFile(stream) as archive:
        assert archive.namelist() == ["edges.csv", "network.graphml", "nodes.csv"]
        links = archive.read("edges.csv").decode().split()
    assert links[0] == "source,target"
    assert len(links) - 1 == finished.report.network.links.after


def test_everybody_has_look_alikes_by_an_obvious_count(finished: Run) -> None:
    with vault.open_reader(finished.release_file) as stream, zipfile.ZipFile(stream) as archive:
        rows = archive.read("edges.csv").decode().split()[1:]
    ends = [end for row in rows for end in row.split(",")]
    degrees = [ends.count(str(node)) for node in range(1, 35)]
    assert min(degrees.count(degree) for degree in degrees) >= 3


@pytest.mark.parametrize("section", ["summary", "groups", "risk", "structure", "attacks"])
def test_every_page_of_the_report_opens(
    cast: Cast, finished: Run, signed_in: SignIn, section: str
) -> None:
    for person in (cast.steward, cast.reviewer):
        page = signed_in(person).get(reverse("reports:section", args=[finished.id, section]))
        assert page.status_code == 200
        assert "look-alikes" in page.content.decode()


def test_a_reviewer_never_gets_the_drawing_of_single_people(
    cast: Cast, finished: Run, signed_in: SignIn
) -> None:
    page = signed_in(cast.reviewer).get(reverse("networks:risk", args=[finished.dataset_id]))
    assert page.context["drawing"] is None
    report = signed_in(cast.reviewer).get(reverse("reports:report", args=[finished.id]))
    assert [drawing.id for drawing in report.context["drawings"]] == ["after"]


def test_the_board_shows_its_runs(cast: Cast, finished: Run, signed_in: SignIn) -> None:
    page = signed_in(cast.steward).get(reverse("reports:board", args=[finished.dataset_id]))
    assert page.status_code == 200


def test_a_review_of_it_can_be_asked_for_and_decided(
    cast: Cast, finished: Run, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(reverse("reviews:ask", args=[finished.id]))
    assert page.status_code == 200


def test_a_sweep_tries_numbers_and_methods_as_runs_of_their_own(
    cast: Cast, karate: Dataset
) -> None:
    worlds.protect_karate(cast.steward, karate)
    grid = SweepGrid(look_alikes=(2, 4), methods=("adding", "removing", "groups"))
    sweep = start_sweep(dataset=karate, grid=grid, started_by=cast.steward)
    plans = [run.plan for run in Run.objects.filter(memberships__sweep=sweep)]
    asked = {(plan["models"][0]["k"], plan["method"]["k"]) for plan in plans}
    assert (len(plans), asked) == (6, {(2, 2), (4, 4)})
    assert "adding and removing" in sweep.words


def test_the_page_of_a_sweep_offers_no_share_to_leave_out(
    cast: Cast, karate: Dataset, signed_in: SignIn
) -> None:
    worlds.protect_karate(cast.steward, karate)
    page = signed_in(cast.steward).get(reverse("runs:sweep", args=[karate.id]))
    assert list(page.context["form"].fields) == ["look_alikes", "methods"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (HideAmong(6), "hides among 6 instead of 3"),
        (UseMethod({"name": "k-grouping"}), "with the method groups and the links between them"),
        (SetMethod("changes", "additions-deletions"), "changes additions-deletions"),
    ],
)
def test_a_change_is_tried_beside_the_protection(
    cast: Cast, finished: Run, change: Change, words: str
) -> None:
    started = start_variant(run=finished, changes=[change], started_by=cast.steward)
    assert started.run.change_words == words
    assert started.run.plan["method"]["k"] == started.run.plan["models"][0]["k"]


def test_a_change_that_is_too_much_for_the_network_is_refused(cast: Cast, finished: Run) -> None:
    with pytest.raises(InvalidPlan, match="34 people"):
        start_variant(run=finished, changes=[HideAmong(35)], started_by=cast.steward)
