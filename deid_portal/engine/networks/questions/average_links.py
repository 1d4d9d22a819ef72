"""How many links people have on average.

If links are protected, the people of the network and their number are public: twice the noisy
number of links is divided by the declared size. If people are protected, the sum of their links and
their number both get noise, with half of ε each.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.fields import Field
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.noise import (
    FOR_COUNTS,
    GridNoise,
    grid_of_counts,
    on_grid,
)
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import interval_around, rounded
from deid_portal.engine.differential.questions.centred import (
    ratio,
    ratio_interval,
    ratio_width,
    shared_confidence,
)
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place
from deid_portal.engine.networks.questions.links import links_noise
from deid_portal.engine.networks.questions.people import network_setting, people_rows_in
from deid_portal.engine.networks.questions.words import beyond_bound, who_counts, within_bound
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class AverageLinks(NoisyQuestion):
    """A person changes the sum of links by `bound` of their own and one of each friend's."""

    kind: ClassVar[str] = "average-links"
    label: ClassVar[str] = "Average number of links"
    tile: ClassVar[str] = "How many links a person has on average"
    answer_unit: ClassVar[str] = "links"
    fields: ClassVar[tuple[Field, ...]] = (FOR_COUNTS,)

    def check(self, place: Place) -> None:
        super().check(place)
        if not self._by_size:
            return
        if self.setting.size is None:
            place.refuse(
                "an average needs the number of people, and none is declared; ask for the number "
                "of links."
            )
        if self.where:
            place["where"].refuse(
                "an average among some people needs to know how many they are, which is not "
                "declared; ask for it without conditions."
            )

    def noises(self) -> tuple[GridNoise, ...]:
        setting = network_setting(self.setting)
        if self._by_size:
            return (links_noise(self.mechanism, self.price, setting),)
        half, grid = self.price.part(2), grid_of_counts(self.mechanism)
        total = 2 * setting.most_links
        people = 1 if setting.is_listed else setting.most_links + 1
        return (
            GridNoise.calibrate(self.mechanism, half, grid, total, total),
            GridNoise.calibrate(self.mechanism, half, grid, people, people),
        )

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        own, grid = people_rows_in(rows), grid_of_counts(self.mechanism)
        if self._by_size:
            return (on_grid(np.array([own.links_among(only_chosen=False)]), grid),)
        degrees = own.degrees[own.degrees >= 0]
        return (
            on_grid(np.array([degrees.sum()]), grid),
            on_grid(np.array([len(degrees)]), grid),
        )

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        if self._by_size:
            width = self.width(CONFIDENCE, None) or 0.0
            average = 2 * float(noisy[0][0]) / self._size
            return self._say(max(average, 0.0), interval_around(average, width, low=0), width)
        total, count = (float(numbers[0]) for numbers in noisy)
        bound = network_setting(self.setting).most_links
        widths = [one.half_width(shared_confidence(CONFIDENCE, 2)) for one in self.noises()]
        low, high = ratio_interval(total, widths[0], count, widths[1], bound)
        width = max((high - low) / 2, 1e-9)
        interval = [rounded(max(end, 0.0), width) for end in (low, high)]
        return self._say(max(ratio(total, count, bound), 0.0), interval, width)

    def _say(self, value: float, interval: list[float | int], width: float) -> NoisyResult:
        counted = within_bound(network_setting(self.setting))
        return NoisyResult(
            {"value": rounded(value, width), "interval": interval},
            f"About {rounded(value, width)} links{counted}; the true average lies from "
            f"{interval[0]} to {interval[1]}, 95 % sure.",
        )

    @property
    def depends_on_rows(self) -> bool:
        return not self._by_size

    def width(self, confidence: float, rows: int | None) -> float | None:
        """Nobody has more links than count, so the average is the bound at most."""
        if self._by_size:
            return 2 * self.noises()[0].half_width(confidence) / self._size
        if rows is None:
            return None
        each = shared_confidence(confidence, 2)
        total, count = (noise.half_width(each) for noise in self.noises())
        bound = network_setting(self.setting).most_links
        return min(ratio_width(total, count, bound, rows), bound)

    def asks(self) -> str:
        return "How many links does a person have on average"

    def changes(self) -> str:
        what = "the number of links" if self._by_size else "what the links of all add up to"
        return f"{what} changes by at most {self.noises()[0].sensitivity:g}"

    def assumptions(self) -> tuple[str, ...]:
        setting = network_setting(self.setting)
        if self._by_size:
            return (f"Divided by {self._size:,} people, as declared.",)
        return (*beyond_bound(setting), who_counts(setting))

    def explain(self) -> str:
        if self._by_size:
            return (
                f"The links are counted, noise is added ({self.formula()}, with Δ = 1), and twice "
                f"that is divided by {self._size:,} people: a link has two ends."
            )
        total, count = (noise.sensitivity for noise in self.noises())
        return (
            f"Half of ε buys what the links of all people add up to (Δ = {total:g}), half the "
            f"number of people (Δ = {count:g}); each gets noise ({self.formula()}), and the answer "
            f"is their ratio."
        )

    @property
    def _by_size(self) -> bool:
        return network_setting(self.setting).averages_by_size

    @property
    def _size(self) -> int:
        return self.setting.size or 1
