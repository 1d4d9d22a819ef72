"""People who are not in the release, for attacks that need some to compare with.

An attack such as membership inference asks whether a release tells more about the people in it than
about others of the same kind. Where nobody brings a table of such others, half of the table is
held out: a release is made of the other half in the same way, at the same levels, and that is
attacked (the hold-out of Giomi et al., PETS 2023).
"""

from dataclasses import replace

import numpy as np

from deid_portal.engine.attack_cases.case import Case, NotPossible
from deid_portal.engine.attacks.attack import AttackSetting
from deid_portal.engine.measures import NO_MEASURES
from deid_portal.engine.methods.levels import ChosenLevels
from deid_portal.engine.methods.restating_method import restating_first
from deid_portal.engine.plan import Plan
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.protection import protect
from deid_portal.engine.table.table import Table

FEWEST = 40


def hold_out(
    case: Case, *, seed: int, key: bytes | None = None, progress: ProgressCallback | None = None
) -> AttackSetting:
    """Return a release of one half of the people, with the other half as control."""
    if case.original.rows < FEWEST:
        raise NotPossible(
            f"Half of the people are held out to compare with, so at least {FEWEST} are needed."
        )
    order = np.random.default_rng(seed).permutation(case.original.rows)
    middle = case.original.rows // 2
    inside, outside = take(case.original, order[:middle]), take(case.original, order[middle:])
    outcome = protect(inside, plan_of_half(case), progress, pseudonym_key=key)
    if outcome.released is None:
        raise NotPossible(
            "Half of the table cannot be released in the same way, so there is nobody to compare "
            "with; bring a table of people who are not in yours."
        )
    return replace(Case.of_outcome(case.plan, inside, outcome).setting(), control=outside)


def plan_of_half(case: Case) -> Plan:
    """Return the plan at the levels of the release, so that nothing is searched anew."""
    methods = case.plan.methods
    if case.has_one_level:
        chosen = ChosenLevels(dict(case.levels), suppression_limit=1.0)
        methods = (*restating_first(methods), chosen)
    return replace(case.plan, methods=methods, measures=NO_MEASURES).without_undoing_seed()


def take(table: Table, rows: "np.ndarray[tuple[int], np.dtype[np.intp]]") -> Table:
    """Return some rows; dictionaries stay whole, so that taxonomies know everybody's values."""
    return Table(tuple(column.take(rows) for column in table.columns))
