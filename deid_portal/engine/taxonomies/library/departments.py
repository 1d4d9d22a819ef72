"""Departments of hospitals in nine languages, by what is done there.

The areas are those in which hospital statistics count departments, shortened in our own words:
German Federal Statistical Office (Grunddaten der Krankenhäuser) and NHS main specialties.
"""

from dataclasses import dataclass

from deid_portal.engine.table.folding import fold_accents
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.library.entry import ShelfEntry
from deid_portal.engine.taxonomies.outline import Path
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL

# Area and its parts, each with beginnings and endings of the words that name it. The first that
# fits counts, so that child psychiatry is with the mind and heart surgery with surgery.
AREAS: tuple[tuple[str, str, str], ...] = (
    ("mind and nerves", "mind", "psychiat psychosom psycholog psychother mental sucht addiction"),
    ("mind and nerves", "nerves", "neurolog stroke neurol epilep"),
    (
        "women and children",
        "women and birth",
        "gynak gynec gynaec gyneco ginec ginek geburtshilf obstet maternit ostetric poloznic "
        "frauenheil frauenklinik kvinno entbindung verlosk forlossning",
    ),
    (
        "women and children",
        "children",
        "padiat pediat paediat kinder children neonat barn enfant infantil dziec",
    ),
    (
        "surgery",
        "bones and joints",
        "unfallchir trauma orthop ortop endoproth spine wirbelsaul urazow",
    ),
    (
        "surgery",
        "head and senses",
        "augen ophthalm oftalm okulist oculist oogheel eye ogon hno kno orl laryng otorhin ent "
        "ear kaak mkg zahn dental stomat",
    ),
    ("surgery", "kidneys and urinary tract", "urolog"),
    ("surgery", "general and other surgery", "chirurg surg kirurg cirug heelkunde transplant"),
    (
        "emergency and intensive care",
        "emergency",
        "notauf notfall emergency a&e urgenc pronto spoedeis seh sor akutmott akuten casualty",
    ),
    (
        "emergency and intensive care",
        "intensive care",
        "intensiv intensive icu itu ccu uci its imc hdu reanim rianim oiom iva anasth anesth "
        "anaesth anest",
    ),
    ("internal medicine", "heart and vessels", "kardio cardio angiolog herz heart hjart"),
    ("internal medicine", "lungs", "pneumo pulmo lungen longziek neumol lung respir pluc"),
    ("internal medicine", "digestion", "gastro digest hepat mdl"),
    ("internal medicine", "kidneys", "nephrol nefrol dialys"),
    ("internal medicine", "cancer and blood", "onkolog oncolog hamatol hematol haematol strahlen"),
    (
        "internal medicine",
        "old age and palliative care",
        "geriat elderly alters palliat hospiz hospice rehab",
    ),
    (
        "internal medicine",
        "other internal medicine",
        "inner intern general medicin medizin medecine interne rheum reum endokrin endocr diabet "
        "infekt infect dermat haut skin allerg wewnetrz acute",
    ),
    (
        "diagnosis",
        "images and laboratory",
        "radiol rontgen rtg labor pathol nuklear nuclear imaging",
    ),
)
WHOLE_WORDS = frozenset(
    "ent ear eye seh sor icu itu ccu uci its imc hdu iva orl hno kno mkg mdl".split()
)


@dataclass(frozen=True)
class Departments(ShelfEntry):
    """Names are looked up by the stems in them, with whatever number stands behind."""

    @property
    def is_list(self) -> bool:
        return True

    def shown(self) -> tuple[str, ...]:
        return self.examples

    def covered(self, column: Column) -> dict[str, Path]:
        found = {value: _find_area(value) for value in column.values if value}
        return {value: (*path, ROOT_LABEL) for value, path in found.items() if path}


def _find_area(name: str) -> tuple[str, ...]:
    words = "".join(s if s.isalnum() or s == "&" else " " for s in fold_accents(name)).split()
    for area, part, stems in AREAS:
        if any(_names(stem, word) for stem in stems.split() for word in words):
            return (part, area)
    return ()


def _names(stem: str, word: str) -> bool:
    return word == stem if stem in WHOLE_WORDS else word.startswith(stem) or _ends_with(word, stem)


def _ends_with(word: str, stem: str) -> bool:
    """A stem also stands inside a compound: Allgemeinchirurgie, Herzkatheter."""
    return len(stem) >= 6 and stem in word


DEPARTMENTS = Departments(
    "departments",
    "Hospital departments",
    "specialty, area of medicine; by name in nine languages",
    "Areas as in hospital statistics of the German Federal Statistical Office and NHS main "
    "specialties, shortened",
    examples=tuple(
        "Cardiology,Dermatology,Emergency,Endocrinology,Gastroenterology,Geriatrics,Gynaecology,"
        "Haematology,Nephrology,Neurology,Neonatology,Obstetrics,Oncology,Ophthalmology,"
        "Orthopaedics,Paediatrics,Palliative care,Psychiatry,Psychosomatics,Pulmonology,Radiology,"
        "Rheumatology,Surgery,Traumatology,Urology,ICU,ENT,General medicine".split(",")
    ),
)
