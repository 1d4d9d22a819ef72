"""How names to sign in with are compared: in any case, and however their letters are encoded."""

import unicodedata


def fold_name(name: str) -> str:
    """Return what all spellings of a name have in common (Unicode's NFKC, case folded).

    In Python and not in the database: SQLite knows the capitals of English alone, and two databases
    would disagree about who is meant.
    """
    folded = unicodedata.normalize("NFKC", name).strip().casefold()
    # Folding may leave letters apart that belong together.
    return unicodedata.normalize("NFKC", folded)
