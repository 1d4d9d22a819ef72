"""The help is under test: every step and every model has its page, and links lead somewhere."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.engine import Plan
from deid_portal.engine.differential import QUESTIONS, QueryPlan
from deid_portal.engine.documents import Place
from deid_portal.engine.measures import Measures
from deid_portal.engine.methods import METHODS
from deid_portal.engine.privacy import MODELS
from deid_portal.guide.help_pages import list_help_pages
from deid_portal.guide.steps import LABELS
from deid_portal.reviews.policies import MOVES_IN_WORDS
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
    assert set(re.findall(r"\]\(/help/([^)/]*)/?\)", text)) <= SLUGS


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
