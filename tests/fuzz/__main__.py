"""python -m tests.fuzz [--inputs N] [--start N] [READER …]: give damaged files to every reader.

Two readers are at work at a time. A fault is named by reader and number; with `--start NUMBER
--inputs 1 READER` the same file is made again.
"""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor

from deid_portal.engine.files import isolated_reader
from tests.fuzz.readers import READERS
from tests.fuzz.running import Findings, fuzz

SIDE_BY_SIDE = 2
MOST_SHOWN = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument("--inputs", type=int, default=10_000, help="damaged files per reader")
    parser.add_argument("--start", type=int, default=0, help="the number of the first")
    parser.add_argument("--json", action="store_true", help="print the faults per reader as JSON")
    options = parser.parse_args()
    names = options.readers or list(READERS)
    numbers = range(options.start, options.start + options.inputs)
    found: dict[str, Findings] = {}
    isolated_reader.start_nursery(is_shared=True)
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        jobs = {name: pool.submit(fuzz, name, numbers) for name in names}
        for name, job in jobs.items():
            found[name] = job.result()
            if not options.json:
                say(name, len(numbers), found[name])
    if options.json:
        sys.stdout.write(
            json.dumps({name: list(map(str, own.faults)) for name, own in found.items()})
        )
    return 1 if any(own.faults for own in found.values()) else 0


def say(name: str, inputs: int, found: Findings) -> None:
    dead = f"; {found.broke_off:,} killed a reader that may die" if found.broke_off else ""
    shown = [f"  {fault}\n" for fault in found.faults[:MOST_SHOWN]]
    sys.stdout.write(f"{name}: {inputs:,} files, {len(found.faults):,} faults{dead}\n")
    sys.stdout.writelines(shown)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
