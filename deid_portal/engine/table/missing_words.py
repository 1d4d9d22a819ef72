"""Words in cells that say there is no value, in several languages.

Some mean nothing else; others may be an answer of their own ("unknown" to a doctor, "none" as next
of kin), so a person decides about them.
"""

from collections.abc import Iterable

from deid_portal.engine.table.folding import fold_accents

# As programs write them; the case matters, since "Na" and "Nan" are names of people.
OF_PROGRAMS = ("?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "None", "#N/A")
SURE = frozenset(
    fold_accents(word)
    for word in (
        "n/a|n.a.|n. a.|n.a|(n/a)|#n/a|<na>|(null)|--|---|–|—|.|..|...|??|???|missing|"
        "not available|not applicable|not stated|not recorded|not provided|not given|"
        "no data|no answer|no information|k.a.|k. a.|k.a|keine angabe|keine angaben|"
        "ohne angabe|nicht bekannt|nicht angegeben|nicht erhoben|"
        "nicht erfasst|entf.|entfällt|fehlt|non renseigné|non renseignée|non précisé|"
        "non communiqué|n.r.|n.c.|sans réponse|sin datos|sin dato|no consta|"
        "no disponible|ns/nc|ns/nr|no contesta|n/d|s/d|n.d.|n.p.|non disponibile|"
        "non indicato|non noto|non pervenuto|dato mancante|n.v.t.|nvt|n.b.|niet bekend|"
        "niet ingevuld|geen gegevens|geen opgave|niet van toepassing|brak danych|"
        "b.d.|nie podano|nie dotyczy|uppgift saknas|saknas|ej angivet|ej känt|ej svar|"
        "inget svar|ikke oplyst|ikke oppgitt|uoplyst|ei tietoa|ei vastausta|"
        "não informado|sem dados|sem resposta|não disponível|neuvedeno|neudáno|"
        "není známo|nincs adat|fara date|bilinmiyor|belirtilmemis|нет данных|н/д"
    ).split("|")
)
DOUBTFUL = frozenset(
    fold_accents(word)
    for word in (
        "-|nr|nc|bd.|o.a.|"
        "unknown|not known|none|none known|nil|other/unknown|unspecified|undefined|refused|"
        "don't know|do not know|dk|unk|unkn|"
        "unbekannt|unbek.|keine|keiner|weiß nicht|verweigert|nicht zutreffend|sonstige/unbekannt|"
        "inconnu|inconnue|aucun|aucune|sans objet|ne sait pas|indéterminé|"
        "desconocido|desconocida|ninguno|ninguna|no sabe|no procede|"
        "sconosciuto|sconosciuta|ignoto|nessuno|nessuna|non so|"
        "onbekend|geen|weet niet|"
        "nieznane|nieznany|nieznana|brak|nie wiem|"
        "okänd|okänt|ingen|inga|vet ej|vet inte|ukendt|ukjent|ingen oplysninger|tuntematon|"
        "desconhecido|desconhecida|nenhum|nenhuma|não sabe|"
        "neznámé|neznámý|neznámá|žádný|ismeretlen|nincs|necunoscut|άγνωστο|неизвестно"
    ).split("|")
)


LONGEST = max(map(len, SURE | DOUBTFUL)) + 4


def find_missing_words(cells: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the texts that surely say a value is missing, and those that perhaps do."""
    sure, doubtful = [], []
    for cell in dict.fromkeys(cells):
        if says_missing(cell):
            sure.append(cell)
        elif may_say_missing(cell):
            doubtful.append(cell)
    return sure, doubtful


def says_missing(cell: str) -> bool:
    """Say whether a cell means nothing but a missing value."""
    return cell in OF_PROGRAMS or _plain(cell) in SURE


def may_say_missing(cell: str) -> bool:
    """Say whether a cell means a missing value, or could."""
    return says_missing(cell) or _plain(cell) in DOUBTFUL


def _plain(cell: str) -> str:
    return fold_accents(cell.strip()) if len(cell) <= LONGEST else cell
