"""Patterns of the values of a column, confirmed by check digits.

A pattern is first tried on a few values, so that two hundred columns take only a moment.
"""

import importlib
import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from deid_portal.engine.risk.safe_harbor import SHAPES
from deid_portal.engine.table.folding import fold_accents
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType

MOST_VALUES = 500
FIRST_LOOK = 8
FEWEST_VALUES = 5
ENOUGH = 0.9
MOSTLY = 0.7
SOME = 0.2
LONGEST_ADDRESS = 80
SHORTEST_NUMBER = 8
LONGEST_NUMBER = 40
# Where the library also takes numbers that have no check digit.
DIGITS = {"luhn": (13, 19), "imei": (15, 15)}

# Numbers with check digits: the module of python-stdnum, and what the number is.
CHECKED_NUMBERS = (
    ("iban", "bank account number (IBAN)", "account numbers"),
    ("imei", "number of a mobile phone (IMEI)", "device identifiers"),
    ("luhn", "card number", "account numbers"),
    ("at.vnr", "Austrian social security number", "social security numbers"),
    ("be.nn", "Belgian national number", "social security numbers"),
    ("bg.egn", "Bulgarian national number", "social security numbers"),
    ("br.cpf", "Brazilian CPF number", "social security numbers"),
    ("ca.sin", "Canadian social insurance number", "social security numbers"),
    ("ch.ssn", "Swiss social security number", "social security numbers"),
    ("cn.ric", "Chinese identity number", "social security numbers"),
    ("cz.rc", "Czech birth number", "social security numbers"),
    ("de.idnr", "German tax number", "social security numbers"),
    ("ee.ik", "Estonian personal code", "social security numbers"),
    ("es.dni", "Spanish DNI number", "social security numbers"),
    ("es.nie", "Spanish NIE number", "social security numbers"),
    ("fi.hetu", "Finnish personal code", "social security numbers"),
    ("fr.nir", "French NIR number", "social security numbers"),
    ("gb.nhs", "British NHS number", "medical record numbers"),
    ("ie.pps", "Irish PPS number", "social security numbers"),
    ("in_.aadhaar", "Indian Aadhaar number", "social security numbers"),
    ("it.codicefiscale", "Italian tax code", "social security numbers"),
    ("mx.curp", "Mexican CURP code", "social security numbers"),
    ("nl.bsn", "Dutch BSN number", "social security numbers"),
    ("no.fodselsnummer", "Norwegian birth number", "social security numbers"),
    ("pl.pesel", "Polish PESEL number", "social security numbers"),
    ("pt.cc", "Portuguese citizen card number", "social security numbers"),
    ("ro.cnp", "Romanian national number", "social security numbers"),
    ("se.personnummer", "Swedish personal number", "social security numbers"),
    ("za.idnr", "South African identity number", "social security numbers"),
)
KIND_WORDS = {
    "e-mail addresses": "an e-mail address",
    "social security numbers": "a social security number",
    "telephone numbers": "a telephone number",
    "web addresses": "a web address",
    "internet addresses": "an internet address",
    "vehicle identifiers": "the number of a vehicle",
}
# Patterns that can be found inside texts; others match by chance inside longer words.
TOLD_APART = ("e-mail addresses", "social security numbers", "telephone numbers", "web addresses")
MENTIONS = tuple(
    (hipaa, re.compile(rf"(?<![\w-]){pattern}(?![\w-])"))
    for hipaa, pattern in SHAPES
    if hipaa in TOLD_APART
)
PHONE = re.compile(r"(\+|00)[1-9][0-9 ()./-]{5,}[0-9]\Z|0[0-9]{1,4}[ /-][0-9][0-9 /-]{3,}[0-9]\Z")
UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE)

ICD = re.compile(r"[A-TV-Z][0-9][0-9A-B](\.[0-9A-Z]{1,4})?[+*!]?\Z")
# A house number stands in front of the street or behind it, perhaps before the town.
HOUSE_NUMBER = re.compile(r"^\d{1,5}[a-zA-Z]?\b|[\s,]\d{1,5}\s?[a-zA-Z]?(?:[-/]\d+)?(?=\s*(?:,|$))")
STREET_WORDS = frozenset(
    "str strasse street st road rd lane ln avenue ave av avda avenida drive dr close court ct "
    "crescent terrace way hill gardens grove square sq mews row park place pl plaza platz weg "
    "allee gasse ring damm ufer am an im zur zum rue bd bld boulevard impasse chemin allees route "
    "quai passage calle c/ paseo camino carrer ronda via viale corso piazza vicolo largo strada "
    "contrada straat laan plein gracht kade singel dijk hof steeg ul ulica al aleja os osiedle "
    "plac rynek gata gatan vagen vag grand torg torget stigen allen esplanaden gade vej alle "
    "plads veien veg katu tie kuja polku rua travessa praca estrada utca ut ter ulice namesti "
    "trida".split()
)
STREET_ENDINGS = (
    "strasse", "str", "weg", "platz", "gasse", "allee", "damm", "ufer", "straat", "laan", "plein",
    "gracht", "kade", "singel", "dijk", "gatan", "gata", "vagen", "stigen", "torget", "vej", "gade",
    "veien", "gaten", "katu", "tie", "utca",
)  # fmt: skip

Question = Callable[[str], object]


@dataclass(frozen=True)
class Pattern:
    """What values look like, and the HIPAA kind it belongs to."""

    words: str
    hipaa: str
    share: float  # of the values looked at


@dataclass(frozen=True)
class Mention:
    """A direct identifier inside texts that hold other things as well."""

    words: str
    hipaa: str
    values: int  # of those looked at


def find_pattern(column: Column) -> Pattern | None:
    """Return the direct identifier most values of a column look like."""
    values = column.texts.first(MOST_VALUES)
    if len(values) < FEWEST_VALUES or column.type in (ColumnType.DATE, ColumnType.BOOLEAN):
        return None
    for words, hipaa, question in _questions(column.type):
        share = _share(values, question)
        if share >= ENOUGH:
            return Pattern(words, hipaa, share)
    return None


def find_mention(column: Column) -> Mention | None:
    """Return the direct identifier most often found inside the texts of a column."""
    if column.type != ColumnType.TEXT:
        return None
    values = column.texts.first(MOST_VALUES)
    joined = "\n".join(values)
    found = [
        Mention(KIND_WORDS[hipaa], hipaa, sum(bool(pattern.search(text)) for text in values))
        for hipaa, pattern in MENTIONS
        if pattern.search(joined)
    ]
    return max(found, key=lambda mention: mention.values, default=None)


def are_addresses(column: Column) -> bool:
    """Say whether most values are a street with a house number."""
    if column.type != ColumnType.TEXT:
        return False
    values = column.texts.first(MOST_VALUES)
    return len(values) >= FEWEST_VALUES and _share(values, _is_address) >= MOSTLY


def _is_address(text: str) -> bool:
    if not HOUSE_NUMBER.search(text) or len(text) > LONGEST_ADDRESS:
        return False
    words = [
        word.strip(".,") for word in re.split(r"[\s,]+", fold_accents(text)) if word.strip(".,")
    ]
    return any(word in STREET_WORDS or word.endswith(STREET_ENDINGS) for word in words)


def are_diagnosis_codes(column: Column) -> bool:
    """Say whether these are codes of diagnoses; those without a point are taken for rooms."""
    if column.type != ColumnType.TEXT:
        return False
    values = column.texts.first(MOST_VALUES)
    has_points = sum("." in value for value in values) >= SOME * len(values)
    return len(values) >= FEWEST_VALUES and has_points and _share(values, ICD.match) >= ENOUGH


def _share(values: Sequence[str], question: Question) -> float:
    """Return the share of values that pass; 0 if too few of the first ones do."""
    first = values[:FIRST_LOOK]
    if sum(bool(question(text)) for text in first) < ENOUGH * (len(first) - 1):
        return 0.0
    return sum(bool(question(text)) for text in values) / len(values)


@cache
def _questions(kind: ColumnType) -> tuple[tuple[str, str, Question], ...]:
    checked = tuple(
        (f"a valid {words}", hipaa, _check(name)) for name, words, hipaa in CHECKED_NUMBERS
    )
    if kind != ColumnType.TEXT:
        return checked if kind == ColumnType.INTEGER else ()
    shapes = tuple(
        (KIND_WORDS[hipaa], hipaa, re.compile(rf"(?:{pattern})\Z").match)
        for hipaa, pattern in SHAPES
    )
    others: tuple[tuple[str, str, Question], ...] = (
        ("an internet address", "internet addresses", _is_internet_address),
        ("a telephone number", "telephone numbers", PHONE.match),
        ("a random code", "other unique codes", UUID.match),
    )
    return (*shapes, *checked, *others)


def _check(name: str) -> Question:
    """Return the check of one kind of number; its module is loaded with the first value."""

    shortest, longest = DIGITS.get(name, (SHORTEST_NUMBER - 2, LONGEST_NUMBER))

    def is_valid(text: str) -> bool:
        digits = sum(sign.isdigit() for sign in text)
        if not shortest <= digits <= longest or len(text) < SHORTEST_NUMBER:
            return False
        module = importlib.import_module(f"stdnum.{name}")
        return bool(module.is_valid(text))

    return is_valid


def _is_internet_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
