"""The page: states of a row, the next step, what is polled."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from deid_portal.accounts.models import User
from deid_portal.attacks.choices import STANDARD
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.rows import LOOKS, RowState
from deid_portal.attacks.selectors import attack_rows
from deid_portal.attacks.services import start_attacks
from deid_portal.attacks.vocabulary import WORDINGS
from deid_portal.engine.attacks import ATTACKS
from deid_portal.engine.networks.attacks.trials import NETWORK_ATTACKS
from deid_portal.runs.models import Run
from deid_portal.work.leases import WorkStatus
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_exposed_run(cast.steward, cast.team)


def read(client: Client, run: Run, query: str = "") -> str:
    answer = client.get(reverse("attacks:show", args=[run.id]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_attack_has_words() -> None:
    assert set(WORDINGS) == {*ATTACKS, *NETWORK_ATTACKS}
    assert set(LOOKS) == set(RowState)
    for wording in WORDINGS.values():
        assert wording.explanation.endswith(".")


def test_every_finished_run_leads_there(run: Run, cast: Cast, signed_in: SignIn) -> None:
    page = signed_in(cast.approver).get(reverse("runs:list", args=[run.dataset_id]))
    assert reverse("attacks:show", args=[run.id]) in page.content.decode()


def test_before_the_first_attack_the_page_says_how_long_each_takes(
    run: Run, cast: Cast, signed_in: SignIn
) -> None:
    page = read(signed_in(cast.steward), run)
    assert "0 of 13" in page
    assert page.count("less than a second") + page.count("about 1 second") >= 5
    assert "No attack has been made yet." in page
    assert "Run all" in page


@pytest.mark.parametrize(
    ("status", "result", "state"),
    [
        (WorkStatus.QUEUED, None, RowState.WAITING),
        (WorkStatus.RUNNING, None, RowState.RUNNING),
        (WorkStatus.STOPPED, None, RowState.STOPPED),
        (WorkStatus.FAILED, None, RowState.FAILED),
        (WorkStatus.FINISHED, {"reason": "No sensitive column."}, RowState.NOT_POSSIBLE),
    ],
)
def test_a_row_says_in_one_word_where_it_stands(
    run: Run, cast: Cast, status: WorkStatus, result: dict[str, str] | None, state: RowState
) -> None:
    start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])
    test = AttackTest.objects.get()
    test.status, test.result = status, result
    test.save()
    row = next(row for row in attack_rows(cast.steward, run) if row.attack == "homogeneity")
    assert row.state == state


def test_the_worst_is_open_and_any_other_can_be_chosen(
    run: Run, cast: Cast, signed_in: SignIn
) -> None:
    factories.attack(run, cast.steward, "homogeneity", "record-linkage", "skewness")
    client = signed_in(cast.steward)
    page = read(client, run)
    worst = attack_rows(cast.steward, run)[0]
    assert f'id="panel-title">{worst.title}<' in page
    assert 'id="panel-title">Linkage<' in read(client, run, "?attack=record-linkage")
    assert f'id="panel-title">{worst.title}<' in read(client, run, "?attack=nonsense")


@pytest.mark.parametrize("attack", ["record-linkage", "homogeneity", "skewness"])
def test_a_chart_draws_what_its_table_says(
    run: Run, cast: Cast, signed_in: SignIn, attack: str
) -> None:
    factories.attack(run, cast.steward, attack)
    address = reverse("attacks:show", args=[run.id])
    check_chart(signed_in(cast.steward).get(address, {"attack": attack}).context["chart"])


def test_what_is_over_the_limit_leads_back_to_the_plan(
    run: Run, cast: Cast, signed_in: SignIn
) -> None:
    factories.attack(run, cast.steward, "homogeneity")
    page = read(signed_in(cast.steward), run)
    assert "One attack is over the limit." in page
    assert "Change the plan" in page
    assert "What to change, cheapest first" in page
    assert "Try it" in page
    assert "Ask for a waiver" in page


def test_others_read_how_it_ended_and_no_figure_of_people_left_out(
    run: Run, cast: Cast, signed_in: SignIn
) -> None:
    """Attacks are scored with everybody: exact figures can be solved for somebody left out."""
    factories.attack(run, cast.steward, "homogeneity", "background-knowledge")
    for attack in ("homogeneity", "background-knowledge"):
        answer = signed_in(cast.approver).get(
            reverse("attacks:show", args=[run.id]), {"attack": attack}
        )
        page = unescape(answer.content.decode())
        selected = answer.context["selected"]
        assert f"{selected.state.value}: success {selected.share}, limit " in page
        assert selected.share in {"≤ 5 %", "5–20 %", "20–50 %", "> 50 %"}
        assert answer.context["chart"] is None
        for told in (
            "interval-line",
            "What to change, cheapest first",
            "Baseline",
            "In 1 group",
            "→",
        ):
            assert told not in page.partition("<main")[2].partition("next-bar")[0]
    for button in ("Try it", "Run all", "Run this attack", "Bring it"):
        assert button not in page


def test_polling_goes_on_while_attacks_are_at_work(run: Run, cast: Cast, signed_in: SignIn) -> None:
    start_attacks(run=run, asked_by=cast.steward, attacks=["homogeneity"])
    client = signed_in(cast.steward)
    address = reverse("attacks:progress", args=[run.id])
    assert client.get(address).status_code == 200
    factories.finish_attack(run.attack_tests.get())
    answer = client.get(address)
    assert answer.status_code == 286
    assert "1 attack made" in answer.content.decode()


def test_an_unchanged_panel_is_not_sent_again(run: Run, cast: Cast, signed_in: SignIn) -> None:
    test = factories.attack(run, cast.steward, "homogeneity")[0]
    client = signed_in(cast.steward)
    address = reverse("attacks:progress", args=[run.id])
    seen = {"attack": "homogeneity", "seen": f"{test.id}-finished"}
    assert "attack-panel" not in _oob(client.get(address, seen).content.decode())
    assert "attack-panel" in _oob(client.get(address, {**seen, "seen": "x"}).content.decode())


def _oob(page: str) -> str:
    return " ".join(re.findall(r"<[^<>]*hx-swap-oob[^<>]*>", page))


def test_a_run_without_a_release_leads_back(cast: Cast, signed_in: SignIn, run: Run) -> None:
    Run.objects.update(solution=False)
    answer = signed_in(cast.steward).get(reverse("attacks:show", args=[run.id]))
    assert answer.status_code == 302


def test_the_page_asks_the_database_as_often_for_many_tests_as_for_few(
    run: Run, cast: Cast, signed_in: SignIn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    factories.attack(run, cast.steward)
    factories.attack(run, cast.steward, *STANDARD[:4])
    client = signed_in(cast.steward)
    read(client, run)
    with django_assert_max_num_queries(21):
        read(client, run)
