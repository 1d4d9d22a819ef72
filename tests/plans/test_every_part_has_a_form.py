"""The registry drives the forms: every model and method can be added, filled in and read back."""

from typing import Any

import pytest
from django.http import QueryDict

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import values_of
from deid_portal.datasets.services import tag_columns
from deid_portal.engine.methods import METHODS
from deid_portal.engine.privacy import MODELS
from deid_portal.plans.composition import ProtectionChoice
from deid_portal.plans.expert_forms import HELP_PAGES, ExpertForm
from deid_portal.plans.populations import add_population
from deid_portal.plans.services import check_choice
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.services import set_taxonomy
from tests import factories
from tests.conftest import Cast

# What cannot be guessed has to be filled in; field names as the form writes them.
TO_FILL: dict[str, dict[str, Any]] = {
    "x-y-privacy": {"x": ["Zip"], "y": "Condition"},
    "multirelational-k-anonymity": {"owner": "Name"},
    "personalized-privacy": {"guard_column": "Condition"},
    "population-uniqueness": {"population_size": "1000"},
    "result-privacy": {"rules": '[{"if": {"Age": "29"}, "then": {"Condition": "Flu"}}]'},
    "pram": {"columns": ["Condition"]},
    "noise": {"columns": ["Age"]},
    "rank-swapping": {"columns": ["Age"]},
    "record-swapping": {"columns": ["Zip"]},
    "coding": {"columns": ["Age"]},
    "rounding": {"columns": ["Age"]},
    "date-shifting": {"columns": ["Age"]},
}
NUMBERS_ONLY = {"k-e-anonymity", "epsilon-m-anonymity", "interval-disclosure"}


@pytest.fixture
def dataset(cast: Cast) -> Dataset:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    condition = dataset.columns.get(name="Condition")
    groups = {"tree": {"*": {"any illness": sorted(values_of(condition).values)}}}
    kind = ColumnTaxonomy.Kind.TREE
    set_taxonomy(column=condition, changed_by=cast.steward, kind=kind, recipe=groups)
    upload = factories.store_upload(factories.PATIENTS.read_bytes(), "register.csv")
    add_population(dataset=dataset, upload=upload, added_by=cast.steward)
    return dataset


def _as_posted(form: ExpertForm, filled: dict[str, Any]) -> QueryDict:
    """What a browser would send for the form as it is shown, with some fields filled in."""
    data = QueryDict(mutable=True)
    for key, parts in (("rule", form.rules), ("method", form.methods)):
        for part in parts.parts:
            number = str(part.prefix).removeprefix(key)
            data.appendlist(key, f"{number}:{part.name}")
            for bound in part:
                own = filled.get(bound.name, bound.value())
                if own is None or own is False:
                    continue
                data.setlist(bound.html_name, own if isinstance(own, list) else [str(own)])
    return data


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_can_be_chosen(name: str, dataset: Dataset) -> None:
    form = ExpertForm(dataset, choice=ProtectionChoice([], factories.METHOD))
    form.rules.add(name)
    filled = _choose_first(form, TO_FILL.get(name, {}))
    posted = ExpertForm(dataset, data=_as_posted(form, filled))
    assert posted.is_valid(), [part.errors for part in posted.parts]
    choice = posted.to_choice({})
    assert choice.rules[0]["model"] == name
    if name in NUMBERS_ONLY:
        with pytest.raises(Exception, match="holds none"):
            check_choice(dataset, choice)
    elif name not in ("result-privacy", "personalized-privacy"):
        assert check_choice(dataset, choice).models[0].name == name


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_can_be_chosen(name: str, dataset: Dataset) -> None:
    form = ExpertForm(dataset, choice=None)
    form.rules.add("k-anonymity")
    form.methods.add(name)
    posted = ExpertForm(dataset, data=_as_posted(form, _choose_first(form, TO_FILL.get(name, {}))))
    assert posted.is_valid(), [part.errors for part in posted.parts]
    choice = posted.to_choice({})
    assert isinstance(choice.method, dict)
    assert choice.method["name"] == name
    assert check_choice(dataset, choice).methods[0].name == name


def _choose_first(form: ExpertForm, filled: dict[str, Any]) -> dict[str, Any]:
    """A browser sends the first option of a list nobody touched."""
    chosen = dict(filled)
    for part in form.parts:
        for bound in part:
            choices = getattr(bound.field, "choices", None)
            if bound.name not in chosen and choices and bound.value() is None:
                is_list = bound.field.widget.__class__.__name__ == "CheckboxSelectMultiple"
                chosen[bound.name] = [] if is_list else next(iter(choices))[0]
    return chosen


def test_what_is_shown_is_what_was_chosen(dataset: Dataset) -> None:
    rules = [
        {"model": "lkc-privacy", "L": 2, "K": 3, "C": 0.6, "values": {"Condition": None}},
        {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 3, "column": "Condition",
         "values": ["Cancer", None]},
    ]  # fmt: skip
    method = [
        {"name": "coding", "columns": ["Age"], "top": 60.5},
        {"name": "levels", "levels": {"Zip": 1, "Age": 2}, "suppression_limit": 0.2},
        {"name": "pram", "columns": ["Condition"], "epsilon": 1},
    ]
    shown = ExpertForm(dataset, choice=ProtectionChoice(rules, method))
    posted = ExpertForm(dataset, data=_as_posted(shown, {}))
    assert posted.is_valid(), [part.errors for part in posted.parts]
    choice = posted.to_choice({})
    assert choice.rules == rules
    without_flags = [{k: v for k, v in m.items() if v is not False} for m in choice.methods]
    assert without_flags == method


def test_parts_are_added_moved_and_removed(dataset: Dataset) -> None:
    form = ExpertForm(dataset, choice=ProtectionChoice(factories.RULES, factories.METHOD))
    data = QueryDict("new-method=rounding&new-rule=highest-risk")
    assert form.act("add method", data)
    assert form.act("add rule", data)
    assert form.act("up method 1", data)
    assert [part.name for part in form.methods.parts] == ["rounding", "full-domain"]
    assert [part.name for part in form.rules.parts] == ["k-anonymity", "highest-risk"]
    assert form.act("remove rule 0", data)
    assert form.act("down method 1", data), "moving the last one down changes nothing"
    assert [part.name for part in form.rules.parts] == ["highest-risk"]
    assert len({part.prefix for part in form.parts}) == 3, "no two parts share their fields"
    assert not form.act("explode rule 0", data)


def test_every_model_and_method_is_explained() -> None:
    pages = [*(f"model-{name}" for name in MODELS), *(f"method-{name}" for name in METHODS)]
    assert [page for page in pages if not (HELP_PAGES / f"{page}.md").is_file()] == []


def test_a_rule_about_sensitive_values_says_that_there_are_none(cast: Cast) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    condition = dataset.columns.get(name="Condition")
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles={condition.position: "insensitive"})
    form = ExpertForm(dataset, choice=ProtectionChoice(factories.RULES, factories.METHOD))
    form.rules.add("l-diversity")
    assert form.rules.parts[0].needs_words == ""
    assert "none is tagged" in form.rules.parts[1].needs_words
