"""The gates of a request: the policy in force, checked against report, attacks and releases."""

from dataclasses import asdict, dataclass

from deid_portal.attacks.crossing_gate import cross_with_releases
from deid_portal.attacks.selectors import standings_of
from deid_portal.attacks.table_crossing import question_of
from deid_portal.policies.gates import CrossingResult, Gate, GateResult, check_gates
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import PolicyInForce, policy_in_force
from deid_portal.reviews.models import ReviewRequest, Waiver
from deid_portal.reviews.permissions import team_of_request
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused

COUNTS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight", 9: "Nine"}


@dataclass(frozen=True)
class CheckedGate:
    """A gate with its waiver, if one was asked for."""

    gate: Gate
    waiver: Waiver | None = None

    @property
    def is_waived(self) -> bool:
        return self.gate.fails and self.waiver is not None and self.waiver.agreed_at is not None

    @property
    def result(self) -> GateResult:
        return GateResult.WAIVED if self.is_waived else self.gate.result

    @property
    def fails(self) -> bool:
        return self.result is GateResult.FAIL


@dataclass(frozen=True)
class RequestGates:
    """All gates of a request: failing ones first, then waived ones, then passing ones."""

    policy: PolicyInForce
    gates: list[CheckedGate]

    def count(self, result: GateResult) -> int:
        return sum(1 for checked in self.gates if checked.result is result)

    @property
    def fails(self) -> int:
        return self.count(GateResult.FAIL)

    @property
    def waived(self) -> int:
        return self.count(GateResult.WAIVED)

    @property
    def passes(self) -> int:
        return self.count(GateResult.PASS)

    @property
    def title(self) -> str:
        if self.fails == 1:
            return "One gate fails, so this cannot be approved yet"
        if self.fails:
            count = COUNTS.get(self.fails, f"{self.fails}")
            return f"{count} gates fail, so this cannot be approved yet"
        if self.waived:
            return "Every gate passes or is waived"
        return "Every gate passes"


ORDER = {GateResult.FAIL: 0, GateResult.WAIVED: 1, GateResult.PASS: 2}


def gates_of(request: ReviewRequest) -> RequestGates:
    """Check a request; this opens its report and, the first time, crosses releases."""
    policy = policy_in_force(team_of_request(request))
    waivers = {waiver.gate: waiver for waiver in request.waivers.filter(round=request.round)}
    found = check_run(policy, request.run, crossing=_crossing_of(request, policy.rules))
    found.append(_terms_gate(policy, request))
    gates = [CheckedGate(gate, waivers.get(gate.name)) for gate in found]
    return RequestGates(policy, sorted(gates, key=lambda checked: ORDER[checked.result]))


def check_run(
    policy: PolicyInForce, run: Run, crossing: CrossingResult | None = None
) -> list[Gate]:
    """Check the report and attacks of a run and, if given, the crossing with other releases."""
    rules = policy.rules
    return check_gates(rules, run.finished_report, attacks=standings_of(run), crossing=crossing)


def _crossing_of(request: ReviewRequest, rules: Rules) -> CrossingResult | None:
    """Cross the run with all current releases; a stored result for the same releases is reused."""
    if not rules.cross_releases:
        return None
    question = [request.output_sha256, rules.least_k, *question_of(request.run)]
    kept = request.crossing
    if kept.get("question") == question:
        return CrossingResult(**kept["answer"])
    try:
        crossing = cross_with_releases(request.run, max(rules.least_k, 2))
    except Refused as reason:
        return CrossingResult(1, 0, problem=str(reason))
    kept = {"question": question, "answer": asdict(crossing)}
    ReviewRequest.objects.filter(id=request.id).update(crossing=kept)
    return crossing


def _terms_gate(policy: PolicyInForce, request: ReviewRequest) -> Gate:
    rules = policy.rules
    days, times = request.download_days, request.downloads_per_person
    fits = days <= rules.download_days and times <= rules.downloads_per_person
    asks = f"Downloads expire within {rules.download_days} days"
    has = f"{days} days, {times} downloads each"
    return Gate("download_days", asks, has, GateResult.PASS if fits else GateResult.FAIL)
