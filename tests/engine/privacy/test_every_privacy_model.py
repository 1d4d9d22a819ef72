"""One contract over all models; a new model needs one line in EXAMPLES and nothing else here."""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, assess, protect
from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import Parameter
from deid_portal.engine.privacy import MODELS, PrivacyModel, parse_model
from deid_portal.engine.privacy.kinds import DisclosureKind
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.search.check import Checker
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Lattice
from deid_portal.engine.search.optimum import search_exhaustively, search_with_bounds
from deid_portal.engine.search.rollup import RolledUpClasses
from deid_portal.engine.table.table import Codes
from deid_portal.engine.utility import METRICS
from tests.engine.tables import SECRETS, document, random_problem

EXAMPLES: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 3},
    {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "secret"},
    {"model": "l-diversity", "variant": "probabilistic", "l": 1.5, "column": "secret"},
    {"model": "l-diversity", "variant": "entropy", "l": 1.8, "column": "secret"},
    {"model": "l-diversity", "variant": "recursive", "l": 2, "c": 2.5, "column": "secret"},
    {"model": "t-closeness", "t": 0.2, "distance": "equal", "column": "secret"},
    {"model": "t-closeness", "t": 0.2, "distance": "ordered", "column": "secret"},
    {"model": "t-closeness", "t": 0.2, "distance": "hierarchical", "column": "secret"},
    {"model": "average-risk", "limit": 0.34},
    {"model": "p-sensitive-k-anonymity", "p": 2, "k": 3, "columns": ["secret"]},
    {"model": "alpha-k-anonymity", "alpha": 0.6, "k": 3, "column": "secret"},
    {"model": "alpha-k-anonymity", "alpha": 0.4, "k": 2, "column": "secret", "values": ["1", "3"]},
    {"model": "confidence-bounding", "h": 0.5, "column": "secret"},
    {"model": "confidence-bounding", "h": 0.4, "column": "secret", "values": ["1"]},
    {"model": "k-e-anonymity", "k": 2, "e": 2.0, "column": "secret"},
    {"model": "epsilon-m-anonymity", "epsilon": 1.0, "m": 1.5, "column": "secret"},
    {"model": "beta-likeness", "beta": 1.0, "enhanced": False, "column": "secret"},
    {"model": "beta-likeness", "beta": 1.0, "enhanced": True, "column": "secret"},
    {"model": "delta-disclosure", "delta": 0.7, "column": "secret"},
    {"model": "highest-risk", "limit": 0.34},
    {"model": "sample-uniqueness", "limit": 0.1},
    {"model": "population-uniqueness", "limit": 0.05, "population_size": 1000},
    {"model": "re-identification", "limit": 0.34, "knows_limit": 0.1},
    {"model": "interval-disclosure", "width": 0.4, "limit": 0.5, "column": "secret"},
    {
        "model": "result-privacy",
        "rules": [
            {"if": {"q0": "v1"}, "then": {"secret": "1"}},
            {"if": {"q1": None}, "then": {"q0": "v0"}},
        ],
        "support": 0.1,
        "confidence": 0.6,
    },
    {
        "model": "result-privacy",
        "rules": [{"if": {"q0": "v1"}, "then": {"secret": "1"}}],
        "support": 0.01,
        "confidence": 0.34,
    },
    {"model": "k-concealment", "k": 3},
    {"model": "k-confusion", "k": 3},
    {"model": "c-t-isolation", "c": 1.0, "t": 3},
    {"model": "c-t-isolation", "c": 1.5, "t": 3},
    {"model": "c-t-isolation", "c": 3.0, "t": 3},
    {"model": "k-l-anonymity", "k": 3, "l": 2},
    {"model": "lkc-privacy", "L": 2, "K": 3, "C": 0.5, "values": {"secret": ["1"]}},
    {"model": "lkc-privacy", "L": 1, "K": 2, "C": 0.6, "values": {"secret": None}},
    {"model": "x-y-privacy", "x": ["q0"], "y": "secret", "k": 2, "h": 0.6},
    {"model": "x-y-privacy", "x": ["q1"], "y": "secret", "k": 3},
    {"model": "multirelational-k-anonymity", "k": 2, "owner": "secret"},
    {
        "model": "personalized-privacy",
        "column": "secret",
        "guard_column": "secret",
        "breach": 0.5,
    },
    {"model": "delta-presence", "minimum": 0.0, "maximum": 0.5, "population": "people.csv"},
    {"model": "delta-presence", "minimum": 0.05, "maximum": 0.6, "population": "people.csv"},
    {"model": "k-map", "k": 4, "population": "people.csv"},
]


def example_id(example: dict[str, Any]) -> str:
    kind = example.get("variant") or example.get("distance") or ""
    return f"{example['model']} {kind}".strip()


every_model = pytest.mark.parametrize("example", EXAMPLES, ids=example_id)


def read_people(name: str) -> bytes:
    """Return a population with every column the tables here have, as a CSV file."""
    assert name == "people.csv"
    generator = np.random.default_rng(3)
    values = np.array(["v0", "v1", "v2", "v3", "v4", "v5", ""])
    lines = [",".join(row) for row in values[generator.integers(0, 7, (400, 4))]]
    return "\n".join(["q0,q1,q2,q3", *lines, ""]).encode()


def model_of(example: dict[str, Any]) -> PrivacyModel:
    return parse_model(Place(example, "models[0]"), read_people)


def test_every_model_has_an_example() -> None:
    assert {example["model"] for example in EXAMPLES} == set(MODELS)


@every_model
def test_explains_itself_in_a_sentence_and_cites_its_source(example: dict[str, Any]) -> None:
    model = model_of(example)
    assert model.explain().endswith(".")
    assert len(model.cites) > 20


@every_model
def test_survives_as_a_document(example: dict[str, Any]) -> None:
    assert model_of(example).to_document() == example


@every_model
def test_says_among_how_many_everybody_hides(example: dict[str, Any]) -> None:
    model = MODELS[example["model"]]
    declared = {own.name: own for own in model.parameters}
    assert set(declared) & {"k", "K"} <= {model.look_alikes} or model.name == "x-y-privacy"
    if not model.look_alikes:
        return
    number = declared[model.look_alikes]
    assert isinstance(number, Parameter)
    assert (number.whole, number.minimum) == (True, 2)
    # The k of k-map are out there: who knows who is in the release finds them more surely.
    chance = None if model.name == "k-map" else 1 / example[model.look_alikes]
    assert MODELS[model.name].parse(Place(example)).chance_granted == chance


@every_model
def test_says_whether_it_speaks_of_a_sensitive_column(example: dict[str, Any]) -> None:
    model = MODELS[example["model"]]
    assert model.speaks_of_sensitive == (model.needs_sensitive or "column" in example)


@every_model
def test_says_which_parameters_bound_shares_and_knowledge(example: dict[str, Any]) -> None:
    model = MODELS[example["model"]]
    declared = {own.name: own for own in model.parameters}
    assert set(declared) & {"h", "C", "alpha"} <= {model.largest_share} or (
        model.name == "x-y-privacy"  # its column need not be sensitive
    )
    assert set(declared) & {"L"} <= {model.columns_known}
    if model.largest_share:
        share = declared[model.largest_share]
        assert isinstance(share, Parameter)
        assert (share.maximum, share.optional) == (1, False)
    if model.columns_known:
        known = declared[model.columns_known]
        assert isinstance(known, Parameter)
        assert (known.whole, known.minimum) == (True, 1)


@every_model
def test_forms_begin_with_accepted_numbers(example: dict[str, Any]) -> None:
    for own in MODELS[example["model"]].parameters:
        if isinstance(own, Parameter) and own.start is not None:
            assert own.minimum <= own.start <= own.maximum
            assert not own.caution_for(own.start)


@every_model
def test_illegal_values_are_refused_with_their_place(example: dict[str, Any]) -> None:
    for parameter in MODELS[example["model"]].parameters:
        if not isinstance(parameter, Parameter):
            continue
        for wrong in (parameter.minimum - 1, float("nan"), "5", None, True):
            with pytest.raises(InvalidPlan, match=rf"^models\[0\]\.{parameter.name}: "):
                model_of(example | {parameter.name: wrong})


# Amounts in the unit of a column, and numbers of people: no value is unusual by itself.
ANY_SIZE = {
    ("k-e-anonymity", "e"),
    ("epsilon-m-anonymity", "epsilon"),
    ("interval-disclosure", "width"),
    ("population-uniqueness", "population_size"),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_number_has_three_answers(name: str) -> None:
    for parameter in MODELS[name].parameters:
        if not isinstance(parameter, Parameter) or (name, parameter.name) in ANY_SIZE:
            continue
        low = max(parameter.unusual_below, parameter.minimum)
        high = min(parameter.unusual_above, parameter.maximum)
        assert parameter.minimum < low or high < parameter.maximum
        assert not parameter.caution_for(low)
        assert not parameter.caution_for(high)
        for unusual in (parameter.minimum, min(high + 1, parameter.maximum)):
            if not low <= unusual <= high:
                assert parameter.caution_for(unusual).endswith(".")
        beyond = [parameter.minimum - 1, parameter.maximum + 1]
        for refused in (end for end in beyond if abs(end) < float("inf")):
            place = Place(
                {parameter.name: int(refused) if parameter.whole else refused}, "models[0]"
            )
            with pytest.raises(InvalidPlan, match=r" is accepted, got "):
                parameter.read(place)


@every_model
def test_unusual_values_get_a_caution(example: dict[str, Any]) -> None:
    for parameter in MODELS[example["model"]].parameters:
        if isinstance(parameter, Parameter) and parameter.unusual_above < float("inf"):
            if parameter.optional and parameter.name not in example:
                continue
            high = min(parameter.unusual_above + 1, parameter.maximum)
            try:
                model = model_of(example | {parameter.name: high})
            except InvalidPlan:  # it does not go with the other parameters
                continue
            caution = parameter.caution_for(getattr(model, parameter.name))
            assert caution
            assert caution in model.cautions()


@every_model
def test_order_of_rows_is_irrelevant(example: dict[str, Any]) -> None:
    generator = np.random.default_rng(5)
    problem = random_problem(generator, [])
    rows = problem.table.head(problem.rows)
    columns = {name: {"role": "quasi-identifier"} for name in problem.names}
    columns["secret"] = {"role": "sensitive", "taxonomy": SECRETS}
    method = {"name": "full-domain", "suppression_limit": 0.3}
    asked = document(columns, models=[example], method=method)
    plan = Plan.from_document(asked, read_file=read_people)
    turned = [rows[index] for index in generator.permutation(len(rows))]
    one = protect(Table.from_rows(problem.table.names, rows), plan)
    two = protect(Table.from_rows(problem.table.names, turned), plan)
    assert one.solution == two.solution
    assert one.report.transformation.levels == two.report.transformation.levels
    assert one.report.models == two.report.models
    if one.released is not None and two.released is not None:
        assert one.released.head(99) == two.released.head(99)


NAMES = {f"v{code}": f"w{9 - code}" for code in range(10)}
SECRET_NAMES = {f"{code}": f"s{9 - code}" for code in range(10)}
# These read the sensitive values as numbers, so other names are other values.
READS_NUMBERS = ("k-e-anonymity", "epsilon-m-anonymity", "interval-disclosure")


def rename(part: Any, names: dict[str, str]) -> Any:
    """Return a document, or a row of a table, with other names for its values."""
    if isinstance(part, dict):
        return {key: rename(item, names) for key, item in part.items()}
    if isinstance(part, list):
        return [rename(item, names) for item in part]
    return names.get(part, part) if isinstance(part, str) else part


@every_model
def test_names_of_values_are_irrelevant(example: dict[str, Any]) -> None:
    """The new names stand in the opposite order of the alphabet."""
    by_number = example["model"] in READS_NUMBERS or example.get("distance") == "ordered"
    names = NAMES if by_number else NAMES | SECRET_NAMES
    problem = random_problem(np.random.default_rng(6), [])
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in problem.names}
    columns["secret"] = {"role": "sensitive", "taxonomy": SECRETS}
    method = {"name": "full-domain", "suppression_limit": 0.3}
    asked = document(columns, models=[example], method=method)
    rows = problem.table.head(problem.rows)
    found = []
    for other in ({}, names):
        plan = Plan.from_document(
            rename(asked, other), read_file=lambda name, other=other: rename_people(name, other)
        )
        outcome = protect(Table.from_rows(problem.table.names, rename(rows, other)), plan)
        reached = [(entry.holds, entry.achieved) for entry in outcome.report.models]
        found.append((outcome.report.transformation.levels, outcome.report.rows, reached))
    assert found[0] == found[1]


def rename_people(name: str, names: dict[str, str]) -> bytes:
    lines = [line.split(",") for line in read_people(name).decode().splitlines()]
    return "\n".join(",".join(line) for line in rename(lines, names)).encode()


@every_model
def test_columns_that_stand_there_twice_change_nothing(example: dict[str, Any]) -> None:
    if example["model"] == "c-t-isolation" and example["c"] > 1:
        return  # distances are added up, so what is known twice is twice as far apart
    problem = random_problem(np.random.default_rng(7), [], rows=30)
    rows = problem.table.head(problem.rows)
    names = [*problem.names, "secret"]
    answers = []
    for copies in ([], ["q0"], ["q1", "q0"]):
        copied = [f"{name} again" for name in copies]
        columns: dict[str, Any] = {
            name: {"role": "quasi-identifier"} for name in (*problem.names, *copied)
        }
        columns["secret"] = {"role": "sensitive", "taxonomy": SECRETS}
        wide = [[*row, *(row[names.index(name)] for name in copies)] for row in rows]
        asked = document(columns, models=[example], method={"name": "none"})
        plan = Plan.from_document(
            asked, read_file=lambda name, copies=copies: copy_people(name, copies)
        )
        posed = pose_problem(Table.from_rows([*names, *copied], wide), plan, Progress(None))
        check = posed.checker(METRICS["loss"]).check((0,) * len(posed.names))
        model, kept = plan.models[0], check.classes.only(~check.suppressed_classes)
        accepted = model.accepts(kept, posed.whole)
        answers.append((check.suppressed, accepted, model.achieved(check.classes, posed.whole)))
    assert answers[0] == answers[1] == answers[2]


def copy_people(name: str, copies: list[str]) -> bytes:
    lines = [line.split(",") for line in read_people(name).decode().splitlines()]
    places = [lines[0].index(copy) for copy in copies]
    copied = [[*line, *(line[place] for place in places)] for line in lines]
    copied[0][len(lines[0]) :] = [f"{copy} again" for copy in copies]
    return "\n".join(",".join(line) for line in copied).encode()


@every_model
def test_gap_is_counted_as_a_value(example: dict[str, Any]) -> None:
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in ("q0", "q1")}
    columns["secret"] = {"role": "sensitive", "taxonomy": SECRETS}
    rows = [[code, "v2", secret] for code in ("v1", None) for secret in ("1", None, "3")]
    table = Table.from_rows(["q0", "q1", "secret"], rows)
    asked = document(columns, models=[example], method={"name": "none"})
    report = assess(table, Plan.from_document(asked, read_file=read_people))
    # People who are not in this small table are known not to be, whatever the gap counts as.
    assert report.solution or example.get("minimum")
    assert (report.classes.count, report.classes.smallest) == (2, 3)


@every_model
@pytest.mark.parametrize("seed", range(6))
def test_is_as_monotone_as_it_says(example: dict[str, Any], seed: int) -> None:
    model = model_of(example)
    problem = random_problem(np.random.default_rng(seed), [model], rows=30)
    checker = problem.checker(METRICS["loss"])
    lattice = Lattice(problem.heights)
    checks = {levels: checker.check(levels) for levels in np.ndindex(lattice.shape)}
    holding = {
        levels
        for levels, check in checks.items()
        if model.is_monotone and _holds(checker, model, check)
    }
    for levels, finer in checks.items():
        for above in lattice.coarser(levels):
            assert levels not in holding or above in holding
            if model.is_monotone_per_record:
                coarser = checks[above]
                gone_above = coarser.grouped.spread(coarser.suppressed_classes)
                gone_below = finer.grouped.spread(finer.suppressed_classes)
                assert (gone_below | ~gone_above).all()


def _holds(checker: Checker, model: PrivacyModel, check: Any) -> bool:
    return not check.suppressed and model.accepts(check.classes, checker.whole)


@every_model
@pytest.mark.parametrize("seed", range(2))
def test_loses_at_least_what_it_says_when_split(example: dict[str, Any], seed: int) -> None:
    model = model_of(example)
    problem = random_problem(np.random.default_rng(seed), [model], rows=30)
    checker = problem.checker(METRICS["loss"])
    lattice = Lattice(problem.heights)
    counts = problem.patterns.counts
    checks = {tuple(levels): checker.check(tuple(levels)) for levels in np.ndindex(lattice.shape)}
    for levels, coarser in checks.items():
        if not coarser.lost.any():
            continue
        class_of = _class_of_patterns(coarser.grouped)
        for below in np.ndindex(*(level + 1 for level in levels)):
            finer = checks[below]
            gone = counts * finer.grouped.spread(finer.suppressed_classes)
            assert (np.bincount(class_of, gone, len(coarser.lost)) >= coarser.lost).all()


def _class_of_patterns(grouped: RolledUpClasses) -> Codes:
    numbers = grouped.class_of
    while grouped.source is not None:
        grouped = grouped.source
        numbers = numbers[grouped.class_of]
    return numbers


@every_model
@pytest.mark.parametrize("allowed", [0, 6])
def test_search_finds_what_trying_everything_finds(example: dict[str, Any], allowed: int) -> None:
    problem = random_problem(np.random.default_rng(100), [model_of(example)], rows=30)
    lattice = Lattice(problem.heights)
    found = []
    for search in (search_with_bounds, search_exhaustively):
        checker = problem.checker(METRICS["loss"])
        answer = SearchResult(allowed, lattice.size, tolerance=checker.metric.tolerance)
        search(checker, lattice, answer, Progress(None))
        found.append(answer.best.levels if answer.best else None)
    assert found[0] == found[1]


@every_model
def test_says_what_it_is_about(example: dict[str, Any]) -> None:
    model = model_of(example)
    assert model.addresses
    assert model.disclosure.kinds


# Torra's table: attribute, identity, quantitative. All of these release a database.
TORRA = {
    "re-identification": (False, True, True),
    "sample-uniqueness": (False, True, True),
    "population-uniqueness": (False, True, True),
    "result-privacy": (True, False, False),
    "k-anonymity": (False, True, False),
    "k-confusion": (False, True, False),
    "k-concealment": (False, True, False),
    "p-sensitive-k-anonymity": (True, True, False),
    "l-diversity": (True, True, False),
    "t-closeness": (True, True, False),
    "interval-disclosure": (True, False, True),
}


@pytest.mark.parametrize("name", TORRA)
def test_stands_where_torra_puts_it(name: str) -> None:
    disclosure = MODELS[name].disclosure
    kinds = tuple(
        kind in disclosure.kinds for kind in (DisclosureKind.ATTRIBUTE, DisclosureKind.IDENTITY)
    )
    assert (*kinds, disclosure.is_quantitative) == TORRA[name]
    assert disclosure.releases_database


@every_model
@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_keeps_to_the_rule(example: dict[str, Any], seed: int) -> None:
    """After suppression; and if it judges class by class, whoever else is left out as well."""
    model = model_of(example)
    generator = np.random.default_rng(seed)
    problem = random_problem(generator, [model], rows=30)
    checker = problem.checker(METRICS["loss"])
    for levels in generator.permutation(list(np.ndindex(Lattice(problem.heights).shape)))[:12]:
        check = checker.check(tuple(levels.tolist()))
        kept = check.classes.only(~check.suppressed_classes)
        if not model.judges_release or model.accepts(kept, problem.whole):
            assert model.passes(kept, problem.whole).all()
        if not model.judges_release:
            fewer = kept.only(generator.random(len(kept.sizes)) < 0.5)
            assert model.passes(fewer, problem.whole).all()


@every_model
def test_achieved_is_the_best_for_which_it_holds(example: dict[str, Any]) -> None:
    model = model_of(example)
    for seed in range(8):
        problem = random_problem(np.random.default_rng(seed), [model])
        check = problem.checker(METRICS["loss"]).check(problem.heights)
        reached = model.achieved(check.classes, problem.whole)
        try:
            tighter = model_of(example | reached)
        except InvalidPlan:
            continue
        assert tighter.passes(check.classes, problem.whole).all()
        assert not model.judges_release or tighter.accepts(check.classes, problem.whole)


ABOUT_RELEASES = sorted(name for name, kind in MODELS.items() if kind.judges_release)


@pytest.mark.parametrize("name", ABOUT_RELEASES)
def test_a_rule_about_the_release_refuses_one_and_accepts_another(name: str) -> None:
    """Class by class it may say nothing, so the tests of classes would not notice its silence."""
    answers = set()
    for model in [model_of(example) for example in EXAMPLES if example["model"] == name]:
        for seed in range(8):
            problem = random_problem(np.random.default_rng(seed), [model])
            checker = problem.checker(METRICS["loss"])
            for levels in np.ndindex(Lattice(problem.heights).shape):
                classes = checker.check(levels).classes
                by_class = model.passes(classes, problem.whole).all()
                answers.add(bool(by_class and model.accepts(classes, problem.whole)))
    assert answers == {True, False}
