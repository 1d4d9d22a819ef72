"""The statement of a release: what stood at its approval, with the words a certificate has for it.

Read from the document that is stored with the release (`models.Statement`) and written to it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from deid_portal.engine.report import Part
from deid_portal.engine.report.part import null
from deid_portal.engine.verification.printed_numbers import SHARE, print_number
from deid_portal.engine.wording.words import listed
from deid_portal.policies.gates import ABOUT_THE_ORIGINAL, GateResult, GateTally, outside_words

NOT_COVERED = "measured on the original; not told, the promise would not cover it"
BARE = (outside_words(True), outside_words(False))
RESULT_WORDS = {
    GateResult.PASS.value: "passes",
    GateResult.WAIVED.value: "waived",
    GateResult.FAIL.value: "fails",
}
OVER_LIMIT = "Over limit"
ATTACK_TONES = {"Resisted": "ok", "Weak spot": "warn", OVER_LIMIT: "bad"}


@dataclass(frozen=True)
class StatedApproval(Part):
    person: str
    at: str

    @property
    def moment_words(self) -> str:
        return write_moment(self.at)


@dataclass(frozen=True)
class StatedPolicy(Part):
    """Version 0 is what holds before a team has said anything."""

    version: int

    @property
    def words(self) -> str:
        is_own = bool(self.version)
        return (
            f"Policy of the team, version {self.version}" if is_own else "The portal’s usual policy"
        )


@dataclass(frozen=True)
class StatedGate(Part):
    name: str
    asks: str
    has: str
    result: str

    @property
    def word(self) -> str:
        return RESULT_WORDS[self.result]

    def without_figure_of_the_original(self) -> Self:
        is_bare = self.has == NOT_COVERED or self.has.startswith(BARE)
        if is_bare or not self.name.startswith(ABOUT_THE_ORIGINAL):
            return self
        return self.with_entries(has=outside_words(self.result == GateResult.PASS))


@dataclass(frozen=True)
class StatedWaiver(StatedGate):
    reason: str
    asked_by: str
    asked_at: str
    agreed_by: str
    agreed_at: str

    @property
    def reason_words(self) -> str:
        return self.reason.strip()

    @property
    def asked_words(self) -> str:
        return write_moment(self.asked_at)

    @property
    def agreed_words(self) -> str:
        return write_moment(self.agreed_at)


@dataclass(frozen=True)
class StatedAttack(Part):
    """How an attack ended; how often it succeeded only the original tells, so it is not stated."""

    attack: str
    title: str
    about: str
    state: str
    limit: float | None = null()
    is_limit_of_policy: bool | None = null()

    @property
    def limit_words(self) -> str:
        return print_number(self.limit, SHARE)

    @property
    def is_over(self) -> bool:
        return self.state == OVER_LIMIT

    @property
    def tone(self) -> str:
        """A color; none if the attack was not possible."""
        return ATTACK_TONES.get(self.state, "")


@dataclass(frozen=True, kw_only=True)
class ReleaseStatement(Part):
    statement: int  # the version of its form
    is_late: bool
    dataset: str
    team: str
    release: int
    purpose: str
    released_at: str
    asked_by: str
    approvals: tuple[StatedApproval, ...]
    policy: StatedPolicy
    publish_recipe: bool
    gates: tuple[StatedGate, ...]
    waivers: tuple[StatedWaiver, ...]
    attacks: tuple[StatedAttack, ...]
    output_sha256: str
    engine: str
    # Statements of before know of no answers.
    answers: tuple[dict[str, Any], ...] = ()
    answers_sha256: str = ""

    @property
    def title(self) -> str:
        return f"{self.dataset}, release {self.release}"

    @property
    def approved_by(self) -> str:
        return listed([own.person for own in self.approvals])

    @property
    def gates_sentence(self) -> str:
        """Say how the gates and attacks stood; the page of the request said the same."""
        results = [gate.result for gate in self.gates]
        return GateTally(
            passed=results.count(GateResult.PASS),
            waived=results.count(GateResult.WAIVED),
            failed=results.count(GateResult.FAIL),
            attacks=sum(bool(attack.tone) for attack in self.attacks)
            if self.tells_attacks
            else None,
            over=sum(attack.is_over for attack in self.attacks),
        ).sentence

    @property
    def tells_attacks(self) -> bool:
        """Say whether attacks may be told of; where privacy is promised they may not."""
        return not any(gate.has == NOT_COVERED for gate in self.gates)

    @property
    def crossing(self) -> StatedGate | None:
        """Return the gate about earlier releases of the same people, where they were looked at."""
        return next((gate for gate in self.gates if gate.name == "cross_releases"), None)

    def without_figures_of_the_original(self) -> Self:
        """Return the statement as it may leave; those of before hold figures that may not.

        What they hold of attacks besides was not read in the first place.
        """
        return self.with_entries(
            gates=tuple(gate.without_figure_of_the_original() for gate in self.gates),
            waivers=tuple(waiver.without_figure_of_the_original() for waiver in self.waivers),
        )


def write_moment(text: str) -> str:
    """Write 2026-11-16T05:57+00:00 as 16 Nov 2026, 05:57 UTC."""
    moment = datetime.fromisoformat(text)
    zone = moment.tzname() or ""
    return f"{moment:%-d %b %Y, %H:%M} {zone}".replace("UTC+00:00", "UTC").strip()
