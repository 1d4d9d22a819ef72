"""The plain links of a GraphML file, extracted in bulk.

Most of a GraphML file are links, and nearly all of them are written the same way. They are found by
a regular expression and numbered by column; the small rest goes through an XML parser. A file in
which such text may mean something else (comments, CDATA sections, processing instructions, other
encodings) is left to the parser as a whole.
"""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.progress import Progress

BLOCK = 1 << 23
LINK = re.compile(
    rb"""<edge(?:\s+id="[^"<&]*")?"""
    rb"""\s+source="([^"<&\x00-\x1f]+)"\s+target="([^"<&\x00-\x1f]+)"\s*"""
    rb"""(?:/>|>(?:\s*<data\s+key="[^"<&]*"\s*>[^<&]*</data\s*>)*\s*</edge\s*>)"""
)
DECLARATION = re.compile(rb"""\s*<\?xml[^?>]*?(?:encoding\s*=\s*["']([\w.-]+)["'][^?>]*)?\?>""")
PLAIN_ENCODINGS = (None, b"utf-8", b"us-ascii", b"ascii")
ELSEWHERE = (b"<!", b"<?", b"\x00")
MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class PlainLinks:
    """Ids of nodes, and the links between them by place in that list."""

    ids: tuple[str, ...]
    pairs: NDArray[np.int32]  # link × its two ends


def take_plain_links(content: bytes, progress: Progress) -> tuple[bytes, PlainLinks] | None:
    """Return the file without its plain links, and these; None if a pattern is not safe for it."""
    body = content.removeprefix(MARK)
    declared = DECLARATION.match(body)
    encoding = declared.group(1) if declared else None
    start = declared.end() if declared else 0
    if (encoding and encoding.lower()) not in PLAIN_ENCODINGS:
        return None
    if any(body.find(sign, start) >= 0 for sign in ELSEWHERE):
        return None
    kept = [body[:start]]
    sources: list[pa.Array] = []
    targets: list[pa.Array] = []
    while start < len(body):
        progress.report(start, len(body), "read")
        end = _end_of_block(body, start)
        pieces = LINK.split(body[start:end])  # text, source, target, text, …
        kept += pieces[::3]
        sources.append(pa.array(pieces[1::3], pa.binary()))
        targets.append(pa.array(pieces[2::3], pa.binary()))
        start = end
    return b"".join(kept), _number(sources, targets)


def _end_of_block(body: bytes, start: int) -> int:
    """Return where a block ends: before a link, so that no link is cut."""
    if start + BLOCK >= len(body):
        return len(body)
    end = body.rfind(b"<edge", start + 1, start + BLOCK)
    return end if end > start else len(body)


def _number(sources: list[pa.Array], targets: list[pa.Array]) -> PlainLinks:
    """Number the ids, in order of appearance."""
    whole = pa.chunked_array([*sources, *targets], pa.binary())
    coded = whole.combine_chunks().dictionary_encode()
    try:
        ids = tuple(coded.dictionary.cast(pa.string()).to_pylist())
    except pa.ArrowInvalid:
        raise InvalidTable("The file is in an encoding that is not known; use UTF-8.") from None
    ends = coded.indices.to_numpy().astype(np.int32)
    return PlainLinks(ids, ends.reshape(2, -1).T)
