"""Counters of attempts at secrets that can be guessed, in Redis or Valkey, for all web processes.

An attempt is counted before it is checked, atomically with the check of the limit: a hundred
attempts sent at the same time all count, however long a check takes. Correct attempts are given
back.

If Redis does not answer, each process counts for itself with half the limits. Refusing all attempts
would let whoever can disturb Redis lock everybody out; allowing all would let them guess at will.
With the two web processes that the launcher starts, no more attempts are allowed than usual.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol, TypeVar, cast

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from deid_portal.work.broker import client_url

T = TypeVar("T")

PREFIX = "deid-portal:"
LONGEST_WAIT_SECONDS = 1.0
LOOK_AGAIN_SECONDS = 5.0
MOST_KEPT_LOCALLY = 10_000
LOCAL_SHARE = 2  # share of a limit that a single process allows

# Allowed only while every counter is below its limit. The wait starts with the attempt that reaches
# a limit, or slow guessing would be punished less than quick guessing.
TAKE = """
local wait = 0
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[i + 1]) then
    wait = math.max(wait, redis.call('PTTL', key), 1)
  end
end
if wait > 0 then return {wait, 0} end
local reached = 0
for i, key in ipairs(KEYS) do
  local count, most = redis.call('INCR', key), tonumber(ARGV[i + 1])
  if count == 1 or count >= most then redis.call('PEXPIRE', key, ARGV[1]) end
  if count >= most then reached = 1 end
end
return {0, reached}
"""
GIVE_BACK = """
for i, key in ipairs(KEYS) do
  if ARGV[i] == '1' or tonumber(redis.call('GET', key) or '0') <= 1 then
    redis.call('DEL', key)
  else
    redis.call('DECR', key)
  end
end
"""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limit:
    """The limit of one counter: attempts per period."""

    key: str  # identifies the counter, without a name or an address
    most: int
    ends_with_success: bool = False  # else success only gives its own attempt back


@dataclass(frozen=True)
class AttemptResult:
    """The result of counting an attempt: seconds to wait, and whether it was the last one."""

    wait_seconds: float
    reached_limit: bool
    give_back: Callable[[], None] = field(compare=False)


class Counters(Protocol):
    def take(self, limits: Sequence[Limit], seconds: float) -> AttemptResult: ...

    def give_back(self, limits: Sequence[Limit]) -> None: ...

    def claim(self, key: str, seconds: float) -> bool: ...


class SharedCounters:
    """Counters in Redis; raises RedisError or OSError if it does not answer."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(
            url,
            socket_connect_timeout=LONGEST_WAIT_SECONDS,
            socket_timeout=LONGEST_WAIT_SECONDS,
            # A restarted server has closed the connection: retry once, at once.
            retry=Retry(NoBackoff(), 1),
        )
        self._take = self._redis.register_script(TAKE)
        self._give_back = self._redis.register_script(GIVE_BACK)

    def take(self, limits: Sequence[Limit], seconds: float) -> AttemptResult:
        numbers = [int(seconds * 1000), *(limit.most for limit in limits)]
        wait, reached = cast(list[int], self._take(keys=_keys(limits), args=numbers))
        return AttemptResult(wait / 1000, bool(reached), lambda: self.give_back(limits))

    def give_back(self, limits: Sequence[Limit]) -> None:
        ends = [int(limit.ends_with_success) for limit in limits]
        self._give_back(keys=_keys(limits), args=ends)

    def claim(self, key: str, seconds: float) -> bool:
        return bool(self._redis.set(PREFIX + key, 1, nx=True, px=int(seconds * 1000)))


def _keys(limits: Sequence[Limit]) -> list[str]:
    return [PREFIX + limit.key for limit in limits]


class LocalCounters:
    """Counters in the memory of this process, with the same rules and lower limits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, float]] = {}  # attempts, and when they expire

    def take(self, limits: Sequence[Limit], seconds: float) -> AttemptResult:
        strict = {limit.key: max(1, limit.most // LOCAL_SHARE) for limit in limits}
        with self._lock:
            self._forget_what_is_over()
            full = [self._counts[key][1] for key in strict if self._count(key) >= strict[key]]
            if full:
                return AttemptResult(max(full) - time.monotonic(), False, lambda: None)
            for key, most in strict.items():
                self._add(key, most, seconds)
            reached = any(self._count(key) >= strict[key] for key in strict)
        return AttemptResult(0, reached, lambda: self.give_back(limits))

    def give_back(self, limits: Sequence[Limit]) -> None:
        with self._lock:
            for limit in limits:
                count, until = self._counts.pop(limit.key, (0, 0.0))
                if count > 1 and not limit.ends_with_success:
                    self._counts[limit.key] = (count - 1, until)

    def claim(self, key: str, seconds: float) -> bool:
        with self._lock:
            self._forget_what_is_over()
            if key in self._counts:
                return False
            self._add(key, 1, seconds)
        return True

    def _count(self, key: str) -> int:
        return self._counts.get(key, (0, 0.0))[0]

    def _add(self, key: str, most: int, seconds: float) -> None:
        count, until = self._counts.get(key, (0, 0.0))
        if count == 0 or count + 1 >= most:
            until = time.monotonic() + seconds
        self._counts[key] = (count + 1, until)

    def _forget_what_is_over(self) -> None:
        now = time.monotonic()
        self._counts = {key: kept for key, kept in self._counts.items() if kept[1] > now}
        while len(self._counts) > MOST_KEPT_LOCALLY:
            del self._counts[next(iter(self._counts))]  # the oldest


class FallbackCounters:
    """Uses Redis while it answers, else this process; Redis is tried again after seconds."""

    def __init__(self) -> None:
        self._local = LocalCounters()
        self._away_until = 0.0

    def take(self, limits: Sequence[Limit], seconds: float) -> AttemptResult:
        taken = self._ask(lambda counters: counters.take(limits, seconds))
        # To the counters it was taken from; an attempt that cannot be given back counts as wrong.
        return AttemptResult(taken.wait_seconds, taken.reached_limit, lambda: self._quietly(taken))

    def claim(self, key: str, seconds: float) -> bool:
        """Say whether this is the first use of something that may be used once."""
        return self._ask(lambda counters: counters.claim(key, seconds))

    def _ask(self, ask: Callable[[Counters], T]) -> T:
        if time.monotonic() >= self._away_until:
            try:
                return ask(_shared(client_url(settings.CELERY_BROKER_URL)))
            except (RedisError, OSError):
                self._note_away()
        return ask(self._local)

    def _quietly(self, taken: AttemptResult) -> None:
        try:
            taken.give_back()
        except (RedisError, OSError):
            self._note_away()

    def _note_away(self) -> None:
        self._away_until = time.monotonic() + LOOK_AGAIN_SECONDS
        logger.warning("Redis does not answer: this process counts wrong tries alone, strictly.")


@cache
def _shared(url: str) -> SharedCounters:
    return SharedCounters(url)


counters = FallbackCounters()
