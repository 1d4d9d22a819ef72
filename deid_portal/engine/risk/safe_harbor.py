"""HIPAA Safe Harbor: do the columns hold one of the eighteen identifiers?

45 CFR 164.514(b)(2). A check by column names and value patterns: only obvious cases are found, and
finding nothing proves nothing. Findings count rows and never show a cell.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from deid_portal.engine.report.risk import SafeHarborFinding
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType

# Three-digit ZIP areas with at most 20,000 people in the 2000 census, as the guidance lists them.
SMALL_ZIP_AREAS = frozenset(
    "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()
)
OLDEST_AGE = 89
ENOUGH = 0.5  # share of filled cells that must look like an identifier

NAMES: tuple[tuple[str, str], ...] = (
    ("names", r"^(first|last|full|sur|family|given|maiden|patient)?[ _-]*name$"),
    ("geographic subdivisions", r"street|address|city|town|county|precinct|zip|postal|postcode"),
    ("dates", r"birth|dob|admission|discharge|death|date"),
    ("telephone numbers", r"phone|mobile|cell[ _-]?no"),
    ("fax numbers", r"\bfax"),
    ("e-mail addresses", r"e[ _-]?mail"),
    ("social security numbers", r"\bssn\b|social[ _-]?security"),
    ("medical record numbers", r"\bmrn\b|medical[ _-]?record"),
    ("health plan numbers", r"health[ _-]?plan|beneficiary|insurance[ _-]?(no|num|id)"),
    ("account numbers", r"account|iban"),
    ("certificate or license numbers", r"licen[cs]e|certificate"),
    ("vehicle identifiers", r"\bvin\b|vehicle|plate"),
    ("device identifiers", r"device|serial"),
    ("web addresses", r"\burl\b|website|homepage"),
    ("internet addresses", r"\bip([ _-]?addr|$)"),
    ("biometric identifiers", r"finger[ _-]?print|voice[ _-]?print|biometric|retina"),
    ("photographs", r"photo|picture|portrait"),
    ("other unique codes", r"^(id|identifier|uuid|patient[ _-]?id|record[ _-]?id)$"),
)
SHAPES: tuple[tuple[str, str], ...] = (
    ("e-mail addresses", r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    ("social security numbers", r"\d{3}-\d{2}-\d{4}"),
    ("telephone numbers", r"\+?\d?[ .-]?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}"),
    ("web addresses", r"https?://\S+"),
    ("internet addresses", r"\d{1,3}(\.\d{1,3}){3}"),
    ("vehicle identifiers", r"(?=.*[A-Z])(?=.*\d)[A-HJ-NPR-Z0-9]{17}"),
)
ZIP = re.compile(r"(\d{3})(\d{2}(-\d{4})?|\*{2})?\Z")
YEAR = re.compile(r"\d{4}\Z")


@dataclass(frozen=True)
class SafeHarbor:
    """What the check found; `holds` only says that nothing obvious was left."""

    findings: tuple[SafeHarborFinding, ...]

    @property
    def holds(self) -> bool:
        return not self.findings


def check_safe_harbor(table: Table) -> SafeHarbor:
    """Look at every column of a table that is meant to be released."""
    return SafeHarbor(tuple(found for column in table.columns for found in _look_at(column)))


def _look_at(column: Column) -> list[SafeHarborFinding]:
    found = [*_by_values(column), *_by_name(column)]
    kinds: dict[str, SafeHarborFinding] = {}
    for finding in found:
        kinds.setdefault(finding.identifier, finding)
    return list(kinds.values())


def _by_name(column: Column) -> list[SafeHarborFinding]:
    filled = column.counts.sum() - column.missing
    name = column.name.strip().lower()
    kinds = [kind for kind, pattern in NAMES if re.search(pattern, name)]
    return [
        SafeHarborFinding(column.name, kind, int(filled), "The name of the column says so.")
        for kind in kinds
        if filled and not _is_coarse_enough(column, kind)
    ]


def _by_values(column: Column) -> list[SafeHarborFinding]:
    filled = int(column.counts.sum()) - column.missing
    found = []
    for kind, pattern in SHAPES:
        rows = _count(column, re.compile(rf"(?:{pattern})\Z").match)
        if filled and rows >= ENOUGH * filled:
            found.append(SafeHarborFinding(column.name, kind, rows, "Most values look like it."))
    if column.type == ColumnType.DATE and filled:
        found.append(
            SafeHarborFinding(column.name, "dates", filled, "Values are finer than a year.")
        )
    if re.search(r"\bage\b", column.name.lower()):
        rows = _count(column, _is_too_old)
        if rows:
            found.append(
                SafeHarborFinding(column.name, "ages over 89", rows, "Ages over 89 are shown.")
            )
    return found


def _is_coarse_enough(column: Column, kind: str) -> bool:
    """Say whether a column named after dates or places shows no more than the rule allows."""
    if kind == "dates":
        return not _count(column, lambda text: not _is_year(text))
    if kind == "geographic subdivisions":
        return not _count(column, lambda text: not _is_large_area(text))
    return False


def _is_year(text: str) -> bool:
    return bool(YEAR.match(text)) or set(text) <= {"*"}


def _is_large_area(text: str) -> bool:
    """Three leading digits of a ZIP code are allowed where enough people live."""
    if set(text) <= {"*"}:
        return True
    match = ZIP.match(text)
    hidden = match is not None and (match[2] is None or set(match[2]) == {"*"})
    return hidden and match is not None and match[1] not in SMALL_ZIP_AREAS


def _is_too_old(text: str) -> bool:
    return text.isdigit() and int(text) > OLDEST_AGE


def _count(column: Column, question: Callable[[str], object]) -> int:
    """Count the rows whose filled cell answers yes."""
    return sum(
        int(rows)
        for text, rows in zip(column.values, column.counts, strict=True)
        if text is not None and question(text)
    )
