"""Times, sizes and icons are written on pages the way `screens.md` 1.3 asks for."""

import re
from pathlib import Path

import pytest

from deid_portal.web.templatetags.icons import icon
from deid_portal.web.templatetags.numbers import duration_words, filesize_words

PROJECT_DIR = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0.4, "less than a second"),
        (1, "about 1 second"),
        (6.2, "about 6 seconds"),
        (43, "about 45 seconds"),
        (100, "about 2 minutes"),
        (3600, "about 60 minutes"),
        (7200, "about 2 hours"),
        (86400 * 30, "about 30 days"),
        (None, "–"),
    ],
)
def test_duration_words(seconds: object, written: str) -> None:
    assert duration_words(seconds) == written


@pytest.mark.parametrize(
    ("size", "written"),
    [
        (1, "1\u00a0byte"),
        (999, "999\u00a0bytes"),
        (9_200, "9\u00a0KB"),
        (184_000, "184\u00a0KB"),
        (999_700, "1.0\u00a0MB"),
        (4_600_000, "4.6\u00a0MB"),
        (512_000_000, "512\u00a0MB"),
        (2_400_000_000, "2.4\u00a0GB"),
        (None, "–"),
    ],
)
def test_filesize_words(size: object, written: str) -> None:
    assert filesize_words(size) == written


def test_every_icon_named_in_a_template_is_in_the_sprite() -> None:
    drawn = set(re.findall(r'<symbol id="([^"]+)"', (PROJECT_DIR / "static/icons.svg").read_text()))
    named = {
        (name, page.name)
        for page in (PROJECT_DIR / "templates").rglob("*.html")
        for name in re.findall(r'{% icon "([^"]+)"', page.read_text())
    }
    assert named
    assert {(name, page) for name, page in named if name not in drawn} == set()


def test_an_icon_is_decoration_and_hostile_names_stay_text() -> None:
    assert 'aria-hidden="true"' in icon("check")
    assert "<script" not in icon("<script>", 15, '"><script>')
