"""The attacks a plan asks for, carried out on the release."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from deid_portal.engine.attacks import AttackSetting
from deid_portal.engine.attacks.attack import MADE_UP
from deid_portal.engine.attacks.outside_linkage import find_outside_people
from deid_portal.engine.draft.draft import NOBODY
from deid_portal.engine.errors import EngineError, InvalidTable
from deid_portal.engine.evidence.evidence import Evidence
from deid_portal.engine.measures import PlannedAttack
from deid_portal.engine.plan import ColumnRole
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.attacks import AttackFinding, AttackProblem, PlannedAttackEntry
from deid_portal.engine.table.table import Codes
from deid_portal.engine.taxonomies import Taxonomy


def carry_out_attacks(
    evidence: Evidence, progress: Progress
) -> tuple[AttackFinding | AttackProblem, ...]:
    if evidence.rows is None:
        raise InvalidTable(
            "It cannot be told which released record is whose, so attacks cannot be judged; "
            "ask for them in the plan the release is made with."
        )
    found = []
    for number, planned in enumerate(evidence.measures.attacks):
        progress.report(number, len(evidence.measures.attacks), "attack")
        found.append(_run(evidence, planned))
    return tuple(found)


def _run(evidence: Evidence, planned: PlannedAttack) -> AttackFinding | AttackProblem:
    """Run one attack; one that cannot be applied to the tables does not stop the others."""

    asked = _describe_attack(planned)
    sensitive = planned.column or next(iter(evidence.plan.names_of(ColumnRole.SENSITIVE)), None)
    assert evidence.rows is not None  # noqa: S101 - checked before
    if (evidence.rows == NOBODY).any():
        return AttackProblem(**vars(asked), problem=MADE_UP)
    try:
        setting = AttackSetting(
            original=evidence.original,
            released=evidence.released,
            rows=evidence.rows,
            quasi_identifiers=_known_names(evidence, planned),
            sensitive=sensitive if sensitive in evidence.released else None,
            taxonomies=_taxonomies_with(evidence, sensitive),
            outside=planned.outside.table if planned.outside else None,
            outside_rows=_who_is_who(evidence, planned),
            control=planned.control.table if planned.control else None,
        )
        result = planned.attack.run(setting, np.random.default_rng(evidence.measuring_seed))
    except EngineError as error:
        return AttackProblem(**vars(asked), problem=str(error))
    after = sensitive if "sensitive" in planned.attack.needs else None
    return AttackFinding(
        **vars(replace(asked, column=after)),
        value=result.value,
        interval=(float(result.interval[0]), float(result.interval[1])),
        control_value=result.control,
        records=result.records,
        sentence=result.sentence,
        figures=result.figures.to_document(),
    )


def _known_names(evidence: Evidence, planned: PlannedAttack) -> tuple[str, ...]:
    """Return the quasi-identifiers the attacker can use: those the outside table also has."""
    if planned.outside is None:
        return evidence.names
    known = tuple(name for name in evidence.names if name in planned.outside.table)
    if not known:
        raise InvalidTable(
            f"The outside table has none of the columns {', '.join(evidence.names)}."
        )
    return known


def _taxonomies_with(evidence: Evidence, sensitive: str | None) -> Mapping[str, Taxonomy]:
    planned = evidence.plan.column(sensitive) if sensitive is not None else None
    if planned is None or planned.taxonomy is None:
        return evidence.taxonomies
    built = planned.taxonomy.build(evidence.original[planned.name])
    return {**evidence.taxonomies, planned.name: built}


def _who_is_who(evidence: Evidence, planned: PlannedAttack) -> Codes | None:
    """Return the original row of each person in the outside table."""
    if planned.outside is None or planned.person is None:
        return None
    outside = planned.outside.table
    if planned.person not in outside:
        raise InvalidTable(f'The outside table has no column "{planned.person}".')
    return find_outside_people(evidence.original, outside, (planned.person, planned.person))


def _describe_attack(planned: PlannedAttack) -> PlannedAttackEntry:
    return PlannedAttackEntry(
        attack=planned.attack.name,
        parameters=planned.parameters,
        column=planned.column,
        outside=planned.outside.name if planned.outside else None,
        control=planned.control.name if planned.control else None,
        person=planned.person,
        explain=planned.attack.explain(),
    )
