"""What a dataset is about is decided once: every part of it is answered for every kind."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

import deid_portal.urls  # noqa: F401 - every room is there, and its parts
from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.subjects import Subject, SubjectKind, SubjectPart
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast

HOUSE = Path(__file__).parent.parent
# A kind is named where it is written, and what is about one kind alone knows it.
MAY_NAME_A_KIND = re.compile(
    r"(datasets|querydesk)/subjects\.py|datasets/models\.py|networks/.*|attacks/network_trials\.py"
    r"|releases/package_certificate\.py"
)
ASKS_FOR_A_KIND = re.compile(
    r"\bis_network\b|dataset\.kind\b|(?<!kind=)SubjectKind\.[A-Z]"
    r"|isinstance\([^)]*\bNetwork|\.network is (not )?None"
    r"|\b(if|elif|and|or|not|return) \S+ (not )?in NETWORK_[A-Z]"
    r"|\b(setting|own|terms)(\.setting)?\.protects\b|[\"']protects[\"'] (not )?in\b"
)


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
        if not MAY_NAME_A_KIND.fullmatch(name) and not name.startswith("engine/"):
            yield from ((name, line) for line in path.read_text().splitlines())
    for path in (HOUSE / "templates").rglob("*.html"):
        name = path.relative_to(HOUSE).as_posix()
        yield from ((name, line) for line in path.read_text().splitlines())


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A third kind: a table that extends what is true of tables."""
    kind = "elsewhere"
    for part in _parts():
        own = part.of_kind[SubjectKind.TABLE]
        part.of_kind[kind] = type(f"{own.__name__}Elsewhere", (own,), {})
    part_of_facts = Subject.of_kind[kind]
    part_of_facts.noun, part_of_facts.place = "register", "Registers"  # type: ignore[attr-defined]
    yield kind
    for part in _parts():
        del part.of_kind[kind]


PAGES = [
    "datasets:columns",
    "plans:protection",
    "runs:list",
    "reports:board",
    "querydesk:open",
]


def test_a_third_kind_goes_the_whole_way(
    cast: Cast, signed_in: Callable[[User], Client], elsewhere: str, without_pdf: None
) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    Dataset.objects.filter(id=run.dataset_id).update(kind=elsewhere)
    steward = signed_in(cast.steward)
    for page in PAGES:
        assert steward.get(reverse(page, args=[run.dataset_id])).status_code == 200, page
    said = steward.get(reverse("reports:report", args=[run.id])).text
    assert "Registers" in said
    assert steward.get(reverse("attacks:show", args=[run.id])).status_code == 200
    started = start_run(dataset=Dataset.objects.get(id=run.dataset_id), started_by=cast.steward)
    assert factories.finish_run(started).solution
    request = factories.ask_for(started.dataset, cast.steward)
    package = factories.pack(factories.approve(request, cast.approver))
    assert package.is_ready
