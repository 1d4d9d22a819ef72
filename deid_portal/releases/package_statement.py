"""The statement: gates, waivers, votes, attacks and policy at the approval, stored once.

Everything in it may be published: names of people who decided, their reasons, names of columns, and
numbers that follow from the release. Figures that depend on the original, such as the success of an
attack or the suppression in a group, are replaced by whether they are within their limit. With a
differentially private release even that is omitted.
"""

from typing import Any

from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.attacks.rows import AttackRow
from deid_portal.attacks.selectors import counted_rows
from deid_portal.engine.publication import promises_privacy
from deid_portal.querydesk.released_answers import Document, fingerprint_of_answers
from deid_portal.releases.models import Release, Statement
from deid_portal.releases.release_statement import (
    NOT_COVERED,
    ReleaseStatement,
    StatedApproval,
    StatedAttack,
    StatedGate,
    StatedPolicy,
    StatedWaiver,
)
from deid_portal.reviews.gates import CheckedGate, gates_of
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.permissions import standing_approvals
from deid_portal.reviews.selectors import answers_of
from deid_portal.web.refusals import Refused

VERSION = 1


def state_release(release: Release, *, is_late: bool = False) -> Statement:
    """Store the statement; called by the approval, in its transaction.

    For releases of versions without statements it is made later, by the policy then in force, and
    marked as late.
    """
    request = release.request
    run = request.run
    is_private = promises_privacy(run.publication.plan)
    checked = gates_of(request)
    stated = ReleaseStatement(
        statement=VERSION,
        is_late=is_late,
        dataset=run.dataset.name,
        team=run.dataset.team.name,
        release=release.number,
        purpose=request.purpose,
        released_at=_when(release.released_at),
        asked_by=request.asked_by.display_name,
        approvals=tuple(_approvals(request, release, is_late=is_late)),
        policy=StatedPolicy(checked.policy.version),
        publish_recipe=checked.policy.rules.publish_recipe,
        gates=tuple(StatedGate(**_gate(gate, is_private)) for gate in checked.gates),
        waivers=tuple(_waiver(gate, is_private) for gate in checked.gates if gate.is_waived),
        attacks=() if is_private else tuple(_attacks(request)),
        output_sha256=request.output_sha256,
        engine=request.engine_version,
        answers=tuple(_answers(request)),
        answers_sha256=request.answers_sha256,
    )
    statement, _ = Statement.objects.get_or_create(
        release=release, defaults={"document": stated.to_document()}
    )
    return statement


def release_statement_of(release: Release) -> ReleaseStatement:
    """Return the statement as it may leave; a release of before there were any gets it now."""
    statement = Statement.objects.filter(release=release).first()
    if statement is None:
        statement = state_release(release, is_late=True)
    return statement.stated.without_figures_of_the_original()


def _when(moment: Any) -> str:
    return str(timezone.localtime(moment).isoformat(timespec="minutes"))


def _name(person: User | None) -> str:
    return person.display_name if person is not None else ""


def _approvals(request: ReviewRequest, release: Release, *, is_late: bool) -> list[StatedApproval]:
    """Return who approved; in late statements regardless of their role today."""
    votes = standing_approvals(request)
    if is_late:
        votes = request.decisions.filter(round=request.round, verdict=Decision.Verdict.APPROVE)
    found = [
        StatedApproval(_name(vote.decided_by), _when(vote.decided_at))
        for vote in votes.select_related("decided_by")
    ]
    return found or [StatedApproval(_name(release.approved_by), _when(release.released_at))]


def _answers(request: ReviewRequest) -> list[Document]:
    """Return the answers that were voted on; raises Refused if their hash differs."""
    answers = answers_of(request)
    if fingerprint_of_answers(answers) != request.answers_sha256:
        raise Refused("The noisy answers are not those that were asked for. Ask again with them.")
    return answers


def _gate(checked: CheckedGate, is_private: bool) -> dict[str, str]:
    gate = checked.gate
    return {
        "name": gate.name,
        "asks": gate.asks,
        "has": NOT_COVERED if is_private else gate.has_outside,
        "result": checked.result.value,
    }


def _waiver(checked: CheckedGate, is_private: bool) -> StatedWaiver:
    waiver = checked.waiver
    assert waiver is not None  # noqa: S101 - called for waived gates only
    return StatedWaiver(
        **_gate(checked, is_private),
        reason=waiver.reason,
        asked_by=_name(waiver.asked_by),
        asked_at=_when(waiver.asked_at),
        agreed_by=_name(waiver.agreed_by),
        agreed_at=_when(waiver.agreed_at),
    )


def _attacks(request: ReviewRequest) -> list[StatedAttack]:
    return [_attack(row) for row in counted_rows(request.run) if row.is_made]


def _attack(row: AttackRow) -> StatedAttack:
    return StatedAttack(
        attack=row.attack,
        title=row.title,
        about=row.question,
        state=row.state.value,
        limit=float(row.limit),
        is_limit_of_policy=row.is_limit_of_policy,
    )
