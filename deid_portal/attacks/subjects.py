"""How attacks differ by kind of dataset: which there are, and how they are executed."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from deid_portal.attacks.cases import EarlierRelease
from deid_portal.attacks.choices import STANDARD
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.network_crossing import cross_network_releases
from deid_portal.attacks.network_trials import NetworkTrial
from deid_portal.attacks.results import AttackSummary
from deid_portal.attacks.table_crossing import cross_table_releases
from deid_portal.attacks.table_trials import TableTrial
from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine.attacks import ATTACKS
from deid_portal.engine.networks.attacks.trials import NETWORK_ATTACKS
from deid_portal.policies.gates import CrossingResult
from deid_portal.runs.models import Run
from deid_portal.work.leases import Lease


class AttackedSubject(SubjectPart):
    # The attacks of "Run all": all that need no outside table.
    standard_attacks: ClassVar[tuple[str, ...]]
    takes_outside_tables: ClassVar[bool]
    changes_tried: ClassVar[str]  # the kinds of changes tried as remedies, in words
    # Attacks that a policy may require but that are made on datasets of another kind; the reason.
    impossible: ClassVar[Mapping[str, str]]

    @abstractmethod
    def attack(self, lease: Lease[AttackTest]) -> AttackSummary:
        """Execute an attack and try remedies against it."""

    @abstractmethod
    def cross(
        self, run: Run, earlier: Sequence[EarlierRelease], look_alikes: int
    ) -> CrossingResult:
        """Cross a run with all other releases of its people."""


class AttackedTable(AttackedSubject, kind=SubjectKind.TABLE):
    standard_attacks = STANDARD
    takes_outside_tables = True
    changes_tried = "coarser columns, more look-alikes, people left out"
    impossible: ClassVar[Mapping[str, str]] = dict.fromkeys(
        NETWORK_ATTACKS, "this attack is made on networks, not on tables"
    )

    def attack(self, lease: Lease[AttackTest]) -> AttackSummary:
        return TableTrial(lease).make()

    def cross(
        self, run: Run, earlier: Sequence[EarlierRelease], look_alikes: int
    ) -> CrossingResult:
        return cross_table_releases(run, look_alikes)


class AttackedNetwork(AttackedSubject, kind=SubjectKind.NETWORK):
    standard_attacks = tuple(NETWORK_ATTACKS)
    takes_outside_tables = False
    changes_tried = "more look-alikes, other methods"
    impossible: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ATTACKS, "this attack is made on tables, not on networks"
    )

    def attack(self, lease: Lease[AttackTest]) -> AttackSummary:
        return NetworkTrial(lease).make()

    def cross(
        self, run: Run, earlier: Sequence[EarlierRelease], look_alikes: int
    ) -> CrossingResult:
        return cross_network_releases(run, earlier, look_alikes)


def standard_attacks(run: Run) -> tuple[str, ...]:
    return AttackedSubject.of(run.dataset).standard_attacks
