"""Which part of a file a request asks for."""

import io

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.web.ranges import ByteRange, NotSatisfiable, part_asked_for, read_part

ETAG = '"abc"'


def asked(size: int = 100, **headers: str) -> ByteRange | None:
    request = RequestFactory().get(
        "/", headers={k.replace("_", "-"): v for k, v in headers.items()}
    )
    return part_asked_for(request, ETAG, size)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("bytes=0-", ByteRange(0, 100)),
        ("bytes=40-", ByteRange(40, 100)),
        ("bytes=40-49", ByteRange(40, 50)),
        ("bytes=40-4000", ByteRange(40, 100)),
        ("bytes=-10", ByteRange(90, 100)),
        ("bytes=-1000", ByteRange(0, 100)),
        ("bytes=0-0", ByteRange(0, 1)),
        ("bytes=50-40", None),
        ("bytes=0-1,5-6", None),
        ("bytes=-", None),
        ("lines=1-2", None),
        ("bytes=" + "9" * 5000 + "-", None),
        ("bytes=٤-", None),
    ],
)
def test_what_a_header_means(text: str, part: ByteRange | None) -> None:
    assert asked(Range=text) == part


@pytest.mark.parametrize("text", ["bytes=100-", "bytes=-0"])
def test_behind_the_end_there_is_nothing(text: str) -> None:
    with pytest.raises(NotSatisfiable):
        asked(Range=text)


def test_whoever_holds_the_beginning_of_other_bytes_gets_the_whole() -> None:
    assert asked(Range="bytes=40-", If_Range=ETAG) == ByteRange(40, 100)
    assert asked(Range="bytes=40-", If_Range='"other"') is None
    assert asked() is None


@given(st.binary(min_size=1, max_size=300), st.data())
def test_parts_put_together_are_the_whole(content: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(content) - 1))
    pieces = [ByteRange(0, cut), ByteRange(cut, len(content))]
    joined = b"".join(b"".join(read_part(io.BytesIO(content), part)) for part in pieces)
    assert joined == content
