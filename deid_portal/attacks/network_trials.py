"""Attacks on the release of a network, and remedies against each."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from deid_portal.attacks.cases import NOT_KEPT, NOT_THE_SAME
from deid_portal.attacks.choices import make_attack
from deid_portal.attacks.limits import limits_of_team
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.results import AttackSummary, TriedRemedy
from deid_portal.engine import Cancelled, EngineError
from deid_portal.engine.attack_cases.case import AttackAnswer
from deid_portal.engine.attack_cases.verdict import AttackVerdict, judge_attack
from deid_portal.engine.networks import NetworkPlan, protect_network
from deid_portal.engine.networks.attacks.trials import NetworkAttack, NetworkCase
from deid_portal.engine.networks.measures import NO_MEASURES
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.verification.networks import read_released_network
from deid_portal.networks.guidance import why_closed
from deid_portal.networks.selectors import open_network
from deid_portal.plans.basis import Basis
from deid_portal.plans.changes import (
    Change,
    HideAmong,
    SetMethod,
    UseMethod,
    apply_changes,
    write_changes,
)
from deid_portal.runs.models import Run
from deid_portal.runs.origins import network_origins_of
from deid_portal.runs.variants import basis_of_run
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import Lease

SECONDS = 60  # time for trying changes, estimated from the time of the run
MOST_TRIED = 5
MOST_SHOWN = 3


def open_network_case(run: Run) -> NetworkCase:
    """Open the release and its network; raises Refused if its hash is not that of the run."""
    rows = network_origins_of(run)
    if rows is None:
        raise Refused(NOT_KEPT)
    with vault.open_reader(run.release_file) as stream:
        content = stream.read()
    if hashlib.sha256(content).hexdigest() != run.output_sha256:
        raise Refused(NOT_THE_SAME)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    plan, original = run.frozen_network_plan(), open_network(run.dataset)
    told = run.finished_report.network
    released = read_released_network(files, directed=told is not None and told.directed)
    return NetworkCase(plan, original, released, rows)


@dataclass(frozen=True)
class NetworkCandidate:
    title: str
    changes: tuple[Change, ...]


def find_network_candidates(run: Run, basis: Basis) -> Iterator[NetworkCandidate]:
    """Yield changes that could help: a larger k, other methods, groups instead of people."""
    present = basis.methods[0]
    k = basis.look_alikes
    if k is not None and 2 * k <= run.dataset.rows:
        yield NetworkCandidate(f"Let everybody hide among {2 * k:,}", (HideAmong(2 * k),))
    kinds = basis.kinds_of_methods
    gains = kinds[present["name"]].gains_by_removing
    if gains and present.get("changes") != "additions-deletions":
        removes = SetMethod("changes", "additions-deletions")
        yield NetworkCandidate("Let links be removed, too", (removes,))
    for name, kind in kinds.items():
        is_other = kind.instead and name != present["name"]
        if is_other and k is not None and not why_closed(run.dataset, kind):
            yield NetworkCandidate(kind.instead, (UseMethod({"name": name}),))
    share = present.get("share")
    if isinstance(share, int | float) and 2 * share <= 1:
        yield NetworkCandidate("Change twice as many links", (SetMethod("share", 2 * share),))


def price_network_remedies(
    run: Run,
    case: NetworkCase,
    answer: AttackAnswer,
    attack: NetworkAttack,
    limit: float,
    *,
    before_each: Callable[[int, int], None],
    progress: ProgressCallback,
) -> tuple[list[TriedRemedy], int]:
    """Apply changes, attack again, and return those that help, cheapest first."""
    allowed = max(1, min(MOST_TRIED, int(SECONDS / max(run.elapsed_seconds, 1.0))))
    basis = basis_of_run(run)
    chosen = list(find_network_candidates(run, basis))[:allowed]
    helpful = []
    for number, candidate in enumerate(chosen):
        before_each(number, len(chosen))
        remedy = _price(case, basis, candidate, attack, answer, limit, progress)
        if remedy is not None and remedy.share < answer.stake.share:
            helpful.append(remedy)
    ranked = sorted(helpful, key=lambda own: (not own.is_enough, own.loss, own.share))
    return ranked[:MOST_SHOWN], len(chosen)


def _price(
    case: NetworkCase,
    basis: Basis,
    candidate: NetworkCandidate,
    attack: NetworkAttack,
    answer: AttackAnswer,
    limit: float,
    progress: ProgressCallback,
) -> TriedRemedy | None:
    """Return effect and cost of a change; None if its plan is invalid or has no solution."""
    try:
        changed, _ = apply_changes(basis, candidate.changes)
        plan = changed.to_plan()
        if not isinstance(plan, NetworkPlan):
            return None
        plan = replace(plan, measures=NO_MEASURES)
        outcome = protect_network(case.original, plan, progress)
        if outcome.released is None or outcome.rows is None:
            return None
        made = NetworkCase(plan, case.original, outcome.released, outcome.rows)
        stake = attack.make(made, Progress(progress)).stake
    except Cancelled:
        raise
    except EngineError:
        return None
    over = judge_attack(answer.stake, limit) == AttackVerdict.OVER_LIMIT
    return TriedRemedy(
        title=candidate.title,
        change=write_changes(*candidate.changes),
        share=stake.share,
        records=stake.records,
        left_out=0,
        loss=outcome.report.utility.known_loss,
        is_enough=stake.share <= limit if over else not stake.is_found,
    )


class NetworkTrial:
    """The execution of one attack."""

    def __init__(self, lease: Lease[AttackTest]) -> None:
        self.lease, self.test, self.run = lease, lease.work, lease.work.run
        lease.progress(0, 1, "read")
        attack = make_attack(self.test.attack, self.test.parameters["attack"])
        if not isinstance(attack, NetworkAttack):
            raise Refused("This attack is made on tables, and this is a network.")
        self.attack = attack
        self.case = open_network_case(self.run)

    def make(self) -> AttackSummary:
        answer = self.attack.make(self.case, Progress(self._attack_progress))
        limit = limits_of_team(self.run.dataset.team).of(self.test.attack)
        result = self._result(answer)
        if judge_attack(answer.stake, limit) == AttackVerdict.RESISTED:
            return result
        remedies, tried = price_network_remedies(
            self.run,
            self.case,
            answer,
            self.attack,
            limit,
            before_each=lambda number, total: self.lease.progress(number, total, "remedies"),
            progress=self._quietly,
        )
        return replace(result, remedies=remedies, tried=tried)

    def _result(self, answer: AttackAnswer) -> AttackSummary:
        return AttackSummary(
            stake=answer.stake,
            value=answer.result.value,
            control=answer.result.control,
            figures=answer.result.figures,
            spread=answer.result.spread,
            sentence=answer.result.sentence,
            explain=self.attack.explain(),
            people=self.case.original.nodes,
            released=self.case.released.nodes,
            loss=self.run.finished_report.utility.known_loss,
        )

    def _attack_progress(self, done: int, total: int, phase: str, **_: Any) -> None:
        self.lease.progress(done, total, "attack")

    def _quietly(self, done: int, total: int, phase: str, **_: Any) -> None:
        self.lease.check()
