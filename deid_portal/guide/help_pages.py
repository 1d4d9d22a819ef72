"""Help pages: Markdown files in templates/help, and pages about attacks made from their classes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path

from django.conf import settings
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from deid_portal.guide.help_of_attacks import write_attack_pages
from deid_portal.reviews.move_diagram import draw_moves
from deid_portal.reviews.policies import tell_moves

# Tables in the help that are generated from the code, so that they cannot differ from it.
MADE = {"[[moves of a request]]": tell_moves}
# Drawings, inserted after rendering, since HTML in the Markdown is disabled.
DRAWN = {"<p>[[drawing of the moves]]</p>": draw_moves}
SLUG = re.compile(r"^[a-z0-9-]+$")
WORDS_A_MINUTE = 200
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class HelpSection:
    """What stands under one heading, as plain text; the first section of a page has no anchor."""

    title: str
    anchor: str
    depth: int
    text: str


@dataclass(frozen=True)
class HelpPage:
    slug: str
    title: str
    html: str
    sections: tuple[HelpSection, ...] = ()

    @property
    def name(self) -> str:
        """The title up to its colon, for lists."""
        return self.title.partition(":")[0]

    @property
    def in_short(self) -> str:
        """What stands behind the colon of the title, else the first sentence of the page."""
        after = self.title.partition(":")[2].strip()
        if after:
            return after[0].upper() + after[1:]
        return self.sections[0].text.partition(". ")[0].rstrip(".")

    @property
    def contents(self) -> tuple[HelpSection, ...]:
        return tuple(section for section in self.sections if section.depth == 2)

    @property
    def minutes(self) -> int:
        words = sum(len(section.text.split()) for section in self.sections)
        return max(1, ceil(words / WORDS_A_MINUTE))


def _folder() -> Path:
    folder: Path = settings.PROJECT_DIR / "templates" / "help"
    return folder


def _read(slug: str) -> str | None:
    if not SLUG.match(slug):
        return None
    made = write_attack_pages().get(slug)
    path = _folder() / f"{slug}.md"
    return made or (path.read_text(encoding="utf-8") if path.is_file() else None)


@cache
def find_help_page(slug: str) -> HelpPage | None:
    text = _read(slug)
    if text is None:
        return None
    for mark, make in MADE.items():
        text = text.replace(mark, make()) if mark in text else text
    tokens = _markdown.parse(text)
    sections = _divide(tokens)
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    for mark, draw in DRAWN.items():
        html = html.replace(mark, draw()) if mark in html else html
    return HelpPage(slug, sections[0].title, html, sections)


@cache
def list_help_pages() -> tuple[HelpPage, ...]:
    slugs = {*write_attack_pages(), *(path.stem for path in _folder().glob("*.md"))}
    pages = (find_help_page(slug) for slug in sorted(slugs))
    return tuple(page for page in pages if page is not None)


def _divide(tokens: Sequence[Token]) -> tuple[HelpSection, ...]:
    """Return the sections of a page, and give their headings the anchors."""
    sections: list[HelpSection] = []
    title, anchor, depth = "", "", 1
    parts: list[str] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            if title:
                sections.append(HelpSection(title, anchor, depth, " ".join(parts)))
            parts, depth = [], int(token.tag[1:])
            title = plain_text(tokens[place + 1])
            anchor = "" if depth == 1 else slugify(title)
            if anchor:
                token.attrSet("id", anchor)
        elif token.type == "inline" and tokens[place - 1].type != "heading_open":
            parts.append(plain_text(token))
    sections.append(HelpSection(title, anchor, depth, " ".join(parts)))
    return tuple(sections)


def plain_text(token: Token) -> str:
    """Return the words of a paragraph without their Markdown."""
    if token.children is None:
        return token.content
    shown = ("text", "code_inline")
    words = "".join(
        own.content if own.type in shown else " " * (own.type == "softbreak")
        for own in token.children
    )
    return " ".join(words.split())
