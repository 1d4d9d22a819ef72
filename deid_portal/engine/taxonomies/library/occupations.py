"""Occupations by their ISCO-08 code.

Source: International Labour Organization, International Standard Classification of Occupations
2008, Volume 1: the ten major groups, their sub-major groups, and the skill levels they need.
"""

from dataclasses import dataclass

from deid_portal.engine.taxonomies.library.entry import CodeTree

MAJOR_GROUPS = {
    "1": ("Managers", "skill levels 3-4"),
    "2": ("Professionals", "skill levels 3-4"),
    "3": ("Technicians and associate professionals", "skill levels 3-4"),
    "4": ("Clerical support workers", "skill level 2"),
    "5": ("Service and sales workers", "skill level 2"),
    "6": ("Skilled agricultural, forestry and fishery workers", "skill level 2"),
    "7": ("Craft and related trades workers", "skill level 2"),
    "8": ("Plant and machine operators and assemblers", "skill level 2"),
    "9": ("Elementary occupations", "skill level 1"),
    "0": ("Armed forces occupations", "armed forces"),
}
SUB_MAJOR_GROUPS = frozenset(
    """01 02 03 11 12 13 14 21 22 23 24 25 26 31 32 33 34 35 41 42 43 44 51 52 53 54 61 62 63
    71 72 73 74 75 81 82 83 91 92 93 94 95 96""".split()
)


@dataclass(frozen=True)
class Occupations(CodeTree):
    def groups_of(self, code: str) -> tuple[str, ...]:
        digits = code.upper().removeprefix("OC")
        if not 2 <= len(digits) <= 4 or not digits.isascii() or digits[:2] not in SUB_MAJOR_GROUPS:
            return ()
        if not digits.isdecimal():
            return ()
        name, skill = MAJOR_GROUPS[digits[0]]
        return (f"minor group {digits[:3]}", f"group {digits[:2]}", f"{digits[0]} {name}", skill)


OCCUPATIONS = Occupations(
    "occupations",
    "Occupations, ISCO-08",
    "minor group, sub-major group, major group, skill level; by code of two to four digits",
    "International Labour Organization, ISCO-08",
    examples=tuple(f"{group}11" for group in sorted(SUB_MAJOR_GROUPS)),
)
