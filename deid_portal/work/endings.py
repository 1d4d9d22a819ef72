"""The ways a piece of work ends, the same for all: whatever happens inside, it ends exactly once.

The room that does the work says what each end means to it; which end it is, is decided here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from deid_portal.engine.errors import Cancelled, EngineError
from deid_portal.web.full_disk import is_full_disk
from deid_portal.web.refusals import Refused
from deid_portal.work.limits import JobLimits, OverLimit
from deid_portal.work.work import LeaseLost


@dataclass(frozen=True)
class Endings:
    """What to do at the ends other than a kept result, which the work itself writes last."""

    stop: Callable[[], None]  # a person said so
    fail: Callable[[str], None]  # with a sentence for people
    drop: Callable[[], None]  # another worker has the work; nothing of this attempt may stay
    unexpected: str  # said of a fault of ours, which is raised again for the log
    no_room: str  # said of a full disk
    limits: JobLimits = field(default_factory=JobLimits)

    @contextmanager
    def applied(self) -> Iterator[None]:
        try:
            yield
        except LeaseLost:
            self.drop()
        except Cancelled:
            self.stop()
        except MemoryError:
            self.fail(str(self.limits.out_of_memory()))
        except (EngineError, OverLimit) as reason:
            self.fail(str(reason))
        except Exception as error:
            if is_full_disk(error):  # before Refused, which the vault's word for it is, too
                self.fail(self.no_room)
            elif isinstance(error, Refused):
                self.fail(str(error))
            else:
                self.fail(self.unexpected)
                raise
