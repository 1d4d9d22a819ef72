"""How many people have at least so many links."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.fields import Field, NumberField
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.noise import (
    FOR_COUNTS,
    GridNoise,
    grid_of_counts,
    on_grid,
)
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import interval_around, rounded
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place
from deid_portal.engine.networks.questions.people import network_setting, people_rows_in
from deid_portal.engine.networks.questions.setting import MOST_LINKS_PER_PERSON, ProtectedUnit
from deid_portal.engine.networks.questions.words import beyond_bound, within_bound
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class PeopleWithLinks(NoisyQuestion):
    """A link has two ends; a person comes along with at most `bound` others who change."""

    least: int

    kind: ClassVar[str] = "people-with-links"
    label: ClassVar[str] = "How many people with so many links"
    tile: ClassVar[str] = "The number of people who have at least so many links"
    is_count: ClassVar[bool] = True
    fields: ClassVar[tuple[Field, ...]] = (
        NumberField(
            name="least",
            label="At least so many links",
            required=True,
            whole=True,
            minimum=1,
            maximum=MOST_LINKS_PER_PERSON,
        ),
        FOR_COUNTS,
    )

    def check(self, place: Place) -> None:
        super().check(place)
        check_within_bound(place["least"], self.least, network_setting(self.setting).bound)

    def noises(self) -> tuple[GridNoise, ...]:
        setting = network_setting(self.setting)
        change = 2 if setting.protects is ProtectedUnit.LINKS else setting.most_links + 1
        grid = grid_of_counts(self.mechanism)
        return (GridNoise.calibrate(self.mechanism, self.price, grid, change, change),)

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        people = (people_rows_in(rows).degrees >= self.least).sum()
        return (on_grid(np.array([people]), grid_of_counts(self.mechanism)),)

    def asks(self) -> str:
        return f"How many people have at least {self.least} link{'' if self.least == 1 else 's'}"

    def changes(self) -> str:
        return f"the number of people changes by at most {self.noises()[0].sensitivity:g}"

    def assumptions(self) -> tuple[str, ...]:
        return beyond_bound(network_setting(self.setting))

    def explain(self) -> str:
        return (
            f"The people with at least {self.least} links are counted and noise is added: "
            f"{self.formula()}, with Δ = {self.noises()[0].sensitivity:g}, because when "
            f"{self.setting.neighbour_words}, {self.changes()}."
        )

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        value = float(noisy[0][0])
        width = self.noises()[0].half_width(CONFIDENCE)
        interval = interval_around(value, width, low=0)
        counted = within_bound(network_setting(self.setting))
        return NoisyResult(
            {"value": rounded(value, width), "interval": interval},
            f"About {max(value, 0):.0f} people{counted}; the true number lies from "
            f"{interval[0]} to {interval[1]}, 95 % sure.",
        )


def check_within_bound(place: Place, links: int, bound: int | None) -> None:
    """Refuse to ask for more links than the bound; the answer would be noise alone."""
    if bound is not None and links > bound:
        place.refuse(
            f"at most {bound} links of a person count here, so nobody can have more; {bound} or "
            f"less is accepted."
        )
