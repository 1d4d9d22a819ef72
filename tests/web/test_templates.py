"""What `make format` cannot do for a template: it never breaks a template tag or a long value."""

from pathlib import Path

TEMPLATES = Path(__file__).parents[2] / "templates"
LONGEST_LINE = 140


def test_no_line_is_longer_than_a_screen() -> None:
    too_long = [
        f"{file.relative_to(TEMPLATES)}:{number}"
        for file in sorted(TEMPLATES.rglob("*.html"))
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        if len(line) > LONGEST_LINE
    ]
    assert too_long == []
