"""The gates of a request: the policy in force, checked against report, attacks and releases."""

from dataclasses import dataclass

from deid_portal.attacks.crossing_gate import crossing_of
from deid_portal.attacks.selectors import attack_summary_of, standings_of
from deid_portal.engine.wording.words import capital, number_words
from deid_portal.policies.gates import ORDER, Gate, GateResult, GateTally, check_gates
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import PolicyInForce, policy_in_force
from deid_portal.reviews.models import ReviewRequest, Waiver
from deid_portal.reviews.permissions import team_of_request
from deid_portal.runs.models import Run


@dataclass(frozen=True)
class CheckedGate:
    """A gate with its waiver, if one was asked for."""

    gate: Gate
    waiver: Waiver | None = None

    @property
    def is_waived(self) -> bool:
        waiver = self.waiver
        return waiver is not None and waiver.agreed_at is not None and not self.is_outdated

    @property
    def is_outdated(self) -> bool:
        """Say whether the waiver is of another figure or limit than there is now."""
        return self.waiver is not None and self.waiver.measured != measured_of(self.gate)

    @property
    def result(self) -> GateResult:
        return GateResult.WAIVED if self.gate.fails and self.is_waived else self.gate.result

    @property
    def fails(self) -> bool:
        return self.result is GateResult.FAIL


def measured_of(gate: Gate) -> dict[str, str]:
    """Return what a waiver is about: what is asked, and what the release has."""
    return {"asks": gate.asks, "has": gate.has}


@dataclass(frozen=True)
class RequestGates:
    """All gates of a request: failing ones first, then those that wait, waived and passing ones."""

    policy: PolicyInForce
    gates: list[CheckedGate]
    attacks: int | None = None  # how many were carried out
    attacks_over: int = 0  # their limits

    def count(self, result: GateResult) -> int:
        return sum(1 for checked in self.gates if checked.result is result)

    @property
    def fails(self) -> int:
        return self.count(GateResult.FAIL)

    @property
    def waits(self) -> int:
        return self.count(GateResult.WAIT)

    @property
    def waived(self) -> int:
        return self.count(GateResult.WAIVED)

    @property
    def passes(self) -> int:
        return self.count(GateResult.PASS)

    @property
    def tally(self) -> GateTally:
        return GateTally(
            passed=self.passes,
            waived=self.waived,
            failed=self.fails,
            waiting=self.waits,
            attacks=self.attacks,
            over=self.attacks_over,
        )

    @property
    def is_open(self) -> bool:
        """Say whether no gate keeps anybody from approving."""
        return not (self.fails or self.waits)

    @property
    def title(self) -> str:
        if self.fails:
            count = capital(number_words(self.fails))
            gates = "gate fails" if self.fails == 1 else "gates fail"
            return f"{count} {gates}, so this cannot be approved yet"
        if self.waits:
            return "An attack is still at work, so this cannot be approved yet"
        if self.waived:
            return "Every gate passes or is waived"
        return "Every gate passes"


def gates_of(request: ReviewRequest) -> RequestGates:
    """Check a request; this opens its report and, the first time, crosses releases."""
    policy = policy_in_force(team_of_request(request))
    waivers = {waiver.gate: waiver for waiver in request.waivers.filter(round=request.round)}
    terms = (request.download_days, request.downloads_per_person)
    found = [*check_run(policy.rules, request.run), _terms_gate(policy.rules, *terms)]
    return _checked(policy, request.run, [CheckedGate(own, waivers.get(own.name)) for own in found])


def gates_before_asking(run: Run) -> RequestGates:
    """Check a run as a request for it would be, with the terms the policy allows at most."""
    policy = policy_in_force(run.dataset.team)
    terms = (policy.rules.download_days, policy.rules.downloads_per_person)
    found = [*check_run(policy.rules, run), _terms_gate(policy.rules, *terms)]
    return _checked(policy, run, [CheckedGate(own) for own in found])


def _checked(policy: PolicyInForce, run: Run, gates: list[CheckedGate]) -> RequestGates:
    gates.sort(key=lambda checked: ORDER[checked.result])
    attacks = attack_summary_of(run)
    return RequestGates(policy, gates, attacks.answered, len(attacks.over))


def check_run(rules: Rules, run: Run) -> list[Gate]:
    """Check the report of a run, the attacks on it, and the crossing with other releases."""
    crossing = crossing_of(run, rules.least_k) if rules.cross_releases else None
    return check_gates(rules, run.finished_report, attacks=standings_of(run), crossing=crossing)


def _terms_gate(rules: Rules, days: int, times: int) -> Gate:
    fits = days <= rules.download_days and times <= rules.downloads_per_person
    asks = f"Downloads expire within {rules.download_days} days"
    has = f"{days} days, {times} downloads each"
    return Gate("download_days", asks, has, GateResult.PASS if fits else GateResult.FAIL)
