"""The statement: gates, waivers, votes, attacks and policy at the approval, stored once.

Everything in it may be published: names of people who decided, their reasons, names of columns, and
numbers that follow from the release. Figures that depend on the original, such as the success of an
attack or the suppression in a group, are replaced by whether they are within their limit. With a
differentially private release even that is omitted.
"""

from typing import Any

from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.attacks.limits import limits_of
from deid_portal.attacks.rows import AttackRow, rows_of
from deid_portal.engine.publication import promises_privacy
from deid_portal.policies.gates import ABOUT_THE_ORIGINAL, GateResult, outside_words
from deid_portal.querydesk.released_answers import Document, fingerprint_of_answers
from deid_portal.releases.models import Release, Statement
from deid_portal.reviews.gates import CheckedGate, gates_of
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.permissions import standing_approvals
from deid_portal.reviews.selectors import answers_of
from deid_portal.web.refusals import Refused

VERSION = 1
# Entries of an attack; its success is omitted, since it depends on the original.
ATTACK_KEYS = ("attack", "title", "about", "state", "limit", "is_limit_of_policy")
BARE = (outside_words(True), outside_words(False))
NOT_COVERED = "measured on the original; not told, the promise would not cover it"


def state_release(release: Release, *, is_late: bool = False) -> Statement:
    """Store the statement; called by the approval, in its transaction.

    For releases of versions without statements it is made later, by the policy then in force, and
    marked as late.
    """
    request = release.request
    run = request.run
    is_private = promises_privacy(run.published["plan"])
    checked = gates_of(request)
    document = {
        "statement": VERSION,
        "is_late": is_late,
        "dataset": run.dataset.name,
        "team": run.dataset.team.name,
        "release": release.number,
        "purpose": request.purpose,
        "released_at": _when(release.released_at),
        "asked_by": request.asked_by.display_name,
        "approvals": _approvals(request, release, is_late=is_late),
        "policy": {"version": checked.policy.version},
        "publish_recipe": checked.policy.rules.publish_recipe,
        "gates": [_gate(gate, is_private) for gate in checked.gates],
        "waivers": [_waiver(gate, is_private) for gate in checked.gates if gate.is_waived],
        "attacks": [] if is_private else _attacks(request),
        "output_sha256": request.output_sha256,
        "engine": request.engine_version,
        "answers": _answers(request),
        "answers_sha256": request.answers_sha256,
    }
    statement, _ = Statement.objects.get_or_create(release=release, defaults={"document": document})
    return statement


def statement_of(release: Release) -> dict[str, Any]:
    """Return the statement; for a release of a version without statements it is made now."""
    statement = Statement.objects.filter(release=release).first()
    if statement is None:
        statement = state_release(release, is_late=True)
    return without_figures_of_the_original(statement.document)


def without_figures_of_the_original(document: dict[str, Any]) -> dict[str, Any]:
    """Return the published form of a statement; older ones hold figures that must be removed."""
    gates, waivers = (
        [_without_figure(gate) for gate in document[part]] for part in ("gates", "waivers")
    )
    attacks = [{key: own.get(key) for key in ATTACK_KEYS} for own in document["attacks"]]
    return {**document, "gates": gates, "waivers": waivers, "attacks": attacks}


def _without_figure(gate: dict[str, str]) -> dict[str, str]:
    is_bare = gate["has"] == NOT_COVERED or gate["has"].startswith(BARE)
    if is_bare or not gate["name"].startswith(ABOUT_THE_ORIGINAL):
        return gate
    return {**gate, "has": outside_words(gate["result"] == GateResult.PASS)}


def _when(moment: Any) -> str:
    return str(timezone.localtime(moment).isoformat(timespec="minutes"))


def _name(person: User | None) -> str:
    return person.display_name if person is not None else ""


def _approvals(request: ReviewRequest, release: Release, *, is_late: bool) -> list[dict[str, str]]:
    """Return who approved; in late statements regardless of their role today."""
    votes = standing_approvals(request)
    if is_late:
        votes = request.decisions.filter(round=request.round, verdict=Decision.Verdict.APPROVE)
    found = [
        {"person": _name(vote.decided_by), "at": _when(vote.decided_at)}
        for vote in votes.select_related("decided_by")
    ]
    return found or [{"person": _name(release.approved_by), "at": _when(release.released_at)}]


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


def _waiver(checked: CheckedGate, is_private: bool) -> dict[str, str]:
    waiver = checked.waiver
    assert waiver is not None  # noqa: S101 - called for waived gates only
    return {
        **_gate(checked, is_private),
        "reason": waiver.reason,
        "asked_by": _name(waiver.asked_by),
        "asked_at": _when(waiver.asked_at),
        "agreed_by": _name(waiver.agreed_by),
        "agreed_at": _when(waiver.agreed_at),
    }


def _attacks(request: ReviewRequest) -> list[dict[str, Any]]:
    run = request.run
    tests = list(run.attack_tests.filter(output_sha256=run.output_sha256))
    rows = rows_of(run, limits_of(run.dataset.team), tests, {}, sees_figures=False)
    return [_attack(row) for row in rows if row.is_made]


def _attack(row: AttackRow) -> dict[str, Any]:
    return {
        "attack": row.attack,
        "title": row.title,
        "about": row.question,
        "state": row.state.value,
        "limit": float(row.limit),
        "is_limit_of_policy": row.is_limit_of_policy,
    }
