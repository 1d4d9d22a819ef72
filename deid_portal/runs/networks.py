"""What a run of a network does: open it, protect it, keep what may leave as one archive."""

import zipfile
from collections.abc import Callable
from typing import IO, Any, BinaryIO, cast

from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.networks import Network, NetworkOutcome, NetworkPlan, protect_network
from deid_portal.engine.networks.layout import draw, draw_beside
from deid_portal.engine.networks.writer import write_edges, write_network_graphml, write_nodes
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.publication import Publication
from deid_portal.networks.selectors import open_network
from deid_portal.runs.chance import secret_of
from deid_portal.runs.models import Run
from deid_portal.runs.origins import keep_network_origins
from deid_portal.vault import vault
from deid_portal.work.leases import Lease

LARGEST_DRAWN_BESIDE = 200_000  # people; drawing means looking for communities once more
LONG_AGO = (1980, 1, 1, 0, 0, 0)
WRITERS: dict[str, Callable[[Network, BinaryIO], None]] = {
    "edges.csv": write_edges,
    "network.graphml": write_network_graphml,
    "nodes.csv": write_nodes,
}


def protect_network_of(run: Run, watch: ProgressCallback) -> tuple[NetworkPlan, NetworkOutcome]:
    watch(0, 1, "read")
    plan = run.frozen_network_plan()
    network = open_network(run.dataset, watch)
    outcome = protect_network(network, plan, watch, secret=secret_of(run))
    watch(0, 1, "store")
    _draw_both(network, outcome)
    return plan, outcome


def _draw_both(network: Network, outcome: NetworkOutcome) -> None:
    """Draw before and after at the same places, where every node stands for somebody."""
    released, rows = outcome.released, outcome.rows
    if released is None or rows is None or network.nodes > LARGEST_DRAWN_BESIDE:
        return
    if len(rows) == network.nodes and int(rows.min()) >= 0:
        outcome.details["beside"] = draw_beside(network, released, rows)


def store_network(lease: Lease[Run], plan: NetworkPlan, outcome: NetworkOutcome) -> dict[str, Any]:
    if outcome.released is None:
        return {}
    # A drawing of what leaves, for the report; it shows no more than the release does.
    outcome.report["network"]["drawing"] = draw(outcome.released).to_document()
    with vault.VaultWriter(lease.work.release_file) as writer:
        write_archive(outcome, cast(BinaryIO, writer))
        lease.check()
    keep_network_origins(lease.work, outcome.rows)
    return {
        "output_sha256": writer.sha256,
        "output_bytes": writer.size,
        "published": Publication(publish_network_plan(plan)).to_document(),
    }


def write_archive(outcome: NetworkOutcome, stream: BinaryIO) -> None:
    """Write everything that leaves, always in the same order and with the same times."""
    network = outcome.released
    if network is None:
        raise ValueError("Without a solution nothing leaves.")
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, write in WRITERS.items():
            with _entry(archive, name) as entry:
                write(network, cast(BinaryIO, entry))
        for name, table in sorted(outcome.tables.items()):
            with _entry(archive, f"{name}.csv") as entry:
                write_csv(table, cast(BinaryIO, entry))


def _entry(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return archive.open(entry, "w", force_zip64=True)


def publish_network_plan(plan: NetworkPlan) -> dict[str, Any]:
    """Return the plan as it may leave: taxonomies name values that the release does not show."""
    document = plan.to_document()
    document["columns"] = {
        name: {key: value for key, value in column.items() if key != "taxonomy"}
        for name, column in document["columns"].items()
    }
    document["network"].pop("id", None)
    document.pop("seed", None)
    return document
