"""What only the report of a network has: links, knowledge, structure, attacks, drawings."""

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
    """The last three only where every node stands for somebody, so that links can be compared."""

    before: int
    after: int
    added: int | None = None
    removed: int | None = None
    kept: int | None = None


@dataclass(frozen=True)
class IntakeCounts(Part):
    """What was found while the network was read (`Intake`)."""

    links: int
    loops: int
    repeated: int
    only_loops: int
    isolated: int
    without_attributes: int
    extra_columns: int


@dataclass(frozen=True)
class Candidates(Part):
    """Among how many nodes the nodes hide; nothing is told where there are none."""

    least: int | None = None
    lower_quarter: int | None = None
    median: int | None = None
    upper_quarter: int | None = None
    most: int | None = None
    mean: float | None = None


@dataclass(frozen=True)
class KnowledgeState(Part):
    """Who stands out to somebody who knows this; `exact` is False if some nodes are undecided."""

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
    """One kind of knowledge; `words` say what is known."""

    words: str
    before: KnowledgeState
    after: KnowledgeState


@dataclass(frozen=True)
class StructureFigures(Part):
    """What an analyst would look at (`Structure`)."""

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
    """How far two networks are apart; the last three where nodes are the same people in both."""

    degrees: float
    degrees_largest_gap: float
    clustering: float
    mean_path: float
    spectrum: float | None  # None: too large a network
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
    """Everybody is looked for by what was known of them before."""

    attack: str
    success: float
    interval: tuple[float, float]
    people: int
    found_for_sure: int
    candidates_median: float


@dataclass(frozen=True)
class FakeLinksAttack(Part):
    """Added links are told from true ones; without the figures there were none, or too many."""

    attack: Literal["fake-links"]
    links: int
    added: int
    precision: float | None = None
    chance: float | None = None
    auc: float | None = None


@dataclass(frozen=True)
class ShareFound(Part):
    """So many right of so many, with a 95 % interval of the share."""

    right: int
    of: int
    share: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class ActiveAttempts(Part):
    """People are planted before the release and looked for in it."""

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
    """Whether the walk of two people finds anything (`Walk`)."""

    before: bool
    after: bool


@dataclass(frozen=True)
class NetworkDrawing(Part):
    """Dots and lines; a dot is a node, or a group of `sizes` nodes where there are too many."""

    points: tuple[tuple[float, ...], ...]
    sizes: tuple[int, ...]
    lines: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]
    aggregated: bool
    rest: int | None  # the dot that stands for all communities beyond the largest


@dataclass(frozen=True, kw_only=True)
class NetworkReport(Part):
    directed: bool
    knowledge: str
    knowledge_words: str
    loss_is: str  # what was counted as lost, in words
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
    """Two people find themselves by their numbers of links, then others, then a link.

    Told by numbers of nodes, for the house alone.
    """

    found: Literal[True]
    first: WalkingNode
    second: WalkingNode
    common: tuple[int, ...]  # linked with both
    rest: tuple[int, ...]  # linked with the first alone
    re_identified: bool
    link: bool | None
    targets: tuple[int, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class NoWalk(Part):
    found: Literal[False]
    alone: tuple[int, ...]  # some who stand alone by their number of links
    words: tuple[str, ...]


@dataclass(frozen=True)
class Walks(Part):
    before: Walk | NoWalk
    after: Walk | NoWalk


@dataclass(frozen=True)
class DotsBeside(Part):
    """Dots at which a network and its release are both drawn."""

    points: tuple[tuple[float, ...], ...]
    sizes: tuple[int, ...]
    weights: tuple[int, ...]
    aggregated: bool
    rest: int | None


@dataclass(frozen=True)
class LinksBeside(DotsBeside):
    """Every dot is a node; links are pairs of dots."""

    kept: tuple[tuple[int, ...], ...]
    removed: tuple[tuple[int, ...], ...]
    added: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class GroupsBeside(DotsBeside):
    """Dots are groups of nodes; each line is two dots and the links between them."""

    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
