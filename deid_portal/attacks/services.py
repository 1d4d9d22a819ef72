"""Starting and stopping attacks. Every write leaves an audit record."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.attacks.choices import (
    HELD_OUT,
    OUTSIDE_LINKAGE,
    make_attack,
    parameters_of,
)
from deid_portal.attacks.limits import limits_of_team
from deid_portal.attacks.models import AttackTest, OutsideTable
from deid_portal.attacks.outside import delete_table
from deid_portal.attacks.permissions import check_may_attack
from deid_portal.attacks.policies import check_can_be_attacked
from deid_portal.attacks.subjects import standard_attacks
from deid_portal.attacks.tasks import execute_attack
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import OPEN_STATUSES, queue, request_stop


def check_can_attack(user: User, run: Run) -> None:
    check_may_attack(user, run)
    check_can_be_attacked(run)


@transaction.atomic
def start_attacks(
    *,
    run: Run,
    asked_by: User,
    attacks: Sequence[str] = (),
    chosen: Mapping[str, Any] | None = None,
) -> list[AttackTest]:
    """Queue attacks on a run, by default all; one that is already open is not queued twice."""
    check_can_attack(asked_by, run)
    standard = standard_attacks(run)
    if unknown := [name for name in attacks if name not in standard]:
        raise Refused(f'"{unknown[0]}" is no attack that can be started like this.')
    _hold(run)
    at_work = set(
        run.attack_tests.filter(status__in=OPEN_STATUSES, outside=None).values_list(
            "attack", flat=True
        )
    )
    limits = limits_of_team(run.dataset.team)
    return [
        _queue(run, name, asked_by, {"attack": parameters_of(name, limits, chosen or {})})
        for name in attacks or standard
        if name not in at_work
    ]


@transaction.atomic
def start_outside_linkage(
    *,
    table: OutsideTable,
    asked_by: User,
    columns: Mapping[str, str],
    person: tuple[str, str] | None,
    matching: str,
) -> AttackTest:
    """Queue a linkage with an outside table; `columns` maps our column names to its names."""
    check_can_attack(asked_by, table.run)
    _hold(table.run)
    _check_unused(table)
    if not columns:
        raise Refused("Choose at least one column that both tables know.")
    known = set(table.about["columns"])
    theirs = [*columns.values(), *([person[0]] if person else [])]
    if not known.issuperset(theirs):
        raise Refused("Choose columns of the table you brought.")
    parameters = {
        "attack": {"matching": matching},
        "columns": dict(columns),
        "person": list(person) if person else None,
        "file_name": table.file_name,
    }
    return _queue(table.run, OUTSIDE_LINKAGE, asked_by, parameters, table)


@transaction.atomic
def start_with_control(*, table: OutsideTable, asked_by: User, attack: str) -> AttackTest:
    """Queue an attack with a control table instead of held-out people."""
    check_can_attack(asked_by, table.run)
    _hold(table.run)
    _check_unused(table)
    if attack not in HELD_OUT:
        raise Refused("This attack compares with nobody, so it needs no such table.")
    limits = limits_of_team(table.run.dataset.team)
    parameters = {"attack": parameters_of(attack, limits, {}), "file_name": table.file_name}
    return _queue(table.run, attack, asked_by, parameters, table)


@transaction.atomic
def stop_attack(*, test: AttackTest, stopped_by: User) -> None:
    check_may_attack(stopped_by, test.run)
    if not test.is_open:
        raise Refused("This attack has already ended.")
    is_stopped = request_stop(test)
    if is_stopped and test.outside is not None:
        delete_table(test.outside)
    _record("attack.stopped" if is_stopped else "attack.stop_requested", stopped_by, test)


def _hold(run: Run) -> None:
    """Lock the dataset, so that of two simultaneous requests the second sees the first."""
    Dataset.objects.select_for_update().get(id=run.dataset_id)


def _check_unused(table: OutsideTable) -> None:
    if table.deleted_at is not None:
        raise Refused("The table was deleted. Bring it once more.")
    if table.tests.exists():
        raise Refused("A test with this table was already started.")


def _queue(
    run: Run,
    attack: str,
    asked_by: User,
    parameters: Mapping[str, Any],
    outside: OutsideTable | None = None,
) -> AttackTest:
    make_attack(attack, parameters["attack"])  # validates the parameters before they are stored
    test = AttackTest.objects.create(
        run=run,
        attack=attack,
        asked_by=asked_by,
        parameters=dict(parameters),
        outside=outside,
        output_sha256=run.output_sha256,
    )
    _record("attack.started", asked_by, test)
    queue(test, execute_attack)
    return test


def _record(action: str, actor: User, test: AttackTest) -> None:
    record_event(
        action,
        actor=actor,
        team=test.run.dataset.team,
        subject=test.run,
        facts={"attack": test.attack, "output_sha256": test.output_sha256},
    )
