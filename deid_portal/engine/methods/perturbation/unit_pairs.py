"""Pairing units that agree on some columns and differ in others.

T. Dalenius and S. P. Reiss, Data-swapping: a technique for disclosure control, Journal of
Statistical Planning and Inference 6(1), 1982.
"""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import Numbering, combine
from deid_portal.engine.table.table import Codes, Counts

Units = NDArray[np.int64]
UNITS_PER_CHUNK = 1 << 12
TRIES = 64
ALONE = -1


def pair_units(
    order: Units,
    groups: Codes,
    cells: Codes,
    wanted: int,
    generator: np.random.Generator,
    progress: Progress,
) -> Units:
    """Return for every unit the unit it changes places with, ALONE for those that stay.

    Units are taken in the given order until `wanted` pairs are found. A partner is drawn evenly
    from those of the same group (`groups`, one number per unit) that are not paired yet and show
    something else (`cells`); a unit without any is passed over.
    """
    partners = np.full(len(groups), ALONE, np.int64)
    members = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[members], np.arange(groups.max(initial=-1) + 2))
    alike = Numbering().number(combine(groups, cells))
    free_in_group, free_alike = np.bincount(groups), np.bincount(alike)
    found = 0
    for start in range(0, len(order), UNITS_PER_CHUNK):
        if found == wanted:
            break
        progress.report(found, wanted, "protect", pairs=found)
        chunk = order[start : start + UNITS_PER_CHUNK]
        found += _pair_up(
            chunk,
            wanted - found,
            partners,
            groups,
            alike,
            members,
            starts.astype(np.int64),
            free_in_group,
            free_alike,
            generator,
        )
    return partners


@compiled
def _pair_up(
    order: Units,
    wanted: int,
    partners: Units,
    groups: Codes,
    alike: Codes,  # units with the same number are in the same group and show the same
    members: Units,  # units by group
    starts: Units,  # where each group starts among the members
    free_in_group: Counts,
    free_alike: Counts,
    generator: np.random.Generator,
) -> int:
    found = 0
    for unit in order:
        if found == wanted:
            break
        group = groups[unit]
        # Without this a unit that has no partner left would be looked for in vain, in all of them.
        if partners[unit] != ALONE or free_in_group[group] == free_alike[alike[unit]]:
            continue
        partner = _draw_partner(
            unit, partners, alike, members[starts[group] : starts[group + 1]], generator
        )
        for taken, other in ((unit, partner), (partner, unit)):
            partners[taken] = other
            free_in_group[group] -= 1
            free_alike[alike[taken]] -= 1
        found += 1
    return found


@compiled
def _draw_partner(
    unit: int, partners: Units, alike: Codes, members: Units, generator: np.random.Generator
) -> int:
    """Draw one of the members that is free and shows something else; there is at least one."""
    for _ in range(TRIES):
        candidate = members[generator.integers(0, len(members))]
        if partners[candidate] == ALONE and alike[candidate] != alike[unit]:
            return int(candidate)
    seen, chosen = 0, ALONE
    for candidate in members:
        if partners[candidate] == ALONE and alike[candidate] != alike[unit]:
            seen += 1
            # Keeping the n-th with the chance 1/n makes all of them equally likely.
            if generator.integers(0, seen) == 0:
                chosen = candidate
    return int(chosen)
