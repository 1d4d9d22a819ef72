"""How a piece of work ends: exactly once, whatever happens inside.

The app that does the work defines what to do at each ending; this module decides which ending it
is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import InterfaceError, OperationalError

from deid_portal.engine.errors import Cancelled, EngineError
from deid_portal.web.full_disk import is_full_disk
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import LeaseLost
from deid_portal.work.limits import JobLimits, OverLimit


@dataclass(frozen=True)
class Endings:
    """What to do at every ending but success; a result is written by the work itself, last."""

    stop: Callable[[], None]  # a person stopped it
    fail: Callable[[str], None]  # with a sentence for people
    drop: Callable[[], None]  # another worker took over; discard this attempt
    unexpected: str  # message for a programming error, which is raised again for the log
    no_room: str  # message for a full disk
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
            if is_full_disk(error):  # first, since the vault's DiskFull is a Refused
                self.fail(self.no_room)
            elif isinstance(error, Refused):
                self.fail(str(error))
            elif isinstance(error, (OperationalError, InterfaceError)):
                raise  # the database is away: the sweep hands the work out again
            else:
                self.fail(self.unexpected)
                raise
