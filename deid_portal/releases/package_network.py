"""The files of a released network, from the approved archive, and their dictionary."""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from typing import Any

from django.utils.text import slugify

from deid_portal.engine.report import Report
from deid_portal.releases.models import Package
from deid_portal.releases.package_member import PackageMember, held, to_json
from deid_portal.releases.release_statement import ReleaseStatement
from deid_portal.vault import vault

NETWORK_PURPOSES = {
    "edges.csv": "one link per line, people by random numbers",
    "nodes.csv": "one person per line, with what is released about them",
    "network.graphml": "the same for programs that draw networks",
    "groups.csv": "the groups, how many people and links are in them",
    "group-links.csv": "how many links there are between groups",
}
MEDIA_TYPES = {"csv": "text/csv", "graphml": "application/graphml+xml"}


def network_members(
    package: Package, report: Report, statement: ReleaseStatement
) -> list[PackageMember]:
    files = open_network_release(package)
    members = [
        PackageMember(name, NETWORK_PURPOSES.get(name, "made by the method"), held(content))
        for name, content in files.items()
    ]
    document = write_network_dictionary(files, report, statement)
    dictionary = PackageMember("datapackage.json", "dictionary of the files", to_json(document))
    return [*members, dictionary]


def open_network_release(package: Package) -> dict[str, bytes]:
    """Return all approved files; raises DamagedFile if the archive has another hash."""
    request = package.release.request
    with vault.open_reader(request.run.release_file) as stream:
        content = stream.read()
    if hashlib.sha256(content).hexdigest() != request.output_sha256:
        raise vault.DamagedFile("The stored network is not the approved one.")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_network_dictionary(
    files: Mapping[str, bytes], report: Report, statement: ReleaseStatement
) -> dict[str, Any]:
    name = slugify(statement.dataset) or "network"
    links = "one way" if report.told_network.directed else "both ways"
    return {
        "profile": "data-package",
        "name": f"{name}-release-{statement.release}",
        "title": statement.title,
        "description": f"De-identified network for {statement.purpose}. Links go {links}; "
        "people have random numbers. certificate.html says what was promised and measured.",
        "version": str(statement.release),
        "created": statement.released_at,
        "resources": [_describe(name, content) for name, content in files.items()],
    }


def _describe(name: str, content: bytes) -> dict[str, Any]:
    stem, _, ending = name.rpartition(".")
    return {
        "name": slugify(stem),
        "path": name,
        "profile": "data-resource",
        "format": ending,
        "mediatype": MEDIA_TYPES.get(ending, "application/octet-stream"),
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "description": NETWORK_PURPOSES.get(name, ""),
    }
