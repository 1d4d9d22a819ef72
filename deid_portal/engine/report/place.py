"""A place in a report: read as an attribute of it, and known by its path in the document.

    HIGHEST = ReportPlace.at(lambda report: report.risk.after.prosecutor.highest)
    HIGHEST.number_in(report)  # 0.2
    HIGHEST.path  # "risk.after.prosecutor.highest"

The path is not written a second time: the lambda is called once with a stand-in for the report,
which notes every attribute and item and refuses names that no part declares. So a misspelt name is
found by mypy and, where the place is a constant, when its module is imported.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, Self, cast, get_args, get_origin, get_type_hints

from deid_portal.engine.report.part import NotTold, Part
from deid_portal.engine.report.report import Report

ReadNumber = Callable[[Report], float | None]
DOT = "."
# No header of a column has this sign, and many have a dot.
RARE_SIGN = "\x1f"


@dataclass(frozen=True)
class ReportPlace:
    steps: tuple[str, ...]
    read: ReadNumber

    @classmethod
    def at(cls, read: ReadNumber) -> Self:
        """Return the place that is read; raises AttributeError where no report has it."""
        end = cast(_Walk, read(cast(Report, _Walk(Report, ()))))
        return cls(end._steps, read)

    @property
    def path(self) -> str:
        sign = RARE_SIGN if any(DOT in step for step in self.steps) else DOT
        return sign.join(self.steps)

    def number_in(self, report: Report) -> float | None:
        """Return the number that stands there; None where this report does not tell it."""
        try:
            return self.read(report)
        except NotTold:
            return None


def split_path(path: str) -> list[str]:
    return path.split(RARE_SIGN if RARE_SIGN in path else DOT)


class _Walk:
    """Stands in for a report: every attribute and item is a further step."""

    def __init__(self, hint: Any, steps: tuple[str, ...]) -> None:
        self._hint, self._steps = _told(hint), steps

    def __getattr__(self, name: str) -> "_Walk":
        hints = _hints_of(self._hint)
        if name not in hints:
            where = DOT.join(self._steps) or "the report"
            raise AttributeError(f'Nothing is called "{name}" in {where}.')
        return _Walk(hints[name], (*self._steps, name.removesuffix("_")))

    def __getitem__(self, key: str | int) -> "_Walk":
        return _Walk(_item_hint(self._hint), (*self._steps, str(key)))


def _told(hint: Any) -> Any:
    """Return what an entry is where it is told."""
    kinds = [own for own in get_args(hint) if own is not NoneType]
    return kinds[0] if NoneType in get_args(hint) and len(kinds) == 1 else hint


def _item_hint(hint: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return arguments[1] if origin is not tuple else arguments[0]
    raise AttributeError("Nothing is listed here.")


@cache
def _hints_of(kind: Any) -> dict[str, Any]:
    is_part = isinstance(kind, type) and issubclass(kind, Part)
    return get_type_hints(kind) if is_part else {}
