"""What a dataset is about is decided once: every part of it is answered for every kind."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.subjects import Subject, SubjectKind, SubjectPart

HOUSE = Path(__file__).parent.parent
# A kind is named where it is written and searched for, and where a page says which kind it is for.
MAY_NAME_A_KIND = {
    "datasets/subjects.py",
    "datasets/models.py",
    "datasets/kinds.py",
    "datasets/selectors.py",
    "networks/services.py",
    "networks/selectors.py",
}
ASKS_FOR_A_KIND = re.compile(r"\bis_network\b|dataset\.kind\b|(?<!kind=)SubjectKind\.[A-Z]")


def _parts() -> list[type[SubjectPart]]:
    return sorted(SubjectPart.__subclasses__(), key=lambda part: part.__name__)


@pytest.mark.parametrize("part", _parts(), ids=lambda part: part.__name__)
def test_every_part_is_answered_for_every_kind(part: type[SubjectPart]) -> None:
    assert set(part.of_kind) == set(SubjectKind)
    for kind in SubjectKind:
        assert isinstance(part.of(Dataset(kind=kind)), part)


@pytest.mark.parametrize("kind", SubjectKind)
def test_every_kind_says_everything_and_has_the_same_pages(kind: SubjectKind) -> None:
    subject = Dataset(kind=kind).subject
    for name in Subject.__annotations__:
        assert getattr(subject, name) is not None, name
    assert set(subject.pages) == set(Subject.of_kind[SubjectKind.TABLE].pages)  # type: ignore[attr-defined]


def test_nothing_asks_which_kind_a_dataset_is_of() -> None:
    found = {f"{name}: {line.strip()}" for name, line in _lines() if ASKS_FOR_A_KIND.search(line)}
    assert not found


def _lines() -> Iterator[tuple[str, str]]:
    code = HOUSE / "deid_portal"
    for path in code.rglob("*.py"):
        name = path.relative_to(code).as_posix()
        if name not in MAY_NAME_A_KIND and not name.startswith("engine/"):
            yield from ((name, line) for line in path.read_text().splitlines())
    for path in (HOUSE / "templates").rglob("*.html"):
        name = path.relative_to(HOUSE).as_posix()
        yield from ((name, line) for line in path.read_text().splitlines())
