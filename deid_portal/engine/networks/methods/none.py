"""No change: new numbers for everybody, and nothing else."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.networks.change_estimate import ChangeEstimate, CountedNetwork
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.methods.method import NetworkMethod
from deid_portal.engine.progress import Progress


@dataclass(frozen=True)
class NoNetworkChange(NetworkMethod):
    """Links are released unchanged; the report measures the risk of that."""

    name: ClassVar[str] = "none"
    title: ClassVar[str] = "No change"
    words: ClassVar[str] = "Releases it as it is, measured."
    cites: ClassVar[str] = (
        "L. Backstrom, C. Dwork and J. Kleinberg, Wherefore art thou R3579X?, WWW 2007, on why this"
        " protects nobody."
    )
    takes_directed: ClassVar[bool] = True

    def estimate_changes(self, counted: CountedNetwork) -> ChangeEstimate:
        return ChangeEstimate(0, 0, "links stay as they are")

    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        return draft.noting(method=self.name)

    def explain(self) -> str:
        return "Ids are replaced by random numbers, links stay; that alone protects nobody."
