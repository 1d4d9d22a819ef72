"""A package with everything in it, made once per test file; ways to take it apart and forge it."""

import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.db import transaction
from django.test import override_settings

from deid_portal.engine.verification.signatures import fingerprint_of, public_key_of, sign
from deid_portal.plans.services import choose_protection
from deid_portal.releases import package_contents
from deid_portal.releases.models import Release
from deid_portal.releases.package_archive import entry_of
from deid_portal.releases.packages import open_package
from deid_portal.reviews.services import RequestTerms, ask_for_review
from deid_portal.runs.services import start_run
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from tests import factories
from tests.conftest import Cast, make_cast

Files = dict[str, bytes]
ATTACKER = bytes(range(32))
RULES = [
    {"model": "k-anonymity", "k": 4},
    {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "Condition"},
    {"model": "t-closeness", "t": 0.9, "distance": "equal", "column": "Condition"},
]
TREE = {"*": {"130": ["13053", "13068"], "148": ["14850", "14853"]}}


def make_rich_release(cast: Cast, **policy: Any) -> Release:
    """A release with taxonomies in files, three rules and nobody left out."""
    dataset = factories.make_tagged_dataset(cast.steward, cast.team)
    for name, kind, recipe in (
        ("Zip", ColumnTaxonomy.Kind.TREE, {"tree": TREE}),
        ("Age", ColumnTaxonomy.Kind.INTERVALS, factories.DECADES),
    ):
        column = dataset.columns.get(name=name)
        set_taxonomy(column=column, changed_by=cast.steward, kind=kind, recipe=recipe)
    choose_protection(dataset=dataset, chosen_by=cast.steward, rules=RULES, method=factories.METHOD)
    run = factories.finish_run(start_run(dataset=dataset, started_by=cast.steward))
    assert run.solution
    factories.allow_small_groups(cast.team, cast.administrator, **policy)
    request = ask_for_review(run=run, asked_by=cast.steward, terms=RequestTerms("teaching file"))
    return factories.approve(request, cast.approver)


def build_packages(folder: Path, *formats: str) -> Iterator[dict[str, bytes]]:
    """Make a release and its packages, and leave nothing of them in the database."""
    with override_settings(DATA_DIR=folder, WORK_HEARTBEAT_SECONDS=0), transaction.atomic():
        release = make_rich_release(make_cast())
        made = {}
        for form in formats:
            # A PDF takes a second; that of the first package is enough.
            missing = "" if not made else "no PDF here"
            with patch.object(package_contents, "pdf_refusal", lambda said=missing: said):
                package = factories.pack(release, form)
            with open_package(package) as stream:
                made[form] = stream.read()
        transaction.set_rollback(True)
    yield made


def unpack(package: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class _Stream(io.RawIOBase):
    """A target that cannot go back, as the vault cannot."""

    def __init__(self) -> None:
        self.content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self.content += bytes(content)
        return len(content)


def repack(files: Files, *more: tuple[str, bytes]) -> bytes:
    """Pack as the portal does, so that nothing but the content differs."""
    target = _Stream()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]
        for name, content in (*files.items(), *more):
            with archive.open(entry_of(name), "w", force_zip64=True) as entry:
                entry.write(content)
    return bytes(target.content)


def remake_sums(files: Files) -> Files:
    """Write SHA256SUMS anew; the signature stays the old one."""
    names = [name for name in files if name not in ("SHA256SUMS", "SIGNATURE")]
    lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in names]
    return {**files, "SHA256SUMS": "".join(lines).encode()}


def forge(files: Files, seed: bytes = ATTACKER) -> Files:
    """Sign anew with a key of one's own, fingerprint on the certificate included."""
    old, new = fingerprint_of(files["portal.pub"]), fingerprint_of(public_key_of(seed))
    page = files["certificate.html"].replace(old.encode(), new.encode())
    signed = remake_sums({**files, "certificate.html": page, "portal.pub": public_key_of(seed)})
    return {**signed, "SIGNATURE": sign(seed, signed["SHA256SUMS"])}


def flip(content: bytes, place: int = -1) -> bytes:
    place = len(content) // 2 if place < 0 else place
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
