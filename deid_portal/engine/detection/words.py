"""Names of columns in several languages, and what they say about the column.

Words stand without accents and in lower case, since names are compared that way. Longer words are
also found at the end or beginning of a compound such as lebensalter.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from deid_portal.engine.risk.safe_harbor import NAMES as ENGLISH_IDENTIFIERS

SHORTEST_ENDING = 5
SHORTEST_BEGINNING = 7
# Kinds of the HIPAA list that may be released generalized, or that figures show better.
NOT_BY_NAME = ("geographic subdivisions", "dates", "other unique codes")


@dataclass(frozen=True)
class Topic:
    """Something a column can be about; `hipaa` is its kind in the list of Safe Harbor."""

    title: str
    words: frozenset[str]
    hipaa: str = ""


def _topic(title: str, words: str, hipaa: str = "") -> Topic:
    return Topic(title, frozenset(words.split()), hipaa)


IDENTIFIERS = (
    _topic(
        "the name of a person",
        "name surname lastname firstname fullname forename vorname nachname familienname nom "
        "prenom nombre apellido apellidos cognome naam achternaam voornaam imie nazwisko nome "
        "sobrenome fornamn efternamn fornavn etternavn sukunimi etunimi jmeno prijmeni "
        "vezeteknev",
        "names",
    ),
    _topic(
        "an e-mail address", "email mail emailadresse courriel correo epost", "e-mail addresses"
    ),
    _topic(
        "a telephone number",
        "phone telephone telefon telefono telefone telefonnummer tel handy mobil mobile "
        "mobilnummer cellphone portable movil telefoon puhelin",
        "telephone numbers",
    ),
    _topic("a fax number", "fax telefax", "fax numbers"),
    _topic(
        "where a person lives",
        "address adresse anschrift direccion indirizzo adres endereco strasse street hausnummer "
        "rue calle straat ulica domicilio wohnadresse",
        "geographic subdivisions",
    ),
    _topic(
        "a number of the state or an insurance",
        "ssn sozialversicherungsnummer versichertennummer krankenversicherungsnummer "
        "steuernummer steueridnr dni nie nir bsn pesel personnummer fodselsnummer cpr nhs cpf "
        "curp passport passnummer reisepass ausweisnummer codicefiscale burgerservicenummer "
        "nino tin",
        "social security numbers",
    ),
    _topic(
        "the number of a medical record", "mrn patientennummer fallnummer", "medical record numbers"
    ),
    _topic(
        "a bank account or card",
        "iban konto kontonummer account accountnumber creditcard kreditkarte cuenta compte conto",
        "account numbers",
    ),
    _topic(
        "a licence plate or vehicle",
        "kennzeichen plate numberplate vin fahrgestellnummer matricula targa kenteken",
        "vehicle identifiers",
    ),
    _topic("a device", "imei imsi macaddress deviceid seriennummer serial", "device identifiers"),
    _topic("an address on the internet", "ip ipaddress ipadresse ipv4 ipv6", "internet addresses"),
    _topic(
        "a web page", "url website webseite homepage linkedin facebook twitter", "web addresses"
    ),
    _topic("a picture of a person", "photo foto portrait bild picture", "photographs"),
    _topic("a sign-in name", "username login userid benutzername nickname", "other unique codes"),
)
# "Name" beside one of these is the name of a person; beside any other word, of a thing.
OF_PEOPLE = frozenset(
    "name first last full given family maiden middle sur fore user client customer patient person "
    "mother father spouse husband wife child contact student pupil employee doctor teacher member "
    "kunde mutter vater kind schuler mitarbeiter arzt nach vor familien de la du of the".split()
)
NUMBERS_OF_PEOPLE = frozenset(
    "id ids identifier identifiant kennung uuid guid nr no nummer number num key matrikel "
    "matrikelnummer personalnummer kundennummer code".split()
)
QUASI_IDENTIFIERS = (
    _topic(
        "Neighbours and profiles tell a person's age.", "age alter edad eta leeftijd wiek idade"
    ),
    _topic(
        "Birthdays are known to many.",
        "birth birthday birthdate dob yob geburtsdatum geburtsjahr geburtstag geboren naissance "
        "nacimiento nascita geboortedatum urodzenia nascimento fodelsedatum",
        "dates",
    ),
    _topic(
        "It is visible to anyone who meets the person.",
        "sex gender geschlecht sexe sexo sesso geslacht plec race ethnicity ethnic ethnie "
        "hautfarbe raza etnia height weight grosse gewicht groesse haircolor eyecolor",
    ),
    _topic(
        "Where somebody lives or works is widely known.",
        "zip zipcode plz postleitzahl postcode postal cp city town county state province region "
        "district ort wohnort stadt gemeinde bundesland landkreis ville commune departement "
        "ciudad provincia comune citta gemeente plaats miasto cidade municipality latitude "
        "longitude lat lon gps place residence neighborhood",
        "geographic subdivisions",
    ),
    _topic(
        "Where somebody comes from is often known.",
        "country nationality citizenship nation land staatsangehorigkeit nationalitat "
        "nationalite pais nacionalidad nazionalita origin birthplace geburtsort herkunft "
        "mothertongue language sprache muttersprache immigration",
    ),
    _topic(
        "When something happened is often known to others.",
        "date datum fecha admission discharge aufnahme entlassung visit besuch death todesdatum",
        "dates",
    ),
    _topic(
        "Families and neighbours know it.",
        "marital marriage civil familienstand married relationship household haushalt children "
        "kinder kids dependents siblings familie estadocivil hijos enfants",
    ),
    _topic(
        "Work and school are on public profiles.",
        "occupation job profession beruf employer arbeitgeber company firma workclass industry "
        "branche education ausbildung bildung schulabschluss degree school schule university "
        "studium profesion empleo metier emploi professione beroep zawod employment position "
        "title",
    ),
)
SENSITIVE = (
    _topic(
        "health",
        "diagnosis diagnoses diagnose disease illness condition icd icd10 symptom symptoms "
        "medication medicine drug drugs treatment therapy therapie surgery hiv aids cancer "
        "krebs diabetes depression mental psychiatric disability behinderung pregnancy pregnant "
        "schwanger allergy krankheit erkrankung befund maladie diagnostic traitement enfermedad "
        "diagnostico malattia diagnosi ziekte choroba bloodpressure cholesterol glucose bmi "
        "labresult vaccination comorbidity",
    ),
    _topic(
        "money",
        "income salary wage wages earnings debt debts credit wealth gehalt einkommen lohn "
        "schulden vermogen salaire revenu ingreso ingresos sueldo salario stipendio reddito "
        "inkomen loon renda balance kontostand bonus pension rente",
    ),
    _topic(
        "belief and politics",
        "religion religious belief faith konfession glaube party partei vote voting political "
        "politics union gewerkschaft religione religieux",
    ),
    _topic("sexual life", "orientation sexuality homosexual sexualorientation partners"),
    _topic(
        "offences",
        "crime criminal conviction sentence offence offense arrest arrested straftat vorstrafe "
        "strafe delito prison police",
    ),
    _topic("genes", "gene genes genome genetic dna genotype mutation snp"),
    _topic("addiction", "alcohol alkohol smoking smoker raucher cannabis addiction sucht"),
    _topic("violence", "violence abuse victim gewalt opfer"),
    _topic(
        "school results",
        "grade grades gpa schulnote noten zensur exam prufung iq performance",
    ),
    _topic("social benefits", "benefit benefits welfare sozialhilfe burgergeld hartz unemployed"),
)


@dataclass(frozen=True)
class Words:
    """The name of a column taken apart."""

    all: frozenset[str]
    joined: str  # the whole name as one word

    def mentions(self, topic: Topic) -> bool:
        if self.all & topic.words or self.joined in topic.words:
            return True
        return any(_is_inside(word, name) for name in self.all for word in topic.words)


def take_apart(name: str) -> Words:
    """Return the words of a name: at spaces and signs, and where small letters meet capitals."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain).lower()
    words = re.findall(r"[a-z]+[0-9]*|[0-9]+", plain)
    return Words(frozenset(words), "".join(words))


def find_identifier(words: Words) -> Topic | None:
    """Return the direct identifier that a column name suggests."""
    for topic in IDENTIFIERS:
        if words.mentions(topic) and not _is_name_of_a_thing(words, topic):
            return topic
    return None


def find_english_identifier(name: str) -> str:
    """Return the kind of the HIPAA list that the check of a release would find by the name."""
    for kind, pattern in ENGLISH_IDENTIFIERS:
        if kind not in NOT_BY_NAME and re.search(pattern, name.strip().lower()):
            return kind
    return ""


def find_quasi_identifier(words: Words) -> Topic | None:
    return _first(QUASI_IDENTIFIERS, words)


def find_sensitive(words: Words) -> Topic | None:
    return _first(SENSITIVE, words)


def is_number_of_people(words: Words) -> bool:
    """Say whether the name suggests a number or code, which may be one per person."""
    return bool(words.all & NUMBERS_OF_PEOPLE)


def _first(topics: Iterable[Topic], words: Words) -> Topic | None:
    return next((topic for topic in topics if words.mentions(topic)), None)


def _is_name_of_a_thing(words: Words, topic: Topic) -> bool:
    return topic.hipaa == "names" and not words.all <= OF_PEOPLE | topic.words


@cache
def _is_inside(word: str, name: str) -> bool:
    """Say whether a name is a compound that ends or begins with the word."""
    if len(word) >= len(name):
        return False
    ends = len(word) >= SHORTEST_ENDING and name.endswith(word)
    return ends or (len(word) >= SHORTEST_BEGINNING and name.startswith(word))
