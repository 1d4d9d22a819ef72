"""Attacks on the release of a table, and remedies against each."""

from dataclasses import replace
from functools import partial
from typing import Any

from deid_portal.attacks.cases import difference_words, open_case
from deid_portal.attacks.choices import make_attack
from deid_portal.attacks.limits import limits_of_team
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.outside import read_outside
from deid_portal.attacks.remedies import SuccessfulAttack, price_remedies
from deid_portal.attacks.results import AttackSummary, other_columns_of
from deid_portal.attacks.table_crossing import ReleasesToCross, open_earlier
from deid_portal.datasets.pseudonyms import pseudonym_key_of
from deid_portal.engine.attack_cases.case import AttackAnswer, Case, run_attack
from deid_portal.engine.attack_cases.holdout import hold_out
from deid_portal.engine.attack_cases.outside_table import bring_control, bring_outside
from deid_portal.engine.attack_cases.verdict import AttackVerdict, judge_attack
from deid_portal.engine.attacks import Attack, AttackSetting
from deid_portal.engine.progress import Progress
from deid_portal.runs.variants import basis_of_run
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import Lease

HALVES = 6  # in which a remedy is tried, of an attack that holds half of the people out


class TableTrial:
    """The execution of one attack, with its opened inputs."""

    def __init__(self, lease: Lease[AttackTest]) -> None:
        self.lease, self.test, self.run = lease, lease.work, lease.work.run
        lease.progress(0, 1, "read")
        attack = make_attack(self.test.attack, self.test.parameters["attack"])
        if not isinstance(attack, Attack):
            raise Refused("This attack is made on networks, and this is a table.")
        self.attack = attack
        self.limit = limits_of_team(self.run.dataset.team).of(self.test.attack)
        self.key = pseudonym_key_of(self.run.dataset.team).bytes
        # Derived from the release, so that repeated tests of a release have the same result.
        self.seed = int(self.run.output_sha256[:8], 16)
        self.case = open_case(self.run)
        self.brought = read_outside(self.test.outside, lease.progress)
        crosses = attack.crosses_releases()
        self.earlier = open_earlier(self.run, self.case) if crosses else ReleasesToCross()

    def make(self) -> AttackSummary:
        self.case.check(type(self.attack))  # refuses attacks that are not possible
        answer = self._attack(self.case, self.seed)
        result = self._result(answer)
        if judge_attack(answer.stake, self.limit) == AttackVerdict.RESISTED:
            return result
        remedies, tried = price_remedies(
            self._finding(answer),
            self.case.original,
            partial(self._attack_thoroughly, before=answer.stake.share),
            run_seconds=self.run.elapsed_seconds,
            key=self.key,
            before_each=self._candidate_progress,
            progress=self._quietly,
        )
        return replace(result, remedies=remedies, tried=tried)

    def _attack_thoroughly(self, case: Case, before: float) -> AttackAnswer:
        """Attack what a remedy would release, and return the most successful of several tries.

        Whether anybody stays alone can depend on which half is held out, and the release of a run
        with the remedy is attacked with another half than this one. No more is tried once it is
        as successful as `before` the remedy.
        """
        worst = self._attack(case, self.seed)
        tries = HALVES if self._measured_on() == "half" else 1
        for number in range(1, tries):
            if worst.stake.share >= before:
                break
            again = self._attack(case, self.seed + number)
            worst = max(worst, again, key=lambda answer: answer.stake.share)
        return worst

    def _attack(self, case: Case, seed: int) -> AttackAnswer:
        is_first = case is self.case
        return run_attack(
            case,
            self.attack,
            seed=seed,
            setting=self._setting(case, seed),
            earlier=self.earlier.earlier,
            progress=Progress(self._attack_progress if is_first else self._quietly),
        )

    def _setting(self, case: Case, seed: int) -> AttackSetting | None:
        """Return the setting of an attack that uses more than the release; None for others."""
        if self.brought is not None and self.attack.holds_out:
            return bring_control(case, self.brought)
        if self.brought is not None:
            chosen = self.test.parameters
            person = chosen.get("person")
            return bring_outside(
                case, self.brought, chosen["columns"], (person[0], person[1]) if person else None
            )
        if self.attack.holds_out:
            return hold_out(case, seed=seed, key=self.key, progress=self._quietly)
        return None

    def _finding(self, answer: AttackAnswer) -> SuccessfulAttack:
        return SuccessfulAttack(
            attack=self.attack,
            answer=answer,
            case=self.case,
            basis=basis_of_run(self.run),
            limit=self.limit,
            earlier=self.earlier.levels,
        )

    def _result(self, answer: AttackAnswer) -> AttackSummary:
        report = self.run.finished_report
        return AttackSummary(
            stake=answer.stake,
            value=answer.result.value,
            control=answer.result.control,
            figures=answer.result.figures,
            spread=answer.result.spread,
            sentence=answer.result.sentence,
            explain=self.attack.explain(),
            column=answer.column,
            other_columns=other_columns_of(answer),
            measured_on=self._measured_on(),
            people=self.case.original.rows,
            released=self.case.released.rows,
            left_out=report.rows.suppressed,
            loss=report.utility.known_loss,
            releases=[own.number for own in self.earlier.releases],
            notes=self._notes(),
        )

    def _notes(self) -> list[str]:
        told = [difference_words(self.run, own) for own in self.earlier.releases]
        how = self.earlier.how
        return [*told, f"Across versions: {how}."] if how else told

    def _measured_on(self) -> str:
        if not self.attack.holds_out:
            return "release"
        return "control" if self.brought is not None else "half"

    def _attack_progress(self, done: int, total: int, phase: str, **_: Any) -> None:
        self.lease.progress(done, total, "attack")

    def _quietly(self, done: int, total: int, phase: str, **_: Any) -> None:
        """A progress callback that only checks for a stop: this work is no measure of the test."""
        self.lease.check()

    def _candidate_progress(self, number: int, total: int) -> None:
        self.lease.progress(number, total, "remedies")
