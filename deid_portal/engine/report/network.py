"""Entries that only reports of networks have: links, knowledge, structure, attacks, drawings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from deid_portal.engine.report.classes import ClassSizes
from deid_portal.engine.report.part import Part
from deid_portal.engine.report.risk import ClassRisk


@dataclass(frozen=True)
class NodeCounts(Part):
    before: int
    after: int


@dataclass(frozen=True)
class LinkCounts(Part):
    """Numbers of links.

    The last three are known only if every released node is an original node (not a group, not made
    up), so that links can be compared.
    """

    before: int
    after: int
    added: int | None = None
    removed: int | None = None
    kept: int | None = None


@dataclass(frozen=True)
class IntakeCounts(Part):
    """Counts made while the files of the network were read (`Intake`)."""

    links: int
    loops: int
    repeated: int
    only_loops: int
    isolated: int
    without_attributes: int
    extra_columns: int


@dataclass(frozen=True)
class Candidates(Part):
    """Distribution of the sizes of candidate sets over nodes; all None if there are no nodes."""

    least: int | None = None
    lower_quarter: int | None = None
    median: int | None = None
    upper_quarter: int | None = None
    most: int | None = None
    mean: float | None = None


@dataclass(frozen=True)
class KnowledgeState(Part):
    """How identifiable nodes are given this knowledge; `exact` is False if some are undecided."""

    classes: ClassSizes
    risk: ClassRisk
    unique: int
    unique_at_least: int
    below_k: int
    k: int
    share_below_k: float
    candidates: Candidates
    exact: bool
    undecided: int


@dataclass(frozen=True)
class KnowledgeRisk(Part):
    """The risk given one kind of background knowledge, which `words` describe."""

    words: str
    before: KnowledgeState
    after: KnowledgeState


@dataclass(frozen=True)
class StructureFigures(Part):
    """Structural measures of a network (`Structure`)."""

    mean_degree: float
    largest_degree: int
    density: float
    clustering: float
    transitivity: float
    triangles: int
    components: int
    largest_component: float
    mean_path: float
    longest_path_seen: int
    path_sources: int
    eigenvalues: tuple[float, ...]
    communities: int


@dataclass(frozen=True)
class StructureDistance(Part):
    """Distances between two networks; the last three need the same nodes in both."""

    degrees: float
    degrees_largest_gap: float
    clustering: float
    mean_path: float
    spectrum: float | None  # None: the network is too large to compute it
    components: int
    communities: float | None = None
    importance_ranks: float | None = None
    most_important_kept: float | None = None


@dataclass(frozen=True)
class StructureComparison(Part):
    before: StructureFigures
    after: StructureFigures
    distance: StructureDistance


@dataclass(frozen=True)
class MatchingAttack(Part):
    """Re-identification of all nodes by background knowledge from the original network."""

    attack: str
    success: float
    interval: tuple[float, float]
    people: int
    found_for_sure: int
    candidates_median: float


@dataclass(frozen=True)
class FakeLinksAttack(Part):
    """Detection of added links; the figures are None if no links were added, or too many."""

    attack: Literal["fake-links"]
    links: int
    added: int
    precision: float | None = None
    chance: float | None = None
    auc: float | None = None


@dataclass(frozen=True)
class ShareFound(Part):
    """A share of correct guesses, with its 95 % interval."""

    right: int
    of: int
    share: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class ActiveAttempts(Part):
    """Active attack: nodes are planted before the release and searched for in it."""

    attack: Literal["active"]
    attempts: int
    success: float
    interval: tuple[float, float]
    targets: ShareFound
    links_read: ShareFound


@dataclass(frozen=True)
class ActiveAttack(ActiveAttempts):
    fakes: int
    attackers_at_once: int
    unprotected: ActiveAttempts


NetworkAttackEntry = FakeLinksAttack | ActiveAttack | MatchingAttack


@dataclass(frozen=True)
class WalksFound(Part):
    """Whether the walk of two colluding people identifies anybody (`Walk`)."""

    before: bool
    after: bool


@dataclass(frozen=True)
class NetworkDrawing(Part):
    """Points and lines; a point is a node or, in large networks, a community of `sizes` nodes."""

    points: tuple[tuple[float, ...], ...]
    sizes: tuple[int, ...]
    lines: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]
    aggregated: bool
    rest: int | None  # index of the point for all smaller communities together
    # If points are shells around a core: the lowest and highest core number of each.
    shells: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, kw_only=True)
class NetworkReport(Part):
    directed: bool
    knowledge: str
    knowledge_words: str
    loss_is: str  # how the loss is measured, in words
    nodes: NodeCounts
    links: LinkCounts
    intake: IntakeCounts
    risk: Mapping[str, KnowledgeRisk]
    structure: StructureComparison | None = None
    attacks: tuple[NetworkAttackEntry, ...] | None = None
    walk: WalksFound | None = None
    drawing: NetworkDrawing | None = None


@dataclass(frozen=True)
class WalkingNode(Part):
    node: int
    degree: int


@dataclass(frozen=True)
class Walk(Part):
    """Example of an attack by two colluding people who know their own degrees.

    They find themselves, then others, then a link. It has numbers of nodes, so it is not published.
    """

    found: Literal[True]
    first: WalkingNode
    second: WalkingNode
    common: tuple[int, ...]  # neighbors of both
    rest: tuple[int, ...]  # neighbors of the first only
    re_identified: bool
    link: bool | None
    targets: tuple[int, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class NoWalk(Part):
    found: Literal[False]
    alone: tuple[int, ...]  # some nodes whose degree is unique
    words: tuple[str, ...]


@dataclass(frozen=True)
class Walks(Part):
    before: Walk | NoWalk
    after: Walk | NoWalk


@dataclass(frozen=True)
class DotsBeside(Part):
    """Points at which both a network and its release are drawn."""

    points: tuple[tuple[float, ...], ...]
    sizes: tuple[int, ...]
    weights: tuple[int, ...]
    aggregated: bool
    rest: int | None


@dataclass(frozen=True)
class LinksBeside(DotsBeside):
    """Every point is a node; links are pairs of points."""

    kept: tuple[tuple[int, ...], ...]
    removed: tuple[tuple[int, ...], ...]
    added: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class GroupsBeside(DotsBeside):
    """Points are groups of nodes; each line is two points and the number of links between them."""

    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
    shells: tuple[tuple[int, ...], ...] | None = None
