"""The certificate as PDF, by WeasyPrint, which needs Pango; without it packages have no PDF.

Making it must not fetch anything, and the file must not contain the machine, the person or the
time. So only the vendored font may be loaded, and only title and language are written as metadata.
"""

import io
import logging
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

FONT_FILES = ("inter-5.3.0-latin-ext.woff2", "inter-5.3.0-greek.woff2", "inter-5.3.0-latin.woff2")
LONG_AGO = "315532800"  # 1980; font tools write it into subset fonts
MISSING = (
    "certificate.pdf is missing: this portal has no Pango, the system library that sets its text. "
    "certificate.html says the same. Ask the administrator to install libpango-1.0-0 and "
    "libpangoft2-1.0-0."
)


@cache
def pdf_refusal() -> str:
    """Return why no PDF can be made here; "" if it can."""
    try:
        _weasyprint()
    except (ImportError, OSError):
        return MISSING
    return ""


def write_pdf(html: str) -> bytes:
    """Return the PDF of a certificate; deterministic."""
    weasyprint = _weasyprint()
    font_config = weasyprint.text.fonts.FontConfiguration()
    fetch = _only_fonts()
    sheet = weasyprint.CSS(string=_font_faces(), font_config=font_config, url_fetcher=fetch)
    page = weasyprint.HTML(string=html, url_fetcher=fetch, media_type="print")
    target = io.BytesIO()
    page.write_pdf(target, stylesheets=[sheet], font_config=font_config)
    return target.getvalue()


def _weasyprint() -> Any:
    os.environ.setdefault("SOURCE_DATE_EPOCH", LONG_AGO)
    import weasyprint
    import weasyprint.text.fonts
    import weasyprint.urls

    # It logs a warning for every CSS property that it does not know.
    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    return weasyprint


def _font_folder() -> Path:
    return Path(settings.PROJECT_DIR) / "static" / "vendor"


def _font_faces() -> str:
    return "".join(
        "@font-face { font-family: Inter; "
        f"src: url('portal-font:{name}') format('woff2'); {_range(name)} }}\n"
        for name in FONT_FILES
    )


def _range(name: str) -> str:
    if "greek" in name:
        return "unicode-range: U+0370-03FF;"
    return "unicode-range: U+0100-02FF, U+1E00-1EFF;" if "latin-ext" in name else ""


def _only_fonts() -> Callable[..., Any]:
    respond = _weasyprint().urls.URLFetcherResponse

    def fetch(url: str, *args: Any, **options: Any) -> Any:
        name = url.removeprefix("portal-font:")
        if name not in FONT_FILES:
            raise ValueError("A certificate fetches nothing.")
        font = (_font_folder() / name).read_bytes()
        return respond(url, font, {"Content-Type": "font/woff2"})

    fetch._fail_on_errors = False  # type: ignore[attr-defined] # omit what cannot be loaded
    return fetch
