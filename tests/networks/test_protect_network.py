"""From the plan of a network to its report: chosen in plain words, run, measured, shown."""

import zipfile
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.common import vault
from deid_portal.datasets.models import Dataset
from deid_portal.runs.models import Run
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


def test_what_is_chosen_is_saved_and_leads_to_the_run(
    cast: Cast, karate: Dataset, signed_in: SignIn
) -> None:
    data = {"knowledge": "degree", "k": "3", "method": "k-degree", "shown": ""}
    answer = signed_in(cast.steward).post(reverse("networks:protection", args=[karate.id]), data)
    assert answer["Location"] == reverse("runs:list", args=[karate.id])
    karate.refresh_from_db()
    assert karate.protection.rules == [{"model": "k-degree", "k": 3}]


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
    assert len(links) - 1 == finished.report["network"]["links"]["after"]


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
    assert [drawing["id"] for drawing in report.context["drawings"]] == ["after"]


def test_the_board_shows_its_runs(cast: Cast, finished: Run, signed_in: SignIn) -> None:
    page = signed_in(cast.steward).get(reverse("reports:board", args=[finished.dataset_id]))
    assert page.status_code == 200


def test_a_review_of_it_can_be_asked_for_and_decided(
    cast: Cast, finished: Run, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(reverse("reviews:ask", args=[finished.id]))
    assert page.status_code == 200
