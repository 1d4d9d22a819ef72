"""The spread of each sensitive column over the groups a recipient sees."""

from dataclasses import replace

import numpy as np

from deid_portal.engine.draft.remeasurement import GROUP, group_numbers, share_dictionaries
from deid_portal.engine.evidence.column_groups import group_column
from deid_portal.engine.evidence.evidence import Evidence
from deid_portal.engine.evidence.sensitive_spread import SensitiveGroups, describe_spread
from deid_portal.engine.plan import ColumnRole
from deid_portal.engine.privacy import SensitiveColumn, TCloseness, WholeTable
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.sensitive import SensitiveSpread
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.coverage import cover


def tell_spreads(evidence: Evidence) -> tuple[SensitiveSpread, ...]:
    """Return the distribution of each sensitive column over the classes."""
    names = [n for n in evidence.plan.names_of(ColumnRole.SENSITIVE) if n in evidence.released]
    if not names or not evidence.names:
        return ()
    recipes = {name: planned.taxonomy for name in names if (planned := evidence.plan.column(name))}
    secrets = {n: SensitiveColumn(evidence.original[n], recipes.get(n)) for n in names}
    whole, recoded = share_dictionaries(
        WholeTable(evidence.original.rows, secrets), evidence.released
    )
    seen = _see(evidence, recoded)
    return tuple(_tell_spread(evidence, name, whole, seen) for name in names)


def _tell_spread(
    evidence: Evidence, name: str, whole: WholeTable, seen: Patterns
) -> SensitiveSpread:
    original, secret = evidence.original[name], whole.sensitive[name].column
    distance = _distance_of(evidence, name)
    groups = group_column(original, evidence.all_taxonomies.get(name))
    own = _originals_behind(original, secret, evidence.all_taxonomies.get(name))
    group_of = groups.shares_of(original, own, secret).argmax(axis=1).astype(np.int32)
    patterns = evidence.problem.patterns
    before = SensitiveGroups.measure(
        patterns.counts, patterns.pairs_with(original), whole, name, distance
    )
    after = SensitiveGroups.measure(seen.counts, seen.sensitive[name], whole, name, distance)
    if name in evidence.restated:
        after = replace(after, distances=_distances(evidence, name, distance))
    told = describe_spread(groups, group_of, distance, before, after)
    if GROUP in seen.names:
        return told
    places = zip(after.worst(), told.worst, strict=True)
    named = (replace(own, labels=_labels_of(evidence, seen, place)) for place, own in places)
    return replace(told, worst=tuple(named))


def _originals_behind(original: Column, shared: Column, taxonomy: Taxonomy | None) -> list[Codes]:
    """Return, per value of the shared dictionary, the original values it may stand for."""
    known = len(original.values)
    own = [np.array([code], np.int32) for code in range(known)]
    foreign = shared.values[known:]
    if not foreign:
        return own
    shown = Column(original.name, shared.type, np.zeros(0, np.int32), foreign, original.decimal)
    return [*own, *cover(original, shown, taxonomy).covered]


def _distances(evidence: Evidence, name: str, distance: str) -> Numbers:
    """Return how far each class is from the whole table with its values shown as in the release."""
    shown = {name: evidence.restated[name]}
    whole, recoded = share_dictionaries(
        WholeTable(evidence.original.rows, shown), evidence.released
    )
    seen = _see(evidence, recoded)
    measured = SensitiveGroups.measure(seen.counts, seen.sensitive[name], whole, name, distance)
    return measured.distances


def _see(evidence: Evidence, recoded: list[Column]) -> Patterns:
    """Return the classes a recipient sees, with the sensitive values in each."""
    shown = [evidence.released[name] for name in evidence.names]
    if evidence.groups is not None:
        shown = [group_numbers(evidence.groups)]
    names = [column.name for column in shown]
    table = Table((*shown, *(column for column in recoded if column.name not in names)))
    return reduce_table(table, names, [column.name for column in recoded], Progress(None))


def _labels_of(evidence: Evidence, seen: Patterns, place: int) -> dict[str, str | None]:
    """Return the labels of a class of the release, by column."""
    codes = zip(seen.names, seen.codes[:, place].tolist(), strict=True)
    return {name: evidence.released[name].values[code] for name, code in codes}


def _distance_of(evidence: Evidence, name: str) -> str:
    """Return the distance that a rule of the plan uses, otherwise the usual one of the type."""
    for model in evidence.plan.models:
        if isinstance(model, TCloseness) and model.column == name:
            return model.distance
    ordered = (ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE)
    return "ordered" if evidence.original[name].type in ordered else "equal"
