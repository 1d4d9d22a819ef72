"""The release package: one zip with rows, report, plan and the fingerprints of them all.

What must never happen: a package with rows that nobody approved, or with a value the release does
not show. The rows' hash is compared with the approved one before the first byte leaves; plan and
taxonomies are the published ones (`engine/publishing.py`).
The same release always gives the same bytes: fixed times, fixed order.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.text import slugify

from deid_portal.common import vault
from deid_portal.engine.publishing import publish_report
from deid_portal.releases.models import Release

PIECE_BYTES = 256 * 1024
LONG_AGO = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class PackagedFile:
    name: str
    purpose: str
    size: int
    sha256: str


class _Outbox(io.RawIOBase):
    """What the zip writer has produced and the response has not yet sent."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self.pieces.append(bytes(content))
        return len(content)

    def take(self) -> bytes:
        taken = b"".join(self.pieces)
        self.pieces.clear()
        return taken


def package_name(release: Release) -> str:
    dataset = slugify(release.request.run.dataset.name) or "dataset"
    return f"{dataset}-release-{release.number}.zip"


def documents_of(release: Release) -> dict[str, bytes]:
    """Return everything in the package but the rows and the fingerprints, by file name."""
    run = release.request.run
    published = run.published["plan"]
    documents = {
        "report.json": _to_json(publish_report(run.report, published)),
        "plan.json": _to_json(published),
    }
    for name, text in sorted(run.published["files"].items()):
        documents[name] = text.encode()
    return documents


def _to_json(document: Any) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def contents_of(release: Release) -> list[PackagedFile]:
    run = release.request.run
    rows = PackagedFile(
        "release.csv",
        f"{run.report['rows']['released']:,} people, in no order that tells where they stood",
        run.output_bytes,
        run.output_sha256,
    )
    purposes = {
        "report.json": "every number of the report",
        "plan.json": "what was asked for: roles, rules, method",
    }
    documents = [
        PackagedFile(
            name,
            purposes.get(name, "taxonomy; what the release does not show is numbered"),
            len(content),
            hashlib.sha256(content).hexdigest(),
        )
        for name, content in documents_of(release).items()
    ]
    return [rows, *documents]


def sums_of(files: list[PackagedFile]) -> bytes:
    """Write SHA256SUMS in the form `sha256sum --check` reads."""
    return "".join(f"{file.sha256}  {file.name}\n" for file in files).encode()


def stream_package(release: Release) -> Iterator[bytes]:
    outbox = _Outbox()
    with zipfile.ZipFile(outbox, "w", zipfile.ZIP_DEFLATED) as package:
        yield from _stream_rows(package, outbox, release)
        for name, content in documents_of(release).items():
            package.writestr(_entry(name), content)
            yield outbox.take()
        package.writestr(_entry("SHA256SUMS"), sums_of(contents_of(release)))
    yield outbox.take()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def check_rows_are_the_approved_ones(release: Release) -> None:
    """Raise DamagedFile before a single row leaves, if the stored rows were changed."""
    digest = hashlib.sha256()
    with vault.open_reader(release.request.run.release_file) as rows:
        while piece := rows.read(PIECE_BYTES):
            digest.update(piece)
    if digest.hexdigest() != release.request.output_sha256:
        raise vault.DamagedFile("The stored rows are not the approved ones.")


def _stream_rows(package: zipfile.ZipFile, outbox: _Outbox, release: Release) -> Iterator[bytes]:
    with (
        vault.open_reader(release.request.run.release_file) as rows,
        package.open(_entry("release.csv"), "w", force_zip64=True) as entry,
    ):
        while piece := rows.read(PIECE_BYTES):
            entry.write(piece)
            yield outbox.take()
