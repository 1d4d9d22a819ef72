"""The first record of the audit trail that does not fit."""

from deid_portal.audit.verification import find_problems


def find_break() -> int | None:
    problems = find_problems()
    return problems[0].number if problems else None
