"""Numbers of a report as printed in the certificate, each with its path in the report.

In the certificate a number is `<data value="risk.after.journalist" class="share">20 %</data>`.
Verification looks up the path in the report, formats the number in the same way and compares.
"""

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from deid_portal.engine.report.place import split_path
from deid_portal.engine.wording.numbers import NOTHING, percent

COUNT, SHARE, NUMBER = "count", "share", "number"
NUMBER_KINDS = (COUNT, SHARE, NUMBER)


def find_number(document: Any, path: str) -> Any:
    """Return what stands at a path such as `models.0.achieved.k`; None where nothing does."""
    for step in split_path(path):
        if isinstance(document, list) and step.isdecimal() and int(step) < len(document):
            document = document[int(step)]
        elif isinstance(document, Mapping):
            document = document.get(step)
        else:
            return None
    return document


def print_number(value: Any, kind: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NOTHING
    if kind == COUNT:
        return f"{value:,.0f}"
    if kind == SHARE:
        return percent(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


class _CertificateReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self._open: tuple[str, str] | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "data":
            given = dict(attrs)
            self._open = (given.get("value") or "", given.get("class") or "")
            self._text = ""

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "data" and self._open is not None:
            self.found.append((*self._open, self._text))
            self._open = None


def read_printed_numbers(html: str) -> list[tuple[str, str, str]]:
    """Return path, kind and text of every number in a certificate."""
    reader = _CertificateReader()
    reader.feed(html)
    reader.close()
    return reader.found
