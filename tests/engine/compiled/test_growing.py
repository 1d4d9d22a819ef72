"""An array that grows keeps what is in it, and its end can be taken as a plain array."""

import numpy as np
import pytest

from deid_portal.engine.compiled.growing_array import HUGE_PAGE, SMALL_BYTES, GrowingArray


@pytest.mark.parametrize("size", [0, 1, 5000, 3_000_000])
def test_it_has_room_for_what_was_asked_for_and_holds_zeros(size: int) -> None:
    grown = GrowingArray(np.uint32, size)
    assert len(grown) >= max(size, 1)
    assert not grown.array.any()


def test_what_is_in_it_stays_while_it_grows() -> None:
    grown = GrowingArray(np.uint16, 10)
    for end in (1000, 100_000, 1_000_000):
        start = len(grown)
        grown.resize(end)
        grown.array[start:] = end % 60_000
        assert len(grown) >= end
    assert grown.array[:10].tolist() == [0] * 10
    assert grown.array[-1] == 1_000_000 % 60_000


@pytest.mark.parametrize("stop", [4, 200_000])
def test_a_part_is_taken_and_can_be_written(stop: int) -> None:
    grown = GrowingArray(np.int32, 300_000)
    grown.array[:] = np.arange(len(grown))
    part = grown.taken(2, stop)
    part -= 2
    assert part.tolist() == list(range(stop - 2))


def test_large_memory_comes_in_huge_pages_and_its_end_is_given_back() -> None:
    grown = GrowingArray(np.uint8, HUGE_PAGE + 1)
    assert len(grown) == 2 * HUGE_PAGE
    assert len(grown.taken(0, HUGE_PAGE + 1)) == HUGE_PAGE + 1
    assert len(grown) < HUGE_PAGE + SMALL_BYTES
