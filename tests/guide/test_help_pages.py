"""The help is under test: every step and every model has its page, and links lead somewhere."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.attacks.kinds import ALL_ATTACKS
from deid_portal.attacks.vocabulary import wording_of
from deid_portal.engine import Plan
from deid_portal.engine.differential import QUESTIONS, QueryPlan
from deid_portal.engine.documents import Place
from deid_portal.engine.measures import Measures
from deid_portal.engine.methods import METHODS
from deid_portal.engine.networks.questions import NETWORK_QUESTIONS
from deid_portal.engine.privacy import MODELS
from deid_portal.guide.help_groups import list_help_groups, list_words, page_after
from deid_portal.guide.help_pages import find_help_page, list_help_pages
from deid_portal.guide.help_search import search_help
from deid_portal.guide.steps import LABELS
from deid_portal.reviews.policies import MOVES_IN_WORDS
from tests import factories
from tests.conftest import Cast

HELP = Path(__file__).parent.parent.parent / "templates" / "help"
SLUGS = {path.stem for path in HELP.glob("*.md")}


@pytest.mark.parametrize("step", LABELS)
def test_every_step_has_a_page(step: str) -> None:
    assert step in SLUGS


@pytest.mark.parametrize("model", MODELS)
def test_every_privacy_model_has_a_page(model: str) -> None:
    assert f"model-{model}" in SLUGS


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_page_and_a_place_in_the_overview(method: str) -> None:
    assert f"method-{method}" in SLUGS
    assert f"(/help/method-{method}/)" in (HELP / "methods.md").read_text()


@pytest.mark.parametrize("slug", sorted(SLUGS))
def test_links_between_pages_lead_somewhere(slug: str) -> None:
    text = (HELP / f"{slug}.md").read_text()
    assert text.startswith("# ")
    for linked, anchor in re.findall(r"\]\((?:/help/([^)/#]*)/?)?(?:#([^)]*))?\)", text):
        page = find_help_page(linked or slug)
        assert page is not None, linked
        assert not anchor or anchor in {own.anchor for own in page.sections}


def test_pages_are_shown(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    client = signed_in(cast.analyst)
    for page in list_help_pages():
        answer = client.get(reverse("guide:help-page", args=[page.slug]))
        assert page.title in answer.content.decode()
    assert client.get("/help/no-such-page/").status_code == 404


def test_the_plans_in_the_help_are_plans() -> None:
    text = (HELP / "plan.md").read_text()
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    whole, chain, asking = (block.strip() for block in blocks)
    document = json.loads(whole)
    conditions = {"conditions.csv": b"Flu;*\nCancer;*\n"}
    for changes in ({}, json.loads(f"{{{chain}}}")):
        plan = Plan.from_document(document | changes, read_file=lambda name: conditions[name])
        assert plan.methods
    assert len(QueryPlan.from_document(json.loads(asking)).questions) == 3


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_kind_of_question_is_explained(question: str) -> None:
    assert f"`{question}`" in (HELP / "private-answers.md").read_text()


@pytest.mark.parametrize("question", [*QUESTIONS, *NETWORK_QUESTIONS])
def test_every_kind_of_question_has_a_page(question: str) -> None:
    assert f"question-{question}" in SLUGS


def test_every_attack_has_a_page_made_of_its_own_words() -> None:
    for name, kind in ALL_ATTACKS.items():
        page = find_help_page(f"attack-{name}")
        assert page is not None
        assert wording_of(name).explanation in page.sections[0].text
        assert kind.cites in page.sections[0].text


def test_every_page_stands_on_one_shelf_and_leads_to_the_next() -> None:
    standing = [page.slug for group in list_help_groups() for page in group.pages]
    assert sorted(standing) == sorted(page.slug for page in list_help_pages())
    for group in list_help_groups():
        page, walked = group.pages[0], [group.pages[0]]
        while (later := page_after(page)) is not None:
            walked.append(page := later)
        assert tuple(walked) == group.pages
        assert all(page.minutes >= 1 and page.in_short for page in walked)


def test_words_of_the_glossary_are_in_order_and_listed(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    words = [word.title for word in list_words()]
    assert words == sorted(words, key=str.lower)
    page = signed_in(cast.analyst).get(reverse("guide:help")).content.decode()
    for word in list_words():
        assert f'/help/glossary/#{word.anchor}"' in page


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("k-anonymity", "model-k-anonymity"),
        ("how do I upload a file?", "upload"),
        ("median", "question-median"),
        ("singling out", "attack-singling-out"),
        ("glossary", "glossary"),
        ("taxonomy", "taxonomies"),
        ("rank swapping", "method-rank-swapping"),
    ],
)
def test_what_people_look_for_comes_first(asked: str, first: str) -> None:
    assert search_help(asked)[0].page.slug == first


def test_a_result_shows_where_the_words_stand(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    client = signed_in(cast.analyst)
    for address in ("guide:help", "guide:find"):
        page = client.get(reverse(address), {"q": "lawsuit <b> pseudonym key"}).content.decode()
        assert "<mark>key</mark>" in page
        assert "lawsuit &lt;b&gt;" in page
    nothing = client.get(reverse("guide:help"), {"q": "zzyzx"}).content.decode()
    assert "No page of the help has these words" in nothing


def test_the_loupe_finds_datasets_for_those_who_may_see_them(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    dataset = factories.make_dataset(cast.steward, cast.team)
    there = reverse("guide:enter", args=[dataset.id])
    for person, sees in ((cast.steward, True), (cast.analyst, False), (cast.outsider, False)):
        page = signed_in(person).get(reverse("guide:find"), {"q": dataset.name[:4]})
        assert (there in page.content.decode()) is sees


def test_measures_in_the_help_are_measures() -> None:
    text = (HELP / "attacks.md").read_text()
    block = re.findall(r"```json\n(.*?)```", text, re.DOTALL)[0].strip()
    asked = json.loads(f"{{{block}}}")["measures"]
    files = b"name,zip\nAnn,1\n"
    assert Measures.parse(Place(asked, "measures"), lambda name: files).attacks


def test_the_moves_of_a_request_are_drawn_from_the_table_the_code_goes_by() -> None:
    page = next(page for page in list_help_pages() if page.slug == "review")
    for words in MOVES_IN_WORDS.values():
        assert words in page.html
    assert "[[" not in page.html
