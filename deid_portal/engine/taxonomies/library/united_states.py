"""The United States: states by division and region, ZIP codes by state and region.

Sources: U.S. Census Bureau, Census Regions and Divisions of the United States (2020); U.S. Postal
Service, three-digit ZIP Code prefixes (Domestic Mail Manual, labeling list L002).
"""

from bisect import bisect_right
from dataclasses import dataclass

from deid_portal.engine.taxonomies.library.entry import CodeTree, NamedPlaces

REGIONS = {
    "Northeast": ("New England", "Middle Atlantic"),
    "Midwest": ("East North Central", "West North Central"),
    "South": ("South Atlantic", "East South Central", "West South Central"),
    "West": ("Mountain", "Pacific"),
    "Outside the regions": ("Territories", "Armed forces"),
}

STATES_BY_DIVISION = {
    "New England": """CT Connecticut; ME Maine; MA Massachusetts; NH New Hampshire; RI Rhode Island;
        VT Vermont""",
    "Middle Atlantic": "NJ New Jersey; NY New York; PA Pennsylvania",
    "East North Central": "IL Illinois; IN Indiana; MI Michigan; OH Ohio; WI Wisconsin",
    "West North Central": """IA Iowa; KS Kansas; MN Minnesota; MO Missouri; NE Nebraska;
        ND North Dakota; SD South Dakota""",
    "South Atlantic": """DE Delaware; DC District of Columbia; FL Florida; GA Georgia; MD Maryland;
        NC North Carolina; SC South Carolina; VA Virginia; WV West Virginia""",
    "East South Central": "AL Alabama; KY Kentucky; MS Mississippi; TN Tennessee",
    "West South Central": "AR Arkansas; LA Louisiana; OK Oklahoma; TX Texas",
    "Mountain": """AZ Arizona; CO Colorado; ID Idaho; MT Montana; NV Nevada; NM New Mexico; UT Utah;
        WY Wyoming""",
    "Pacific": "AK Alaska; CA California; HI Hawaii; OR Oregon; WA Washington",
    "Territories": """AS American Samoa; GU Guam; MP Northern Mariana Islands; PR Puerto Rico;
        VI U.S. Virgin Islands""",
    "Armed forces": "AA Armed Forces Americas; AE Armed Forces Europe; AP Armed Forces Pacific",
}

# Prefixes from the first to the last of each run; what lies between the runs is not in use.
ZIP_PREFIXES = """
    005-005 NY, 006-007 PR, 008-008 VI, 009-009 PR, 010-027 MA, 028-029 RI, 030-038 NH,
    039-049 ME, 050-054 VT, 055-055 MA, 056-059 VT, 060-069 CT, 070-089 NJ, 090-099 AE, 100-149 NY,
    150-196 PA, 197-199 DE, 200-200 DC, 201-201 VA, 202-205 DC, 206-212 MD, 214-219 MD, 220-246 VA,
    247-268 WV, 270-289 NC, 290-299 SC, 300-319 GA, 320-339 FL, 340-340 AA, 341-342 FL, 344-344 FL,
    346-347 FL, 349-349 FL, 350-352 AL, 354-369 AL, 370-385 TN, 386-397 MS, 398-399 GA, 400-427 KY,
    430-459 OH, 460-479 IN, 480-499 MI, 500-516 IA, 520-528 IA, 530-532 WI, 534-535 WI, 537-549 WI,
    550-551 MN, 553-567 MN, 569-569 DC, 570-577 SD, 580-588 ND, 590-599 MT, 600-620 IL, 622-629 IL,
    630-631 MO, 633-641 MO, 644-658 MO, 660-662 KS, 664-679 KS, 680-681 NE, 683-693 NE, 700-701 LA,
    703-708 LA, 710-714 LA, 716-729 AR, 730-731 OK, 733-733 TX, 734-741 OK, 743-749 OK, 750-770 TX,
    772-799 TX, 800-816 CO, 820-831 WY, 832-838 ID, 840-847 UT, 850-853 AZ, 855-857 AZ, 859-860 AZ,
    863-865 AZ, 870-871 NM, 873-875 NM, 877-884 NM, 885-885 TX, 889-891 NV, 893-895 NV, 897-898 NV,
    900-908 CA, 910-928 CA, 930-961 CA, 962-966 AP, 967-968 HI, 969-969 GU, 970-979 OR, 980-986 WA,
    988-994 WA, 995-999 AK"""


def _divisions() -> dict[str, tuple[str, str, str]]:
    """Return, per code of a state: its name, division and region."""
    region_of = {division: name for name, own in REGIONS.items() for division in own}
    found = {}
    for division, listed in STATES_BY_DIVISION.items():
        for state in listed.split(";"):
            code, name = " ".join(state.split()).split(maxsplit=1)
            found[code] = (name, division, region_of[division])
    return found


DIVISIONS = _divisions()


def _runs() -> list[tuple[int, int, str]]:
    runs = []
    for run in ZIP_PREFIXES.split(","):
        ends, state = run.split()
        first, last = ends.split("-")
        runs.append((int(first), int(last), state))
    return runs


RUNS = _runs()


@dataclass(frozen=True)
class ZipCodes(CodeTree):
    def groups_of(self, code: str) -> tuple[str, ...]:
        digits, _, more = code.partition("-")
        if len(digits) != 5 or not digits.isascii() or not digits.isdecimal():
            return ()
        if more and (len(more) != 4 or not more.isdecimal()):
            return ()
        prefix = int(digits[:3])
        at = bisect_right(RUNS, prefix, key=lambda run: run[0]) - 1
        if at < 0 or prefix > RUNS[at][1]:
            return ()
        state, _, region = DIVISIONS[RUNS[at][2]]
        return (f"{digits[:3]}**", state, region)


ZIP_CODES = ZipCodes(
    "us-zip",
    "US ZIP codes",
    "first three digits, state, Census region",
    "USPS three-digit ZIP prefixes (DMM L002); U.S. Census Bureau regions, 2020",
    examples=tuple(f"{first:03d}01" for first, _, _ in RUNS),
)

STATES = NamedPlaces(
    "us-states",
    "US states",
    "Census division, Census region; by name or postal code",
    "U.S. Census Bureau, Census Regions and Divisions of the United States, 2020",
    {
        key.casefold(): (division, region)
        for code, (name, division, region) in DIVISIONS.items()
        for key in (code, name)
    },
    examples=tuple(name for name, _, _ in DIVISIONS.values()),
)
