"""The built-in shelf: every entry says where it comes from and makes a proper tree."""

import itertools

import pytest

from deid_portal.engine import Column
from deid_portal.engine.taxonomies.library import SHELF
from deid_portal.engine.taxonomies.library.countries import CONTINENTS, COUNTRIES_BY_REGION
from deid_portal.engine.taxonomies.library.diagnoses import BLOCK_SPANS, CHAPTER_SPANS
from deid_portal.engine.taxonomies.library.regions import region_names
from deid_portal.engine.taxonomies.library.united_states import DIVISIONS, RUNS

EXAMPLES = {
    "ages": ("37", ("35-39", "30-39", "20-39", "*")),
    "dates": ("2024-05-17", ("2024-05", "2024-Q2", "2024", "2020-2029", "*")),
    "countries": ("Sweden", ("Northern Europe", "Europe", "*")),
    "nuts": ("DE212", ("DE21 Oberbayern", "DE2 Bayern", "DE", "Western Europe", "*")),
    "us-zip": ("13053", ("130**", "New York", "Northeast", "*")),
    "us-states": ("tx", ("West South Central", "South", "*")),
    "education": ("Masters", ("ISCED 7: master's or equivalent", "high (ISCED 5-8)", "*")),
    "occupations": (
        "2211",
        ("minor group 221", "group 22", "2 Professionals", "skill levels 3-4", "*"),
    ),
    "diagnoses": ("J45.0", ("J45", "J40-J47", "X breathing (J00-J99)", "*")),
    "uk-postcodes": ("PR3 0ZY", ("PR3 0**", "PR3 ***", "PR area", "North West", "*")),
    "de-postcodes": ("93049", ("930**", "93***", "9****", "*")),
    "fr-postcodes": ("35510", ("355**", "35***", "Bretagne", "*")),
    "nl-postcodes": ("3584 EP", ("3584 **", "35** **", "3*** **", "*")),
    "se-postcodes": ("757 77", ("757 **", "75* **", "7** **", "*")),
    "pl-postcodes": ("31-083", ("31-0**", "31-***", "3*-***", "*")),
    "departments": (
        "Unfallchirurgie II",
        ("bones and joints", "surgery", "*"),
    ),
}


@pytest.mark.parametrize("slug", SHELF)
def test_every_entry_has_a_source_and_covers_its_example(slug: str) -> None:
    entry = SHELF[slug]
    value, path = EXAMPLES[slug]
    assert entry.source
    assert entry.levels
    assert dict(entry.covered(Column.from_cells("q", [value, None]))) == {value: path}
    outline = entry.outline(Column.from_cells("q", [value, "no such thing", None]))
    outline.check()


@pytest.mark.parametrize("slug", SHELF)
def test_every_entry_can_be_looked_at(slug: str) -> None:
    values = SHELF[slug].shown()
    assert len(values) >= 20
    outline = SHELF[slug].outline(Column.from_cells("q", values))
    outline.check()
    assert not outline.unplaced


@pytest.mark.parametrize(
    ("slug", "values"),
    [
        ("ages", ["-1", "126", "x", "3.5"]),
        ("us-zip", ["1305", "130533", "00400", "13053-1", "²²²²²"]),
        ("occupations", ["1", "99", "22111", "abc", "2a1"]),
        ("diagnoses", ["J4", "JJJ", "A10", "D49", "", "J45.12345"]),
        ("countries", ["Atlantis", "S"]),
        ("uk-postcodes", ["PR3", "QQ1 1AA", "12345"]),
        ("fr-postcodes", ["99999", "3551", "abcde"]),
        ("de-postcodes", ["9304", "930499", "x"]),
        ("departments", ["Canteen", "Verwaltung", "Acorn"]),
        ("nuts", ["DE", "DE219999", "ZZ111", "12345", "Atlantis", "DEZ", "Extra-Regio level 1"]),
    ],
)
def test_what_it_does_not_know_has_no_place(slug: str, values: list[str]) -> None:
    assert not SHELF[slug].covered(Column.from_cells("q", values))


def test_the_adult_table_is_known() -> None:
    education = [
        "Bachelors",
        "HS-grad",
        "11th",
        "Assoc-acdm",
        "Preschool",
        "Prof-school",
        "5th-6th",
    ]
    own = Column.from_cells("education", education)
    assert set(SHELF["education"].covered(own)) == set(education)


def test_countries_stand_once_and_all_regions_have_a_continent() -> None:
    codes = [
        country.split()[0]
        for listed in COUNTRIES_BY_REGION.values()
        for country in listed.split(";")
    ]
    assert len(codes) == len(set(codes)) == 249
    assert {region for regions in CONTINENTS.values() for region in regions} == set(
        COUNTRIES_BY_REGION
    )
    cells = list(SHELF["countries"].paths)  # type: ignore[attr-defined]
    SHELF["countries"].outline(Column.from_cells("q", cells)).check()


def test_fifty_states_and_the_district_with_prefixes_that_do_not_overlap() -> None:
    assert sum(1 for _, _, region in DIVISIONS.values() if region[0] in "NMSW") == 51
    assert all(one[1] < other[0] for one, other in itertools.pairwise(RUNS))
    assert {state for _, _, state in RUNS} >= {c for c, d in DIVISIONS.items() if d[2] == "West"}


def test_regions_are_known_by_code_of_any_level_and_by_name() -> None:
    values = ["DE212", "DE21", "DE2", "Oberbayern", "el301", "UKI31", "XK001"]
    found = SHELF["nuts"].covered(Column.from_cells("q", values))
    assert set(found) == set(values)
    assert found["DE2"][:2] == ("DE2 Bayern", "DE2 Bayern")
    assert found["Oberbayern"] == found["DE21"]
    assert found["el301"][2:4] == ("EL", "Southern Europe")


def test_all_regions_make_one_tree() -> None:
    SHELF["nuts"].outline(Column.from_cells("q", list(region_names()))).check()


def test_blocks_of_diagnoses_do_not_overlap_and_lie_in_one_chapter() -> None:
    for spans in (BLOCK_SPANS, CHAPTER_SPANS):
        for one, other in itertools.pairwise(spans):
            assert one.first <= one.last < other.first
    for block in BLOCK_SPANS:
        assert any(c.first <= block.first and block.last <= c.last for c in CHAPTER_SPANS)
    assert len(CHAPTER_SPANS) == 22
