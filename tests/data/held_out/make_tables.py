"""Writes the held-out tables: one file per language, as offices, schools and hospitals there send them, and `truth.json`, which says
of each column what it is.

They were written before the detector was taught names and languages, from what such files look like and not from what the
detector knows, so that a column found in them says something about columns nobody has seen. Do not add a name or heading to the engine
because it occurs here; add columns here when a file in the wild was misread. All people are invented: names are drawn from the names usual
in a country, common ones more often, and numbers have check digits where the real ones do.

Run `python tests/data/held_out/make_tables.py` to write the files again; the seed is fixed.
"""

import csv
import datetime
import json
import random
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
ROWS = 140

IDENTIFIER, INDIRECT, SENSITIVE, FREE_TEXT, OTHER = (
    "identifier",
    "quasi-identifier",
    "sensitive",
    "free text",
    "other",
)

Draw = Callable[[random.Random, dict[str, str]], str]


def words(text: str) -> list[str]:
    return [word.strip().replace("_", " ") for word in text.split()]


GIVEN = {
    "de": words(
        "Hannelore Sabine Jürgen Wolfgang Ute Heike Torsten Mehmet Ayşe Finn Leonie Emil Charlotte Karl-Heinz Gisela Renate Dieter "
        "Frieda Mathilda Oskar Jonas Silke Birgit Olga Svetlana Nguyen Anneliese Ruth Hedwig Matteo Lina Mia Ben Paul Henry Anton"
    ),
    "fr": words(
        "Enzo Léa Manon Lucas Chloé Théo Inès Jade Raphaël Louise Maël Jean-Baptiste Anaïs Élodie Thibault Mohamed Yasmine Fatoumata "
        "Mamadou Océane Clémence Gaspard Solène Noémie Baptiste Quentin Aurélie Capucine Kévin Lilou Sacha Ambre Nolan Romane"
    ),
    "en": words(
        "Oliver Amelia Harry Isla George Poppy Alfie Freya Mohammed Priya Gareth Sian Niamh Callum Eilidh Doreen Ethel Reginald Nigel "
        "Beryl Maureen Trevor Kayleigh Darren Gemma Tracey Wayne Aisha Oluwaseun Zoe Imogen Rupert Archie Ivy"
    ),
    "es": words(
        "María_Carmen José_Luis Encarnación Dolores Iñaki Jordi Montserrat Nuria Álvaro Lucía Hugo Martina Daniela Pablo Javier Begoña "
        "Rocío Macarena Francisco_Javier Ana_Belén Concepción Manuel Adrián Iker Candela Alba Rosario Pilar Yolanda Gonzalo Ainhoa"
    ),
    "it": words(
        "Giuseppe Giulia Leonardo Francesco Sofia Aurora Lorenzo Matteo Ginevra Concetta Salvatore Carmela Gennaro Pasquale Rosaria "
        "Alessandra Davide Simone Chiara Ludovica Tommaso Edoardo Vincenza Antonella Fabrizio Luca Beatrice Gaia Immacolata"
    ),
    "nl": words(
        "Sem Daan Lotte Fleur Sanne Jeroen Maarten Joke Annemiek Wilhelmina Cornelis Geertruida Bram Thijs Fenna Femke Joost Mohamed Fatima "
        "Johannes Hendrika Anouk Roos Willem Pieter Marijke Sjoerd Tjitske Floor Luuk"
    ),
    "pl": words(
        "Agnieszka Krzysztof Małgorzata Zbigniew Katarzyna Stanisław Grażyna Zuzanna Jakub Szymon Wojciech Bożena Halina Jadwiga Kacper "
        "Oliwia Łukasz Paweł Michał Danuta Teresa Mieczysław Genowefa Filip Julia Barbara Ewa Anna Tomasz Andrzej"
    ),
    "sv": words(
        "Astrid Björn Gunnar Ingrid Lars-Erik Kerstin Göran Ebba Alva Elsa Hugo Axel Sven Birgitta Anna-Karin Maj-Britt Ahmed Lovisa "
        "Vilgot Signe Nils Åke Ulla Gun Håkan Linnéa Tuva Oskar Viggo Johan Emma"
    ),
}

FAMILY = {
    "de": words(
        "Schmidt Wagner Becker Hoffmann Schäfer Neumann Zimmermann Yılmaz Kowalczyk Brandl Hinterseer Oberhuber Petersen Claußen Thiele "
        "Dietrich Voigt Baumgärtner Seiler Reuter Kaya Nowak Winkelmann Strohmeyer Rademacher Pohl von_Bülow Kretschmer Hennig Lindemann "
        "Grothe Wiesinger Müller-Lüdenscheidt Haas Öztürk Uhlig"
    ),
    "fr": words(
        "Martin Lefebvre Moreau Garnier Rousseau Chevalier Lemoine Da_Silva Benali Traoré Diallo Le_Goff Kerbrat Charpentier Delacroix "
        "Gauthier Perrin Poirier Dufour Marchand Nguyen Bonnet Lacombe Vasseur Delaunay Pelletier Bouvier Hamel Ferrand de_Montfort Guichard"
    ),
    "en": words(
        "Smith Jones Patel Williams Khan O'Brien MacDonald Featherstone Higginbotham Entwistle Pritchard Okafor Cholmondeley Ramsbottom "
        "Fairweather Hargreaves Shah Thornton Whitehouse Ashworth Begum Llewellyn Kowalski Sutcliffe Dunn Osborne Greenhalgh McAllister "
        "Barraclough Singh"
    ),
    "es": words(
        "García Rodríguez Martínez Fernández Etxeberria Puigdemont Castaño Iglesias Quintanilla Zubizarreta Ortega Vázquez Carrasco Ferrer "
        "Bermejo Villalobos Montoya Cabrera Soler Aguirre Pizarro Reyes Domínguez Peña Lozano Santamaría de_la_Fuente Molina Esteban"
    ),
    "it": words(
        "Rossi Esposito Bianchi Colombo Ricci De_Luca Lo_Presti Bergamaschi Cattaneo Caruso Fumagalli Scognamiglio Di_Giovanni Pellegrini "
        "Zanetti Brambilla Mancuso Cavallaro Sorrentino Piras Tedesco Bortolotti Palumbo Castellani Ferrara Locatelli Vitale Monti Serra"
    ),
    "nl": words(
        "de_Jong Jansen van_den_Berg Bakker Visser Dijkstra Hoekstra Terpstra van_Leeuwen Vermeulen Yilmaz el_Amrani Brouwer Kuipers "
        "Schouten Zijlstra van_der_Meulen Postma Groen Huisman Wiersma Kramer Veenstra Molenaar Rietveld Bosman Blom Verhoeven Kok"
    ),
    "pl": words(
        "Kowalski Wiśniewska Wójcik Kamińska Lewandowski Zieliński Szymańska Woźniak Dąbrowski Kozłowska Jankowski Mazur Krawczyk "
        "Piotrowska Grabowski Pawłowska Michalski Król Wieczorek Wróbel Stępień Górska Malinowski Baran Szewczyk Pietrzak Kołodziej Gajda"
    ),
    "sv": words(
        "Andersson Johansson Lindqvist Bergström Sjöberg Nyström Lundgren Holmgren Söderlund Hedlund Ekström Åkesson Strand Wikström "
        "Blomqvist Hassan Forsberg Nordin Engdahl Öberg Björklund Falk Isaksson Löfgren Sandström Norberg Ali Hjalmarsson Lind"
    ),
}

PLACES = {
    "de": words(
        "Regensburg Passau Straubing Kelheim Bad_Abbach Neutraubling Deggendorf Cham Schwandorf Landshut Furth_im_Wald Bogen"
    ),
    "fr": words(
        "Rennes Saint-Malo Vitré Fougères Redon Bruz Cesson-Sévigné Dinard Combourg Montfort-sur-Meu Janzé La_Guerche"
    ),
    "en": words(
        "Preston Blackburn Burnley Accrington Lancaster Chorley Nelson Darwen Clitheroe Leyland Colne Haslingden"
    ),
    "es": words(
        "Getafe Leganés Móstoles Alcorcón Parla Fuenlabrada Pinto Valdemoro Aranjuez Alcalá_de_Henares Torrejón_de_Ardoz"
    ),
    "it": words(
        "Bergamo Treviglio Seriate Dalmine Romano_di_Lombardia Albino Clusone Lovere Zogno Stezzano Sarnico"
    ),
    "nl": words(
        "Utrecht Zeist Nieuwegein Houten De_Bilt Woerden IJsselstein Bunnik Veenendaal Amersfoort Maarssen"
    ),
    "pl": words(
        "Kraków Wieliczka Skawina Niepołomice Bochnia Myślenice Tarnów Zakopane Nowy_Targ Oświęcim Chrzanów"
    ),
    "sv": words(
        "Uppsala Enköping Knivsta Tierp Östhammar Heby Älvkarleby Sigtuna Märsta Bålsta Storvreta"
    ),
}

STREETS = {
    "de": words(
        "Ludwigstraße Am_Anger Hauptstr. Gartenweg Rosengasse Bahnhofstr. Lindenallee Schulplatz Dr.-Gessler-Str."
    ),
    "fr": [
        "rue des Lilas",
        "avenue Jean Jaurès",
        "impasse du Moulin",
        "bd de la Liberté",
        "place de l'Église",
        "chemin des Vignes",
    ],
    "en": [
        "Church Lane",
        "Station Road",
        "Mill Hill",
        "Victoria Street",
        "The Crescent",
        "Park Avenue",
        "Manor Close",
    ],
    "es": [
        "C/ Mayor",
        "Avda. de la Constitución",
        "Calle Real",
        "Plaza de España",
        "Paseo del Prado",
        "C/ Toledo",
    ],
    "it": [
        "Via Garibaldi",
        "Corso Italia",
        "Via XX Settembre",
        "Piazza Dante",
        "Viale delle Rose",
        "Vicolo Stretto",
    ],
    "nl": words(
        "Dorpsstraat Kerkplein Molenweg Beatrixlaan Prinsengracht Lindehof Stationsweg Oudegracht"
    ),
    "pl": [
        "ul. Mickiewicza",
        "ul. 3 Maja",
        "os. Słoneczne",
        "al. Jana Pawła II",
        "ul. Lipowa",
        "pl. Wolności",
    ],
    "sv": words(
        "Storgatan Kyrkvägen Björkstigen Norra_Esplanaden Skolgatan Ängsvägen Järnvägsgatan"
    ),
}

NOTES = {
    "de": [
        "Pat. klagt seit {n} Tagen über Schwindel und Übelkeit, nimmt {d} mg Ramipril.",
        "Tochter ({g}) angerufen, Tel. 0941 {t}, kommt am {n}.11. zur Abholung.",
        "Frau {f} berichtet über Schmerzen im li. Knie nach Sturz; Rö unauffällig, Kontrolle in {n} Wo.",
        "RR {r}/80, kein Fieber, entlassen in gutem AZ.",
        "Z.n. Appendektomie {y}; derzeit beschwerdefrei. Wohnt allein im {n}. Stock, Nachbar Herr {f} hat Schlüssel.",
    ],
    "fr": [
        "L'élève {g} a été absent {n} jours en octobre, la mère prévient par téléphone au 06 12 {t}.",
        "Bon trimestre, mais des bavardages avec {g}. À surveiller !",
        "Mme {f} demande un aménagement pour les épreuves du {n} juin.",
        "Difficultés en lecture depuis le CE1, suivi orthophonique {n} fois par semaine.",
        "RAS.",
    ],
    "en": [
        "Pt reports chest tightness for {n} days, BP {r}/85, ECG normal. Advised to return if worse.",
        "Spoke to daughter {g} on 07700 {t}; she will collect meds on the {n}th.",
        "Mr {f} lives alone, uses stick, fell twice in {y}. Referred to falls clinic.",
        "DNA.",
        "Allergic to penicillin. Social worker {g} {f} involved since {y}, see letter.",
    ],
    "es": [
        "Acude por dolor lumbar de {n} días de evolución, no irradiado; toma ibuprofeno {d} mg.",
        "La hija ({g}) avisa por teléfono 6{t}, vendrá el día {n}.",
        "El Sr. {f} refiere mareos desde {y}. TA {r}/75. Control en {n} semanas.",
        "Sin cambios respecto a la visita anterior, se renueva receta.",
    ],
    "it": [
        "Paziente iperteso dal {y}, in terapia con ramipril {d} mg; riferisce cefalea da {n} giorni.",
        "Sentita la figlia {g} al 333 {t}: ritira la documentazione il {n} marzo.",
        "Sig.ra {f}: caduta accidentale in casa, Rx negativa, controllo tra {n} settimane.",
        "Nega allergie. PA {r}/80, apiretico.",
    ],
    "nl": [
        "Mw. {f} belt: sinds {n} dagen hoesten, geen koorts. Advies: afwachten.",
        "Dochter {g} gesproken (06-{t}), komt {n} mei langs voor recept.",
        "RR {r}/80, start metoprolol {d} mg, controle over {n} weken.",
        "Niet verschenen op afspraak; voicemail ingesproken.",
    ],
    "pl": [
        "Pacjent zgłasza ból w klatce od {n} dni, RR {r}/90, EKG bez zmian. Kontrola za {n} tyg.",
        "Rozmowa z córką ({g}), tel. 600 {t}, odbierze wyniki {n} maja.",
        "Pan {f} leczony z powodu nadciśnienia od {y}; ramipril {d} mg.",
        "Stan dobry, wypisany do domu.",
    ],
    "sv": [
        "Pat söker för yrsel sedan {n} dagar, BT {r}/80, ingen feber. Åter vid försämring.",
        "Talat med dottern {g}, 070-{t}, hämtar mediciner den {n}:e.",
        "Herr {f} bor ensam sedan {y}, hemtjänst {n} ggr/v. Remiss till fysioterapeut.",
        "Uteblev från besök.",
    ],
}


def common_first(random_source: random.Random, values: list[str]) -> str:
    """Common ones far more often than rare ones, as in a population."""
    return random_source.choices(values, weights=[1 / (rank + 2) for rank in range(len(values))])[0]


def one_of(*values: str) -> Draw:
    return lambda source, row: common_first(source, list(values))


def pattern(text: str) -> Draw:
    """# a digit, @ a capital letter; anything else stands for itself."""
    swap = {"#": "0123456789", "@": "ABCDEFGHJKLMNPRSTUVWXYZ"}
    return lambda source, row: "".join(
        source.choice(swap[sign]) if sign in swap else sign for sign in text
    )


def in_row(template: str) -> Draw:
    """The person of this row: {given}, {family}, {town}, {initial}."""
    return lambda source, row: template.format(**row)


def somebody(language: str, *templates: str) -> Draw:
    """Somebody else than the person of the row: a doctor, a parent, a contact."""

    def draw(source: random.Random, row: dict[str, str]) -> str:
        given, family = (
            common_first(source, GIVEN[language]),
            common_first(source, FAMILY[language]),
        )
        return source.choice(templates).format(given=given, family=family, initial=given[0])

    return draw


def few_people(language: str, count: int, template: str) -> Draw:
    """The same few people over and over: doctors of a house, teachers of a school."""
    source = random.Random(f"{language} {template}")
    people = [
        template.format(
            given=source.choice(GIVEN[language]), family=source.choice(FAMILY[language])
        )
        for _ in range(count)
    ]
    return lambda source, row: common_first(source, people)


def day(first: int, last: int, form: str) -> Draw:
    def draw(source: random.Random, row: dict[str, str]) -> str:
        return (
            datetime.date(first, 1, 1)
            + datetime.timedelta(days=source.randrange((last - first + 1) * 365))
        ).strftime(form)

    return draw


def number(low: int, high: int, form: str = "{}") -> Draw:
    return lambda source, row: form.format(source.randint(low, high))


def amount(low: int, high: int, decimal: str) -> Draw:
    return lambda source, row: f"{source.uniform(low, high):.2f}".replace(".", decimal)


def note(language: str) -> Draw:
    def draw(source: random.Random, row: dict[str, str]) -> str:
        return source.choice(NOTES[language]).format(
            n=source.randint(2, 19),
            d=source.choice([5, 10, 50, 400]),
            r=source.randint(110, 180),
            y=source.randint(1998, 2023),
            t=f"{source.randrange(10**6):06}",
            g=common_first(source, GIVEN[language]),
            f=common_first(source, FAMILY[language]),
        )

    return draw


def address(language: str, form: str) -> Draw:
    return lambda source, row: form.format(
        street=source.choice(STREETS[language]), number=source.randint(1, 140), town=row["town"]
    )


def town(source: random.Random, row: dict[str, str]) -> str:
    return row["town"]


def patchy(draw: Draw, *gaps: str, share: float = 0.12) -> Draw:
    """Now and then a word that means there is no value."""
    return lambda source, row: source.choice(gaps) if source.random() < share else draw(source, row)


def nhs_number(source: random.Random, row: dict[str, str]) -> str:
    while True:
        digits = [source.randrange(10) for _ in range(9)]
        check = (
            11
            - sum(digit * weight for digit, weight in zip(digits, range(10, 1, -1), strict=True))
            % 11
        )
        if check != 10:
            text = "".join(map(str, [*digits, check % 11]))
            return f"{text[:3]} {text[3:6]} {text[6:]}"


def dni(source: random.Random, row: dict[str, str]) -> str:
    digits = source.randrange(10**7, 10**8)
    return f"{digits}{'TRWAGMYFPDXBNJZSQVHLCKE'[digits % 23]}"


def bsn(source: random.Random, row: dict[str, str]) -> str:
    while True:
        digits = [source.randrange(1, 10), *(source.randrange(10) for _ in range(7))]
        check = (
            sum(digit * weight for digit, weight in zip(digits, range(9, 1, -1), strict=True)) % 11
        )
        if check < 10:
            return "".join(map(str, [*digits, check]))


def pesel(source: random.Random, row: dict[str, str]) -> str:
    born = datetime.date(1935, 1, 1) + datetime.timedelta(days=source.randrange(60 * 365))
    text = f"{born:%y%m%d}{source.randrange(10**4):04}"
    check = (
        -sum(int(digit) * weight for digit, weight in zip(text, [1, 3, 7, 9] * 3, strict=False))
        % 10
    )
    return f"{text}{check}"


def personnummer(source: random.Random, row: dict[str, str]) -> str:
    born = datetime.date(1935, 1, 1) + datetime.timedelta(days=source.randrange(65 * 365))
    text = f"{born:%y%m%d}{source.randrange(1000):03}"
    total = sum(
        sum(divmod(int(digit) * weight, 10))
        for digit, weight in zip(text, [2, 1] * 5, strict=False)
    )
    return f"{born:%Y%m%d}-{text[6:]}{-total % 10}"


def fiscal_code(source: random.Random, row: dict[str, str]) -> str:
    """The shape of it; the last letter is not computed, as in files typed by hand."""
    return (
        pattern("@@@@@@")(source, row)
        + f"{source.randrange(30, 99)}{source.choice('ABCDEHLMPRST')}{source.randrange(1, 71):02}"
        + pattern("@###@")(source, row)
    )


# Per language: the delimiter of its file and its columns: heading, what it is, how a value is drawn.
TABLES: dict[str, tuple[str, list[tuple[str, str, Draw]]]] = {
    "de": (
        ";",
        [
            ("Fall-Nr.", IDENTIFIER, lambda source, row: f"24{row['number']:>06}"),
            ("Patient", IDENTIFIER, in_row("{family}, {given}")),
            ("geb. am", INDIRECT, day(1931, 2006, "%d.%m.%Y")),
            ("m/w/d", INDIRECT, one_of("w", "m", "d")),
            ("Anschrift", IDENTIFIER, address("de", "{street} {number}")),
            ("PLZ", INDIRECT, pattern("93###")),
            ("Wohnort", INDIRECT, town),
            ("Handy", IDENTIFIER, pattern("0171/#######")),
            (
                "Ansprechpartner",
                IDENTIFIER,
                patchy(
                    somebody("de", "Fr. {family}", "Herr {family}", "{given} {family}"),
                    "k.A.",
                    "keine",
                ),
            ),
            ("Hausarzt", IDENTIFIER, few_people("de", 18, "Dr. {family}")),
            ("KV-Nr.", IDENTIFIER, pattern("@#########")),
            (
                "Kasse",
                INDIRECT,
                one_of(
                    "AOK Bayern",
                    "Techniker Krankenkasse",
                    "Barmer",
                    "DAK-Gesundheit",
                    "privat",
                    "IKK classic",
                ),
            ),
            (
                "Station",
                INDIRECT,
                one_of(
                    "Innere 1",
                    "Innere 2",
                    "Chirurgie",
                    "Gynäkologie",
                    "Geriatrie",
                    "Intensiv",
                    "Onkologie",
                ),
            ),
            (
                "HD",
                SENSITIVE,
                one_of(
                    "I10.90", "E11.9", "J44.1", "C50.9", "F32.1", "K35.8", "M54.5", "I21.0", "N18.3"
                ),
            ),
            (
                "Familienstand",
                INDIRECT,
                patchy(one_of("verheiratet", "ledig", "verwitwet", "geschieden"), "unbekannt"),
            ),
            ("Bemerkung", FREE_TEXT, note("de")),
            ("Spalte17", IDENTIFIER, in_row("{given} {family}")),
            ("Liegetage", OTHER, number(1, 24)),
        ],
    ),
    "fr": (
        ";",
        [
            ("Nom de l'élève", IDENTIFIER, lambda source, row: row["family"].upper()),
            ("Prénom usuel", IDENTIFIER, in_row("{given}")),
            ("Né(e) le", INDIRECT, day(2006, 2012, "%d/%m/%Y")),
            (
                "Responsable légal 1",
                IDENTIFIER,
                somebody("fr", "M. {family} {given}", "Mme {family} {given}"),
            ),
            ("INE", IDENTIFIER, pattern("#########@@")),
            ("Tél. domicile", IDENTIFIER, pattern("02 99 ## ## ##")),
            ("Courriel", IDENTIFIER, in_row("{given_plain}.{family_plain}@orange.fr")),
            ("Commune", INDIRECT, town),
            ("CP", INDIRECT, pattern("35##0")),
            ("Division", INDIRECT, one_of("6A", "6B", "5A", "5B", "4A", "4C", "3A", "3B")),
            ("Prof. principal", IDENTIFIER, few_people("fr", 9, "{given} {family}")),
            (
                "PCS du père",
                INDIRECT,
                patchy(
                    one_of(
                        "Employé", "Ouvrier", "Cadre", "Artisan", "Agriculteur", "Sans profession"
                    ),
                    "NC",
                    "inconnu",
                ),
            ),
            ("Boursier", SENSITIVE, one_of("non", "oui")),
            ("Moyenne générale", SENSITIVE, amount(6, 19, ",")),
            ("Appréciation", FREE_TEXT, note("fr")),
            ("LV2", OTHER, one_of("Espagnol", "Allemand", "Italien", "Chinois")),
            ("champ_8", IDENTIFIER, in_row("{family} {given}")),
        ],
    ),
    "en": (
        ",",
        [
            ("Hosp No", IDENTIFIER, pattern("R#######")),
            ("Forenames", IDENTIFIER, in_row("{given}")),
            ("Surname", IDENTIFIER, in_row("{family}")),
            ("Date of birth", INDIRECT, day(1928, 2004, "%d/%m/%Y")),
            ("NHS No.", IDENTIFIER, nhs_number),
            (
                "Next of kin",
                IDENTIFIER,
                patchy(
                    somebody("en", "{given} {family}", "Mrs {family}", "Mr {initial} {family}"),
                    "n/a",
                    "none known",
                ),
            ),
            ("NOK contact", IDENTIFIER, pattern("077## ######")),
            ("First line of address", IDENTIFIER, address("en", "{number} {street}")),
            ("Postcode", INDIRECT, pattern("PR# #@@")),
            ("Town", INDIRECT, town),
            ("Consultant", IDENTIFIER, few_people("en", 12, "Mr {family}")),
            (
                "Ethnic category",
                INDIRECT,
                patchy(
                    one_of(
                        "White British",
                        "Pakistani",
                        "Indian",
                        "White Other",
                        "Black African",
                        "Mixed",
                    ),
                    "Not stated",
                ),
            ),
            ("Ward", INDIRECT, one_of("Acorn", "Willow", "Beech", "Maple", "Oak", "CCU", "A&E")),
            ("Presenting complaint", FREE_TEXT, note("en")),
            ("Smoker", SENSITIVE, patchy(one_of("never", "ex", "current"), "unknown")),
            ("Weight (kg)", OTHER, amount(44, 130, ".")),
            ("x3", IDENTIFIER, in_row("{family}")),
            (
                "Drug",
                SENSITIVE,
                one_of(
                    "Amlodipine",
                    "Atorvastatin",
                    "Metformin",
                    "Sertraline",
                    "Omeprazole",
                    "Ramipril",
                    "Levothyroxine",
                ),
            ),
        ],
    ),
    "es": (
        ";",
        [
            ("NHC", IDENTIFIER, lambda source, row: str(880000 + int(row["number"]) * 7)),
            (
                "Apellidos",
                IDENTIFIER,
                lambda source, row: f"{row['family']} {common_first(source, FAMILY['es'])}",
            ),
            ("Nombre", IDENTIFIER, in_row("{given}")),
            ("DNI/NIE", IDENTIFIER, dni),
            ("F. nac.", INDIRECT, day(1930, 2005, "%d-%m-%Y")),
            ("Móvil", IDENTIFIER, pattern("6## ### ###")),
            ("Domicilio", IDENTIFIER, address("es", "{street}, {number}")),
            ("Municipio", INDIRECT, town),
            ("Médico de cabecera", IDENTIFIER, few_people("es", 14, "Dra. {given} {family}")),
            ("Motivo de consulta", FREE_TEXT, note("es")),
            ("Sexo", INDIRECT, one_of("Mujer", "Hombre")),
            (
                "Nivel de estudios",
                INDIRECT,
                patchy(
                    one_of("Secundaria", "Primaria", "Universitarios", "Sin estudios"),
                    "NS/NC",
                    "desconocido",
                ),
            ),
            ("Sueldo bruto", SENSITIVE, amount(14000, 61000, ",")),
            (
                "Servicio",
                INDIRECT,
                one_of(
                    "Urgencias",
                    "Medicina Interna",
                    "Cardiología",
                    "Traumatología",
                    "Neumología",
                    "Digestivo",
                ),
            ),
            ("VAR00005", IDENTIFIER, in_row("{given} {family}")),
        ],
    ),
    "it": (
        ";",
        [
            (
                "Cognome e nome",
                IDENTIFIER,
                lambda source, row: f"{row['family']} {row['given']}".upper(),
            ),
            ("Cod. fiscale", IDENTIFIER, fiscal_code),
            ("Nato il", INDIRECT, day(1932, 2005, "%d/%m/%Y")),
            ("Cell.", IDENTIFIER, pattern("3## #######")),
            ("Residenza", IDENTIFIER, address("it", "{street} {number}, {town}")),
            ("Comune", INDIRECT, town),
            ("Medico curante", IDENTIFIER, few_people("it", 15, "Dott. {family}")),
            ("Anamnesi", FREE_TEXT, note("it")),
            (
                "Reparto",
                INDIRECT,
                one_of(
                    "Medicina", "Chirurgia", "Ortopedia", "Pediatria", "Cardiologia", "Ostetricia"
                ),
            ),
            (
                "Titolo di studio",
                INDIRECT,
                patchy(
                    one_of("Diploma", "Licenza media", "Laurea", "Nessuno"), "n.d.", "sconosciuto"
                ),
            ),
            (
                "Accompagnatore",
                IDENTIFIER,
                patchy(somebody("it", "{given} {family}"), "nessuno", share=0.3),
            ),
            ("Tessera sanitaria", IDENTIFIER, pattern("80380000##########")),
            ("Reddito annuo", SENSITIVE, amount(9000, 58000, ",")),
            ("campo2", IDENTIFIER, in_row("{given}")),
        ],
    ),
    "nl": (
        ";",
        [
            ("Achternaam", IDENTIFIER, in_row("{family}")),
            ("Roepnaam", IDENTIFIER, in_row("{given}")),
            ("BSN", IDENTIFIER, bsn),
            ("Geb.dat.", INDIRECT, day(1930, 2005, "%d-%m-%Y")),
            ("Huisarts", IDENTIFIER, few_people("nl", 11, "Dr. {family}")),
            (
                "Contactpersoon",
                IDENTIFIER,
                somebody("nl", "{given} {family}", "Dhr. {family}", "Mevr. {family}"),
            ),
            ("Mobiel", IDENTIFIER, pattern("06-########")),
            ("Straat + huisnr", IDENTIFIER, address("nl", "{street} {number}")),
            ("Postcode", INDIRECT, pattern("35## @@")),
            ("Woonplaats", INDIRECT, town),
            ("Rekeningnummer", IDENTIFIER, pattern("NL##INGB##########")),
            ("Opmerkingen", FREE_TEXT, note("nl")),
            (
                "Burgerlijke staat",
                INDIRECT,
                patchy(
                    one_of("gehuwd", "ongehuwd", "weduwe/weduwnaar", "gescheiden"),
                    "onbekend",
                    "n.v.t.",
                ),
            ),
            (
                "Afdeling",
                INDIRECT,
                one_of("Interne", "Chirurgie", "Longziekten", "Neurologie", "KNO", "Oogheelkunde"),
            ),
            ("Zorgverzekeraar", INDIRECT, one_of("Zilveren Kruis", "VGZ", "CZ", "Menzis", "DSW")),
            ("v7", IDENTIFIER, in_row("{initial}. {family}")),
        ],
    ),
    "pl": (
        ";",
        [
            ("Lp.", IDENTIFIER, in_row("{number}")),
            ("Nazwisko", IDENTIFIER, in_row("{family}")),
            ("Imię", IDENTIFIER, in_row("{given}")),
            ("PESEL", IDENTIFIER, pesel),
            ("Data ur.", INDIRECT, day(1935, 2004, "%Y-%m-%d")),
            ("Tel. kom.", IDENTIFIER, pattern("6## ### ###")),
            ("Adres zamieszkania", IDENTIFIER, address("pl", "{street} {number}, {town}")),
            ("Miejscowość", INDIRECT, town),
            ("Kod poczt.", INDIRECT, pattern("3#-###")),
            ("Lekarz prowadzący", IDENTIFIER, few_people("pl", 13, "lek. {given} {family}")),
            ("Uwagi", FREE_TEXT, note("pl")),
            (
                "Oddział",
                INDIRECT,
                one_of(
                    "Chirurgia", "Kardiologia", "Wewnętrzny", "Ginekologia", "Neurologia", "SOR"
                ),
            ),
            (
                "Wykształcenie",
                INDIRECT,
                patchy(
                    one_of("średnie", "wyższe", "zawodowe", "podstawowe"), "brak danych", "nieznane"
                ),
            ),
            ("Opiekun", IDENTIFIER, patchy(somebody("pl", "{given} {family}"), "brak", share=0.25)),
            ("kol_4", IDENTIFIER, in_row("{family} {given}")),
        ],
    ),
    "sv": (
        ",",
        [
            ("Personnr", IDENTIFIER, personnummer),
            ("Efternamn", IDENTIFIER, in_row("{family}")),
            ("Tilltalsnamn", IDENTIFIER, in_row("{given}")),
            (
                "Närstående",
                IDENTIFIER,
                patchy(somebody("sv", "{given} {family}"), "saknas", share=0.2),
            ),
            ("Mobilnr", IDENTIFIER, pattern("070-### ## ##")),
            ("E-post", IDENTIFIER, in_row("{given_plain}.{family_plain}@telia.se")),
            ("Gatuadress", IDENTIFIER, address("sv", "{street} {number}")),
            ("Postnr", INDIRECT, pattern("75# ##")),
            ("Postort", INDIRECT, town),
            ("Ansvarig läkare", IDENTIFIER, few_people("sv", 12, "{given} {family}")),
            ("Anteckning", FREE_TEXT, note("sv")),
            (
                "Avdelning",
                INDIRECT,
                one_of("Kirurgen", "Medicin", "Ortopeden", "Akuten", "Barn", "Hjärta"),
            ),
            ("Diagnoskod", SENSITIVE, one_of("I109", "E119", "F329", "J449", "M545", "C509")),
            ("Månadslön", SENSITIVE, number(21000, 64000)),
            (
                "Utbildning",
                INDIRECT,
                patchy(one_of("Gymnasium", "Högskola", "Grundskola"), "okänd", "uppgift saknas"),
            ),
            ("Inskriven", OTHER, day(2021, 2024, "%Y-%m-%d")),
            ("var12", IDENTIFIER, in_row("{given} {family}")),
        ],
    ),
}

# Words in a column that say there is no value.
GAPS = {
    "de": {"Ansprechpartner": ["k.A.", "keine"], "Familienstand": ["unbekannt"]},
    "fr": {"PCS du père": ["NC", "inconnu"]},
    "en": {
        "Next of kin": ["n/a", "none known"],
        "Ethnic category": ["Not stated"],
        "Smoker": ["unknown"],
    },
    "es": {"Nivel de estudios": ["NS/NC", "desconocido"]},
    "it": {"Titolo di studio": ["n.d.", "sconosciuto"], "Accompagnatore": ["nessuno"]},
    "nl": {"Burgerlijke staat": ["onbekend", "n.v.t."]},
    "pl": {"Wykształcenie": ["brak danych", "nieznane"], "Opiekun": ["brak"]},
    "sv": {"Närstående": ["saknas"], "Utbildning": ["okänd", "uppgift saknas"]},
}

PLAIN = str.maketrans("äöüéèêëáàâåíóúñçøłśżźćńęąşıÖÅŁ ", "aoueeeeaaaaiounc" + "olszzcneasiOAL_")


def people(language: str) -> list[dict[str, str]]:
    source = random.Random(f"people {language}")
    found = []
    for place in range(ROWS):
        given, family = (
            common_first(source, GIVEN[language]),
            common_first(source, FAMILY[language]),
        )
        found.append(
            {
                "number": str(place + 1),
                "given": given,
                "family": family,
                "initial": given[0],
                "town": common_first(source, PLACES[language]),
                "given_plain": given.lower().translate(PLAIN),
                "family_plain": family.lower().translate(PLAIN),
            }
        )
    return found


def main() -> None:
    truth: dict[str, dict[str, dict[str, object]]] = {}
    for language, (delimiter, columns) in TABLES.items():
        rows = people(language)
        drawn = [
            [draw(random.Random(f"{language} {heading} {row['number']}"), row) for row in rows]
            for heading, _, draw in columns
        ]
        with (HERE / f"{language}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
            writer.writerow([heading for heading, _, _ in columns])
            writer.writerows(zip(*drawn, strict=True))
        truth[language] = {
            heading: {"is": role, "gaps": GAPS[language].get(heading, [])}
            for heading, role, _ in columns
        }
    (HERE / "truth.json").write_text(
        json.dumps(truth, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
