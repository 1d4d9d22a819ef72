"""Help pages: Markdown files in templates/help, one per step and per privacy model."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from markdown_it import MarkdownIt

from deid_portal.reviews.move_diagram import draw_moves
from deid_portal.reviews.policies import tell_moves

# Tables in the help that are generated from the code, so that they cannot differ from it.
MADE = {"[[moves of a request]]": tell_moves}
# Drawings, inserted after rendering, since HTML in the Markdown is disabled.
DRAWN = {"<p>[[drawing of the moves]]</p>": draw_moves}
SLUG = re.compile(r"^[a-z0-9-]+$")
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class HelpPage:
    slug: str
    title: str
    html: str


def _folder() -> Path:
    folder: Path = settings.PROJECT_DIR / "templates" / "help"
    return folder


@cache
def find_help_page(slug: str) -> HelpPage | None:
    path = _folder() / f"{slug}.md"
    if not SLUG.match(slug) or not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    for mark, make in MADE.items():
        text = text.replace(mark, make()) if mark in text else text
    title = text.split("\n", 1)[0].lstrip("# ").strip()
    html = _markdown.render(text)
    for mark, draw in DRAWN.items():
        html = html.replace(mark, draw()) if mark in html else html
    return HelpPage(slug, title, html)


@cache
def list_help_pages() -> tuple[HelpPage, ...]:
    pages = (find_help_page(path.stem) for path in sorted(_folder().glob("*.md")))
    return tuple(page for page in pages if page is not None)
