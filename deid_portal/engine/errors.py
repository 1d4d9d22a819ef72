"""What can go wrong, by what somebody has to do next.

No message carries a cell of the table: it names the column, the row number or the place in the
plan. "No transformation satisfies this plan" is an Outcome, not an error.
"""


class EngineError(Exception):
    """A request the engine cannot carry out; the message is one sentence for the person asking."""


class InvalidTable(EngineError):  # noqa: N818 - the name says what must be mended
    """The file or table must be mended."""


class InvalidPlan(EngineError):  # noqa: N818
    """A choice in the plan must be changed."""


class Cancelled(EngineError):  # noqa: N818
    """The person asking said stop; raised by a progress callback and passed on untouched."""


class InvalidReport(EngineError):  # noqa: N818
    """A report has another form than the engine gives it."""
