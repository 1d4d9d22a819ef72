"""The query desk of the demo table, with terms as a steward would set them."""

from typing import Any

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.guide.demo.invented import CONDITIONS, demo_taxonomy
from deid_portal.querydesk.amounts import micro_of
from deid_portal.querydesk.models import Period
from deid_portal.querydesk.services import DeskOffer, open_desk

# Columns whose possible values are public classifications; others are not open for queries.
LISTED = ("sex", "race", "marital-status", "education", "workclass", "occupation", "salary-class")


def open_for_questions(dataset: Dataset, steward: User) -> None:
    domains: dict[str, Any] = {"age": {"low": 17, "high": 90, "whole": True}}
    for name in LISTED:
        lines = (demo_taxonomy(name) or b"").decode().splitlines()
        domains[name] = {"values": [line.partition(";")[0] for line in lines if line]}
    domains["condition"] = {"values": sorted(CONDITIONS)}
    open_desk(
        dataset=dataset,
        opened_by=steward,
        offer=DeskOffer(
            setting={"neighbours": "add_remove", "domains": domains},
            total_micro=micro_of(20),
            analyst_micro=micro_of(5),
            period=Period.QUARTER,
            smallest_micro=micro_of("0.05"),
        ),
    )
