"""Figures of the structure of a network that analysts use.

All are quick on large networks: path lengths, for example, start from a sample of nodes. The report
states what was sampled.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.structure import structure_kernels
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.network import StructureFigures

PATH_SOURCES = 64
EIGENVALUES = 6
SMALLEST_FOR_SPECTRUM = 20
MOST_LINKS_FOR_SPECTRUM = 1_000_000  # beyond that it takes longer than people wait
LARGE = 200_000
DAMPING = 0.85
RANK_STEPS = 40
COMMUNITY_ROUNDS = 20


class Structure:
    """The figures of one network, each computed on first use."""

    def __init__(self, network: Network, progress: Progress | None = None) -> None:
        self.network = network.undirected
        self._progress = progress or Progress(None)

    def _tell(self, step: int) -> None:
        self._progress.report(step, 7, "measure")

    @cached_property
    def triangles(self) -> NDArray[np.int64]:
        """Return in how many triangles each node is."""
        self._tell(1)
        return structure_kernels.count_triangles(self.network.offsets, self.network.neighbors)

    @cached_property
    def clustering(self) -> float:
        """Return the mean share of a node's pairs of neighbors that are linked (0 below two)."""
        degrees = self.network.degrees.astype(np.float64)
        pairs = degrees * (degrees - 1) / 2
        shares = np.divide(self.triangles, pairs, out=np.zeros_like(pairs), where=pairs > 0)
        return float(shares.mean()) if len(shares) else 0.0

    @cached_property
    def transitivity(self) -> float:
        """Return the share of all paths of two links that are closed."""
        degrees = self.network.degrees.astype(np.int64)
        paths = int((degrees * (degrees - 1) // 2).sum())
        return int(self.triangles.sum()) / paths if paths else 0.0

    @cached_property
    def components(self) -> NDArray[np.int64]:
        """Return the sizes of the connected parts, largest first."""
        self._tell(2)
        parts = structure_kernels.find_components(self.network.offsets, self.network.neighbors)
        return np.sort(np.bincount(parts))[::-1] if len(parts) else np.zeros(0, np.int64)

    @cached_property
    def path_lengths(self) -> NDArray[np.int64]:
        """Return the number of pairs at each distance, starting from sampled nodes."""
        self._tell(3)
        linked = np.flatnonzero(self.network.degrees)
        if not len(linked):
            return np.zeros(1, np.int64)
        step = max(len(linked) // self._path_sources, 1)
        by_degree = linked[np.argsort(-self.network.degrees[linked], kind="stable")]
        sources = by_degree[::step][: self._path_sources].astype(np.int32)
        counts = np.zeros(self.network.nodes + 1, np.int64)
        for source in sources.tolist():
            self._tell(3)
            structure_kernels.count_distances(
                self.network.offsets, self.network.neighbors, source, counts
            )
        return np.trim_zeros(counts, "b")

    @property
    def _path_sources(self) -> int:
        return PATH_SOURCES if self.network.nodes <= LARGE else PATH_SOURCES // 4

    @cached_property
    def mean_path(self) -> float:
        lengths = self.path_lengths
        reached = int(lengths[1:].sum())
        return float((np.arange(len(lengths)) * lengths).sum() / reached) if reached else 0.0

    @cached_property
    def spectrum(self) -> list[float]:
        """Return the largest eigenvalues of the links, falling."""
        self._tell(4)
        if self.network.edges > MOST_LINKS_FOR_SPECTRUM:
            return []
        if self.network.nodes < SMALLEST_FOR_SPECTRUM or not self.network.edges:
            return self._small_spectrum()
        from scipy.sparse import csr_array
        from scipy.sparse.linalg import eigsh

        links = np.ones(len(self.network.neighbors))
        matrix = csr_array(
            (links, self.network.neighbors, self.network.offsets),
            shape=(self.network.nodes, self.network.nodes),
        )
        start = np.ones(self.network.nodes) / np.sqrt(self.network.nodes)
        values = eigsh(
            matrix, EIGENVALUES, which="LA", v0=start, tol=1e-4, return_eigenvectors=False
        )
        return sorted(map(float, values), reverse=True)

    def _small_spectrum(self) -> list[float]:
        matrix = np.zeros((self.network.nodes, self.network.nodes))
        first, second = self.network.pairs.T
        matrix[first, second] = matrix[second, first] = 1
        values = np.linalg.eigvalsh(matrix)[::-1] if self.network.nodes else np.zeros(0)
        return [float(value) for value in values[:EIGENVALUES]]

    @cached_property
    def communities(self) -> NDArray[np.int32]:
        """Return a community per node by label propagation.

        U. N. Raghavan et al., Near linear time algorithm to detect community structures, 2007; the
        turns are the same every time, so the answer is too.
        """
        self._tell(5)
        order = np.random.default_rng(0).permutation(self.network.nodes).astype(np.int32)
        labels = np.arange(self.network.nodes, dtype=np.int32)
        for _ in range(COMMUNITY_ROUNDS):
            self._tell(5)
            changed = structure_kernels.join_friends(
                self.network.offsets, self.network.neighbors, order, labels
            )
            if changed * 1000 <= self.network.nodes:
                break
        _, numbers = np.unique(labels, return_inverse=True)
        return numbers.astype(np.int32).reshape(-1)

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """Return the share of a random walk spent at each node (PageRank)."""
        self._tell(6)
        nodes = self.network.nodes
        rank = np.full(nodes, 1 / max(nodes, 1))
        for _ in range(RANK_STEPS):
            rank = structure_kernels.walk_on(
                self.network.offsets, self.network.neighbors, rank, DAMPING
            )
        return rank

    def describe(self) -> StructureFigures:
        degrees, nodes = self.network.degrees, self.network.nodes
        parts = self.components
        return StructureFigures(
            mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
            largest_degree=int(degrees.max(initial=0)),
            density=_share(self.network.edges, nodes * (nodes - 1) / 2),
            clustering=self.clustering,
            transitivity=self.transitivity,
            triangles=int(self.triangles.sum()) // 3,
            components=len(parts),
            largest_component=_share(int(parts[0]) if len(parts) else 0, nodes),
            mean_path=self.mean_path,
            longest_path_seen=max(len(self.path_lengths) - 1, 0),
            path_sources=min(self._path_sources, int((degrees > 0).sum())),
            eigenvalues=tuple(self.spectrum),
            communities=int(self.communities.max(initial=-1)) + 1,
        )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
