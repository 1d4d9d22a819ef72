"""How many links there are."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.budget.price import PrivacyPrice
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
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.networks.questions.people import network_setting, people_rows_in
from deid_portal.engine.networks.questions.setting import NetworkSetting, ProtectedUnit
from deid_portal.engine.networks.questions.words import beyond_bound, within_bound
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class Links(NoisyQuestion):
    """One link changes it by one; one person by as many links as count of a person.

    A person adds at most `bound` kept links. Each may displace another link, which may make room
    for a third; apart from the person's own links as many are added as removed.
    """

    kind: ClassVar[str] = "links"
    label: ClassVar[str] = "How many links"
    tile: ClassVar[str] = "The number of links between people who fit your conditions"
    is_count: ClassVar[bool] = True
    answer_unit: ClassVar[str] = "links"
    fields: ClassVar[tuple[Field, ...]] = (FOR_COUNTS,)

    def noises(self) -> tuple[GridNoise, ...]:
        return (links_noise(self.mechanism, self.price, network_setting(self.setting)),)

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        links = people_rows_in(rows).links_among(only_chosen=bool(self.where))
        return (on_grid(np.array([links]), grid_of_counts(self.mechanism)),)

    def asks(self) -> str:
        return (
            "How many links are there between two people"
            if self.where
            else "How many links are there"
        )

    def changes(self) -> str:
        return f"the number of links changes by at most {self.noises()[0].sensitivity:g}"

    def assumptions(self) -> tuple[str, ...]:
        return beyond_bound(network_setting(self.setting))

    def explain(self) -> str:
        return (
            f"The links are counted, each once, and noise is added: {self.formula()}, with "
            f"Δ = {self.noises()[0].sensitivity:g}, because when {self.setting.neighbour_words}, "
            f"{self.changes()}."
        )

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        value = float(noisy[0][0])
        width = self.noises()[0].half_width(CONFIDENCE)
        interval = interval_around(value, width, low=0)
        counted = within_bound(network_setting(self.setting))
        return NoisyResult(
            {"value": rounded(value, width), "interval": interval},
            f"About {max(value, 0):.0f} links{counted}; the true number lies from "
            f"{interval[0]} to {interval[1]}, 95 % sure.",
        )


def links_noise(mechanism: str, price: PrivacyPrice, setting: NetworkSetting) -> GridNoise:
    """Return the noise of a number of links."""
    change = 1 if setting.protects is ProtectedUnit.LINKS else setting.most_links
    return GridNoise.calibrate(mechanism, price, grid_of_counts(mechanism), change, change)
