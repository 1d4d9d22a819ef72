"""What happened to each column: the level used, an example, the detail lost."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from deid_portal.engine.report import Report
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.wording.numbers import thousands
from deid_portal.engine.wording.words import capital, listed, number_words, value_words

ROLE_WORDS = {"insensitive": "harmless"}
NOT_RELEASED = "not in the release"


@dataclass(frozen=True)
class ColumnLine:
    """One line of the table; columns that came out alike share one."""

    names: list[str]
    role: str
    level: str
    level_note: str = ""
    before: str = ""
    after: str = ""
    loss: float | None = None
    values: str = ""


def level_label(column: ColumnReport) -> str:
    """Say in words how coarse a quasi-identifier became."""
    level, height, name = column.level, column.height, column.level_name
    if level is None and column.loss is None:
        return "as the release shows it"
    if level is None:
        return "labels of several levels" if column.loss else "exact"
    if level == 0:
        return "exact"
    if level == height:
        return "hidden"
    return name if name and name != f"level {level}" else f"level {level} of {height}"


def describe_columns(report: Report) -> list[ColumnLine]:
    """List the columns by loss, largest first; columns treated the same share a line."""
    lines = [_describe(name, column, report) for name, column in report.columns.items()]
    return _join_alike(sorted(lines, key=_paid_most_first))


def _paid_most_first(line: ColumnLine) -> tuple[bool, float, bool]:
    return (line.loss is None, -(line.loss or 0), line.level == "removed")


def _describe(name: str, column: ColumnReport, report: Report) -> ColumnLine:
    example = (report.examples or {}).get(name)
    level, note = _fate(column)
    return ColumnLine(
        names=[name],
        role=ROLE_WORDS.get(str(column.role), str(column.role)),
        level=level,
        level_note=note,
        before=value_words(example.before) if example else "",
        after=(value_words(example.after) if example else "") if column.released else NOT_RELEASED,
        loss=column.loss,
        values=_values(column),
    )


def _fate(column: ColumnReport) -> tuple[str, str]:
    if column.role == "quasi-identifier":
        note = f"level {column.level} of {column.height}" if column.level else ""
        words = level_label(column)
        return words, "" if words == note else note
    if column.role == "identifier":
        return ("replaced", "pseudonym or mask") if column.released else ("removed", "")
    return ("kept", "") if column.released else ("removed", "")


def _values(column: ColumnReport) -> str:
    before, after = column.distinct_before, column.distinct_after
    if not column.released or after is None:
        return "–"
    return (
        thousands(after) if before in (None, after) else f"{thousands(before)} → {thousands(after)}"
    )


def _join_alike(lines: list[ColumnLine]) -> list[ColumnLine]:
    """Join consecutive columns that are unchanged or removed into one line."""
    joined: list[ColumnLine] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last is not None and _is_alike(last, line):
            values = last.values if last.values == line.values else "unchanged"
            joined[-1] = replace(last, names=[*last.names, *line.names], values=values)
        else:
            joined.append(line)
    return joined


def _is_alike(one: ColumnLine, other: ColumnLine) -> bool:
    if one.role != other.role or one.level != other.level:
        return False
    if one.level == "removed":
        return True
    return one.level == "exact" and abs((one.loss or 0) - (other.loss or 0)) < 0.005


def columns_title(report: Report) -> str:
    """Name the column with the largest loss and the number of unchanged columns."""
    quasi = {
        name: column for name, column in report.columns.items() if column.role == "quasi-identifier"
    }
    if not quasi:
        return "No column could point to a person, so none was made coarser."
    exact = [name for name, column in quasi.items() if level_label(column) == "exact"]
    if len(exact) == len(quasi):
        return "All columns stayed exact."
    stayed = f"{number_words(len(exact))} column{'s' if len(exact) != 1 else ''} stayed exact"
    return f"{_who_paid(quasi)}. {capital(stayed)}."


def _who_paid(quasi: Mapping[str, ColumnReport]) -> str:
    hidden = [name for name, column in quasi.items() if level_label(column) == "hidden"]
    if len(hidden) > 3:
        return f"{len(hidden)} columns are hidden"
    if len(hidden) > 1:
        return f"{capital(listed(hidden))} are hidden"
    most = max(quasi, key=lambda name: quasi[name].loss or 0)
    return f"{capital(most)} paid the most{': it is hidden' if most in hidden else ''}"
