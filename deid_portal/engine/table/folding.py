"""Words compared without regard to accents and case, as people type them."""

import unicodedata

# Letters that stay whole when accents are taken off.
LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)


def fold_accents(text: str) -> str:
    """Return a text in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(LETTERS))
    return "".join(sign for sign in plain if not unicodedata.combining(sign))
