"""Third-party libraries, which may raise anything for a damaged or malicious file."""

from collections.abc import Iterator
from contextlib import contextmanager

from deid_portal.engine.errors import EngineError, InvalidTable


@contextmanager
def told_in_a_sentence(sentence: str) -> Iterator[None]:
    """Turn any exception of a library into InvalidTable with this sentence.

    Nothing but the library may be called inside: a programming error of ours, or a cancellation by
    progress, would be taken for a damaged file.
    """
    try:
        yield
    except (EngineError, MemoryError):
        raise
    except Exception:
        raise InvalidTable(sentence) from None
