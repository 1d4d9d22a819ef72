"""Pseudonyms: consistent, keyed, never shared by two people, reversible only where asked for."""

import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, protect
from deid_portal.engine.publication import publish_plan
from deid_portal.engine.release import pseudonyms
from deid_portal.engine.release.pseudonyms import pseudonym_of, pseudonymize, ways_back
from deid_portal.engine.table.table import Column
from tests.engine.tables import document

KEY = b"a secret key of the team"


def column(*cells: str | None) -> Column:
    return Column.from_cells("name", cells)


def plan(treatment: str) -> Plan:
    columns = {
        "name": {"role": "identifier", "treatment": treatment},
        "zip": {"role": "quasi-identifier"},
    }
    return Plan.from_document(document(columns))


def people() -> Table:
    """Nobody looks like Eve, so she is left out."""
    names = Column.from_cells("name", ("Ann", "Bob", None, "Ann", "Eve"))
    return Table((names, Column.from_cells("zip", ("1", "1", "1", "1", "2"))))


def test_the_same_value_has_the_same_pseudonym_in_every_table() -> None:
    one = pseudonymize(column("Ann", "Bob", None), KEY)
    two = pseudonymize(column("Cid", "Ann"), KEY)
    assert one.values[0] == two.values[1] == pseudonym_of("Ann", KEY)
    assert one.values[2] is None
    assert len(set(one.values)) == 3


def test_a_pseudonym_is_long_enough_to_be_ones_own() -> None:
    assert len(pseudonym_of("Ann", KEY)) * 4 >= 128


def test_two_people_are_never_made_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pseudonyms, "LENGTH", 1)
    crowd = column(*(f"person {number}" for number in range(17)))
    with pytest.raises(InvalidPlan, match="two different values got the same pseudonym"):
        pseudonymize(crowd, KEY)


def test_a_reversible_pseudonym_looks_like_any_other() -> None:
    plain = protect(people(), plan("pseudonym"), pseudonym_key=KEY).released
    reversible = protect(people(), plan("reversible"), pseudonym_key=KEY).released
    assert plain is not None
    assert reversible is not None
    assert plain.head(9) == reversible.head(9)


def test_the_way_back_leads_to_everybody_released_and_nobody_else() -> None:
    asked = plan("reversible")
    released = protect(people(), asked, pseudonym_key=KEY).released
    assert released is not None
    found = list(ways_back(people(), released, asked.reversible_columns, KEY))
    in_release = {text for text in released["name"].values if text}
    assert {pseudonym for pseudonym, _, _ in found} == in_release
    assert {original for _, _, original in found} <= {"Ann", "Bob", "Eve"}
    for pseudonym, name, original in found:
        assert name == "name"
        assert pseudonym == pseudonym_of(original, KEY)


def test_no_way_back_for_a_plain_pseudonym() -> None:
    assert plan("pseudonym").reversible_columns == []


def test_the_published_plan_does_not_tell_of_the_way_back() -> None:
    asked = plan("reversible")
    outcome = protect(people(), asked, pseudonym_key=KEY)
    assert outcome.released is not None
    published, _ = publish_plan(asked, outcome.released, outcome.report.transformation.levels)
    assert published.to_document()["columns"]["name"]["treatment"] == "pseudonym"
