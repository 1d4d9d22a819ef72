"""A record as the page shows it."""

import json
import re
from dataclasses import dataclass
from typing import Any

from deid_portal.audit.models import Event

LONGEST = 80
HASH = re.compile(r"\b[0-9a-f]{64}\b")


@dataclass(frozen=True)
class AuditRow:
    event: Event
    facts: list[tuple[str, str]]


def audit_row_of(event: Event) -> AuditRow:
    return AuditRow(event, [(name.replace("_", " "), _say(value)) for name, value in _facts(event)])


def _facts(event: Event) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in event.facts.items() if value not in ("", None, [], {})]


def _say(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(one, str | int) for one in value):
        text = ", ".join(str(one) for one in value)
    elif isinstance(value, list | dict):
        text = json.dumps(value, ensure_ascii=False)
    else:
        text = HASH.sub(lambda found: f"{found[0][:8]}…", str(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
