"""Libraries of others, which raise whatever they like at a file that is damaged or made to harm."""

from collections.abc import Iterator
from contextlib import contextmanager

from deid_portal.engine.errors import EngineError, InvalidTable


@contextmanager
def told_in_a_sentence(sentence: str) -> Iterator[None]:
    """Say this of whatever a library raises.

    Nothing but the library may be called inside: a fault of ours, or a wish to stop that comes with
    progress, would be taken for a damaged file.
    """
    try:
        yield
    except (EngineError, MemoryError):
        raise
    except Exception:
        raise InvalidTable(sentence) from None
