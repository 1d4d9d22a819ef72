"""How many people have how many links."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, sqrt
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.differential.fields import Field, NumberField, NumberList
from deid_portal.engine.differential.noise.noise import FOR_COUNTS
from deid_portal.engine.differential.questions.cells_question import CellsQuestion
from deid_portal.engine.differential.selection.buckets import MOST_BUCKETS
from deid_portal.engine.differential.selection.domains import Indices
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place
from deid_portal.engine.networks.private_counts import histogram_change
from deid_portal.engine.networks.questions.people import network_setting, people_rows_in
from deid_portal.engine.networks.questions.people_with_links import check_within_bound
from deid_portal.engine.networks.questions.setting import MOST_LINKS_PER_PERSON, ProtectedUnit
from deid_portal.engine.networks.questions.words import beyond_bound, who_counts


@dataclass(frozen=True)
class DegreeHistogram(CellsQuestion):
    """Either one bucket for each number of links up to `most`, or buckets that begin as given.

    The last bucket holds everybody with more. One link moves its two ends from one bucket to
    another, which changes four counts by one.
    """

    most: int | None
    begins: tuple[float, ...] | None

    kind: ClassVar[str] = "degree-histogram"
    label: ClassVar[str] = "Spread of links"
    tile: ClassVar[str] = "How many people have how many links, in buckets you fix beforehand"
    fields: ClassVar[tuple[Field, ...]] = (
        NumberField(
            name="most",
            label="One bucket for each number of links up to",
            whole=True,
            minimum=1,
            maximum=MOST_BUCKETS - 1,
            help="The last one holds everybody with more.",
        ),
        NumberList(
            name="begins",
            label="Or the number of links each bucket begins with",
            required=False,
            minimum=0,
            maximum=MOST_LINKS_PER_PERSON,
            fewest=2,
            most=MOST_BUCKETS,
        ),
        FOR_COUNTS,
    )

    def check(self, place: Place) -> None:
        if (self.most is None) == (self.begins is None):
            place.refuse('either "most" or "begins" is needed.')
        if self.begins is not None:
            self._check_begins(place["begins"], self.begins)
        elif self.most is not None:
            check_within_bound(place["most"], self.most, network_setting(self.setting).bound)
        super().check(place)
        if self.cells < 2:
            place["most"].refuse("two buckets or more are needed; choose a larger number.")

    def _check_begins(self, place: Place, begins: tuple[float, ...]) -> None:
        if not all(number.is_integer() for number in begins):
            place.refuse("whole numbers are accepted; nobody has half a link.")
        if begins[0] != self._fewest:
            place.refuse(
                f"the first bucket must begin with {self._fewest}, so that everybody who counts is "
                f"in one."
            )
        check_within_bound(place, int(begins[-1]), network_setting(self.setting).bound)

    @property
    def _fewest(self) -> int:
        """Return the fewest links of a person who counts."""
        return 0 if network_setting(self.setting).is_listed else 1

    @property
    def starts(self) -> list[int]:
        if self.begins is not None:
            return [int(number) for number in self.begins]
        return list(range(self._fewest, (self.most or 1) + 1))

    @property
    def cells(self) -> int:
        return len(self.starts)

    def cell_of(self, rows: SelectedRows) -> Indices:
        """Return the bucket of each person, -1 for people the question is not about."""
        degrees = people_rows_in(rows).degrees
        found = np.searchsorted(np.array(self.starts), degrees, side="right") - 1
        return np.asarray(found, np.int64)

    def names(self) -> list[Mapping[str, Any]]:
        named: list[Mapping[str, Any]] = [
            {"from": low, "to": high - 1} for low, high in pairwise(self.starts)
        ]
        return [*named, {"from": self.starts[-1], "to": None}]

    def asks(self) -> str:
        return f"How many people have how many links, in {self.cells} buckets"

    def assumptions(self) -> tuple[str, ...]:
        setting = network_setting(self.setting)
        return (*beyond_bound(setting), who_counts(setting))

    def explain(self) -> str:
        return (
            f"Every person is counted in one of {self.cells} buckets fixed beforehand, and each "
            f"count gets noise: {self.formula()}, with Δ = {self._change()[0]}, because when "
            f"{self.setting.neighbour_words}, {self.changes()}. All buckets together cost as much "
            f"as one."
        )

    def _change(self) -> tuple[int, float]:
        setting = network_setting(self.setting)
        if setting.protects is ProtectedUnit.LINKS:
            return 4, sqrt(8)
        bound = setting.most_links
        # Everybody whose links change may leave the bucket that the added person enters.
        return histogram_change(bound), hypot(bound, bound + 1)
