"""Every model and method of networks has its page, and the plan in the help is one."""

import json
import re
from pathlib import Path

import pytest

from deid_portal.engine.networks import NetworkPlan
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.networks.models import NETWORK_MODELS

HELP = Path(__file__).parent.parent.parent / "templates" / "help"
OVERVIEW = (HELP / "networks.md").read_text()


@pytest.mark.parametrize(
    "slug",
    [
        *(f"model-{name}" for name in NETWORK_MODELS),
        *(f"method-{name}" for name in NETWORK_METHODS),
    ],
)
def test_every_part_has_a_page_that_the_overview_leads_to(slug: str) -> None:
    assert (HELP / f"{slug}.md").is_file()
    assert f"(/help/{slug}/)" in OVERVIEW or slug == "method-none"


def test_the_plan_in_the_help_is_a_plan() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", OVERVIEW, re.DOTALL)
    assert NetworkPlan.from_document(json.loads(block)).knowledge == "degree"
