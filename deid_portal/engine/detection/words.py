"""Names of columns in several languages, and what they say about the column.

Words stand without accents and in lower case, since names are compared that way. Longer words are
also found at the end or beginning of a compound such as lebensalter.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deid_portal.engine.risk.safe_harbor import NAMES as ENGLISH_IDENTIFIERS
from deid_portal.engine.table.headings import HeadingWords
from deid_portal.engine.taxonomies.births import BIRTH_WORDS
from deid_portal.engine.taxonomies.postal_codes import POSTAL_WORDS

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


# The name of a person or of a thing: the words beside it tell, or the cells.
NAME_OF_SOMETHING = _topic(
    "the name of a person",
    "name names nachnamen nom noms nombre nombres nome nomi naam namen namn navn nimi nazwa nev",
    "names",
)
IDENTIFIERS = (
    _topic(
        "the name of a person",
        "surname lastname firstname forename forenames fullname middlename maidenname givenname "
        "vorname vornamen nachname familienname zuname rufname geburtsname madchenname prenom "
        "prenoms patronyme apellido apellidos cognome achternaam voornaam voornamen roepnaam "
        "meisjesnaam imie imiona nazwisko sobrenome apelido fornamn efternamn tilltalsnamn "
        "fornavn etternavn efternavn mellomnavn sukunimi etunimi jmeno prijmeni vezeteknev "
        "keresztnev prenume surnom",
        "names",
    ),
    _topic(
        "an e-mail address",
        "email mail emailadresse courriel correo epost mejl sahkoposti",
        "e-mail addresses",
    ),
    _topic(
        "a telephone number",
        "phone telephone telefon telefono telefone telefonnummer telefonnr rufnummer tel telnr "
        "handy handynummer mobil mobile mobilnummer mobilnr cellphone portable movil cellulare "
        "telemovel telefoon telefoonnummer mobiel mobieltje gsm komorka komorkowy puhelin "
        "puhelinnumero",
        "telephone numbers",
    ),
    _topic("a fax number", "fax telefax", "fax numbers"),
    _topic(
        "where a person lives",
        "address adresse anschrift wohnanschrift direccion indirizzo adress adres endereco morada "
        "osoite strasse street streetname hausnummer hausnr huisnummer huisnr rue calle straat "
        "straatnaam ulica domicilio domicile wohnadresse gatuadress postadress bostadsadress gata "
        "vejnavn utca",
        "geographic subdivisions",
    ),
    _topic(
        "a number of the state or an insurance",
        "ssn sozialversicherungsnummer sozialversicherungsnr svnr svnummer versichertennummer "
        "versichertennr kvnr kvnummer krankenversicherungsnummer krankenversichertennummer "
        "ahvnummer ahvnr steuernummer steueridnr steuerid dni nie nif nir nss ine bsn pesel "
        "personnummer personnr personalausweis fodselsnummer fodselsnr cpr cprnr nhs cpf curp "
        "passport passnummer reisepass ausweisnummer ausweisnr codicefiscale codfiscale "
        "fiscalcode burgerservicenummer rijksregisternummer insz nino tin rodnecislo "
        "henkilotunnus hetu tajszam cnp egn oib jmbg emso amka cartaidentita tesserasanitaria "
        "cartevitale securitesociale seguridadsocial nationalid dowodosobisty nrdowodu",
        "social security numbers",
    ),
    _topic(
        "the number of a medical record",
        "mrn nhc ipp patientennummer patientennr patnr fallnummer fallnr aktenzeichen aktennummer "
        "krankenblattnummer hospitalno hospno hospitalnumber historiaclinica cartellaclinica "
        "journalnummer journalnr dossiernummer patientnummer patientnr medicalrecord",
        "medical record numbers",
    ),
    _topic(
        "a bank account or card",
        "iban konto kontonummer kontonr account accountnumber creditcard kreditkarte cuenta "
        "compte conto rekeningnummer rekening bankkonto bankrekening kontonummer",
        "account numbers",
    ),
    _topic(
        "a licence plate or vehicle",
        "kennzeichen plate numberplate vin fahrgestellnummer targa kenteken immatriculation "
        "registreringsnummer rejestracja",
        "vehicle identifiers",
    ),
    _topic("a device", "imei imsi macaddress deviceid seriennummer serial", "device identifiers"),
    _topic("an address on the internet", "ip ipaddress ipadresse ipv4 ipv6", "internet addresses"),
    _topic(
        "a web page", "url website webseite homepage linkedin facebook twitter", "web addresses"
    ),
    _topic("a picture of a person", "photo foto portrait bild picture", "photographs"),
    _topic("a signature", "signature unterschrift podpis handtekening", "other unique codes"),
    _topic("a sign-in name", "username login userid benutzername nickname", "other unique codes"),
)
# Somebody who could be named in the cells: the heading alone does not say that they are.
PEOPLE = _topic(
    "somebody",
    "patient patientin patienten paciente paziente pacjent pacient potilas client klient kunde "
    "kundin cliente customer ansprechpartner ansprechpartnerin kontaktperson contactperson "
    "contactpersoon contact kontakt contacto contatto notfallkontakt angehorige angehoriger "
    "angehorigen bezugsperson kin relative relatives narstaende anhorig parorende guardian tuteur "
    "tutrice tutore opiekun vormund betreuer betreuerin carer caregiver caretaker aidant "
    "mantelzorger spouse ehepartner ehegatte conjoint conyuge coniuge partner echtgenoot mother "
    "father parent parents eltern mutter vater mere pere madre padre moeder vader ouder matka "
    "ojciec mor far responsable arzt arztin hausarzt behandler operateur doctor dr physician gp "
    "consultant surgeon clinician nurse hebamme midwife pfleger pflegekraft medecin praticien "
    "infirmier medico medica dottore huisarts behandelaar specialist lekarz doktor lakare "
    "overlakare lege laege handlaggare sachbearbeiter sachbearbeiterin berater therapeut "
    "therapist advisor adviser caseworker teacher lehrer lehrerin lehrkraft klassenlehrer "
    "klassenlehrerin prof professor professeur enseignant maestro maestra docente leraar "
    "leerkracht nauczyciel wychowawca larare mentor tutor employee mitarbeiter mitarbeiterin "
    "employe empleado dipendente medewerker pracownik anstalld student schuler schulerin pupil "
    "eleve alumno alumna studente leerling uczen elev member mitglied owner eigentumer inhaber "
    "proprietaire manager vorgesetzter supervisor chef author autor witness zeuge accompagnatore "
    "begleitperson begleiter escort applicant antragsteller bewerber candidate kandidat "
    "participant teilnehmer proband respondent person persona personne persoon osoba versicherter "
    "tenant mieter kind child enfant spouse husband wife beneficiary mandant user worker resident "
    "bewohner",
)
FREE_TEXT = _topic(
    "remarks",
    "remark remarks comment comments note notes notiz notizen bemerkung bemerkungen anmerkung "
    "anmerkungen kommentar kommentare freitext freetext memo hinweis hinweise observation "
    "observations remarque remarques commentaire commentaires appreciation appreciations "
    "observacion observaciones comentario comentarios notas osservazioni annotazioni commento "
    "anamnese anamnesi anamnesis epikrise arztbrief verlauf befundtext opmerking opmerkingen "
    "toelichting aantekening aantekeningen uwagi komentarz opis notatka anteckning anteckningar "
    "kommentarer bemerkninger bemaerkninger huomautus complaint motif motivo aufnahmegrund "
    "narrative description beschreibung summary letter text txt freitextfeld history story "
    "feedback",
)
# "Name" beside one of these is the name of a person; beside any other word, of a thing.
OF_PEOPLE = (
    frozenset(
        "name names first last full given family maiden middle sur fore user client customer "
        "patient person mother father spouse husband wife child contact student pupil employee "
        "doctor teacher member kunde mutter vater kind schuler mitarbeiter arzt nach vor familien "
        "de la du of the des usuel usage naissance famille und et and y e i en och og eleve "
        "alumno paciente paziente".split()
    )
    | PEOPLE.words
)
NUMBERS_OF_PEOPLE = frozenset(
    "id ids identifier identifiant identificativo identificador kennung uuid guid nr nro no num "
    "number nummer numer numero cislo key matrikel matrikelnummer personalnummer kundennummer "
    "code ref reference referenz aktenzeichen dossier matricola matricule expediente tessera akte "
    "barcode".split()
)
QUASI_IDENTIFIERS = (
    _topic(
        "Neighbours and profiles tell a person's age.",
        "age alter edad eta leeftijd wiek idade alder ika vek",
    ),
    _topic("Birthdays are known to many.", " ".join(sorted(BIRTH_WORDS)), "dates"),
    _topic(
        "It is visible to anyone who meets the person.",
        "sex gender geschlecht sexe sexo sesso genere geslacht plec kjonn kon sukupuoli race "
        "ethnicity ethnic ethnie hautfarbe raza etnia height weight grosse gewicht groesse "
        "haircolor eyecolor taille poids peso altura altezza langd vikt waga wzrost",
    ),
    _topic(
        "Where somebody lives or works is widely known.",
        "postort postoffice city town county state province region regione district ort "
        "wohnort stadt gemeinde bundesland landkreis ville commune departement ciudad "
        "provincia comune citta gemeente plaats woonplaats municipio localidad localita "
        "miasto miejscowosc gmina powiat wojewodztwo stad kommun kommune lan cidade "
        "municipality latitude longitude lat lon gps place residence residenza neighborhood "
        + " ".join(sorted(POSTAL_WORDS)),
        "geographic subdivisions",
    ),
    _topic(
        "Where somebody comes from is often known.",
        "country nationality citizenship nation land staatsangehorigkeit nationalitat "
        "nationalite pais nacionalidad nazionalita nationaliteit narodowosc obywatelstwo origin "
        "birthplace geburtsort herkunft mothertongue language sprache muttersprache immigration "
        "medborgarskap",
    ),
    _topic(
        "When something happened is often known to others.",
        "date datum fecha admission discharge aufnahme entlassung visit besuch death todesdatum "
        "przyjecia inskriven utskriven opname ontslag ricovero dimissione deces",
        "dates",
    ),
    _topic(
        "Families and neighbours know it.",
        "marital marriage civil familienstand zivilstand married relationship household haushalt "
        "children kinder kids dependents siblings familie estadocivil statocivile hijos enfants "
        "burgerlijke civilstand stancywilny",
    ),
    _topic(
        "Work and school are on public profiles.",
        "occupation job profession beruf employer arbeitgeber company firma workclass industry "
        "branche education ausbildung bildung schulabschluss degree school schule klasse classe "
        "university studium studio estudios profesion empleo metier emploi pcs professione beroep "
        "opleiding zawod wyksztalcenie utbildning yrke employment position title",
    ),
    _topic(
        "Visitors and colleagues know where somebody is treated or works.",
        "ward station abteilung fachabteilung department service servicio reparto afdeling oddzial "
        "avdelning klinik clinic unit",
    ),
    _topic(
        "Colleagues and offices know who insures somebody.",
        "kasse krankenkasse insurer zorgverzekeraar versicherer mutuelle aseguradora",
    ),
)
SENSITIVE = (
    _topic(
        "health",
        "diagnosis diagnoses diagnose diagnos hauptdiagnose nebendiagnose disease illness "
        "condition icd icd10 symptom symptoms medication medicine drug drugs treatment therapy "
        "therapie surgery hiv aids cancer krebs diabetes depression mental psychiatric disability "
        "behinderung pregnancy pregnant schwanger allergy krankheit erkrankung befund maladie "
        "diagnostic traitement enfermedad diagnostico malattia diagnosi diagnoza rozpoznanie lek "
        "lekarstwo ziekte medicatie medicijn choroba sjukdom lakemedel medikament medicament "
        "farmaco bloodpressure cholesterol glucose bmi labresult vaccination comorbidity "
        "diagnoskod",
    ),
    _topic(
        "money",
        "income salary wage wages earnings debt debts credit wealth gehalt einkommen bruttolohn "
        "nettolohn monatslohn lohn schulden vermogen salaire revenu ingresos sueldo salario "
        "stipendio reddito inkomen loon salaris renda inkomst manadslon arslon zarobki dochod "
        "wynagrodzenie pensja placa balance kontostand bonus pension rente bourse boursier "
        "scholarship",
    ),
    _topic(
        "belief and politics",
        "religion religious belief faith konfession glaube party partei vote voting political "
        "politics union gewerkschaft religione religieux wyznanie godsdienst",
    ),
    _topic("sexual life", "orientation sexuality homosexual sexualorientation partners"),
    _topic(
        "offences",
        "crime criminal conviction sentence offence offense arrest arrested straftat vorstrafe "
        "strafe delito prison police",
    ),
    _topic("genes", "gene genes genome genetic dna genotype mutation snp"),
    _topic(
        "addiction",
        "alcohol alkohol smoking smoker raucher fumeur fumador fumatore roker palacz rokare "
        "cannabis addiction sucht",
    ),
    _topic("violence", "violence abuse victim gewalt opfer"),
    _topic(
        "school results",
        "grade grades gpa schulnote noten zensur exam prufung iq performance moyenne cijfer ocena "
        "betyg calificacion voto",
    ),
    _topic("social benefits", "benefit benefits welfare sozialhilfe burgergeld hartz unemployed"),
)


def find_identifier(words: HeadingWords) -> Topic | None:
    """Return the direct identifier that a column name suggests."""
    if words.mention(NAME_OF_SOMETHING.words) and words.all <= OF_PEOPLE | NAME_OF_SOMETHING.words:
        return NAME_OF_SOMETHING
    return _first(IDENTIFIERS, words)


def speaks_of_people(words: HeadingWords) -> bool:
    """Say whether the heading speaks of somebody who may be named in the cells."""
    return words.mention(PEOPLE.words) or words.mention(NAME_OF_SOMETHING.words)


def speaks_of_remarks(words: HeadingWords) -> bool:
    return words.mention(FREE_TEXT.words)


def find_english_identifier(name: str) -> str:
    """Return the kind of the HIPAA list that the check of a release would find by the name."""
    for kind, pattern in ENGLISH_IDENTIFIERS:
        if kind not in NOT_BY_NAME and re.search(pattern, name.strip().lower()):
            return kind
    return ""


def find_quasi_identifier(words: HeadingWords) -> Topic | None:
    return _first(QUASI_IDENTIFIERS, words)


def find_sensitive(words: HeadingWords) -> Topic | None:
    return _first(SENSITIVE, words)


def is_number_of_people(words: HeadingWords) -> bool:
    """Say whether the name suggests a number or code, which may be one per person."""
    return bool(words.all & NUMBERS_OF_PEOPLE)


def _first(topics: Iterable[Topic], words: HeadingWords) -> Topic | None:
    return next((topic for topic in topics if words.mention(topic.words)), None)
