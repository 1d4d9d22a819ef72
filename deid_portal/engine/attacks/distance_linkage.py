"""Distance-based record linkage: take the released record that is nearest.

D. Pagliuca and G. Seri, 1999; J. Domingo-Ferrer and V. Torra, A quantitative comparison of
disclosure control methods, 2001. Works on masked numbers, where no label fits exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    share_of,
    weigh_match,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, LinkageFigures
from deid_portal.engine.attacks.confidence import wilson_interval
from deid_portal.engine.attacks.record_linkage import (
    know_people,
    released_rows,
    spread_candidates,
)
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.numbers import numbers_of
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.utility.coverage import cover

Points = NDArray[np.float64]
Rows = NDArray[np.intp]
TOLERANCE = 1e-9
ROUNDING = 1e-10  # of squared distances
FEW_DIMENSIONS = 8
MOST_VALUES = 2000  # of a column that is no number
BLOCK = 1 << 23  # distances held at once


@dataclass(frozen=True, eq=False)
class NearestLinks:
    """Per person the number of nearest released records, and whether theirs is one of them."""

    ties: NDArray[np.int64]
    is_right: NDArray[np.bool_]

    @property
    def expected_share(self) -> float:
        chances = self.is_right / np.maximum(self.ties, 1)
        return float(chances.mean()) if len(chances) else 0.0

    @property
    def correct_links(self) -> int:
        return int((self.is_right & (self.ties == 1)).sum())


def link_places(
    places: Points,
    person: NDArray[np.intp],  # place of each person
    points: Points,  # all different
    number: NDArray[np.intp],  # point of each released record
    counts: NDArray[np.intp],  # records at each point
    own: Codes,
    progress: Progress | None,
) -> NearestLinks:
    progress = progress or Progress(None)
    progress.report(0, 1, "attack")
    find = _find_in_tree if places.shape[1] <= FEW_DIMENSIONS else _find_in_blocks
    reach, ties = find(places, points, counts, progress)
    mine = number[np.maximum(own, 0)]
    # Many people share both their place and the point of their record; compute distances once.
    pairs, which = np.unique(person * len(points) + mine, return_inverse=True)
    apart = np.linalg.norm(places[pairs // len(points)] - points[pairs % len(points)], axis=1)
    is_near = apart[which.reshape(-1)] <= reach[person]
    return NearestLinks(ties[person], (own >= 0) & is_near)


def _find_in_tree(
    places: Points, points: Points, counts: NDArray[np.intp], progress: Progress
) -> tuple[Points, NDArray[np.int64]]:
    """Return per place the distance to the nearest points and how many records lie there."""
    from scipy.spatial import KDTree

    tree = KDTree(points)
    distances, nearest = tree.query(places)
    reach = np.asarray(distances) * (1 + TOLERANCE) + TOLERANCE
    ties = counts[np.asarray(nearest, np.intp)].astype(np.int64)
    several = np.flatnonzero(tree.query_ball_point(places, reach, return_length=True) > 1)
    for place, row in enumerate(several.tolist()):
        progress.report(place, len(several), "attack")
        ties[row] = counts[tree.query_ball_point(places[row], reach[row])].sum()
    return reach, ties


def _find_in_blocks(
    places: Points, points: Points, counts: NDArray[np.intp], progress: Progress
) -> tuple[Points, NDArray[np.int64]]:
    """The same, block by block: |a - b|² = |a|² - 2ab + |b|²."""
    lengths = (points**2).sum(axis=1)
    reach, ties = np.empty(len(places)), np.empty(len(places), np.int64)
    step = max(BLOCK // max(len(points), 1), 1)
    for start in range(0, len(places), step):
        progress.report(start, len(places), "attack")
        block = places[start : start + step]
        squared = (block**2).sum(axis=1)[:, None] - 2 * block @ points.T + lengths
        nearest = np.maximum(squared.min(axis=1), 0) + ROUNDING
        ties[start : start + step] = (squared <= nearest[:, None]) @ counts
        reach[start : start + step] = np.sqrt(nearest)
    return reach, ties


@dataclass(frozen=True, eq=False)
class PointSet:
    """People and released records as points: a point per value and label, column by column.

    A million records show few different labels, so points are only made of distinct patterns.
    """

    people: Table
    released: Table
    names: tuple[str, ...]
    exact: tuple[Points, ...]  # per column, a point per value people have
    shown: tuple[Points, ...]  # per column, a point per released label
    own: Codes  # the released record of each person, or -1

    def weighted(self, weights: Sequence[float]) -> "PointSet":
        """Return the same with distances along some columns counting more."""
        factors = np.sqrt(np.asarray(weights, np.float64))
        return replace(
            self,
            exact=tuple(own * factor for own, factor in zip(self.exact, factors, strict=True)),
            shown=tuple(own * factor for own, factor in zip(self.shown, factors, strict=True)),
        )

    def differences(self, people: Rows) -> Points:
        """Return squared distances: person × own record of another of them × column."""
        columns = []
        for place, name in enumerate(self.names):
            one = self.exact[place][self.people[name].codes[people]]
            other = self.shown[place][self.released[name].codes[self.own[people]]]
            columns.append(((one[:, None, :] - other[None, :, :]) ** 2).sum(axis=2))
        return np.stack(columns, axis=-1)

    def link(self, people: Rows, progress: Progress) -> NearestLinks:
        """Link some of the people with the nearest of all released records."""
        some = Table(tuple(self.people[name].take(people) for name in self.names))
        asked = reduce_table(some, self.names, (), Progress(None))
        there = reduce_table(self.released, self.names, (), Progress(None))
        places = np.hstack([own[codes] for own, codes in zip(self.exact, asked.codes, strict=True)])
        labels = np.hstack([own[codes] for own, codes in zip(self.shown, there.codes, strict=True)])
        points, merged = np.unique(labels, axis=0, return_inverse=True)
        merged = merged.reshape(-1)
        counts = np.bincount(merged, weights=there.counts, minlength=len(points)).astype(np.intp)
        number = merged[there.pattern_of_row]
        person = asked.pattern_of_row.astype(np.intp)
        return link_places(places, person, points, number, counts, self.own[people], progress)


def place_columns(setting: AttackSetting) -> PointSet:
    """Turn what is known of people, and what is released, into points.

    Numbers are standardized, other labels are 0 or 1. A released label stands for the mean of the
    numbers it covers, or for an even chance of each value.
    """
    people, rows = know_people(setting)
    names = setting.quasi_identifiers
    pairs = [_place_column(people[name], setting.released[name], setting) for name in names]
    own = np.where(rows >= 0, released_rows(setting)[rows], -1).astype(np.int32)
    exact, shown = zip(*pairs, strict=True)
    return PointSet(people, setting.released, names, exact, shown, own)


def can_be_placed(column: Column) -> bool:
    """Say whether distances between the values of a column are defined."""
    is_number = not np.isnan(numbers_of(column)).all()
    return is_number or len(column.values) <= MOST_VALUES


def _place_column(known: Column, released: Column, setting: AttackSetting) -> tuple[Points, Points]:
    coverage = cover(known, released, setting.taxonomies.get(known.name))
    numbers = numbers_of(known)
    if np.isnan(numbers).all():
        if not can_be_placed(known):
            raise InvalidPlan(f'Column "{known.name}" has too many values to say how far they are.')
        half = np.sqrt(0.5)
        return np.eye(len(known.values)) * half, coverage.dense_spread * half
    own = numbers_of(released)
    means = [
        np.nanmean(numbers[codes]) if len(codes) and not np.isnan(numbers[codes]).all() else number
        for codes, number in zip(coverage.covered, own.tolist(), strict=True)
    ]
    middle, spread = np.nanmean(numbers[known.codes]), np.nanstd(numbers[known.codes]) or 1.0
    exact = np.nan_to_num((numbers - middle) / spread)
    shown = np.nan_to_num((np.array(means, np.float64) - middle) / spread)
    return exact[:, None], shown[:, None]


@dataclass(frozen=True)
class DistanceLinkage(Attack):
    """Links each person with the nearest released record, columns counting alike."""

    most_people: int = 100_000

    name: ClassVar[str] = "distance-linkage"
    figures_kind: ClassVar[type[AttackFigures]] = LinkageFigures
    usual_seconds: ClassVar[tuple[float, float]] = (0.5, 6.0)
    cites: ClassVar[str] = (
        "J. Domingo-Ferrer and V. Torra, A quantitative comparison of disclosure control methods "
        "for microdata, 2001."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "most_people", minimum=1, maximum=1_000_000, whole=True, default=100_000, is_effort=True
        ),
    )

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        placed = place_columns(setting)
        chosen = sample_people(placed.people.rows, self.most_people, generator)
        found = placed.link(chosen, setting.progress)
        attempts = len(chosen)
        right = round(found.expected_share * attempts)
        return AttackResult(
            name=self.name,
            value=found.expected_share,
            interval=wilson_interval(right, attempts),
            control=share_of(1, setting.released.rows),
            records=found.correct_links,
            sentence=(
                f"Taking the nearest record finds {fixed_percent(found.expected_share)} of "
                f"{attempts} people; {found.correct_links} of them have no other record as near."
            ),
            figures=LinkageFigures(people=attempts, correct_links=found.correct_links),
            spread=spread_candidates(found.ties),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        return weigh_match(
            result.value, result.interval, promise, result.figures.of(LinkageFigures).people
        )

    def explain(self) -> str:
        return "Links every person with the released record whose values are nearest to theirs."


def sample_people(rows: int, most: int, generator: np.random.Generator) -> NDArray[np.intp]:
    return np.arange(rows) if rows <= most else generator.choice(rows, most, replace=False)
