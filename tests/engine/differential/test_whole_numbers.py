"""Columns declared as whole numbers: buckets and candidates are whole, noise and price the same."""

from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, Table
from deid_portal.engine.differential import PrivacySetting, answer, parse_question

AGES = {"low": 17, "high": 90}


def setting(domain: dict[str, Any]) -> PrivacySetting:
    return PrivacySetting.from_document({"neighbours": "add_remove", "domains": {"age": domain}})


def edges(buckets: int, domain: dict[str, Any]) -> list[tuple[float, float]]:
    document = {"query": "histogram", "column": "age", "buckets": buckets, "epsilon": 20}
    table = Table.from_rows(["age"], [[str(age)] for age in range(17, 91)])
    found = answer(table, parse_question(document, setting(domain))).to_document()
    return [(cell["from"], cell["to"]) for cell in found["values"]]


def test_buckets_of_whole_numbers_are_whole() -> None:
    found = edges(5, {**AGES, "whole": True})
    assert found == [(17, 31), (32, 45), (46, 60), (61, 74), (75, 90)]
    assert edges(5, AGES)[0] == (17, 31.6)


def test_no_bucket_is_narrower_than_one_number() -> None:
    assert edges(9, {"low": 1, "high": 4, "whole": True}) == [(1, 1), (2, 2), (3, 4)]


def test_every_number_is_in_the_bucket_that_names_it() -> None:
    document = {"query": "histogram", "column": "age", "buckets": 5, "epsilon": 20}
    question = parse_question(document, setting({**AGES, "whole": True}))
    for age in (17, 31, 32, 45, 46, 90):
        found = answer(Table.from_rows(["age"], [[str(age)]] * 50), question).to_document()
        [place] = [n for n, cell in enumerate(found["values"]) if cell["value"] > 25]
        low, high = found["values"][place]["from"], found["values"][place]["to"]
        assert low <= age <= high


def test_quantiles_of_whole_numbers_are_whole() -> None:
    domain = {"low": 0, "high": 3500, "whole": True}
    document = {"query": "median", "column": "age", "epsilon": 1}
    found = answer(Table.from_rows(["age"], [["7"]]), parse_question(document, setting(domain)))
    assert isinstance(found.to_document()["value"], int)


def test_setting_is_read_back_and_nonsense_refused() -> None:
    document = setting({**AGES, "whole": True}).to_document()
    assert document["domains"]["age"]["whole"] is True
    assert "whole" not in setting(AGES).to_document()["domains"]["age"]
    with pytest.raises(InvalidPlan, match="whole bounds"):
        setting({"low": 0.5, "high": 9, "whole": True})
    with pytest.raises(InvalidPlan, match="true or false"):
        setting({**AGES, "whole": 1})
