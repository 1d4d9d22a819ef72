"""Who may do what in which state: every role × every state × every action, as one table."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.utils import timezone

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.services import add_member
from deid_portal.policies.gates import Gate, GateResult
from deid_portal.policies.selectors import policy_in_force
from deid_portal.reviews.gates import CheckedGate, RequestGates
from deid_portal.reviews.models import ReviewRequest, Waiver
from deid_portal.reviews.move_diagram import draw_moves
from deid_portal.reviews.permissions import (
    check_may_agree,
    check_may_ask_for_waiver,
    check_may_comment,
)
from deid_portal.reviews.policies import ALLOWED_MOVES, MOVES_IN_WORDS, OPEN, check_is_open
from deid_portal.reviews.services import (
    check_can_approve,
    check_can_ask,
    check_can_change_terms,
    check_can_submit,
    check_can_vote,
    check_can_withdraw_request,
)
from deid_portal.web.refusals import refusal
from tests import factories
from tests.conftest import Cast

Status = ReviewRequest.Status
SENT_BACK_OR_DRAFT = (Status.DRAFT, Status.CHANGES_REQUESTED)
# Whoever holds several roles may what any of them may, but for what they made themselves.
PEOPLE: dict[str, tuple[Role, ...]] = {
    "author": (Role.STEWARD,),
    "author who is everything": tuple(Role),
    "steward": (Role.STEWARD,),
    "reviewer": (Role.REVIEWER,),
    "approver": (Role.APPROVER,),
    "analyst": (Role.ANALYST,),
    "administrator": (Role.ADMINISTRATOR,),
    "reviewer and analyst": (Role.REVIEWER, Role.ANALYST),
    "steward and approver": (Role.STEWARD, Role.APPROVER),
    "everything": tuple(Role),
    "approver elsewhere": (),
    "nobody": (),
}
AUTHORS = {"author", "author who is everything"}
STEWARDS = {*AUTHORS, "steward", "steward and approver", "everything"}
DECIDERS = {"approver", "steward and approver", "everything"}
EVERYBODY_OF_THE_DATASET = {*STEWARDS, *DECIDERS, "reviewer", "administrator"} | {
    "reviewer and analyst"
}
# Who may, per action and state; a state that is not named lets nobody.
TABLE: dict[str, dict[str, set[str]]] = {
    # The run is in an open or released request; after the others a new one may be asked for.
    "ask for a review": dict.fromkeys(
        [Status.REJECTED, Status.WITHDRAWN, Status.EXPIRED], STEWARDS
    ),
    "vote": {Status.SUBMITTED: DECIDERS},
    "approve while a gate fails": {},
    "approve": {Status.SUBMITTED: DECIDERS},
    "take back": dict.fromkeys(OPEN, AUTHORS),
    "submit": dict.fromkeys(OPEN, AUTHORS),
    "change the terms": dict.fromkeys(SENT_BACK_OR_DRAFT, AUTHORS),
    "ask for a waiver": dict.fromkeys(OPEN, STEWARDS | DECIDERS),
    "agree to the author’s waiver": dict.fromkeys(OPEN, DECIDERS),
    "agree to the approver’s waiver": dict.fromkeys(OPEN, DECIDERS - {"approver"}),
    "comment": dict.fromkeys(Status.values, EVERYBODY_OF_THE_DATASET),
    "mark as answered": dict.fromkeys(Status.values, EVERYBODY_OF_THE_DATASET),
}


@dataclass(frozen=True)
class World:
    """A request whose two authors asked for it and ran it, and everybody of the table."""

    request: ReviewRequest
    people: dict[str, User]


@pytest.fixture
def world(cast: Cast) -> World:
    people = {"author": cast.steward, "approver": cast.approver}
    for name, roles in PEOPLE.items():
        if name not in people:
            people[name] = factories.make_person(f"a {name}", cast.team, *roles)
    elsewhere = factories.make_team("Another ministry")
    add_member(
        team=elsewhere,
        user=people["approver elsewhere"],
        roles=tuple(Role),
        added_by=None,
    )
    request = factories.make_request(cast.steward, cast.team)
    request.asked_by = people["author who is everything"]
    return World(request, people)


def _checked(request: ReviewRequest, result: GateResult) -> RequestGates:
    gate = Gate("least_k", "asks", "has", result)
    return RequestGates(policy_in_force(request.run.dataset.team), [CheckedGate(gate)])


def _own(check: Callable[[User, ReviewRequest], None]) -> Callable[[User, World], None]:
    """What only the person who asked may: each author is that person in turn."""

    def as_the_one_who_asked(user: User, world: World) -> None:
        is_author = user in (world.people["author"], world.people["author who is everything"])
        world.request.asked_by = user if is_author else world.people["author"]
        check(user, world.request)

    return as_the_one_who_asked


def _ask(user: User, world: World) -> None:
    ReviewRequest.objects.filter(id=world.request.id).update(status=world.request.status)
    check_can_ask(user, world.request.run)


def _ask_for_waiver(user: User, world: World) -> None:
    check_is_open(world.request)
    check_may_ask_for_waiver(user, world.request)


def _agree_to(asker: str) -> Callable[[User, World], None]:
    def agree(user: User, world: World) -> None:
        check_is_open(world.request)
        waiver = Waiver(request=world.request, round=1, asked_by=world.people[asker])
        waiver.asked_at = timezone.now()
        check_may_agree(user, waiver)

    return agree


CHECKS: dict[str, Callable[[User, World], None]] = {
    "ask for a review": _ask,
    "vote": lambda u, w: check_can_vote(u, w.request),
    "approve while a gate fails": lambda u, w: check_can_approve(
        u, w.request, _checked(w.request, GateResult.FAIL)
    ),
    "approve": lambda u, w: check_can_approve(u, w.request, _checked(w.request, GateResult.PASS)),
    "take back": _own(check_can_withdraw_request),
    "submit": _own(check_can_submit),
    "change the terms": _own(check_can_change_terms),
    "ask for a waiver": _ask_for_waiver,
    "agree to the author’s waiver": _agree_to("author"),
    "agree to the approver’s waiver": _agree_to("approver"),
    "comment": lambda u, w: check_may_comment(u, w.request),
    "mark as answered": lambda u, w: check_may_comment(u, w.request),
}


@pytest.fixture
def wrong(world: World) -> list[str]:
    """Try everybody at everything in every state."""
    found = []
    for action, check in CHECKS.items():
        for state in Status.values:
            allowed = TABLE[action].get(state, set())
            for name, person in world.people.items():
                world.request.status = state
                world.request.asked_by = world.people["author who is everything"]
                may = not refusal(check, person, world)
                if may != (name in allowed):
                    found.append(f"{action}, {name}, {state}: {'may' if may else 'may not'}")
    return found


def test_exactly_these_people_may(wrong: list[str]) -> None:
    assert not wrong, "\n".join(wrong)


def test_everything_is_in_the_table() -> None:
    assert set(TABLE) == set(CHECKS)
    named = {person for states in TABLE.values() for people in states.values() for person in people}
    assert named <= set(PEOPLE)


def test_every_move_is_told_in_words() -> None:
    moves = {(state, target) for state, targets in ALLOWED_MOVES.items() for target in targets}
    assert moves == set(MOVES_IN_WORDS)


def test_every_state_has_its_moves() -> None:
    assert set(ALLOWED_MOVES) == set(Status.values)


def test_the_drawing_in_the_help_shows_every_state_and_move() -> None:
    """It is made from the table itself, and not at all where the two differ."""
    drawn = draw_moves()
    assert drawn.count("<rect") == len(ALLOWED_MOVES)
    assert drawn.count("<line") == sum(len(targets) for targets in ALLOWED_MOVES.values())
    assert "style=" not in drawn
