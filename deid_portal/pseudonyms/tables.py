"""The file from pseudonyms to originals: written once, searched for one pseudonym at a time.

What must never happen: the whole file is shown, held in memory, or outlives its table. So no
function returns more than one person. It has a line per pseudonym, in order of writing; a search
reads block by block and compares bytes, which takes half a second for millions of lines.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from deid_portal.vault import vault

BLOCK_BYTES = 4 << 20


@dataclass(frozen=True, repr=False)  # an original must not be printed by accident
class Person:
    column: str
    original: str


def write_ways_back(file: str, ways: Iterable[tuple[str, str, str]]) -> int:
    """Write pseudonym, column and original of each; returns how many there are."""
    count = 0
    with vault.VaultWriter(file) as writer:
        writer.write(b"\n")
        for pseudonym, column, original in ways:
            text = json.dumps([column, original], ensure_ascii=True)
            writer.write(f"{pseudonym} {text}\n".encode())
            count += 1
    return count


def find_pseudonymized_people(file: str, pseudonym: str) -> list[Person]:
    """Return the person behind a pseudonym, once per column with the pseudonym."""
    wanted = f"\n{pseudonym} ".encode()
    found: list[Person] = []
    with vault.open_reader(file) as stream:
        rest = b""
        while block := stream.read(BLOCK_BYTES):
            lines, end, rest = (rest + block).rpartition(b"\n")
            found += _people_in(lines + end, wanted)
            rest = end + rest
    return found


def _people_in(lines: bytes, wanted: bytes) -> list[Person]:
    found = []
    place = lines.find(wanted)
    while place >= 0:
        start = place + len(wanted)
        end = lines.index(b"\n", start)
        found.append(Person(*json.loads(lines[start:end])))
        place = lines.find(wanted, end)
    return found
