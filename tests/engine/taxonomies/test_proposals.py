"""Proposed taxonomies: what is known of values counts before how often they occur."""

from collections import Counter
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Column, InvalidPlan
from deid_portal.engine.documents import Place
from deid_portal.engine.taxonomies import parse_recipe, suggest_taxonomy
from deid_portal.engine.taxonomies.dates import age_label


def column(*cells: str | None) -> Column:
    return Column.from_cells("q", cells)


KNOWN: dict[str, tuple[list[str], str, dict[str, tuple[str, ...]]]] = {
    "PLZ": (
        [f"{a}{b}{c}01" for a in "89" for b in "13" for c in "05"] + ["93049"],
        "German postal codes",
        {"93049": ("930**", "93***", "9****", "*"), "93501": ("93501", "93***", "9****", "*")},
    ),
    "CP": (
        ["35000", "35200", "35510", "22000", "22100", "75001"],
        "French postal codes",
        {"35510": ("35***", "Bretagne", "*"), "75001": ("75001", "75001", "*")},
    ),
    "zip": (
        ["13053", "13068", "14850", "02138", "02139", "94110", "94607"],
        "US ZIP codes",
        {"13053": ("130**", "New York", "Northeast", "*")},
    ),
    "address code": (
        ["PR3 0ZY", "PR3 0AA", "PR9 5DA", "M1 2AB", "SW1A 1AA", "PR2 4TN"],
        "UK postcodes",
        {
            "PR3 0ZY": ("PR3 0**", "PR area", "North West", "*"),
            "SW1A 1AA": ("SW1A 1AA",) * 3 + ("*",),
        },
    ),
    "Postcode": (
        ["3584 EP", "3584 AB", "3511 XX", "3512 AA", "3701 AB"],
        "Dutch postcodes",
        {"3584 EP": ("3584 **", "35** **", "*")},
    ),
    "postnr": (
        ["757 77", "757 52", "752 91", "753 10", "114 55"],
        "Swedish postal codes",
        {"757 77": ("757 **", "75* **", "*")},
    ),
    "Station": (
        [
            "Innere 1",
            "Innere 2",
            "Kardiologie",
            "Unfallchirurgie",
            "Chirurgie",
            "Gynäkologie",
            "Hof",
        ],
        "Hospital departments",
        {
            "Innere 1": ("other internal medicine", "internal medicine", "*"),
            "Kardiologie": ("Kardiologie", "internal medicine", "*"),
            "Chirurgie": ("Chirurgie", "surgery", "*"),
            "Gynäkologie": ("Gynäkologie", "Gynäkologie", "*"),
            "Hof": ("Hof", "Hof", "*"),
        },
    ),
    "land": (
        ["Germany", "France", "Belgium", "Italy", "Spain", "unknown"],
        "Countries",
        {"Germany": ("Western Europe", "Europe", "*"), "unknown": ("unknown", "unknown", "*")},
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_of_values_is_proposed_without_groups_of_one(name: str) -> None:
    cells, words, expected = KNOWN[name]
    own = Column.from_cells(name, cells * 3)
    proposal = suggest_taxonomy(own)
    assert proposal.words.startswith(words)
    assert proposal.outline is not None
    paths = {row[0]: tuple(row[1:]) for row in proposal.outline.paths()}
    assert {value: paths[value] for value in expected} == expected


def test_digits_are_postal_codes_only_where_the_heading_says_so() -> None:
    cells = [f"9{n}0{n}1" for n in range(10)]
    assert suggest_taxonomy(Column.from_cells("steps", cells)).words.startswith("Numbers")


def test_days_of_birth_become_ages_on_a_day() -> None:
    born = Column.from_cells("geb. am", ["1980-05-17", "1931-01-01", "1980-05-18", "2026-06-01"])
    own = Column.from_cells("geb. am", [*born.values, "1999-01-01", "2001-01-01"])
    proposal = suggest_taxonomy(own, as_of=date(2026, 5, 17))
    assert "age on 2026-05-17" in proposal.words
    assert proposal.recipe is not None
    assert proposal.recipe.paths(born) == {
        "1980-05-17": ("46", "45-49", "40-49", "40-59", "*"),
        "1980-05-18": ("45", "45-49", "40-49", "40-59", "*"),
        "1931-01-01": ("90+", "90+", "90+", "80+", "*"),
        "2026-06-01": ("not born", "not born", "not born", "not born", "*"),
    }
    assert parse_recipe(Place(proposal.recipe.to_document())) == proposal.recipe
    without = suggest_taxonomy(own).recipe
    assert without is not None
    assert without.to_document() == {"dates": ["year", "five years", "decade"]}


@given(st.integers(0, 130))
def test_bands_of_ages_lie_in_one_another(age: int) -> None:
    """Two people in one group stay together at every coarser level."""
    for finer, coarser in pairwise((1, 5, 10, 20)):
        same = [other for other in range(131) if age_label(other, finer) == age_label(age, finer)]
        assert len({age_label(other, coarser) for other in same}) == 1


@pytest.mark.parametrize(
    "bad",
    [
        {"dates": ["age"]},
        {"dates": ["year"], "as_of": "2026-05-17"},
        {"dates": ["age"], "as_of": "x"},
    ],
)
def test_ages_need_a_day_and_nothing_of_the_calendar(bad: dict[str, object]) -> None:
    with pytest.raises(InvalidPlan):
        parse_recipe(Place(bad))


def test_words_are_joined_by_size_and_never_one_alone() -> None:
    sizes = {"ledig": 50, "verheiratet": 60, "geschieden": 12, "verwitwet": 9, "getrennt": 20}
    own = Column.from_cells("q", [word for word, count in sizes.items() for _ in range(count)])
    proposal = suggest_taxonomy(own)
    assert proposal.words == "Words: the 2 with the fewest rows become other"
    assert proposal.outline is not None
    joined = {row[0] for row in proposal.outline.paths() if row[1] == "other"}
    assert joined == {"geschieden", "verwitwet"}


@pytest.mark.parametrize("count", range(21, 60))
def test_neighbours_in_the_alphabet_are_never_alone(count: int) -> None:
    own = column(*(f"name {n:02}" for n in range(count)))
    outline = suggest_taxonomy(own).outline
    assert outline is not None
    groups = Counter(row[1] for row in outline.paths())
    assert min(groups.values()) >= 2


def test_codes_that_share_no_beginning_are_not_masked() -> None:
    proposal = suggest_taxonomy(column(*(f"{letter}1" for letter in "abcdefgh" for _ in range(3))))
    assert proposal.words.startswith("Words")
