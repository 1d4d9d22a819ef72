"""Names of people, found by what the cells hold: known names, titles, and how they are written.

The lists (`names/`) hold names usual in some thirty countries. A column needs only some of its
values in them; the others are taken for names because they are written like the known ones.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from pathlib import Path

from deid_portal.engine.table.folding import fold_accents
from deid_portal.engine.table.missing_words import may_say_missing
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType

LISTS = Path(__file__).parent / "names"
MOST_VALUES = 500
FIRST_LOOK = 40
MOST_WORDS = 6
FEWEST_VALUES = 2
SHORTEST_WITH_ENDING = 6
NAME_WORD = re.compile(r"[^\W\d_]+(?:['’`´.-][^\W\d_]*)*\Z")
INITIAL = re.compile(r"[^\W\d_]\.?(?:-?[^\W\d_]\.)*\Z")
TITLES = frozenset(
    "dr dr. drs drs. prof prof. professor med med. mr mr. mrs mrs. ms ms. miss sir dame rev rev. "
    "herr herrn frau fr. hr. fraulein dipl.-ing. "
    "m. mme mme. mlle mlle. monsieur madame mademoiselle me maitre pr pr. "
    "sr sr. sra sra. srta srta. senor senora don dona d. dna dna. dra dra. "
    "sig sig. sig.ra sig.na signor signora dott dott. dott.ssa dr.ssa avv avv. ing. arch. "
    "dhr dhr. mevr mevr. mw mw. meneer mevrouw ir ir. "
    "pan pani lek lek. mgr mgr. inz inz. "
    "hr fru froken bc bc. mudr. mudr ing sor dl dna. bay".split()
)
# Titles that are no words of their own otherwise: they make a name of whatever follows.
PLAIN_TITLES = TITLES - {"me", "don", "dame", "ing", "sir", "pan", "bay", "med", "med.", "d.", "m."}
PARTICLES = frozenset(
    "von van de der den del della dei degli di da dal do dos das du des la le lo los las el al il "
    "bin ibn abu ben zu zum zur vom ter ten te het 't 's in op af av und y e i und mac mc st st. "
    "jr jr. sr. ii iii".split()
)
# Endings of family names that words of other kinds rarely have.
ENDINGS = (
    "sson", "nsen", "rsen", "lsen", "dsen", "tsen", "ksen", "sdottir", "mann", "meier", "meyer",
    "maier", "mayer", "huber", "hofer", "strom", "qvist", "kvist", "gren", "lund", "ski", "ska",
    "cki", "cka", "czyk", "wicz", "ovic", "evic", "escu", "oglu", "idis", "poulos", "opoulou",
    "enko", "shvili", "inen", "ova", "etti", "elli", "ucci", "stra", "guez", "ndez",
    "nchez", "rrez", "inez", "enez",
)  # fmt: skip
# What stands in names of things but not of people.
THINGS = frozenset(
    "gmbh ag kg ohg ug ltd limited plc llc inc corp co company sa sarl sas srl spa bv nv ab oy as "
    "aps sp z.o.o. z.o.o gbr e.v. ev school schule gymnasium college university universitat "
    "hospital klinik klinikum clinic krankenhaus centre center zentrum praxis surgery pharmacy "
    "apotheke stiftung verein group gruppe partners team unit ward station street road straße "
    "strasse lane avenue rue calle via ulica church bank insurance versicherung krankenkasse "
    "krankenversicherung hotel hopital ecole lycee universite ospedale scuola szpital szkola "
    "ziekenhuis sjukhus skola medicine medicina interna surgery british american european city "
    "national international saint san santa bad new north south east west upper lower".split()
)


class Heading(Enum):
    """What the heading of a column says about people's names."""

    OF_PEOPLE = "of people"
    SILENT = "silent"
    OF_OTHER_THINGS = "of other things"


@dataclass(frozen=True)
class NameLook:
    """How far the values of a column look like names: shares of the different values."""

    different: int
    shaped: float  # written like a name
    capital: float  # the same, and with capital letters
    whole: float  # of two words or more
    known: float  # hold a name that is usual somewhere
    titled: float  # begin with a title, such as Dr

    def are_names(self, heading: Heading, varied: float) -> bool:
        """Say whether these are people; `varied` is the share of cells that are different."""
        if self.different < FEWEST_VALUES or self.shaped < 0.6:
            return False
        match heading:
            case Heading.OF_PEOPLE:
                are_many = self.different >= 12 and self.capital >= 0.6
                return are_many or self.known >= 0.2 or self.titled >= 0.3
            case Heading.SILENT:
                return self.titled >= 0.5 or self._are_usual() or self._vary_like_people(varied)
            case Heading.OF_OTHER_THINGS:
                are_usual = self.different >= 15 and self.known >= 0.7
                return are_usual or (self.titled >= 0.7 and self.different >= 4)

    def _are_usual(self) -> bool:
        """A quarter of towns or brands is called like somebody; of people far more are."""
        if self.whole >= 0.7:
            return self.different >= 8 and self.known >= 0.25
        return self.different >= 15 and self.known >= 0.3 and self.shaped >= 0.8

    def _vary_like_people(self, varied: float) -> bool:
        """Two capitalized words, and hardly one twice: whoever else has such values?"""
        is_regular = self.whole >= 0.9 and self.capital >= 0.95
        return is_regular and self.different >= 30 and varied >= 0.5 and self.known >= 0.1


def look_for_names(column: Column) -> NameLook | None:
    """Look at the values of a column of texts; None if they are certainly no names."""
    if column.type != ColumnType.TEXT:
        return None
    values = [value for value in column.texts.first(MOST_VALUES) if not may_say_missing(value)]
    looks = [_look(value) for value in values[:FIRST_LOOK]]
    if not looks or _share_of(looks, "shaped") < 0.5:
        return None
    looks += [_look(value) for value in values[FIRST_LOOK:]]
    return NameLook(len(looks), *(_share_of(looks, part.name) for part in fields(_ValueLook)))


@dataclass(frozen=True)
class _ValueLook:
    """The same of one value, in the same order."""

    shaped: bool = False
    capital: bool = False
    whole: bool = False
    known: bool = False
    titled: bool = False


NO_NAME = _ValueLook()


def _share_of(looks: Sequence[_ValueLook], part: str) -> float:
    return float(sum(getattr(look, part) for look in looks)) / len(looks)


def _look(value: str) -> _ValueLook:
    parts = value.replace(",", " ").replace("/", " / ").split()
    words = [part for part in parts if fold_accents(part) not in TITLES]
    titled = len(words) < len(parts) and fold_accents(parts[0]) in PLAIN_TITLES
    core = [word for word in words if fold_accents(word) not in PARTICLES]
    if not core or len(words) > MOST_WORDS or any(fold_accents(word) in THINGS for word in core):
        return NO_NAME
    if not all(NAME_WORD.match(word) or INITIAL.match(word) for word in core):
        return NO_NAME
    long = [word for word in core if not INITIAL.match(word)]
    known = any(_is_known(word) for word in long)
    capital = all(word[0].isupper() for word in core)
    if not long or not (capital or known or value.islower()):
        return NO_NAME
    return _ValueLook(True, capital, len(core) > 1 or titled, known, titled)


def _is_known(word: str) -> bool:
    """Say whether a word is a usual name, is made of them, or ends like family names do."""
    names = known_names()
    folded = fold_accents(word).replace("’", "'").strip(".'-")
    if folded in names or re.sub(r"['’`´]", "", folded) in names:
        return True
    parts = [part for part in re.split(r"[-.]", folded) if part]
    if len(parts) > 1:
        return len(parts) == 2 and any(part in names for part in parts)
    if re.match(r"(mac|mc|o')[a-z]{3}", folded):
        return True
    return len(folded) >= SHORTEST_WITH_ENDING and folded.endswith(ENDINGS)


@cache
def known_names() -> frozenset[str]:
    """First and family names, folded; those of several words without their particles."""
    return frozenset(word for name in ("given", "family") for word in _words_of(name))


def _words_of(name: str) -> Sequence[str]:
    text = (LISTS / f"{name}.txt").read_text(encoding="utf-8")
    lines = [line.split()[1:] for line in text.splitlines() if not line.startswith("#")]
    parts = (part for line in lines for entry in line for part in entry.split("_"))
    folded = (fold_accents(part) for part in parts)
    return [part for part in folded if part not in PARTICLES and len(part) > 1]
