"""Comparing user names regardless of case and of the encoding of letters."""

import unicodedata


def fold_name(name: str) -> str:
    """Return what all spellings of a name have in common (Unicode's NFKC, case folded).

    Done in Python, not in the database: SQLite folds ASCII letters only, so databases would differ.
    """
    folded = unicodedata.normalize("NFKC", name).strip().casefold()
    # Folding may leave decomposed letters.
    return unicodedata.normalize("NFKC", folded)
