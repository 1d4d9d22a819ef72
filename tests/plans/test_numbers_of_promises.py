"""What is said with numbers on the protection page: labels of sliders, and what stands out."""

from itertools import pairwise
from typing import Any, cast

import pytest

from deid_portal.plans.plain_form import Slider
from deid_portal.plans.templatetags.promises import strong_numbers


def _slider(minimum: float, maximum: float, step: float = 1, **policy: Any) -> Slider:
    return Slider(cast(Any, None), "", "", minimum, maximum, step, **policy)


@pytest.mark.parametrize(
    ("minimum", "maximum", "step", "words"),
    [
        (2, 50, 1, ["2", "14", "26", "38", "50"]),
        (1, 10, 1, ["1", "4", "7", "10"]),
        (1, 8, 1, ["1", "2", "3", "4", "5", "6", "7", "8"]),
        (1, 14, 1, ["1", "5", "9", "13"]),
        (1, 2, 1, ["1", "2"]),
        (0, 20, 0.5, ["0", "5", "10", "15", "20"]),
        (0, 1, 0.05, ["0", "0.25", "0.5", "0.75", "1"]),
        (0, 40_000, 200, ["0", "10,000", "20,000", "30,000", "40,000"]),
    ],
)
def test_labels_are_evenly_spaced_and_whole(
    minimum: float, maximum: float, step: float, words: list[str]
) -> None:
    marks = _slider(minimum, maximum, step).marks
    assert [mark.words for mark in marks] == words
    gaps = {round(later.place - sooner.place, 6) for sooner, later in pairwise(marks)}
    assert len(gaps) == 1
    # Each label stands where the slider is when it holds that number.
    assert marks[0].place == 0
    last = float(words[-1].replace(",", ""))
    assert marks[-1].place == pytest.approx(100 * (last - minimum) / (maximum - minimum))


def test_numbers_stand_out_and_digits_of_names_do_not() -> None:
    text = "At least 4 others; ICD-10 and Score 2 stay, 3 different values, 5 % of 150 people."
    marked = strong_numbers(text, ["ICD-10", "Score 2", "7"])
    assert marked == (
        "<strong>At least 4 others</strong>; ICD-10 and Score 2 stay, "
        "<strong>3 different values</strong>, <strong>5 %</strong> of <strong>150 people</strong>."
    )
    assert "<strong>10" not in strong_numbers("the code ICD-10 and PLZ2, 10-year bands")
