"""A record as the page shows it."""

from dataclasses import dataclass
from typing import Any

from deid_portal.audit.models import Event
from deid_portal.audit_trail.event_words import (
    document_of,
    kind_words,
    name_of_fact,
    say_fact,
    sentence_of,
)


@dataclass(frozen=True)
class AuditRow:
    event: Event
    sentence: str
    facts: list[tuple[str, str]]

    @property
    def kind(self) -> str:
        return kind_words(self.event.subject_kind)

    @property
    def exactly(self) -> str:
        """The event and its facts as they are recorded."""
        return f"{self.event.action} {document_of(self.event.facts)}"


def audit_row_of(event: Event) -> AuditRow:
    facts = [(name_of_fact(name), say_fact(name, value)) for name, value in _facts(event)]
    return AuditRow(event, sentence_of(event.action), facts)


def _facts(event: Event) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in event.facts.items() if value not in ("", None, [], {})]
