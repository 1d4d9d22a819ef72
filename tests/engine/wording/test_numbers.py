"""Numbers and names are written as `screens.md` 1.3 asks for, on pages and in reports alike."""

import pytest

from deid_portal.engine.wording.numbers import loss, middle_cut, percent, thousands


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1346, "1,346"),
        (0, "0"),
        (-1346, "−1,346"),
        (30162.0, "30,162"),
        (10**18 + 1, "1,000,000,000,000,000,001"),
        (-0.2, "0"),
        (None, "–"),
        (float("nan"), "–"),
        ("", "–"),
        ("no number", "–"),
    ],
)
def test_thousands(value: object, written: str) -> None:
    assert thousands(value) == written


def test_thousands_with_decimals() -> None:
    assert thousands(1234.5, 1) == "1,234.5"


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.0449, "4.5\u00a0%"),
        (0.2, "20\u00a0%"),
        (0, "0\u00a0%"),
        (1, "100\u00a0%"),
        (-0.031, "−3.1\u00a0%"),
        (0.00001, "<\u00a00.1\u00a0%"),
        (-0.00001, "0\u00a0%"),
        (0.99999, ">\u00a099.9\u00a0%"),
        (23.0, "2,300\u00a0%"),
        (None, "–"),
    ],
)
def test_percent(share: object, written: str) -> None:
    assert percent(share) == written


def test_percent_without_decimals() -> None:
    assert percent(0.514, 0) == "51\u00a0%"
    assert percent(0.004, 0) == "<\u00a01\u00a0%"
    assert percent(0.996, 0) == ">\u00a099\u00a0%"


def test_loss() -> None:
    assert loss(0.26957) == "0.2696"
    assert loss(0.26957, 2) == "0.27"
    assert loss(-0.00001) == "0.0000"
    assert loss(-0.03, 2) == "−0.03"
    assert loss(None) == "–"


def test_middle_cut_keeps_both_ends_and_the_length() -> None:
    assert middle_cut("age") == "age"
    assert middle_cut("contact_24_age_at_first_interview", 13) == "contac…erview"
    assert len(middle_cut("x" * 100, 32)) == 32
