"""Numbers in place of names that a release does not show."""

import re
from collections.abc import Callable

# What may be published in place of a column's value, which stays if the release shows it.
NameOf = Callable[[str, str | None], str | None]
HIDDEN = re.compile(r"\((value|group at level [0-9]+), no\. [0-9]+\)\Z")


def hidden_name(depth: int, number: int) -> str:
    """Return the replacement for a value, or for a label so many levels above values."""
    kind = f"group at level {depth}" if depth else "value"
    return f"({kind}, no. {number})"


def is_hidden_name(text: str | None) -> bool:
    return text is not None and bool(HIDDEN.match(text))
