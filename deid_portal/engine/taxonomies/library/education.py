"""Levels of education.

Source: UNESCO Institute for Statistics, International Standard Classification of Education, ISCED
2011; low, medium and high as Eurostat joins its levels. The words of the US census schooling
question (as in the Adult table) are placed as the UNESCO mapping of the United States places them.
"""

from deid_portal.engine.taxonomies.library.entry import NamedPlaces

# Level -> its name, the words in use for it, and the group Eurostat puts it into.
LEVELS = {
    0: ("early childhood education", ("preschool", "kindergarten", "none", "no schooling"), "low"),
    1: ("primary education", ("primary", "1st-4th", "5th-6th"), "low"),
    2: ("lower secondary education", ("lower secondary", "7th-8th", "9th"), "low"),
    3: (
        "upper secondary education",
        ("upper secondary", "secondary", "high school", "hs-grad", "10th", "11th", "12th"),
        "medium",
    ),
    4: (
        "post-secondary non-tertiary education",
        ("post-secondary", "some-college", "some college"),
        "medium",
    ),
    5: (
        "short-cycle tertiary education",
        ("short-cycle tertiary", "assoc-voc", "assoc-acdm", "associate"),
        "high",
    ),
    6: ("bachelor's or equivalent", ("bachelors", "bachelor", "bachelor's"), "high"),
    7: ("master's or equivalent", ("masters", "master", "master's", "prof-school"), "high"),
    8: ("doctoral or equivalent", ("doctorate", "doctoral", "phd", "doctor"), "high"),
}
GROUPS = {
    "low": "low (ISCED 0-2)",
    "medium": "medium (ISCED 3-4)",
    "high": "high (ISCED 5-8)",
}


def _read() -> dict[str, tuple[str, ...]]:
    paths: dict[str, tuple[str, ...]] = {}
    for level, (name, words, group) in LEVELS.items():
        labels = (f"ISCED {level}: {name}", GROUPS[group])
        for key in (str(level), f"isced {level}", f"ed{level}", name, *words):
            paths[key] = labels
    return paths


EDUCATION = NamedPlaces(
    "education",
    "Education levels, ISCED 2011",
    "level, then low, medium or high; by number, name or US census wording",
    "UNESCO Institute for Statistics, ISCED 2011; groups as Eurostat joins them",
    _read(),
    examples=tuple(word for _, words, _ in LEVELS.values() for word in words),
)
