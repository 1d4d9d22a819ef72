"""Days of birth: people read them as ages, other dates as parts of the calendar."""

from deid_portal.engine.table.headings import take_apart

BIRTH_WORDS = frozenset(
    "birth birthday birthdate dob yob born geburtsdatum geburtsjahr geburtstag geboren gebdatum "
    "gebdat geb naissance naiss datenaissance nacimiento nac fnac nascita nato nata geboortedatum "
    "geboortejaar urodzenia ur nascimento fodelsedatum fodd fodselsdato fodt syntymaaika narozeni "
    "ne nee".split()
)


def speaks_of_birth(name: str) -> bool:
    return take_apart(name).mention(BIRTH_WORDS)
