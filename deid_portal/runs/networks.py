"""Runs of networks: open the network, protect it, store the release as one archive."""

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import IO, Any, BinaryIO, cast

from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.networks import Network, NetworkOutcome, NetworkPlan, protect_network
from deid_portal.engine.networks.files.writer import write_edges, write_network_graphml, write_nodes
from deid_portal.engine.networks.network import Nodes
from deid_portal.engine.networks.structure.layout import draw_beside, lay_out_network
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.publication import Publication
from deid_portal.engine.report.network import GroupsBeside, LinksBeside
from deid_portal.networks.selectors import open_network
from deid_portal.runs.chance import secret_of
from deid_portal.runs.models import Run
from deid_portal.runs.origins import keep_network_origins
from deid_portal.runs.stored_releases import StoredRelease
from deid_portal.vault import vault
from deid_portal.work.leases import Lease

LARGEST_DRAWN_BESIDE = 200_000  # people; drawing repeats the search for communities
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
    return plan, _with_drawings(network, outcome)


def _with_drawings(network: Network, outcome: NetworkOutcome) -> NetworkOutcome:
    """Add drawings to a report: one of the release and, for internal use, one of before and after.

    The first shows only what is in the release.
    """
    released, told = outcome.released, outcome.report.network
    if released is None or told is None:
        return outcome
    beside = _draw_both(network, released, outcome.rows)
    return replace(
        outcome,
        report=replace(
            outcome.report, network=replace(told, drawing=lay_out_network(released).drawing)
        ),
        details=replace(outcome.details, beside=beside),
    )


def _draw_both(
    network: Network, released: Network, rows: Nodes | None
) -> LinksBeside | GroupsBeside | None:
    """Draw before and after with the same layout, if both have the same nodes."""
    if rows is None or network.nodes > LARGEST_DRAWN_BESIDE:
        return None
    if len(rows) == network.nodes and int(rows.min()) >= 0:
        return draw_beside(network, released, rows)
    return None


def store_network(
    lease: Lease[Run], plan: NetworkPlan, outcome: NetworkOutcome
) -> StoredRelease | None:
    if outcome.released is None:
        return None
    with vault.VaultWriter(lease.work.release_file) as writer:
        write_archive(outcome, cast(BinaryIO, writer))
        lease.check()
    keep_network_origins(lease.work, outcome.rows)
    return StoredRelease(
        output_sha256=writer.sha256,
        output_bytes=writer.size,
        published=Publication(publish_network_plan(plan)),
    )


def write_archive(outcome: NetworkOutcome, stream: BinaryIO) -> None:
    """Write the released files, with a fixed order and fixed times."""
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
    """Return the published plan: without taxonomies, which name values not in the release."""
    document = plan.to_document()
    document["columns"] = {
        name: {key: value for key, value in column.items() if key != "taxonomy"}
        for name, column in document["columns"].items()
    }
    document["network"].pop("id", None)
    document.pop("seed", None)
    return document


def network_plan_without_values(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return roles and rules only; taxonomies of the node table name values."""
    kept = ("role", "type", "treatment", "weight")
    columns = {
        name: {key: own[key] for key in kept if key in own}
        for name, own in plan.get("columns", {}).items()
    }
    return {**plan, "columns": columns}
