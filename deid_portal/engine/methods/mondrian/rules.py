"""When a cut is allowed: every part of it must keep every model of the plan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from deid_portal.engine.methods.mondrian import kernels
from deid_portal.engine.methods.mondrian.partition import NOWHERE, Answers, Parts
from deid_portal.engine.privacy import KAnonymity, PrivacyModel, WholeTable
from deid_portal.engine.privacy.l_diversity import LDiversity
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.patterns import Classes, Pairs, View
from deid_portal.engine.table.table import Codes

FEW_PAIRS = 1 << 20  # up to so many pairs of part and value, all are counted, even if few occur


def least_records(models: Sequence[PrivacyModel]) -> int:
    """Return how many records k-anonymity asks of every part."""
    return max((model.k for model in models if isinstance(model, KAnonymity)), default=1)


def judging(models: Sequence[PrivacyModel]) -> list[PrivacyModel]:
    """Return the models that judge more of a part than its number of records."""
    return [model for model in models if model.judges_classes and not isinstance(model, KAnonymity)]


def counted_diversity(models: Sequence[PrivacyModel]) -> LDiversity | None:
    """Return the only judging model if counting different values is all it does."""
    judges = judging(models)
    if len(judges) == 1 and isinstance(judges[0], LDiversity) and judges[0].variant == "distinct":
        return judges[0]
    return None


class BoxModelRule:
    """Asks the models about parts as if each were a class.

    A model that compares classes by their labels is shown parts without common labels. That is
    stricter than the release requires, and a part that passes does so however other parts are
    divided.
    """

    def __init__(self, problem: Problem, sensitive: Mapping[str, Pairs]) -> None:
        self._models = judging(problem.models)
        self._columns = len(problem.names)
        self._sensitive = sensitive  # per tuple
        self._whole = _without_taxonomies(problem.whole)

    def __call__(self, parts: Parts) -> Answers:
        answers = np.ones(len(parts.sizes), np.bool_)
        if self._models:
            classes = self._classes(parts)
            for model in self._models:
                answers &= model.passes(classes, self._whole)
        return answers

    def _classes(self, parts: Parts) -> Classes:
        numbers = np.broadcast_to(parts.part_of_tuple, (self._columns, len(parts.part_of_tuple)))
        same = np.arange(len(parts.sizes), dtype=np.int32)
        return Classes(
            parts.members,
            parts.sizes,
            {name: _of_parts(pairs, parts) for name, pairs in self._sensitive.items()},
            View(numbers, [same] * self._columns),
        )


def pairs_of_rows(problem: Problem) -> dict[str, Pairs]:
    """Return the sensitive values of each row."""
    rows: Codes = np.arange(problem.rows, dtype=np.int32)
    ones = np.ones(problem.rows, np.int64)
    # Copies, because kernels are compiled once more for arrays that are not to be written to.
    return {
        name: Pairs(rows, problem.table[name].codes.copy(), ones)
        for name in problem.patterns.sensitive
    }


def _of_parts(pairs: Pairs, parts: Parts) -> Pairs:
    """Return how often each value occurs in each part."""
    values = int(pairs.codes.max(initial=-1)) + 1
    if len(parts.sizes) * values <= len(pairs.codes) + FEW_PAIRS:
        return Pairs(
            *kernels.tally_parts(
                pairs.groups,
                pairs.codes,
                pairs.counts,
                parts.part_of_tuple,
                len(parts.sizes),
                values,
            )
        )
    concerned = parts.part_of_tuple[pairs.groups] != NOWHERE
    some = Pairs(pairs.groups[concerned], pairs.codes[concerned], pairs.counts[concerned])
    return some.regroup(parts.part_of_tuple)


def _without_taxonomies(whole: WholeTable) -> WholeTable:
    """Return the original without taxonomies of quasi-identifiers: parts have other labels."""
    if whole.original is None:
        return whole
    return replace(whole, original=replace(whole.original, taxonomies=()))
