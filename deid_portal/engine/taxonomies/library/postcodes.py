"""Postal codes of European countries, from the part of a town up to a region.

Sources: Royal Mail, postcode areas; Deutsche Post, Leitzonen and Leitregionen; INSEE, code officiel
géographique 2024 (the first two digits are the département); PostNL, Poczta Polska and
PostNord, the structure of their codes.
"""

import re
from dataclasses import dataclass, field

from deid_portal.engine.taxonomies.library.entry import CodeTree

# Postcode areas by the region of the country in which most of their addresses lie.
UK_AREAS = {
    "North East": "DH DL NE SR TS",
    "North West": "BB BL CA CH CW FY L LA M OL PR SK WA WN",
    "Yorkshire and the Humber": "BD DN HD HG HU HX LS S WF YO",
    "East Midlands": "DE LE LN NG NN",
    "West Midlands": "B CV DY HR ST SY TF WR WS WV",
    "East of England": "AL CB CM CO IP LU NR PE SG SS",
    "London": "BR CR DA E EC EN HA IG KT N NW RM SE SM SW TW UB W WC WD",
    "South East": "BN CT GU HP ME MK OX PO RG RH SL SO TN",
    "South West": "BA BH BS DT EX GL PL SN SP TA TQ TR",
    "Wales": "CF LD LL NP SA",
    "Scotland": "AB DD DG EH FK G HS IV KA KW KY ML PA PH TD ZE",
    "Northern Ireland": "BT",
    "Crown dependencies": "GY IM JE",
}
REGION_OF_AREA = {area: region for region, areas in UK_AREAS.items() for area in areas.split()}
UK_CODE = re.compile(r"(([A-Z]{1,2})[0-9][0-9A-Z]?) ?([0-9])[A-Z]{2}")

DEPARTEMENTS = {
    "Auvergne-Rhône-Alpes": "01 03 07 15 26 38 42 43 63 69 73 74",
    "Bourgogne-Franche-Comté": "21 25 39 58 70 71 89 90",
    "Bretagne": "22 29 35 56",
    "Centre-Val de Loire": "18 28 36 37 41 45",
    "Corse": "20 2A 2B",
    "Grand Est": "08 10 51 52 54 55 57 67 68 88",
    "Hauts-de-France": "02 59 60 62 80",
    "Île-de-France": "75 77 78 91 92 93 94 95",
    "Normandie": "14 27 50 61 76",
    "Nouvelle-Aquitaine": "16 17 19 23 24 33 40 47 64 79 86 87",
    "Occitanie": "09 11 12 30 31 32 34 46 48 65 66 81 82",
    "Pays de la Loire": "44 49 53 72 85",
    "Provence-Alpes-Côte d'Azur": "04 05 06 13 83 84",
    "Outre-mer": "97 98",
}
REGION_OF_DEPARTEMENT = {
    number: region for region, numbers in DEPARTEMENTS.items() for number in numbers.split()
}
FR_CODE = re.compile(r"([0-9]{2}|2[AB])[0-9]{3}")


@dataclass(frozen=True)
class UkPostcodes(CodeTree):
    def groups_of(self, code: str) -> tuple[str, ...]:
        found = UK_CODE.fullmatch(code.upper())
        region = REGION_OF_AREA.get(found[2]) if found else None
        if found is None or region is None:
            return ()
        district, area, sector = found[1], found[2], found[3]
        return (f"{district} {sector}**", f"{district} ***", f"{area} area", region)


@dataclass(frozen=True)
class FrenchPostcodes(CodeTree):
    def groups_of(self, code: str) -> tuple[str, ...]:
        found = FR_CODE.fullmatch(code)
        region = REGION_OF_DEPARTEMENT.get(found[1]) if found else None
        return (f"{code[:3]}**", f"{code[:2]}***", region) if region else ()


@dataclass(frozen=True)
class LeadingSigns(CodeTree):
    """Codes of which each level keeps fewer leading signs; the rest becomes stars."""

    pattern: str = field(kw_only=True)
    kept: tuple[int, ...] = field(kw_only=True)

    def groups_of(self, code: str) -> tuple[str, ...]:
        if not re.fullmatch(self.pattern, code):
            return ()
        return tuple(code[:kept] + re.sub(r"\w", "*", code[kept:]) for kept in self.kept)


UK_POSTCODES = UkPostcodes(
    "uk-postcodes",
    "UK postcodes",
    "sector, district, area, region",
    "Royal Mail, postcode areas; regions of England as of the Office for National Statistics",
    examples=tuple(f"{area}{n} {n}AB" for area in REGION_OF_AREA for n in (1, 2)),
)
FRENCH_POSTCODES = FrenchPostcodes(
    "fr-postcodes",
    "French postal codes",
    "first three digits, département, région",
    "INSEE, Code officiel géographique 2024",
    examples=tuple(f"{number}{n}00" for number in REGION_OF_DEPARTEMENT for n in (1, 2)),
)
GERMAN_POSTCODES = LeadingSigns(
    "de-postcodes",
    "German postal codes",
    "first three digits, Leitregion (two), Leitzone (one)",
    "Deutsche Post, structure of the Postleitzahl since 1993",
    examples=tuple(f"{region:02}{n}{n}1" for region in range(1, 100) for n in (1, 5)),
    pattern="[0-9]{5}",
    kept=(3, 2, 1),
)
DUTCH_POSTCODES = LeadingSigns(
    "nl-postcodes",
    "Dutch postcodes",
    "neighbourhood (four digits), region (two), zone (one)",
    "PostNL, structure of the postcode",
    examples=tuple(f"{first}{n} AB" for first in range(10, 100) for n in (11, 52)),
    pattern="[1-9][0-9]{3} ?[A-Z]{2}",
    kept=(4, 2, 1),
)
SWEDISH_POSTCODES = LeadingSigns(
    "se-postcodes",
    "Swedish postal codes",
    "town (three digits), region (two), district (one)",
    "PostNord, structure of the postnummer",
    examples=tuple(f"{first}{n} 4{n}" for first in range(10, 99) for n in (1, 5)),
    pattern="[1-9][0-9]{2} ?[0-9]{2}",
    kept=(3, 2, 1),
)
POLISH_POSTCODES = LeadingSigns(
    "pl-postcodes",
    "Polish postal codes",
    "sector (three digits), zone (two), district (one)",
    "Poczta Polska, structure of the kod pocztowy",
    examples=tuple(f"{first:02}-{n}00" for first in range(100) for n in (1, 5)),
    pattern="[0-9]{2}-[0-9]{3}",
    kept=(4, 2, 1),
)
EUROPEAN_POSTCODES = (
    UK_POSTCODES,
    GERMAN_POSTCODES,
    FRENCH_POSTCODES,
    DUTCH_POSTCODES,
    SWEDISH_POSTCODES,
    POLISH_POSTCODES,
)
# Countries that are not on the shelf: digits alone, by how many there are.
DIGITS = {
    slug: LeadingSigns(slug, words, levels, "how they are written", pattern=pattern, kept=(3, 2, 1))
    for slug, words, levels, pattern in (
        ("five-digits", "Postal codes of five digits", "three, two, one", "[0-9]{5}"),
        ("four-digits", "Postal codes of four digits", "three, two, one", "[1-9][0-9]{3}"),
    )
}
