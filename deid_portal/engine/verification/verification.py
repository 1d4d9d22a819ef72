"""Verify a package: signature, hashes, and every claim that can be computed from its table."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from deid_portal.engine.documents import hash_document
from deid_portal.engine.errors import EngineError, InvalidReport
from deid_portal.engine.files.csv.writer import COMMA, neutralize
from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.networks.plan import NetworkPlan
from deid_portal.engine.plan import Plan
from deid_portal.engine.publication.label_groups import describe_label_groups
from deid_portal.engine.report import Report
from deid_portal.engine.report.place import DOT, split_path
from deid_portal.engine.table.table import Table
from deid_portal.engine.verification.archive import (
    LARGEST_MB,
    Archive,
    InvalidPackage,
    open_archive,
)
from deid_portal.engine.verification.claimed_release import ClaimedRelease
from deid_portal.engine.verification.claims import Claim, ClaimOutcome, Claims
from deid_portal.engine.verification.dictionary import describe_fields
from deid_portal.engine.verification.networks import is_network_package, recompute_network
from deid_portal.engine.verification.printed_numbers import (
    NUMBER_KINDS,
    find_number,
    print_number,
    read_printed_numbers,
)
from deid_portal.engine.verification.recomputation import recompute
from deid_portal.engine.verification.signatures import fingerprint_of, is_signed
from deid_portal.engine.verification.tables import KINDS, RELEASE, read_release

SUMS, SIGNATURE, KEY = "SHA256SUMS", "SIGNATURE", "portal.pub"
REPORT, PLAN, DICTIONARY = "report.json", "plan.json", "datapackage.json"
CERTIFICATE = "certificate.html"
ANSWERS, ANSWERS_CSV = "answers.json", "answers.csv"
NEEDED = (SUMS, SIGNATURE, KEY, REPORT, DICTIONARY, CERTIFICATE)
NUMBERS = {"k": "{:,}", "l": "{:g}", "t": "{:.2f}", "highest risk": "{:.2f}", "left out": "{:,}"}
SUM_LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)\Z")


@dataclass(frozen=True)
class PackageVerification:
    """The outcome of every claim, and the most important figures."""

    claims: list[Claim]
    fingerprint: str  # of the signing key; empty if the signature is invalid
    hashes: int
    figures: Mapping[str, Any]
    is_pinned: bool = False

    @property
    def failed(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.fails]

    @property
    def trusted(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.outcome is ClaimOutcome.TRUSTED]

    @property
    def held(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.outcome is ClaimOutcome.HOLDS]

    @property
    def is_whole(self) -> bool:
        return not self.failed

    @property
    def summary(self) -> str:
        """Return one line: signature ok · 15 hashes ok · k 5 · highest risk 0.20."""
        said = ["signature ok" if self.fingerprint else "signature fails"]
        said.append(f"{self.hashes:,} hashes ok")
        for name, form in NUMBERS.items():
            if self.figures.get(name) is not None:
                said.append(f"{name} {form.format(self.figures[name])}")
        return " · ".join(said)

    @property
    def verdict(self) -> str:
        if not self.failed:
            return "every claim holds"
        return "one claim fails" if len(self.failed) == 1 else f"{len(self.failed):,} claims fail"


def verify_package(
    stream: BinaryIO, *, pinned: bytes | None = None, largest_mb: int = LARGEST_MB
) -> PackageVerification:
    """Verify the package in a stream; `pinned` is the public key it must be signed with.

    Raises InvalidPackage if the file is not a package.
    """
    archive = open_archive(stream, largest_mb)
    return _Verifier(archive, pinned).verify()


class _Verifier:
    def __init__(self, archive: Archive, pinned: bytes | None) -> None:
        self.files, self.problems, self.pinned = archive.files, archive.problems, pinned
        self.claims = Claims()
        self.fingerprint = ""
        self.hashes = 0
        self.figures: dict[str, Any] = {}

    def verify(self) -> PackageVerification:
        self.claims.hold("zip", not self.problems, " ".join(self.problems))
        self._check_sums()
        self._check_signature()
        try:
            self._check_documents()
        except InvalidReport as reason:
            self.claims.hold(REPORT, False, f"report.json: {reason}")
        except (
            LookupError,
            TypeError,
            AttributeError,
            ValueError,
            ArithmeticError,
            RecursionError,
        ):
            # The document is not a valid report, so the portal did not write it.
            self.claims.hold(REPORT, False, "report.json: it has not the form of a report.")
        is_pinned = self.pinned is not None
        return PackageVerification(
            self.claims.made, self.fingerprint, self.hashes, self.figures, is_pinned
        )

    def _check_sums(self) -> None:
        sums = self._read_sums()
        here = set(self.files) - {SUMS, SIGNATURE}
        for name in sorted({*sums, *NEEDED} - set(self.files)):
            self.claims.hold(name, False, f"{name}: missing.")
        for name in sorted(here - set(sums)):
            self.claims.hold(name, False, f"{name}: not in SHA256SUMS, so nobody vouches for it.")
        for name in sorted(here & set(sums)):
            is_same = hashlib.sha256(self.files[name]).hexdigest() == sums[name]
            self.hashes += is_same
            words = f"{name}: its bytes are not the ones that were signed."
            self.claims.hold(f"fingerprint of {name}", is_same, words)

    def _read_sums(self) -> dict[str, str]:
        try:
            lines = self.files.get(SUMS, b"").decode().splitlines()
        except UnicodeDecodeError:
            lines = ["unreadable"]
        found = [SUM_LINE.match(line) for line in lines]
        names = [match[2] for match in found if match]
        is_clean = len(names) == len(lines) and len(set(names)) == len(names)
        self.claims.hold(SUMS, is_clean, "SHA256SUMS: not a list of one fingerprint per file.")
        return {match[2]: match[1] for match in found if match}

    def _check_signature(self) -> None:
        key, content = self.files.get(KEY), self.files.get(SUMS, b"")
        signature = self.files.get(SIGNATURE, b"")
        try:
            fingerprint = fingerprint_of(key) if key is not None else ""
            holds = key is not None and is_signed(key, signature, content)
        except EngineError as reason:
            self.claims.hold(SIGNATURE, False, f"portal.pub: {reason}")
            return
        words = "SIGNATURE: it does not sign this SHA256SUMS with the key in the package."
        self.claims.hold(SIGNATURE, holds, words)
        self.fingerprint = fingerprint if holds else ""
        if self.pinned is not None:
            is_it = fingerprint == fingerprint_of(self.pinned)
            words = "portal.pub: the package was signed with another key than the one you gave."
            self.claims.hold("key", is_it, words)

    def _check_documents(self) -> None:
        document, dictionary = self._read_json(REPORT), self._read_json(DICTIONARY)
        if document is None or dictionary is None:
            return
        report = Report.from_document(document)
        if is_network_package(self.files):
            self._check_network(document, report, dictionary)
            return
        plan = self._check_plan(report, Plan.from_document)
        kind = self._kind()
        table = self._read_table(kind, dictionary)
        if table is None or kind is None:
            return
        self._check_formulas(kind, table, _delimiter_of(dictionary))
        self._check_dictionary(kind, table, dictionary, report)
        self._check_label_groups(table, dictionary, plan)
        self._check_certificate(kind, document)
        try:
            recompute(ClaimedRelease(table, report, plan, self._read_file), self.claims)
        except EngineError as reason:
            self.claims.hold(REPORT, False, f"report.json: {reason}")
        self._note_figures(report)
        self._trust_what_people_made()

    def _check_network(
        self, document: Mapping[str, Any], report: Report, dictionary: Mapping[str, Any]
    ) -> None:
        self._check_plan(report, NetworkPlan.from_document)
        for resource in dictionary["resources"]:
            content = self.files.get(resource["path"], b"")
            sha256 = hashlib.sha256(content).hexdigest()
            found = {"bytes": len(content), "hash": f"sha256:{sha256}"}
            self.claims.compare(f"dictionary of {resource['name']}", resource, found)
        self._check_certificate(None, document)
        try:
            recompute_network(self.files, report, self.claims)
        except EngineError as reason:
            self.claims.hold(REPORT, False, str(reason))
        self._note_figures(report)
        self._trust_what_people_made()

    def _trust_what_people_made(self) -> None:
        self.claims.trust(
            "gates, waivers, approvals and attacks on the certificate", "people made them"
        )
        if ANSWERS in self.files:
            why = "their noise was drawn once and cannot be computed again"
            self.claims.trust(f"{ANSWERS}, {ANSWERS_CSV}", why)
        if "certificate.pdf" in self.files:
            self.claims.trust("certificate.pdf", "it is not read; certificate.html is")

    def _read_json(self, name: str) -> dict[str, Any] | None:
        if name not in self.files:
            return None
        try:
            document = json.loads(self.files[name])
        except (ValueError, RecursionError):
            document = None
        is_object = isinstance(document, dict)
        self.claims.hold(name, is_object, f"{name}: not a JSON document.")
        return document if is_object else None

    def _read_file(self, name: str) -> bytes:
        return self.files[name]

    def _check_plan(self, report: Report, read: Callable[..., object]) -> Mapping[str, Any]:
        plan = self._read_json(PLAN)
        if plan is None:
            self.claims.trust("the plan", "the recipe is not in the package")
            return {}
        is_it = hash_document(plan) == report.plan_sha256
        self.claims.hold("plan", is_it, "plan.json: it is not the plan that the report is about.")
        inner = report.plan if report.tells("plan") else None
        words = "report.json: the plan in it is not the one in plan.json."
        self.claims.hold("plan in the report", inner == plan, words)
        try:
            read(plan, read_file=self._read_file)
        except (EngineError, KeyError) as reason:
            said = str(reason) if isinstance(reason, EngineError) else "a taxonomy is missing."
            self.claims.hold("taxonomies", False, f"plan.json: {said}")
        return plan

    def _kind(self) -> FileKind | None:
        tables = [kind for kind in KINDS if f"{RELEASE}.{kind.value}" in self.files]
        words = "release: the package must hold exactly one table."
        self.claims.hold("table", len(tables) == 1, words)
        return tables[0] if len(tables) == 1 else None

    def _read_table(self, kind: FileKind | None, dictionary: Mapping[str, Any]) -> Table | None:
        if kind is None:
            return None
        fields = dictionary["resources"][0]["schema"]["fields"]
        try:
            names = [own["name"] for own in fields]
            delimiter = _delimiter_of(dictionary)
            return read_release(self._table_bytes(kind), kind, names, delimiter=delimiter)
        except EngineError as reason:
            self.claims.hold("table", False, f"release.{kind.value}: {reason}")
            return None

    def _table_bytes(self, kind: FileKind) -> bytes:
        return self.files[f"{RELEASE}.{kind.value}"]

    def _check_formulas(self, kind: FileKind, table: Table, delimiter: str) -> None:
        """Check that spreadsheets run no cell of a CSV file as a formula."""
        if kind == FileKind.CSV:
            raw = read_release(self._table_bytes(kind), kind, is_raw=True, delimiter=delimiter)
            run = sum(
                neutralize(text, column.decimal) != text
                for column in raw.columns
                for text in (column.name, *column.values)
                if text is not None
            )
            words = f"release.csv: a spreadsheet would run {run:,} of its values as formulas."
            self.claims.hold("no formulas", not run, words)

    def _check_dictionary(
        self,
        kind: FileKind,
        table: Table,
        dictionary: Mapping[str, Any],
        report: Report,
    ) -> None:
        resource = dictionary["resources"][0]
        content = self._table_bytes(kind)
        found = {
            "path": f"{RELEASE}.{kind.value}",
            "bytes": len(content),
            "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
            "rows": table.rows,
        }
        self.claims.compare("dictionary of the file", resource, found)
        said = {own.get("name"): own for own in resource["schema"]["fields"]}
        is_same = list(said) == list(table.names)
        self.claims.hold(
            "columns of the dictionary", is_same, "datapackage.json: the table has other columns."
        )
        for own in describe_fields(table, report):
            self.claims.compare(f"dictionary of {own['name']}", said.get(own["name"]), own)

    def _check_label_groups(
        self, table: Table, dictionary: Mapping[str, Any], document: Mapping[str, Any]
    ) -> None:
        """Compare what the dictionary says of groups with the taxonomies of the plan.

        Dictionaries of earlier versions say nothing of it.
        """
        said = {own.get("name"): own for own in dictionary["resources"][0]["schema"]["fields"]}
        told = [name for name in table.names if "labelsBelow" in said.get(name, {})]
        if not document or not told:
            return
        try:
            plan = Plan.from_document(dict(document), read_file=self._read_file)
        except (EngineError, KeyError):
            return  # already said of the plan
        for name in told:
            found = describe_label_groups(table[name], plan)
            self.claims.compare(f"groups of {name}", said[name], found)

    def _check_certificate(self, kind: FileKind | None, document: Mapping[str, Any]) -> None:
        """Compare the numbers of the certificate with the report, at the paths it names."""
        html = self.files.get(CERTIFICATE, b"").decode(errors="replace")
        printed = read_printed_numbers(html)
        wrong = [
            path
            for path, kind_of_number, text in printed
            if kind_of_number not in NUMBER_KINDS
            or print_number(find_number(document, path), kind_of_number) != text
        ]
        first = DOT.join(split_path(wrong[0])) if wrong else ""
        words = f"certificate.html: {first} is not the number of the report."
        self.claims.hold("numbers on the certificate", bool(printed) and not wrong, words)
        expected = [document.get("plan_sha256", ""), self.fingerprint]
        if kind == FileKind.CSV:
            expected.append(hashlib.sha256(self._table_bytes(kind)).hexdigest())
        if ANSWERS in self.files:
            expected.append(hashlib.sha256(self.files[ANSWERS]).hexdigest())
        self.claims.hold(
            "fingerprints on the certificate",
            all(own in html for own in expected),
            "certificate.html: it is about another table, plan or key, or other answers.",
        )

    def _note_figures(self, report: Report) -> None:
        """Collect figures for the summary; whether they are true is checked elsewhere."""
        self.figures["k"] = report.classes.smallest
        for entry in report.models if report.tells("models") else ():
            reached = entry.achieved or {}
            for name in ("l", "t"):
                if name in reached:
                    self.figures.setdefault(name, reached[name])
        self.figures["highest risk"] = report.risk.after.prosecutor.highest
        rows = report.rows
        self.figures["left out"] = rows.suppressed if rows.tells("suppressed") else None


__all__ = ["InvalidPackage", "PackageVerification", "verify_package"]


def _delimiter_of(dictionary: Mapping[str, Any]) -> str:
    """Return the sign between cells that a dictionary states for its CSV file."""
    said = dictionary["resources"][0].get("dialect", {}).get("delimiter", COMMA)
    return said if isinstance(said, str) else COMMA
