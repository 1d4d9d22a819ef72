"""Who may do what in which state: every role × every state × every action, as one table."""

from collections.abc import Callable

import pytest

from deid_portal.accounts.models import User
from deid_portal.common.refusals import refusal
from deid_portal.policies.gates import Gate, Result
from deid_portal.policies.selectors import policy_in_force
from deid_portal.reviews.gates import Checked, CheckedGate
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.permissions import check_may_ask_for_waiver, check_may_comment
from deid_portal.reviews.policies import ALLOWED_MOVES, MOVES_IN_WORDS, OPEN, check_is_open
from deid_portal.reviews.services import (
    check_can_approve,
    check_can_submit,
    check_can_vote,
    check_can_withdraw,
)
from tests import factories
from tests.conftest import Cast

Status = ReviewRequest.Status
PEOPLE = ["steward", "teammate", "reviewer", "approver", "analyst", "administrator", "outsider"]

# Who may, per action and state; a state that is not named lets nobody.
EVERYBODY_OF_THE_DATASET = {"steward", "teammate", "reviewer", "approver", "administrator"}
TABLE: dict[str, dict[str, set[str]]] = {
    "vote": {Status.SUBMITTED: {"approver"}},
    "approve while a gate fails": {},
    "approve": {Status.SUBMITTED: {"approver"}},
    "take back": {
        Status.DRAFT: {"steward"},
        Status.SUBMITTED: {"steward"},
        Status.CHANGES_REQUESTED: {"steward"},
        Status.APPROVED: {"steward"},
    },
    "submit": {
        Status.DRAFT: {"steward"},
        Status.SUBMITTED: {"steward"},
        Status.CHANGES_REQUESTED: {"steward"},
        Status.APPROVED: {"steward"},
    },
    "ask for a waiver": {state: {"steward", "teammate", "approver"} for state in OPEN},
    "comment": dict.fromkeys(Status.values, EVERYBODY_OF_THE_DATASET),
}


def _checked(request: ReviewRequest, result: Result) -> Checked:
    gate = Gate("least_k", "asks", "has", result)
    return Checked(policy_in_force(request.run.dataset.team), [CheckedGate(gate)])


def _ask_for_waiver(user: User, request: ReviewRequest) -> None:
    check_is_open(request)
    check_may_ask_for_waiver(user, request)


CHECKS: dict[str, Callable[[User, ReviewRequest], None]] = {
    "vote": check_can_vote,
    "approve while a gate fails": lambda u, r: check_can_approve(u, r, _checked(r, Result.FAIL)),
    "approve": lambda u, r: check_can_approve(u, r, _checked(r, Result.PASS)),
    "take back": check_can_withdraw,
    "submit": check_can_submit,
    "ask for a waiver": _ask_for_waiver,
    "comment": check_may_comment,
}


@pytest.mark.parametrize("action", TABLE)
def test_exactly_these_people_may(action: str, cast: Cast) -> None:
    request = factories.make_request(cast.steward, cast.team)
    wrong = []
    for state in Status.values:
        request.status = state
        allowed = TABLE[action].get(state, set())
        for name in PEOPLE:
            may = not refusal(CHECKS[action], getattr(cast, name), request)
            if may != (name in allowed):
                wrong.append(f"{name}, {state}: {'may' if may else 'may not'}")
    assert not wrong, "\n".join(wrong)


def test_every_move_is_told_in_words() -> None:
    moves = {(state, target) for state, targets in ALLOWED_MOVES.items() for target in targets}
    assert moves == set(MOVES_IN_WORDS)


def test_every_state_has_its_moves() -> None:
    assert set(ALLOWED_MOVES) == set(Status.values)
