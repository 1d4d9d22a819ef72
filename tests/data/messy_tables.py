"""Tables as people bring them: a German hospital, a French school survey, an English register.

Every person is invented. The tables are the same each time:

    python -m tests.data.messy_tables FOLDER

writes `krankenhaus.csv`, `enquete.sav` and `register.xlsx`.
"""

import csv
import random
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

import pandas as pd
import pyreadstat
from openpyxl import Workbook
from openpyxl.styles import Font

SEED = 20_260_401

# --- a German hospital: semicolons, decimal commas, names, notes, an income to the cent ----------

VORNAMEN = {
    "w": "Anna Berta Christa Elif Emine Frieda Gerda Heike Ingrid Jana Karin Lena Monika Petra Ute",
    "m": "Bernd Dieter Emre Fritz Günter Hans Jens Jürgen Klaus Lars Mehmet Olaf Peter Rolf Uwe",
}
NACHNAMEN = (
    "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter "
    "Wolf Schröder Neumann Zimmermann Braun Krüger Hartmann Lange Werner Krause Lehmann Köhler "
    "Yılmaz Nowak Großmann von_Stein"
).split()
STATIONEN = [
    "Innere Medizin I",
    "Innere Medizin II",
    "Kardiologie",
    "Unfallchirurgie",
    "Allgemeinchirurgie",
    "Gynäkologie",
    "Geburtshilfe",
    "Pädiatrie",
    "Neurologie",
    "Palliativstation",
]
DIAGNOSEN = "I21.0 I50.1 J18.9 E11.9 K35.8 S72.0 O80 F32.1 C50.9 N18.5 G20 B20".split()
KASSEN = ["AOK", "TK", "Barmer", "DAK", "privat", "k.A."]
ORTE = {"Köln": 50667, "Bonn": 53111, "Düsseldorf": 40210, "Essen": 45127, "Münster": 48143}
FAMILIENSTAND = ["ledig", "verheiratet", "geschieden", "verwitwet", "unbekannt"]
BEMERKUNGEN = [
    "{anrede} {name} wünscht Rückruf unter 0221 {nummer}, Tochter kommt am Wochenende.",
    "Pat. klagt seit {zahl} Tagen über Schmerzen; Hausarzt Dr. {name} wird informiert.",
    "Entlassung nach Hause geplant, Pflegedienst {name} übernimmt ab Montag.",
    "Allergie gegen Penicillin, sonst keine Besonderheiten. Letzte Aufnahme vor {zahl} Monaten.",
]


def write_hospital(path: Path, rows: int = 3000) -> None:
    """Write 3,000 stays as a hospital's system exports them: cp1252, `;`, `1.234,56`."""
    chance = random.Random(SEED)
    with path.open("w", newline="", encoding="cp1252") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(
            "Fallnr Nachname Vorname Geschlecht Geburtsdatum PLZ Ort Telefon Kasse Familienstand "
            "Station ICD-10 Aufnahme Liegetage Einkommen Bemerkung".split()
        )
        for number in range(rows):
            writer.writerow(_stay(number, chance))


def _stay(number: int, chance: random.Random) -> list[object]:
    sex = chance.choice("wm")
    first = chance.choice(VORNAMEN[sex].split())
    last = chance.choice(NACHNAMEN).replace("_", " ").replace("ı", "i")
    town = chance.choice(list(ORTE))
    day = date(2026, 1, 1) - timedelta(days=chance.randrange(6500, 33500))
    income = f"{chance.lognormvariate(10.3, 0.55):,.2f}"
    note = chance.choice(BEMERKUNGEN).format(
        anrede="Frau" if sex == "w" else "Herr",
        name=chance.choice(NACHNAMEN[:25]),
        nummer=chance.randrange(100_000, 999_999),
        zahl=chance.randrange(2, 15),
    )
    return [
        f"2026-{number:06d}",
        last,
        first,
        sex if chance.random() > 0.01 else "k.A.",
        f"{day:%d.%m.%Y}",
        ORTE[town] + chance.randrange(0, 12),
        town,
        f"0{chance.randrange(200, 990)}/{chance.randrange(10**5, 10**7)}",
        chance.choices(KASSEN, [30, 28, 15, 12, 9, 2])[0],
        chance.choices(FAMILIENSTAND, [34, 45, 11, 8, 2])[0],
        chance.choices(STATIONEN, [20, 14, 14, 12, 12, 9, 8, 6, 4, 1])[0],
        chance.choice(DIAGNOSEN),
        f"{date(2026, 1, 1) + timedelta(days=chance.randrange(0, 90)):%d.%m.%Y}",
        max(1, round(chance.gammavariate(2, 3))),
        income.translate(str.maketrans(",.", ".,")) if chance.random() > 0.05 else "k.A.",
        note if chance.random() < 0.6 else "",
    ]


# --- a French school survey: SPSS with labels of variables and values ----------------------------

ACADEMIES = ["Créteil", "Lille", "Lyon", "Nantes", "Paris", "Rennes", "Toulouse", "Versailles"]
PRENOMS = (
    "Camille Chloé Inès Jade Léa Louise Manon Zoé Adam Gabriel Hugo Jules Léo Louis Nathan Raphaël"
).split()
LABELS: dict[str, dict[float, str]] = {
    "SEXE": {1: "Fille", 2: "Garçon"},
    "NIVEAU": {6: "Sixième", 5: "Cinquième", 4: "Quatrième", 3: "Troisième"},
    "PCS": {
        1: "Agriculteur exploitant",
        2: "Artisan, commerçant, chef d'entreprise",
        3: "Cadre, profession intellectuelle supérieure",
        4: "Profession intermédiaire",
        5: "Employé",
        6: "Ouvrier",
        9: "Non réponse",
    },
    "ACAD": dict(enumerate(ACADEMIES, start=1)),
    "HARCEL": {0: "Jamais", 1: "Une ou deux fois", 2: "Souvent", 9: "Non réponse"},
}
QUESTIONS = {
    "ID_ELEVE": "Identifiant national de l'élève",
    "PRENOM": "Prénom de l'élève",
    "SEXE": "Sexe de l'élève",
    "NAISS": "Date de naissance",
    "NIVEAU": "Classe fréquentée",
    "ACAD": "Académie de l'établissement",
    "CP": "Code postal du domicile",
    "PCS": "Profession du responsable légal 1",
    "FRATRIE": "Nombre de frères et sœurs",
    "MOYENNE": "Moyenne générale du trimestre",
    "HARCEL": "Au cours de l'année, as-tu été victime de harcèlement ?",
}


def write_school_survey(path: Path, rows: int = 1800) -> None:
    """Write 1,800 pupils as SPSS keeps them: codes with labels, a code for no answer."""
    chance = random.Random(SEED + 1)
    frame = pd.DataFrame([_pupil(number, chance) for number in range(rows)], columns=[*QUESTIONS])
    pyreadstat.write_sav(
        frame,
        str(path),
        file_label="Enquête climat scolaire",
        column_labels=list(QUESTIONS.values()),
        variable_value_labels=LABELS,
        missing_ranges={"PCS": [9], "HARCEL": [9]},
    )


def _pupil(number: int, chance: random.Random) -> list[object]:
    level = chance.choice([6, 5, 4, 3])
    region = chance.randrange(1, 9)
    return [
        f"{chance.randrange(10**9, 10**10)}{chance.choice('ABCDEF')}{chance.choice('LMNPRS')}",
        chance.choice(PRENOMS),
        chance.choice([1, 2]),
        date(2026 - (17 - level), 1, 1) + timedelta(days=chance.randrange(365)),
        level,
        region,
        f"{[94, 59, 69, 44, 75, 35, 31, 78][region - 1]}{chance.randrange(0, 9) * 100:03d}",
        chance.choices([1, 2, 3, 4, 5, 6, 9], [2, 8, 21, 25, 26, 15, 3])[0],
        min(chance.randrange(0, 5), chance.randrange(0, 7)),
        round(min(19.5, max(3.0, chance.gauss(12.4, 2.8))), 1),
        chance.choices([0, 1, 2, 9], [78, 13, 6, 3])[0],
    ]


# --- an English register: Excel with a title, headings over two rows and a note below -------------

WARDS = ["Ashfield", "Beeston North", "Bridge", "Castle", "Mapperley", "St Ann's", "Wollaton West"]
GIVEN = (
    "Aisha Amelia Ava Charlotte Grace Isla Olivia Arthur George Harry Jack Mohammed Noah".split()
)
FAMILY = "Ahmed Brown Clarke Davies Evans Green Hall Hughes Khan O'Neill Patel Smith Taylor".split()
ETHNICITY = ["White British", "Asian", "Black", "Mixed", "Other White", "Not stated"]
GROUPS = [
    ("Person", ["NHS number", "Full name", "Date of birth", "Sex", "Ethnic group"]),
    ("Address", ["Postcode", "Ward"]),
    ("Care", ["Referred on", "Service", "Contacts", "Weekly cost (£)", "Outcome"]),
]
SERVICES = ["Home care", "Day centre", "Respite", "Residential", "Equipment"]
OUTCOMES = ["Ongoing", "Completed", "Moved away", "Declined", "Deceased"]


def write_register(path: Path, rows: int = 1200) -> None:
    """Write 1,200 people as a council keeps them: merged headings, real dates, a footnote."""
    chance = random.Random(SEED + 2)
    book = Workbook()
    book.create_sheet("Notes").append(["Drawn from the case system on 1 April 2026"])
    sheet = book.active
    assert sheet is not None
    sheet.title = "Adult social care"
    sheet.append(["Adult social care register, Q1 2026"])
    sheet.append([])
    sheet.append(
        [title for group, names in GROUPS for title in [group, *[None] * (len(names) - 1)]]
    )
    sheet.append([name for _, names in GROUPS for name in names])
    column = 1
    for _, names in GROUPS:
        sheet.merge_cells(
            start_row=3, start_column=column, end_row=3, end_column=column + len(names) - 1
        )
        column += len(names)
    sheet["A1"].font = Font(bold=True, size=14)
    for _ in range(rows):
        sheet.append(_client(chance))
    book.save(path)


def _client(chance: random.Random) -> list[object]:
    ward = chance.randrange(len(WARDS))
    inward = f"{chance.randrange(1, 8)}{chance.choice('ABDEFGHJ')}{chance.choice('LNPQRSTU')}"
    return [
        _nhs_number(chance),
        f"{chance.choice(GIVEN)} {chance.choice(FAMILY)}",
        datetime(2008, 1, 1) - timedelta(days=chance.randrange(0, 28_000)),
        chance.choice(["Female", "Male"]),
        chance.choices(ETHNICITY, [60, 12, 8, 6, 8, 6])[0],
        f"NG{ward + 1} {inward}",
        WARDS[ward],
        datetime(2025, 1, 1) + timedelta(days=chance.randrange(0, 450)),
        chance.choices(SERVICES, [45, 20, 12, 8, 15])[0],
        chance.randrange(1, 60),
        round(chance.lognormvariate(5.2, 0.6), 2) if chance.random() > 0.04 else "n/a",
        chance.choices(OUTCOMES, [50, 30, 8, 8, 4])[0],
    ]


def _nhs_number(chance: random.Random) -> str:
    """Return a number with the right check digit, in the range kept for tests (999 …)."""
    while True:
        digits = [9, 9, 9, *(chance.randrange(10) for _ in range(6))]
        check = 11 - sum(d * w for d, w in zip(digits, range(10, 1, -1), strict=True)) % 11
        if check != 10:
            number = "".join(map(str, [*digits, check % 11]))
            return f"{number[:3]} {number[3:6]} {number[6:]}"


TABLES: dict[str, Callable[[Path], None]] = {
    "krankenhaus.csv": write_hospital,
    "enquete.sav": write_school_survey,
    "register.xlsx": write_register,
}

if __name__ == "__main__":
    for name, write in TABLES.items():
        write(Path(sys.argv[1]) / name)
