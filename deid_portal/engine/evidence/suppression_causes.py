"""Why records are suppressed: the effect of generalizing or hiding single columns."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.report.left_out import ApartColumn, CoarserStep, GroupsApart
from deid_portal.engine.risk.classes import SIZE_BINS
from deid_portal.engine.search.check import Check, Mask
from deid_portal.engine.search.lattice import Lattice, Levels
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.patterns import Patterns
from deid_portal.engine.table.projection import number_patterns, sizes_of
from deid_portal.engine.table.table import Counts
from deid_portal.engine.utility import Loss

MOST_COLUMNS = 12  # reported per range of sizes, those that separate most records first


def describe_coarser(problem: Problem, check: Check) -> tuple[CoarserStep, ...]:
    """Return the effect of generalizing each column by one more level.

    The figures are those of the method `levels` at these levels; `holds` is False if a rule about
    the release as a whole would then be violated.
    """
    checker = problem.checker(Loss())
    now = checker.check(check.levels).cost
    steps = []
    for levels in Lattice(problem.heights).coarser(check.levels):
        column = next(i for i, level in enumerate(levels) if level != check.levels[i])
        then = checker.check(levels)
        holds = bool(np.isfinite(then.cost))
        steps.append(
            CoarserStep(
                column=problem.names[column],
                level=levels[column],
                level_name=problem.taxonomies[column].level_names[levels[column]],
                freed=check.suppressed - then.suppressed,
                suppressed=then.suppressed,
                loss=then.cost if holds else 1.0,
                more_loss=then.cost - now if holds else 1.0 - now,
                holds=holds,
            )
        )
    return tuple(steps)


@dataclass(frozen=True, eq=False)
class GroupSeparation:
    """The effect on each class of generalizing or hiding one column."""

    column: str
    grows: Mask  # merged with others one level up
    frees: Mask  # suppressed now, but not one level up
    grows_hidden: Mask  # the same if the column is hidden
    frees_hidden: Mask


def describe_groups_apart(check: Check) -> tuple[GroupsApart, ...]:
    """Return, by class size at these levels, which columns separate classes from others.

    Suppressed classes are included, and also counted separately.
    """
    names = check.checker.patterns.names
    apart = [_set_apart(check, column, name) for column, name in enumerate(names)]
    return _per_size(check.classes.sizes, check.suppressed_classes, apart)


def describe_seen_isolation(patterns: Patterns) -> tuple[GroupsApart, ...]:
    """Return the same for a release without levels, where a column can only be hidden."""
    return _per_size(
        patterns.counts,
        np.zeros(len(patterns.counts), np.bool_),
        list(_set_seen_apart(patterns)),
    )


def _set_apart(check: Check, column: int, name: str) -> GroupSeparation:
    level, height = check.levels[column], check.checker.taxonomies[column].height
    if level == height:
        nowhere = np.zeros(len(check.classes.sizes), np.bool_)
        return GroupSeparation(name, nowhere, nowhere, nowhere, nowhere)
    step = _raise(check, _at(check.levels, column, level + 1))
    hidden = step if level + 1 == height else _raise(check, _at(check.levels, column, height))
    return GroupSeparation(name, *step, *hidden)


def _at(levels: Levels, column: int, level: int) -> Levels:
    return (*levels[:column], level, *levels[column + 1 :])


def _raise(check: Check, levels: Levels) -> tuple[Mask, Mask]:
    """Return which classes are merged at higher levels, and which are no longer suppressed."""
    coarser = check.checker.grouper.group(levels, check.grouped)
    then = check.checker.check_grouped(coarser)
    grows = coarser.classes.sizes[coarser.class_of] > check.classes.sizes
    frees = check.suppressed_classes & ~then.suppressed_classes[coarser.class_of]
    return grows, frees


def _set_seen_apart(patterns: Patterns) -> Iterator[GroupSeparation]:
    nowhere = np.zeros(len(patterns.counts), np.bool_)
    for column, name in enumerate(patterns.names):
        numbers = number_patterns(np.delete(patterns.codes, column, axis=0))
        grows = sizes_of(numbers, patterns.counts)[numbers] > patterns.counts
        yield GroupSeparation(name, nowhere, nowhere, grows, nowhere)


def _per_size(sizes: Counts, gone: Mask, apart: list[GroupSeparation]) -> tuple[GroupsApart, ...]:
    told = []
    for low, high in SIZE_BINS:
        inside = (sizes >= low) & (sizes <= (high or sizes.max(initial=low)))
        if inside.any():
            records = sizes * inside
            columns = [_describe_apart(own, records) for own in apart]
            told.append(
                GroupsApart(
                    from_=low,
                    to=high,
                    classes=int(inside.sum()),
                    records=int(records.sum()),
                    left_out=int(records @ gone),
                    classes_left_out=int((inside & gone).sum()),
                    columns=tuple(sorted(columns, key=_most_apart_first)[:MOST_COLUMNS]),
                )
            )
    return tuple(told)


def _describe_apart(apart: GroupSeparation, records: Counts) -> ApartColumn:
    return ApartColumn(
        column=apart.column,
        grows=int(records @ apart.grows),
        frees=int(records @ apart.frees),
        grows_hidden=int(records @ apart.grows_hidden),
        frees_hidden=int(records @ apart.frees_hidden),
    )


def _most_apart_first(entry: ApartColumn) -> tuple[int, int]:
    return (-entry.frees_hidden, -entry.grows_hidden)
