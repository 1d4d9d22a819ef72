"""Whatever can be named by a plan answers every trait its interface declares."""

import types
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Union, get_args, get_origin

import pytest

from deid_portal.engine.attacks import ATTACKS
from deid_portal.engine.attacks.attack import AnyAttack
from deid_portal.engine.attacks.attack_figures import AttackFigures
from deid_portal.engine.differential.question import PrivateQuestion
from deid_portal.engine.differential.questions import QUESTIONS
from deid_portal.engine.documents import Place
from deid_portal.engine.methods import METHODS, Method, RecodingMethod
from deid_portal.engine.networks.attacks.trials import NETWORK_ATTACKS
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.methods import NETWORK_METHODS, NetworkMethod
from deid_portal.engine.networks.models import NETWORK_MODELS, NetworkModel, model_against
from deid_portal.engine.networks.questions import NETWORK_QUESTIONS
from deid_portal.engine.privacy import MODELS, PrivacyModel
from deid_portal.engine.utility import METRICS, ClassMetric, Metric

Kinds = Mapping[str, type[Any]]
REGISTRIES: dict[str, tuple[type[Any], Kinds]] = {
    "model": (PrivacyModel, MODELS),
    "method": (Method, METHODS),
    "metric": (Metric, {name: type(metric) for name, metric in METRICS.items()}),
    "attack": (AnyAttack, ATTACKS),
    "question": (PrivateQuestion, QUESTIONS),
    "network model": (NetworkModel, NETWORK_MODELS),
    "network method": (NetworkMethod, NETWORK_METHODS),
    "network attack": (AnyAttack, NETWORK_ATTACKS),
    "network question": (PrivateQuestion, NETWORK_QUESTIONS),
}
REGISTERED = [
    pytest.param(interface, kind, id=f"{what} {name}")
    for what, (interface, kinds) in REGISTRIES.items()
    for name, kind in kinds.items()
]


def traits_of(interface: type[Any]) -> Iterator[tuple[str, Any]]:
    """Yield each class attribute the interface declares, with its type."""
    for name, hint in interface.__annotations__.items():
        if get_origin(hint) is ClassVar:
            yield name, get_args(hint)[0]


def fits(value: Any, hint: Any) -> bool:
    """Say whether a value has a declared type, as far as traits have types."""
    if hint is Any:
        return True
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, own) for own in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        of_any_length = len(inner) == 2 and inner[1] is ...
        expected = inner[:1] * len(value) if of_any_length else inner
        return len(value) == len(expected) and all(map(fits, value, expected))
    if origin is type:
        return isinstance(value, type)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, origin or hint)


@pytest.mark.parametrize(("interface", "kind"), REGISTERED)
def test_every_registered_class_answers_every_trait(interface: type[Any], kind: type[Any]) -> None:
    answers = {name: getattr(kind, name, None) for name, _ in traits_of(interface)}
    wrong = {
        name: answers[name] for name, hint in traits_of(interface) if not fits(answers[name], hint)
    }
    assert answers
    assert not wrong


@pytest.mark.parametrize(("interface", "kind"), REGISTERED)
def test_a_trait_that_names_a_parameter_names_one_there_is(
    interface: type[Any], kind: type[Any]
) -> None:
    naming = ("look_alikes", "largest_share", "columns_known", "amount")
    named = {getattr(kind, trait, "") for trait in naming} - {""}
    named |= {*getattr(kind, "with_time", ())}
    assert named <= {parameter.name for parameter in getattr(kind, "parameters", ())}


@pytest.mark.parametrize("name", [name for name, kind in MODELS.items() if kind.needs_sensitive])
def test_a_model_that_needs_a_sensitive_column_speaks_of_it(name: str) -> None:
    assert MODELS[name].speaks_of_sensitive


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if kind.can_be_swept])
def test_what_is_swept_needs_nothing_but_its_name(name: str) -> None:
    assert METHODS[name].parse(Place({"name": name})).name == name


def test_only_methods_that_choose_levels_are_estimated() -> None:
    estimated = [kind for kind in METHODS.values() if kind.can_be_estimated]
    assert estimated
    assert all(issubclass(kind, RecodingMethod) for kind in estimated)


def test_what_compares_with_others_holds_people_out() -> None:
    assert all(kind.holds_out for kind in ATTACKS.values() if "control" in kind.needs)


def test_limits_of_attacks_are_shares() -> None:
    kinds = [*ATTACKS.values(), *NETWORK_ATTACKS.values()]
    assert all(0 <= kind.usual_limit < 1 for kind in kinds)


def test_metrics_of_cells_say_what_an_original_has() -> None:
    for metric in METRICS.values():
        assert (metric.at_original is None) == isinstance(metric, ClassMetric)


@pytest.mark.parametrize("knowledge", list(Knowledge))
def test_there_is_a_model_and_a_method_against_all_knowledge(knowledge: Knowledge) -> None:
    assert model_against(knowledge).knowledge == knowledge
    assert any(knowledge in kind.withstands for kind in NETWORK_METHODS.values())


def test_variants_of_network_methods_are_plans_with_names_of_their_own() -> None:
    variants = [(name, own) for name, kind in NETWORK_METHODS.items() for own in kind.variants]
    for name, variant in variants:
        entry = {"name": name, "k": 3, **variant.parameters}
        assert NETWORK_METHODS[name].parse(Place(entry)).name == name
    assert len({own.name for _, own in variants}) == len(variants)


@pytest.mark.parametrize("kind", [*ATTACKS.values(), *NETWORK_ATTACKS.values()])
def test_an_attack_says_what_it_counts(kind: type[AnyAttack]) -> None:
    assert kind.figures_kind is not AttackFigures
    told = dict.fromkeys(kind.figures_kind.__dataclass_fields__, 1.0)
    assert kind.figures_kind.from_document(told).to_document() == told
