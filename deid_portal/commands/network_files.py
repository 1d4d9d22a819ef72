"""The engine's commands for networks: files in, files out."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from django.core.management.base import BaseCommand

from deid_portal.commands.files import (
    NO_CHOICE,
    prepare_folder,
    read_given_table,
    write_charts,
    write_report,
    write_whole,
)
from deid_portal.commands.seed_confirmation import confirm_seed
from deid_portal.engine import InvalidPlan
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.networks import (
    Network,
    NetworkOutcome,
    NetworkPlan,
    assess_network,
    load_network_plan,
    protect_network,
)
from deid_portal.engine.networks.files.reader import NetworkFormat, detect_network, read_network
from deid_portal.engine.networks.files.writer import write_edges, write_network_graphml, write_nodes
from deid_portal.engine.networks.questions.answer import (
    answer_network_plan,
    load_network_query_plan,
)
from deid_portal.engine.networks.structure.layout import lay_out_network
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.report import Report

RELEASED = ("release.edges.csv", "release.graphml", "nodes.csv")
TABLES = ("groups.csv", "group-links.csv", "degrees.csv")


def protect_files(
    options: dict[str, Any], progress: ProgressCallback | None, command: BaseCommand
) -> bool:
    """Protect a network; say whether there is a release."""
    plan = _read_plan(options)
    is_repeatable = confirm_seed(plan, options["repeatable"])
    network = _read_network(options, plan.directed, plan.id_column, command)
    outcome = protect_network(network, plan, progress, is_repeatable=is_repeatable)
    write_outcome(outcome, options["out"])
    is_wanted = options["charts"]
    report = _with_drawing(outcome) if is_wanted else outcome.report
    write_charts(report, options["out"], is_wanted=is_wanted)
    return outcome.solution


def _with_drawing(outcome: NetworkOutcome) -> Report:
    """Add a drawing of what leaves to the report, for its chart; it takes its time."""
    report, network = outcome.report, outcome.report.network
    if outcome.released is None or network is None:
        return report
    return replace(
        report, network=replace(network, drawing=lay_out_network(outcome.released).drawing)
    )


def assess_files(
    options: dict[str, Any], progress: ProgressCallback | None, command: BaseCommand
) -> bool:
    """Print a report of a network, or of a release made from it."""
    plan = _read_plan(options)
    network = _read_network(options, plan.directed, plan.id_column, command)
    released = options["released"] and read_network(options["released"], directed=plan.directed)
    report = assess_network(network, plan, released or None, progress=progress)
    command.stdout.write(json.dumps(report.to_document(), indent=2, ensure_ascii=False) + "\n")
    return True


def answer_files(
    options: dict[str, Any], progress: ProgressCallback | None, command: BaseCommand
) -> bool:
    """Answer the questions of a plan about a network."""
    plan = load_network_query_plan(options["plan"])
    network = _read_network(options, plan.directed, plan.id_column, command)
    prepare_folder(options["out"])
    report = answer_network_plan(network, plan, progress)
    write_report(report, options["out"], cast(TextIO, command.stdout))
    return True


def _read_plan(options: dict[str, Any]) -> NetworkPlan:
    plan = load_network_plan(options["plan"])
    if plan is None:
        raise InvalidPlan(f'There is no readable plan at "{options["plan"]}".')
    return plan


def _read_network(
    options: dict[str, Any], directed: bool, id_column: str | None, command: BaseCommand
) -> Network:
    nodes = None
    if options["nodes"] is not None:
        nodes, _ = read_given_table(
            options["nodes"], {**NO_CHOICE, "limit_mb": options["limit_mb"]}
        )
    form = _find_format(options, command)
    return read_network(options["table"], form, directed=directed, nodes=nodes, id_column=id_column)


def _find_format(options: dict[str, Any], command: BaseCommand) -> NetworkFormat:
    """Look how the links are written, but for what the options say; say what is only a guess."""
    found = detect_network(options["table"])
    if options.get("header"):
        return found.format.with_header(options["header"] == "yes")
    if found.header is not None and not found.header.is_sure:
        other = "no" if found.header.is_there else "yes"
        command.stderr.write(f"{found.header.sentence} If it is not, say --header {other}.")
    return found.format


def write_outcome(outcome: NetworkOutcome, folder: Path) -> None:
    """Write the report and what is released, each whole or not at all; what is old goes."""
    folder.mkdir(parents=True, exist_ok=True)
    files = files_of_release(outcome)
    for name in {*RELEASED, *TABLES} - set(files):
        (folder / name).unlink(missing_ok=True)
    for name, write in files.items():
        write_whole(folder / name, write)
    text = json.dumps(outcome.report.to_document(), indent=2, ensure_ascii=False) + "\n"
    write_whole(folder / "report.json", lambda stream: stream.write(text.encode()))


def files_of_release(outcome: NetworkOutcome) -> dict[str, Callable[[BinaryIO], object]]:
    """Return every file of a release with how to write it."""
    released = outcome.released
    if released is None:
        return {}
    files: dict[str, Callable[[BinaryIO], object]] = {
        "release.edges.csv": lambda stream: write_edges(released, stream),
        "release.graphml": lambda stream: write_network_graphml(released, stream),
        "nodes.csv": lambda stream: write_nodes(released, stream),
    }
    for name, table in outcome.tables.items():
        files[f"{name}.csv"] = lambda stream, table=table: write_csv(table, stream)  # type: ignore[misc]
    return files
