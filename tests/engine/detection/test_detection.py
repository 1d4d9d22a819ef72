"""Suggestions: what a column most likely is, with a reason and never with a cell."""

import random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Column, Table
from deid_portal.engine.detection import Danger, SuggestedRole, Suggestion
from deid_portal.engine.detection import combinations as searching
from deid_portal.engine.detection.combinations import find_worst
from deid_portal.engine.detection.value_patterns import CHECKED_NUMBERS, find_pattern
from deid_portal.engine.detection.words import (
    find_identifier,
    find_quasi_identifier,
    find_sensitive,
)
from deid_portal.engine.table.headings import take_apart
from tests.engine.detection.suggested_roles import suggest_roles
from tests.engine.tables import adult_table

CHANCE = random.Random(6)


def suggest(name: str, cells: list[str | None]) -> Suggestion:
    other = Column.from_cells("filler", [str(number % 3) for number in range(len(cells))])
    return suggest_roles(Table((Column.from_cells(name, cells), other))).suggestions[0]


# By name, in several languages


@pytest.mark.parametrize(
    "name",
    "name LastName Vorname nom prénom apellido cognome Achternaam Imię patient_name e-mail EMAIL "
    "telefon Handy téléphone Fax Straße address ssn Personnummer iban Kontonummer kennzeichen "
    "ip_address url Foto username PESEL passport Wohnadresse".split(),
)
def test_identifiers_are_known_by_name(name: str) -> None:
    assert find_identifier(take_apart(name)) is not None


@pytest.mark.parametrize(
    "name",
    "age Alter edad sex Geschlecht sexo zip PLZ zipCode Wohnort city native-country Beruf job "
    "date_of_birth Geburtsdatum fecha education marital-status race ethnicity admission_date "
    "Lebensalter workclass nationality".split(),
)
def test_quasi_identifiers_are_known_by_name(name: str) -> None:
    words = take_apart(name)
    assert find_identifier(words) is None
    assert find_sensitive(words) is None
    assert find_quasi_identifier(words) is not None


@pytest.mark.parametrize(
    "name",
    "diagnosis Diagnose ICD10 disease condition income salary-class Gehalt religion Konfession "
    "hiv_status conviction alcohol genotype maladie Einkommen depression".split(),
)
def test_sensitive_columns_are_known_by_name(name: str) -> None:
    words = take_apart(name)
    assert find_identifier(words) is None
    assert find_sensitive(words) is not None


@pytest.mark.parametrize(
    "name", ["drug_name", "hospital name", "file-name", "alternative", "capacity", "x17", "update"]
)
def test_names_of_things_are_not_names_of_people(name: str) -> None:
    words = take_apart(name)
    assert find_identifier(words) is None
    assert find_quasi_identifier(words) is None


# By value


def nhs(number: int) -> str:
    """A number of the National Health Service with its check digit; see the oracle below."""
    while True:
        text = f"{number:09d}"
        check = -sum(int(d) * w for d, w in zip(text, range(10, 1, -1), strict=True)) % 11
        if check < 10:
            return f"{text}{check}"
        number += 1


def iban(number: int) -> str:
    account = f"{number:018d}"
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


VALUES = {
    "e-mail addresses": [f"p{number}@mail.test" for number in range(30)],
    "telephone numbers": [f"+49 30 12{number:05d}" for number in range(30)],
    "web addresses": [f"https://a.test/{number}" for number in range(30)],
    "internet addresses": [f"10.0.0.{number}" for number in range(30)],
    "social security numbers": [f"123-45-{number:04d}" for number in range(30)],
    "account numbers": [iban(number * 7919) for number in range(30)],
    "medical record numbers": [nhs(400_000_000 + number * 37) for number in range(30)],
    "other unique codes": [f"1234567{n:x}-1234-4321-abcd-0123456789ab" for n in range(16)],
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_give_themselves_away_under_any_name(kind: str) -> None:
    found = suggest("x17", list(VALUES[kind]))
    assert found.role == SuggestedRole.IDENTIFIER
    assert found.danger == Danger.VERY_HIGH
    assert found.hipaa == kind
    assert found.reason.startswith("Every value is ")
    assert found.reason.endswith("no two rows share one.")


def test_internet_addresses_of_the_new_kind_are_known() -> None:
    assert suggest("x", [f"2001:db8::{n:x}" for n in range(9)]).hipaa == "internet addresses"


def test_some_exceptions_do_not_hide_a_pattern() -> None:
    found = suggest("x", [*VALUES["e-mail addresses"], "unknown"])
    assert found.role == SuggestedRole.IDENTIFIER
    assert found.reason.startswith("97\u00a0% of the values look like an e-mail address")


@pytest.mark.parametrize("digits", [8, 9, 10, 11, 13, 16])
def test_random_numbers_are_no_valid_numbers(digits: int) -> None:
    cells = [str(CHANCE.randrange(10 ** (digits - 1), 10**digits)) for _ in range(40)]
    assert find_pattern(Column.from_cells("x", cells)) is None


def test_dates_are_no_telephone_numbers() -> None:
    cells = [f"0{day}/0{month}/2020" for day in range(1, 9) for month in range(1, 9)]
    assert find_pattern(Column.from_cells("x", cells)) is None


def test_every_checked_number_exists_in_the_library() -> None:
    for name, *_ in CHECKED_NUMBERS:
        module = __import__(f"stdnum.{name}", fromlist=["is_valid"])
        assert module.is_valid("no number") is False


# By figures


def test_a_running_number_is_an_identifier() -> None:
    found = suggest("x17", [str(number) for number in range(500, 530)])
    assert found.reason == "A running number: no two rows share one."
    assert found.role == SuggestedRole.IDENTIFIER


def test_what_is_the_same_everywhere_tells_nobody_apart() -> None:
    assert suggest("wave", ["2026"] * 9).role == SuggestedRole.INSENSITIVE
    assert "Every cell is missing" in suggest("wave", [None] * 9).reason


def test_no_role_is_suggested_for_free_text() -> None:
    cells = [f"The patient number {n} told us about the family and the work." * 2 for n in range(9)]
    found = suggest("x17", list(cells))
    assert found.role is None
    assert found.is_free_text
    assert found.danger == Danger.VERY_HIGH
    assert found.reason.startswith("23 words on average: anybody may be named in it.")


def test_free_text_says_what_was_seen_in_it() -> None:
    cells = [f"Spoke to Mrs Archer on visit {n}, she feels better and walks." for n in range(30)]
    assert "; 30 of those looked at address or call somebody." in suggest("x", list(cells)).reason
    cells = [f"Came on day {n} again, write to ann{n}@mail.test about the plan." for n in range(30)]
    assert "; 30 of those looked at hold an e-mail address." in suggest("x", list(cells)).reason


LABELS = (
    "Manufacture of food products, beverages and tobacco",
    "Wholesale and retail trade, repair of motor vehicles",
    "Public administration and defence; compulsory social security",
)


def test_long_labels_that_come_again_and_again_are_no_free_text() -> None:
    found = suggest("branche", [LABELS[n % 3] for n in range(90)])
    assert found.role == SuggestedRole.QUASI_IDENTIFIER
    assert not found.is_free_text


def test_remarks_are_free_text_even_when_they_are_short() -> None:
    cells = [f"came late day {n}" for n in range(40)]
    assert suggest("Bemerkung", list(cells)).role is None
    assert suggest("arrival", list(cells)).role != SuggestedRole.QUASI_IDENTIFIER


# Names of people


@pytest.mark.parametrize("heading", ["x17", "Ansprechpartner", "Contact", "Spalte 4"])
def test_names_give_themselves_away_under_any_heading(heading: str) -> None:
    given, family = "Anna Pedro Luca Maja Jonas".split(), "Zwickel Nowak Rossi Odenthal".split()
    found = suggest(heading, [f"{a} {b}" for a in given for b in family])
    assert found.role == SuggestedRole.IDENTIFIER
    assert found.hipaa == "names"
    assert "names of people" in found.reason


def test_a_title_makes_a_name_of_what_follows() -> None:
    cells = [f"Dr. {name}" for name in "Zwickel Odenthal Kirchgessner Quarg Mey".split()] * 9
    assert suggest("x17", list(cells)).reason.endswith("with a title in front.")


def test_a_number_under_a_heading_of_people_is_no_name() -> None:
    assert suggest("nombre", [str(n % 4) for n in range(40)]).role != SuggestedRole.IDENTIFIER
    assert suggest("Children", ["yes", "no"] * 20).role != SuggestedRole.IDENTIFIER


TOWNS = (
    "Jackson Houston Lincoln Washington Madison Austin Dallas Denver Phoenix Boston Chicago "
    "Seattle Portland Atlanta Miami Tampa Orlando Memphis Nashville Columbus Cleveland Charlotte"
)
THINGS = {
    "City": TOWNS.replace(" ", ","),
    "x1": TOWNS.replace(" ", ","),
    "hair": "Black,Brown,White,Green,Grey,Rose",
    "lieu": "Paris,Lyon,Toulouse,Nice,Saint-Denis,Le Havre,Dijon,Angers,Brest,Tours,Amiens,Limoges",
    "x2": "Software Engineer,Senior Nurse,Project Manager,Truck Driver,Primary Teacher,Bus Driver,"
    "Data Analyst,Civil Engineer,Chief Executive,Care Worker,Police Officer,Music Teacher,Mason",
    "Arbeitgeber": "Siemens AG,Bosch GmbH,Müller GmbH,Bäckerei Huber,Stadtwerke Passau,Lidl",
    "school": "Goethe-Gymnasium,Sophie-Scholl-Schule,Realschule Nord,Albert-Einstein-Gymnasium",
    "x3": "Germany,France,Spain,Italy,Poland,Sweden,Jordan,Chad,Georgia,Turkey,Syria,Iran,Austria",
    "x4": "Virginia,Georgia,North Carolina,Texas,Washington,Montana,Nevada,New York,California",
    "month": "January,February,March,April,May,June,July,August,September,October,November",
    "brand": "Mercedes,Ford,Toyota,Fiat,Opel,Seat,Skoda,Volvo,Saab,Audi,Porsche,Bentley,Rover",
    "Contact": "Phone,Email,Letter,Visit",
    "answer": "Stimme voll und ganz zu,Stimme eher zu,Weder noch,Stimme eher nicht zu",
    "Room": "Room 1,Room 2,Room 12,Room 7,Hall 3",
}


@pytest.mark.parametrize("heading", THINGS)
def test_things_are_not_taken_for_people(heading: str) -> None:
    values = THINGS[heading].split(",")
    found = suggest(heading, [values[n % len(values)] for n in range(200)])
    assert found.role not in (SuggestedRole.IDENTIFIER, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("write to ann@mail.test, please", "an e-mail address"),
        ("call 617-555-0123 after six", "a telephone number"),
        ("SSN 123-45-6789", "a social security number"),
        ("see https://people.test/ann", "a web address"),
    ],
)
def test_a_few_texts_that_name_somebody_are_enough(text: str, words: str) -> None:
    found = suggest("remark", [*["came late", "came early", "did not come"] * 30, text, f"{text}!"])
    assert found.role == SuggestedRole.IDENTIFIER
    assert found.reason == f"Texts may name people; 2 texts contain {words}."


def test_codes_and_versions_are_no_mention_of_people() -> None:
    cells = ["A-123-45-67890", "12.4.2026", "3.11.7.2", "a @ b", "20-29", "D-2024-555-0123-X"] * 9
    assert "Texts may name" not in suggest("code", list(cells)).reason


def test_an_unknown_column_says_with_whom_it_isolates_people() -> None:
    rows = [(str(a), str(b), str((a + b) % 4)) for a in range(4) for b in range(4)]
    found = suggest_roles(Table.from_rows(("x1", "x2", "x3"), rows))
    assert found.suggestions[0].reason == (
        "It has 4 values and tells 80\u00a0% of all pairs of rows apart; "
        "with x2 every row is one of a kind."
    )
    assert found.suggestions[0].separation == pytest.approx(0.8)
    assert found.worst[0].places == (0, 1)


def test_adult_is_suggested_as_everybody_tags_it() -> None:
    table = adult_table()
    found = suggest_roles(table)
    roles = {c.name: s.role.value for c, s in zip(table.columns, found.suggestions, strict=True)}
    assert roles.pop("salary-class") == "sensitive"
    assert set(roles.values()) == {"quasi-identifier"}
    worst = [table.names[place] for place in found.worst[0].places]
    assert worst == ["age", "education", "occupation"]
    assert found.worst[0].alone == 1907  # as the worst triple of screens.md
    assert found.worst[0].rows == 30162


codes = st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=30)


@given(rows=codes)
def test_the_worst_combination_is_the_worst_of_all(rows: list[tuple[str, ...]]) -> None:
    """With few columns nothing is left out: hold it against counting every combination."""
    from collections import Counter
    from itertools import combinations

    table = Table.from_rows(("a", "b", "c", "d"), rows)
    alone = {}
    for size in (1, 2, 3):
        for places in combinations(range(4), size):
            counts = Counter(tuple(row[place] for place in places) for row in rows)
            alone[places] = sum(1 for times in counts.values() if times == 1)
    found = find_worst(table.columns, range(4))
    assert {one.places: one.alone for one in found} == {p: n for p, n in alone.items() if n}
    assert (found[0].alone if found else 0) == max(alone.values())
    with patch.object(searching, "MOST_NUMBERED", 0):  # as of very many rows
        assert find_worst(table.columns, range(4)) == found


def test_values_that_many_rows_tell_apart_are_counted_by_looking_for_them() -> None:
    """Three fine columns have far more possible combinations than rows; some rows come twice."""
    moments = [(str(7919 * n % 400), str(104_729 * n % 399), str(n % 397)) for n in range(400)]
    rows = moments + moments[:150]
    found = find_worst(Table.from_rows(("a", "b", "c"), rows).columns, range(3))
    assert {one.alone for one in found if len(one.places) == 3} == {250}


def test_a_column_is_not_blamed_for_what_another_does_alone() -> None:
    """Every moment is another one, so whatever stands beside it "makes" every row one of a kind."""
    moments = [str(1_000_003 * n % 999_983 / 100) for n in range(300)]
    visits, floors = ([str(n * step % 7) for n in range(300)] for step in (3, 5))
    columns = zip(("moment", "visits", "floor"), (moments, visits, floors), strict=True)
    found = suggest_roles(Table(tuple(Column.from_cells(*pair) for pair in columns)))
    assert [one.places for one in found.worst] == [(0,)]
    assert all("moment" not in one.reason for one in found.suggestions[1:])


@given(cells=st.lists(st.none() | st.sampled_from(["secret@mail.test", "zecret", "7"]), min_size=1))
def test_no_reason_holds_a_cell_and_every_column_has_one(cells: list[str | None]) -> None:
    found = suggest("x17", cells)
    assert "ecret" not in found.reason
    assert found.reason.endswith(".")


def test_two_hundred_columns_are_looked_at() -> None:
    rows = 300
    columns = [
        Column.from_cells(f"q{place}", [str(CHANCE.randrange(9)) for _ in range(rows)])
        for place in range(200)
    ]
    found = suggest_roles(Table(tuple(columns)))
    assert len(found.suggestions) == 200
    assert len(found.worst[0].places) == 3
