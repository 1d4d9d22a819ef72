"""The shelves of the help: every page stands on one of them, in the order in which it is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from deid_portal.engine.differential import QUESTIONS
from deid_portal.engine.networks.questions import NETWORK_QUESTIONS
from deid_portal.guide.help_pages import HelpPage, HelpSection, find_help_page, list_help_pages

GLOSSARY = "glossary"
# The way of a table comes first, then what goes on beside it.
TASKS = (
    "getting-started home upload databases columns taxonomies library protection run scenarios "
    "report attacks review release verify versions pseudonyms networks query-desk policy team "
    "account news audit"
).split()
MEASURES = ["risk", "utility", "metrics"]
INSIDE = ["plan", "python", "how-it-works", "architecture"]
QUESTION_PAGES = [f"question-{kind}" for kind in (*QUESTIONS, *NETWORK_QUESTIONS)]


@dataclass(frozen=True)
class HelpGroup:
    key: str
    title: str
    about: str
    pages: tuple[HelpPage, ...]


@cache
def list_help_groups() -> tuple[HelpGroup, ...]:
    shelves = (
        ("tasks", "What you want to do", "Step by step, from the file to the package", TASKS),
        ("models", "What you can promise", "One page per privacy model", _of("model-")),
        ("methods", "How a release is made", "One page per method", ["methods", *_of("method-")]),
        ("attacks", "What an intruder tries", "One page per attack", _of("attack-")),
        (
            "questions",
            "What you can ask with noise",
            "One page per kind of question",
            ["private-answers", *QUESTION_PAGES],
        ),
        ("measures", "What is measured", "Risk, usefulness, detail", MEASURES),
        ("words", "Words", "What the words on the pages mean", [GLOSSARY]),
        ("inside", "For those who write programs", "Plans, Python, how it works", INSIDE),
    )
    return tuple(
        HelpGroup(key, title, about, _pages(slugs)) for key, title, about, slugs in shelves
    )


def list_words() -> tuple[HelpSection, ...]:
    """Return the words of the glossary."""
    page = find_help_page(GLOSSARY)
    return page.contents if page is not None else ()


def group_of(page: HelpPage) -> HelpGroup | None:
    return next((group for group in list_help_groups() if page in group.pages), None)


def page_after(page: HelpPage) -> HelpPage | None:
    """Return the next page of the same shelf."""
    group = group_of(page)
    if group is None:
        return None
    rest = group.pages[group.pages.index(page) + 1 :]
    return rest[0] if rest else None


def _of(start: str) -> list[str]:
    found = [page for page in list_help_pages() if page.slug.startswith(start)]
    return [page.slug for page in sorted(found, key=lambda page: page.title.lower())]


def _pages(slugs: Sequence[str]) -> tuple[HelpPage, ...]:
    found = (find_help_page(slug) for slug in slugs)
    return tuple(page for page in found if page is not None)
