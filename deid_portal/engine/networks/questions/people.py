"""The people a question is about, with their links; the rows of a question about a network.

The effect of a person is bounded in two ways. `degrees` are computed after links beyond the bound
are left out of the whole network: then one person changes at most `bound` others, by one link each
(Day, Li and Lyu, 2016), whether or not they meet the conditions. `links_among` first leaves out
people who do not meet the conditions and then links beyond the bound. In the opposite order one
person could move links from people who do to people who do not throughout the network.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.differential.question import PrivateQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.differential.setting import PrivacySetting
from deid_portal.engine.documents import Place
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.private_counts import project_network
from deid_portal.engine.networks.questions.setting import NetworkSetting, ProtectedUnit
from deid_portal.engine.table.table import Table

NO_COLUMNS = Table(())


@dataclass(frozen=True, eq=False)
class PeopleRows(SelectedRows):
    """Rows are nodes; `chosen` says which of them a question is about."""

    network: Network  # without directions

    @classmethod
    def choose_from(cls, network: Network, question: PrivateQuestion) -> "PeopleRows":
        """Choose the people a question is about; a network must have what its setting says."""
        setting = network_setting(question.setting)
        table = network.table or NO_COLUMNS
        check_network(network, question)
        chosen = np.ones(network.nodes, np.bool_)
        if setting.is_listed and network.listed is not None:
            chosen = network.listed.copy()
        for condition in question.where:
            chosen &= condition.holds(table[condition.column], setting)
        return cls(table, setting, chosen, network.undirected)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Return how many links of each person count, -1 for people the question is not about."""
        degrees = self._within_bound(self.network).degrees.astype(np.int64)
        counted = self.chosen if self._setting.is_listed else self.chosen & (degrees > 0)
        return np.where(counted, degrees, -1)

    def links_among(self, only_chosen: bool) -> int:
        """Return how many links there are, or how many between two people who both fit."""
        network = self.network
        if only_chosen:
            network = network.with_pairs(network.pairs[self.chosen[network.pairs].all(axis=1)])
        return self._within_bound(network).edges

    def _within_bound(self, network: Network) -> Network:
        if self._setting.protects is ProtectedUnit.LINKS:
            return network
        return project_network(network, self._setting.most_links)

    @property
    def _setting(self) -> NetworkSetting:
        return network_setting(self.setting)


def check_network(network: Network, question: PrivateQuestion) -> None:
    """Refuse questions the files cannot answer; that depends on the files, not on people."""
    setting = network_setting(question.setting)
    if setting.is_listed and network.listed is None:
        Place({}, "people").refuse(
            'the network has no list of people; give their table, or say "linked".'
        )
    for name in question.columns:
        if network.table is None or name not in network.table:
            Place({}, "domains")[name].refuse("the table of people has no column of this name.")


def network_setting(setting: PrivacySetting) -> NetworkSetting:
    if not isinstance(setting, NetworkSetting):
        raise TypeError("the question is not about a network")
    return setting


def people_rows_in(rows: SelectedRows) -> PeopleRows:
    if not isinstance(rows, PeopleRows):
        raise TypeError("the question is about a network")
    return rows
