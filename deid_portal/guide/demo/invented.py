"""The demo table: the Adult data with invented identifiers, the same every time."""

import csv
import gzip
import io
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"
SEED = 20261116

FIRST_NAMES = (
    "Ada Ben Cleo Dora Emil Finn Greta Hugo Ines Jon Kira Leo Mina Nils Olga Paul Rosa Sam Tea Uwe"
).split()
LAST_NAMES = (
    "Abel Brandt Costa Dahl Engel Falk Grau Holm Ivers Jansen Keller Lund Maier Noll Ott Pfau Reis"
).split()
CONDITIONS = {
    "Hypertension": 0.14,
    "Back pain": 0.13,
    "Asthma": 0.12,
    "Diabetes": 0.12,
    "Migraine": 0.11,
    "Depression": 0.1,
    "Influenza": 0.09,
    "Eczema": 0.08,
    "Gastritis": 0.07,
    "Cancer": 0.04,
}


def demo_table() -> bytes:
    """Return the table as CSV: name, email, person-no, the nine Adult columns, condition."""
    with gzip.open(DATA / "adult.csv.gz", "rt", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    header, people = rows[0], rows[1:]
    generator = np.random.default_rng(SEED)
    numbers = generator.permutation(len(people))
    conditions = generator.choice(list(CONDITIONS), size=len(people), p=list(CONDITIONS.values()))
    first = generator.choice(FIRST_NAMES, size=len(people))
    last = generator.choice(LAST_NAMES, size=len(people))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerow(["name", "email", "person-no", *header, "condition"])
    for index, person in enumerate(people):
        name = f"{first[index]} {last[index]}"
        email = f"p{index + 1}@mail.test"
        writer.writerow([name, email, f"{numbers[index]:05d}", *person, conditions[index]])
    return text.getvalue().encode()


def demo_taxonomy(column: str) -> bytes | None:
    path = DATA / f"adult_hierarchy_{column}.csv"
    return path.read_bytes() if path.is_file() else None
