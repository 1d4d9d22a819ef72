"""How fast networks are protected: `python -m tests.benchmarks.networks [--quick]`.

CPU seconds of one process per size, kernels warm, on random networks that grow by preferential
attachment (five links per newcomer, one in ten at random). Every size has a process of its own, so
that its peak of memory is its own. Beside them: how near public networks come to the least cost,
how often the active attack succeeds against each method, and odd files. `--quick` leaves the
largest and these out. The answer is printed and kept in `tests/benchmarks/results/networks.md`.
"""

import argparse
import io
import json
import lzma
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, TypeVar

import numba
import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.networks import Network
from deid_portal.engine.networks.attacks.active import (
    attempt,
    count_attackers,
    plant_fakes,
    plant_many,
    summarize_attempts,
)
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.files.graphml import read_graphml, write_graphml
from deid_portal.engine.networks.files.reader import read_network
from deid_portal.engine.networks.knowledge.knowledge import Knowledge, partition_nodes
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.networks.structure.comparison import compare_links
from deid_portal.engine.networks.warm_up import warm_up_networks
from deid_portal.engine.progress import Progress

RESULTS = Path(__file__).parent / "results" / "networks.md"
SIZES = (10_000, 100_000, 1_000_000)
LINKS = 5
AT_RANDOM = 0.1
REPEATED_LINES = 10_000_000
GRAPHML_NODES = 200_000
ATTACKED_NODES = 100_000
ATTEMPTS = 100
ATTACKED = {
    "none": {"name": "none"},
    "k-degree, additions": {"name": "k-degree", "k": 10},
    "k-degree, deletions too": {"name": "k-degree", "k": 10, "changes": "additions-deletions"},
    "k-neighbourhood": {"name": "k-neighbourhood", "k": 5},
    "random links (0.1)": {"name": "random-links", "share": 0.1},
    "noise graph (0.1)": {"name": "noise-graph", "share": 0.1},
    "k-grouping": {"name": "k-grouping", "k": 10, "effort": 5},
}
PUBLIC = Path(__file__).parent.parent / "data" / "networks"
PUBLIC_K = {"ca-GrQc": (2, 5, 10, 25), "ego-Facebook": (5, 10), "wiki-Vote": (5, 10)}
SLOW = ("k-neighbourhood (5)", "k-grouping (10), effort 5", "private degrees (links)")
LARGEST_FOR_SLOW = 100_000
AIMS = {"k-degree (10)": "60 s, 4 GB", "risk by neighborhood": "120 s", "active attack": "seconds"}
T = TypeVar("T")


@numba.njit  # type: ignore[untyped-decorator]
def attach(nodes: int, chances: Any) -> Any:
    """Link every newcomer with ends of earlier links, so that who has many gets more."""
    links = chances.shape[1] // 2
    ends = np.empty(2 * nodes * links, np.int32)
    filled = 0
    for node in range(1, nodes):
        for index in range(links):
            other = np.int64(chances[node, links + index] * node)
            if filled and chances[node, links + index] >= AT_RANDOM:
                other = ends[np.int64(chances[node, index] * filled)]
            ends[filled] = node
            ends[filled + 1] = other
            filled += 2
    return ends[:filled]


def grow(nodes: int) -> Network:
    chances = np.random.default_rng(1).random((nodes, 2 * LINKS))
    return Network.from_pairs(nodes, attach(nodes, chances).reshape(-1, 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the largest")
    parser.add_argument("--nodes", type=int, help=argparse.SUPPRESS)
    for name in OTHERS:
        parser.add_argument(f"--{name}", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    asked = [name for name in OTHERS if getattr(options, name)]
    if options.nodes:
        print(json.dumps(measure(options.nodes)))  # noqa: T201
    elif asked:
        print(json.dumps(OTHERS[asked[0]](getattr(options, asked[0]))))  # noqa: T201
    else:
        report(SIZES[:2] if options.quick else SIZES, keep=not options.quick)


def report(sizes: tuple[int, ...], keep: bool) -> None:
    answers = {nodes: ask("--nodes", nodes) for nodes in sizes}
    lines = write_up(answers)
    if keep:
        lines += public_lines(ask("--public", 1))
        lines += attack_lines(ask("--attacked", ATTACKED_NODES))
        lines += repeated_lines(ask("--repeated", REPEATED_LINES))
        lines += graphml_lines(ask("--graphml", GRAPHML_NODES))
        RESULTS.write_text("\n".join([*lines, ""]), encoding="utf-8")
    print("\n".join(lines))  # noqa: T201


def ask(option: str, number: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.networks", option, str(number)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def measure(nodes: int) -> dict[str, Any]:
    warm_up_networks()
    network = grow(nodes)
    silent = Progress(None)
    parts: dict[str, Callable[[], object]] = {
        "risk by degree": lambda: partition_nodes(network, Knowledge.DEGREE, silent),
        "risk by neighbor degrees": lambda: partition_nodes(
            network, Knowledge.NEIGHBOR_DEGREES, silent
        ),
        "risk by neighborhood": lambda: partition_nodes(network, Knowledge.NEIGHBORHOOD, silent),
        "k-degree (10)": lambda: apply(network, "k-degree", 10),
        "k-degree (10), deletions too": lambda: apply(
            network, "k-degree", 10, "additions-deletions"
        ),
        "k-degree (10), greedy": lambda: apply(network, "k-degree", 10, "additions", "greedy"),
        "k-degree (10), supergraph": lambda: apply(
            network, "k-degree", 10, "additions", "optimal", "supergraph"
        ),
        "k-neighbourhood (5)": lambda: apply(network, "k-neighbourhood", 5),
        "k-grouping (10), effort 5": lambda: apply(network, "k-grouping", 10, 5),
        "noise graph (0.1)": lambda: apply(network, "noise-graph", 0.1),
        "private degrees (links)": lambda: apply(network, "private-degrees", 1.0),
        "active attack": lambda: attack(network),
    }
    before = peak_megabytes()
    seconds, remarks = {}, {}
    for name, work in parts.items():
        if nodes > LARGEST_FOR_SLOW and name in SLOW:
            continue
        started, clock = process_time(), perf_counter()
        answer = work()
        seconds[name] = process_time() - started
        remarks[name] = answer if isinstance(answer, str) else ""
        remarks[name] += f" {perf_counter() - clock:.1f} s on the clock"
    return {
        "links": network.edges,
        "largest": int(network.degrees.max()),
        "seconds": seconds,
        "remarks": remarks,
        "peak_before": before,
        "peak": peak_megabytes(),
    }


def apply(network: Network, name: str, *parameters: object) -> str:
    method = NETWORK_METHODS[name](*parameters)
    draft = NetworkDraft.start(network, {}, {})
    step = method.apply(draft, np.random.default_rng(1), Progress(None)).steps[-1]
    return (
        f"{step['degrees_changed_by']:,} changed, least {step['least']:,};"
        if "least" in step
        else ""
    )


def attack(network: Network) -> str:
    attempts = []
    for seed in range(5):
        plant = plant_fakes(network, np.random.default_rng(seed))
        order = np.random.default_rng(9).permutation(plant.network.nodes).astype(np.int32)
        attempts.append(attempt(plant, plant.network.renumbered(order), order))
    told = summarize_attempts(attempts)
    return f"planted {len(plant.fakes)}, found in {told.success:.0%} of 5;"


def read_public(name: str) -> Network:
    with lzma.open(PUBLIC / f"{name}.txt.xz") as stream:
        return read_network(io.BytesIO(stream.read()))


def measure_public(_: int) -> dict[str, Any]:
    """Return what degrees and neighborhoods of the public networks cost."""
    warm_up_networks()
    degrees, neighborhoods = [], []
    for name, some in PUBLIC_K.items():
        network = read_public(name)
        for k in some:
            degrees.append({"network": name, "k": k, **measure_degrees(network, k)})
        for changes in (
            ("additions-deletions", "additions") if name == "ca-GrQc" else ("additions-deletions",)
        ):
            started = process_time()
            changed, step = protect(network, "k-neighbourhood", 5, changes)
            links = compare_links(network, changed)
            neighborhoods.append({
                "network": name, "changes": changes, "left": step["left"],
                "rounds": step["rounds"], "added": len(links.added),
                "removed": len(links.removed), "links": network.edges,
                "seconds": process_time() - started,
            })  # fmt: skip
    return {"degrees": degrees, "neighborhoods": neighborhoods}


def measure_degrees(network: Network, k: int) -> dict[str, Any]:
    """Return the least cost and what came of it: exact degrees, both ways, and a supergraph."""
    _, exact = protect(network, "k-degree", k)
    _, both = protect(network, "k-degree", k, "additions-deletions")
    _, grown = protect(network, "k-degree", k, "additions", "optimal", "supergraph")
    return {"exact": exact, "both": both, "supergraph": grown}


def protect(network: Network, name: str, *parameters: object) -> tuple[Network, dict[str, Any]]:
    method = NETWORK_METHODS[name](*parameters)
    draft = NetworkDraft.start(network, {}, {})
    draft = method.apply(draft, np.random.default_rng(1), Progress(None))
    return draft.network, dict(draft.steps[-1]) if draft.steps else {}


def measure_attacked(nodes: int) -> dict[str, Any]:
    """Return how often planted people are found again, by method; many attackers per release."""
    warm_up_networks()
    network = grow(nodes)
    found = {}
    for name, document in ATTACKED.items():
        started = process_time()
        attempts = []
        for release in range(-(-ATTEMPTS // count_attackers(nodes))):
            attackers = min(count_attackers(nodes), ATTEMPTS - len(attempts))
            plants = plant_many(network, attackers, np.random.default_rng(release))
            method = NETWORK_METHODS[document["name"]].parse(Place(document))
            draft = NetworkDraft.start(plants[0].network, {}, {})
            draft = method.apply(draft, np.random.default_rng(release), Progress(None))
            attempts += [attempt(plant, draft.network, draft.rows) for plant in plants]
        told = summarize_attempts(attempts).to_document()
        found[name] = {**told, "seconds": process_time() - started}
    return {"nodes": nodes, "at_once": count_attackers(nodes), "found": found}


def measure_graphml(nodes: int) -> dict[str, Any]:
    warm_up_networks()
    network = grow(nodes)
    content = b"".join(write_graphml(network))
    before, started = peak_megabytes(), process_time()
    read = read_graphml(content)
    seconds = process_time() - started
    return {
        "links": read.edges,
        "megabytes": len(content) >> 20,
        "seconds": seconds,
        "peak_before": before,
        "peak": peak_megabytes(),
    }


def measure_repeated(lines: int) -> dict[str, Any]:
    warm_up_networks()
    content = io.BytesIO(b"12345,67890\n" * lines)
    before, started = peak_megabytes(), process_time()
    network = read_network(content)
    seconds = process_time() - started
    found = network.intake.repeated
    return {"seconds": seconds, "repeated": found, "peak_before": before, "peak": peak_megabytes()}


OTHERS: dict[str, Callable[[int], dict[str, Any]]] = {
    "repeated": measure_repeated,
    "public": measure_public,
    "attacked": measure_attacked,
    "graphml": measure_graphml,
}


def peak_megabytes() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def write_up(answers: dict[int, dict[str, Any]]) -> list[str]:
    sizes = list(answers)
    last = answers[sizes[-1]]
    heads = [f"{nodes:,} nodes" for nodes in sizes]
    lines = [
        "# Networks, measured",
        "",
        "`python -m tests.benchmarks.networks` wrote this. CPU seconds of one process per size,",
        "both cores together where a loop uses them; growth is the last size over the one before.",
        "",
        f"Machine: {describe_machine()}.",
        "",
        f"| case | {' | '.join(heads)} | growth | aim | remark on the largest |",
        f"|---|{'---|' * (len(sizes) + 3)}",
    ]
    for name in answers[sizes[0]]["seconds"]:
        seconds = [a["seconds"][name] for a in answers.values() if name in a["seconds"]]
        growth = f"{seconds[-1] / max(seconds[-2], 1e-3):.1f}"
        shown = " | ".join([*(f"{own:.2f}" for own in seconds), "–"][: len(sizes)])
        remark = last["remarks"].get(name, "not measured at this size").strip()
        lines.append(f"| {name} | {shown} | {growth} | {AIMS.get(name, '')} | {remark} |")
    links = " | ".join(f"{answers[nodes]['links']:,}" for nodes in sizes)
    peaks = " | ".join(f"{answers[nodes]['peak']:,} MB" for nodes in sizes)
    lines.append(f"| links | {links} | | | largest degree {last['largest']:,} |")
    lines.append(
        f"| peak memory | {peaks} | | 4 GB | {last['peak_before']:,} MB with the network |"
    )
    return lines


def public_lines(answer: dict[str, Any]) -> list[str]:
    lines = [
        "",
        "## Least cost and what is reached",
        "",
        "k-degree on the public networks. *Least* is the optimum of the degree sequence, with",
        "additions only and with deletions; beside each, what the release changed. A supergraph",
        "keeps every link, and *bound* is the least that any supergraph can change.",
        "",
        "| network | k | least | degrees | least, deletions | both ways | supergraph | ratio "
        "| bound | ratio to it |",
        f"|---|{'---|' * 9}",
    ]
    for own in answer["degrees"]:
        exact, both, grown = own["exact"], own["both"], own["supergraph"]
        lines.append(
            f"| {own['network']} | {own['k']} | {exact['least']:,} "
            f"| {exact['degrees_changed_by']:,} | {both['least']:,} "
            f"| {both['degrees_changed_by']:,} | {grown['degrees_changed_by']:,} "
            f"| {grown['ratio']:.3f} | {grown['least_by_adding']:,} "
            f"| {grown['ratio_by_adding']:.3f} |"
        )
    lines += [
        "",
        "k-neighbourhood with k = 5:",
        "",
        "| network | changes | links | added | removed | people left | rounds | CPU seconds |",
        f"|---|{'---|' * 7}",
    ]
    for own in answer["neighborhoods"]:
        lines.append(
            f"| {own['network']} | {own['changes']} | {own['links']:,} | {own['added']:,} "
            f"| {own['removed']:,} | {own['left']:,} | {own['rounds']} | {own['seconds']:.1f} |"
        )
    return lines


def attack_lines(answer: dict[str, Any]) -> list[str]:
    lines = [
        "",
        "## The active attack, before and after",
        "",
        f"{answer['nodes']:,} people; {ATTEMPTS} attackers per method, {answer['at_once']} in one"
        " release. Intervals are exact (Clopper and Pearson), 95 %.",
        "",
        "| method | found | interval | targets found | links between targets read | CPU seconds |",
        f"|---|{'---|' * 5}",
    ]
    for name, own in answer["found"].items():
        low, high = own["interval"]
        lines.append(
            f"| {name} | {own['success']:.0%} | {low:.1%} to {high:.1%} "
            f"| {own['targets']['share']:.0%} | {own['links_read']['share']:.0%} "
            f"| {own['seconds']:.1f} |"
        )
    return lines


def graphml_lines(answer: dict[str, Any]) -> list[str]:
    return [
        "",
        f"GraphML with {answer['links']:,} links ({answer['megabytes']} MB): read in "
        f"{answer['seconds']:.1f} CPU seconds, peak {answer['peak']:,} MB "
        f"({answer['peak_before']:,} MB of them before).",
    ]


def repeated_lines(answer: dict[str, Any]) -> list[str]:
    return [
        "",
        f"One link named {REPEATED_LINES:,} times: read in {answer['seconds']:.1f} CPU seconds, "
        f"peak {answer['peak']:,} MB ({answer['peak_before']:,} MB of them before), "
        f"{answer['repeated']:,} repeats counted.",
    ]


def describe_machine() -> str:
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores, load {load:.1f} meanwhile (others were at work), Python "
        f"{platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    )


if __name__ == "__main__":
    main()
