"""What is left is the terms plus the sums of the ledger; nobody spends what is not there."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoCaptureOnCommitCallbacks

from deid_portal.querydesk.amounts import epsilon_of, micro_of, read_typed_number, shown
from deid_portal.querydesk.ledger import balance_of
from deid_portal.querydesk.models import Desk, Entry, Period, Question, Terms
from deid_portal.querydesk.periods import began_at, refills_at
from deid_portal.querydesk.services import ask, close_desk, open_desk, stop_question
from deid_portal.querydesk.statements import lines_before
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return factories.make_desk(cast.steward, cast.team)


def test_a_price_is_taken_before_anything_is_computed(cast: Cast, desk: Desk) -> None:
    question = factories.ask_about(desk, cast.analyst, epsilon=1.5)
    balance = balance_of(desk, cast.analyst)
    assert question.status == Question.Status.QUEUED
    assert (balance.account, balance.total, balance.left) == (3_500_000, 18_500_000, 3_500_000)


def test_what_is_not_there_is_not_spent(cast: Cast, desk: Desk) -> None:
    factories.ask_about(desk, cast.analyst, epsilon=4.0)
    with pytest.raises(
        Refused, match=r"ε 1\.50 and there is ε 1\.00 left, limited by your account"
    ):
        factories.ask_about(desk, cast.analyst, epsilon=1.5)
    assert balance_of(desk, cast.analyst).left == 1_000_000
    assert desk.questions.count() == 1


def test_the_last_millionth_can_be_spent_and_not_one_more(cast: Cast) -> None:
    desk = factories.make_desk(cast.steward, cast.team, analyst_micro=300_001, smallest_micro=1_000)
    for epsilon in (0.1, 0.2):
        factories.ask_about(desk, cast.analyst, epsilon=epsilon)
    assert balance_of(desk, cast.analyst).left == 1
    with pytest.raises(Refused, match=r"0\.000001 left"):
        factories.ask_about(desk, cast.analyst, epsilon=0.001)


def test_the_whole_dataset_limits_everybody(cast: Cast) -> None:
    desk = factories.make_desk(
        cast.steward, cast.team, total_micro=6_000_000, analyst_micro=5_000_000
    )
    factories.ask_about(desk, cast.analyst, epsilon=4.0)
    with pytest.raises(Refused, match="what is left of the whole dataset"):
        factories.ask_about(desk, cast.steward, epsilon=2.5)


def test_everybody_together_is_limited_until_the_refill(cast: Cast) -> None:
    desk = factories.make_desk(cast.steward, cast.team, pool_micro=3_000_000)
    factories.ask_about(desk, cast.analyst, epsilon=2.0)
    with pytest.raises(Refused, match="all together may spend until the next refill"):
        factories.ask_about(desk, cast.steward, epsilon=1.5)


def test_delta_is_limited_for_all_questions_together(cast: Cast) -> None:
    setting = {**factories.PATIENT_SETTING, "delta": 1e-6}
    desk = factories.make_desk(
        cast.steward, cast.team, setting=setting, delta_total_atto=1_500_000_000_000
    )
    factories.ask_about(desk, cast.analyst, mechanism="gaussian", epsilon=0.5)
    with pytest.raises(Refused, match="δ"):
        factories.ask_about(desk, cast.analyst, mechanism="gaussian", epsilon=0.4)


def test_the_same_click_twice_is_one_question(cast: Cast, desk: Desk) -> None:
    key = uuid4()
    given_twice = {
        "desk": desk,
        "asked_by": cast.analyst,
        "document": {"query": "count", "epsilon": 1.0},
        "key": key,
        "seen_terms": 1,
    }
    assert ask(**given_twice) == ask(**given_twice)
    assert desk.entries.count() == 1


def test_new_terms_fill_no_account(cast: Cast, desk: Desk) -> None:
    factories.ask_about(desk, cast.analyst, epsilon=4.0)
    dataset = desk.current.dataset
    for period in (Period.MONTH, Period.ONCE, Period.YEAR):
        offer = factories.make_offer(period=period)
        desk = open_desk(dataset=dataset, opened_by=cast.steward, offer=offer)
        assert balance_of(desk, cast.analyst).account == 1_000_000
        assert balance_of(desk, cast.analyst).total == 16_000_000


def test_less_than_was_spent_leaves_nothing_and_never_less(cast: Cast, desk: Desk) -> None:
    factories.ask_about(desk, cast.analyst, epsilon=4.0)
    offer = factories.make_offer(total_micro=3_000_000, analyst_micro=2_000_000)
    desk = open_desk(dataset=desk.current.dataset, opened_by=cast.steward, offer=offer)
    assert balance_of(desk, cast.analyst).left == 0
    assert balance_of(desk, cast.steward).left == 0


def test_a_next_version_goes_on_with_what_is_left(cast: Cast, desk: Desk) -> None:
    factories.ask_about(desk, cast.analyst, epsilon=4.0)
    content = factories.PATIENTS.read_bytes()
    newer = factories.make_next_version(desk.current.dataset, cast.steward, content)
    later = open_desk(dataset=newer, opened_by=cast.steward, offer=factories.make_offer())
    assert later == desk
    assert balance_of(later, cast.analyst).account == 1_000_000


def test_what_waits_gets_its_price_back(cast: Cast, desk: Desk) -> None:
    question = factories.ask_about(desk, cast.analyst)
    assert stop_question(question=question, stopped_by=cast.analyst)
    assert balance_of(desk, cast.analyst).left == 5_000_000
    kinds = list(desk.entries.order_by("number").values_list("kind", flat=True))
    assert kinds == ["paid", "returned"]


def test_closing_gives_back_what_waits(cast: Cast, desk: Desk) -> None:
    factories.ask_about(desk, cast.analyst)
    close_desk(desk=desk, closed_by=cast.steward)
    assert balance_of(desk, cast.analyst).left == 5_000_000
    with pytest.raises(Refused, match="closed"):
        factories.ask_about(desk, cast.analyst)


def test_entries_are_only_ever_appended(cast: Cast, desk: Desk) -> None:
    factories.ask_about(desk, cast.analyst)
    entry = Entry.objects.get()
    with pytest.raises(TypeError):
        entry.save()
    with pytest.raises(TypeError):
        entry.delete()


def test_an_account_is_filled_again_when_its_period_begins(cast: Cast, desk: Desk) -> None:
    factories.ask_about(desk, cast.analyst, epsilon=4.0)
    long_ago = datetime(2020, 2, 5, tzinfo=UTC)
    Entry.objects.update(counts_at=long_ago)
    Terms.objects.update(set_at=long_ago)
    assert balance_of(desk, cast.analyst).account == 5_000_000
    assert balance_of(desk, cast.analyst).total == 16_000_000  # for good
    assert [line.change for line in lines_before(desk, cast.analyst)] == ["− 4.00"]


def test_terms_changed_inside_a_period_keep_what_counted(cast: Cast, desk: Desk) -> None:
    """A quarter that becomes months: what was spent in January still counts in March."""
    Terms.objects.update(set_at=datetime(2026, 1, 2, tzinfo=UTC))
    offer = factories.make_offer(period=Period.MONTH)
    desk = open_desk(dataset=desk.current.dataset, opened_by=cast.steward, offer=offer)
    Terms.objects.filter(number=2).update(set_at=datetime(2026, 3, 5, tzinfo=UTC))
    desk = Desk.objects.get(id=desk.id)
    assert began_at(desk, datetime(2026, 3, 20, tzinfo=UTC)).month == 1
    assert began_at(desk, datetime(2026, 4, 2, tzinfo=UTC)).month == 4


def test_refills_at_the_turn_of_the_year(cast: Cast, desk: Desk) -> None:
    refills = refills_at(desk.current, datetime(2026, 11, 18, tzinfo=UTC))
    assert refills is not None
    assert (refills.year, refills.month, refills.day) == (2027, 1, 1)


@given(st.integers(1, 10**9))
def test_millionths_survive_being_written_as_a_number(micro: int) -> None:
    assert micro_of(epsilon_of(micro)) == micro


def test_prices_are_rounded_up() -> None:
    assert micro_of(0.1) == 100_000
    assert micro_of("0.0000001") == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.5", 0.5), ("0,5", 0.5), ("1,250", 1250.0), ("1,250.5", 1250.5), ("x", None), ("", None)],
)
def test_numbers_are_read_as_people_type_them(text: str, number: float | None) -> None:
    assert read_typed_number(text) == number


def test_amounts_are_written_without_losing_anything() -> None:
    assert [shown(n) for n in (1_900_000, 500_000, 1, -250_000)] == [
        "1.90",
        "0.50",
        "0.000001",
        "−0.25",
    ]


def test_asking_is_sent_to_the_queue_after_the_payment_is_written(
    cast: Cast, desk: Desk, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks() as callbacks, transaction.atomic():
        factories.ask_about(desk, cast.analyst)
    assert len(callbacks) == 1
