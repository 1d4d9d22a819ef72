"""One contract over all methods: whatever protects a table keeps to it.

A new method needs an entry in EXAMPLES, or this fails.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Cancelled, EngineError, Outcome, Plan, Table, protect
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.draft.measured import measure_recoding
from deid_portal.engine.draft.remeasurement import measure_draft
from deid_portal.engine.methods import METHODS, Method, RecodingMethod
from deid_portal.engine.parameters import Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.utility import METRICS, MeasuredRelease
from tests.chance import known_secret

# Per method, entries that a table of the columns below can be protected with.
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "full-domain": [{"suppression_limit": 0.2}],
    "local-recoding": [{"suppression_limit": 0.2}],
    "levels": [{"levels": {"age": 2, "zip": 5, "sex": 1, "visit": 4}}],
    "none": [{}],
    "pram": [
        {"columns": ["condition", "sex"], "epsilon": 1.5},
        {"columns": ["condition"], "p": 0.6, "p_prime": 0.5, "answer": "Flu"},
    ],
    "noise": [
        {"columns": ["pay"], "scale": 0.2},
        {"columns": ["pay", "age"], "scale": 0.2, "kind": "correlated"},
        {"columns": ["pay"], "scale": 0.2, "kind": "multiplicative"},
    ],
    "rank-swapping": [{"columns": ["pay", "visit", "zip"], "window": 10}],
    "record-swapping": [
        {"columns": ["zip"], "share": 0.4, "match": ["sex"]},
        {"columns": ["zip"], "share": 0.4, "household": "id", "select": "random"},
    ],
    "coding": [{"columns": ["age", "pay"], "top_share": 0.1, "bottom": 20}],
    "rounding": [
        {"columns": ["age"], "base": 5},
        {"columns": ["pay"], "base": 250, "kind": "random"},
    ],
    "coarsening": [{"levels": {"condition": 1}}],
    "date-shifting": [{"columns": ["visit"], "days": 30, "person": "id"}],
    "sampling": [{"share": 0.5}],
    "synthetic": [
        {
            "epsilon": 1,
            "ranges": {"age": [0, 99, 10], "pay": [0, 9900, 300]},
            "values": {
                "zip": ["13053", "13068", "14850", "14853"],
                "visit": [
                    f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 28)
                ],
                "condition": ["Flu", "Cancer", "Asthma", "Gastritis"],
                "note": ["x", "yes"],
            },
            "gaps": ["age", "zip", "sex", "visit", "pay", "condition", "note"],
        }
    ],
    "dp-table": [{"epsilon": 2, "delta": 1e-3, "levels": {"sex": 1, "visit": 4}}],
    "top-down": [{}, {"score": "information-gain", "class_column": "condition"}],
    "mondrian": [{}, {"relaxed": True}],
    "microaggregation": [
        {"k": 3},
        {"k": 3, "gaps": "fill", "ordered": ["sex"]},
        {"k": 2, "algorithm": "projected", "columns": ["age", "visit"], "decimals": 1},
        {"k": 4, "algorithm": "individual-ranking"},
        {"k": 4, "algorithm": "univariate-optimal", "columns": ["pay", "age"]},
        {"k": 3, "groups": [["age", "zip"], ["pay"]], "blocked": True},
    ],
    "k-confusion": [{"k": 3, "columns": ["age", "visit", "pay"]}, {"columns": ["pay"]}],
    "k-concealment": [{"k": 3}],
    "bucketization": [{"l": 2, "column": "condition", "together": ["pay"]}],
    "permutation": [{"k": 3, "e": 500, "column": "pay", "together": ["condition"]}],
}
# Columns a method adds to those of the table.
MADE_COLUMNS: dict[str, set[str]] = {"bucketization": {"group"}, "permutation": {"group"}}
COLUMNS: dict[str, Any] = {
    "id": {"role": "identifier"},
    "age": {
        "role": "quasi-identifier",
        "taxonomy": {"intervals": {"start": 0, "width": 10, "widen": [3, 2]}},
    },
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    "sex": {
        "role": "quasi-identifier",
        "taxonomy": {"tree": {"*": ["female", "male", "other"]}},  # nobody is "other"
    },
    "visit": {
        "role": "quasi-identifier",
        "taxonomy": {"dates": ["month", "quarter", "year"]},
    },
    "pay": {"role": "sensitive"},
    "condition": {
        "role": "sensitive",
        "taxonomy": {"tree": {"*": {"lung": ["Flu", "Asthma"], "else": ["Cancer", "Gastritis"]}}},
    },
    "note": {"role": "insensitive"},
}
NAMES = list(COLUMNS)
QUASI = ["age", "zip", "sex", "visit"]

ALL = [{"name": name, **entry} for name in METHODS for entry in EXAMPLES.get(name, [{}])]


def examples(which: Callable[[type[Method]], bool]) -> pytest.MarkDecorator:
    """Run a test over the examples of some methods."""
    chosen = [method for method in ALL if which(METHODS[method["name"]])]
    return pytest.mark.parametrize("method", chosen, ids=lambda method: method["name"])


every_example = examples(lambda method: True)


def people(rows: int, seed: int = 3, gaps: float = 0.0) -> Table:
    """Return made-up patients; a share of their cells is missing."""
    generator = np.random.default_rng(seed)

    def person(number: int) -> list[str | None]:
        cells: list[str | None] = [
            f"p{number}",
            str(generator.integers(18, 90)),
            str(generator.choice(["13053", "13068", "14850", "14853"])),
            str(generator.choice(["female", "male"])),
            f"2024-{generator.integers(1, 13):02}-{generator.integers(1, 28):02}",
            str(generator.integers(10, 90) * 100),
            str(generator.choice(["Flu", "Cancer", "Asthma", "Gastritis"])),
            str(generator.choice(["", "x", "yes"])) or None,
        ]
        return [cells[0], *(None if generator.random() < gaps else cell for cell in cells[1:])]

    return Table.from_rows(NAMES, [person(number) for number in range(rows)])


def plan_for(method: dict[str, Any], k: int = 2, **changes: Any) -> Plan:
    document: dict[str, Any] = {
        "plan": 1,
        "columns": COLUMNS,
        "models": [{"model": "k-anonymity", "k": k}]
        if METHODS[method["name"]].makes_classes
        else [],
        "method": method,
    }
    return Plan.from_document(document | changes)


def cells_of(table: Table) -> list[list[str | None]]:
    return table.head(table.rows)


def check_outcome(outcome: Outcome, table: Table, plan: Plan) -> None:
    """Hold an answer against the cells that leave."""
    name = plan.methods[0].name
    if not outcome.solution:
        assert outcome.released is None
        assert outcome.report.blocked_by is not None or not plan.models
        return
    released = outcome.released
    assert released is not None
    assert outcome.rows is not None
    assert len(outcome.rows) == released.rows > 0
    assert set(released.names) == set(NAMES) - {"id"} | MADE_COLUMNS.get(name, set())
    assert outcome.report.rows.released == released.rows
    assert all(model.holds for model in outcome.report.models)
    promised = [model for model in outcome.report.models if model.model == "k-anonymity"]
    if promised and not MADE_COLUMNS.get(name):
        sizes = Counter(zip(*(released[name].cells() for name in QUASI), strict=True))
        assert min(sizes.values()) == promised[0].achieved["k"]


@every_example
def test_says_whether_it_searches_all_levels(method: dict[str, Any]) -> None:
    kind = METHODS[method["name"]]
    searches = {"suppression_limit", "metric"} <= {own.name for own in kind.parameters}
    assert kind.searches_all_levels == searches


@every_example
def test_forms_begin_with_accepted_numbers(method: dict[str, Any]) -> None:
    for own in METHODS[method["name"]].parameters:
        if isinstance(own, Parameter) and own.start is not None:
            assert own.minimum <= own.start <= own.maximum


def test_every_method_has_an_example() -> None:
    assert EXAMPLES.keys() == METHODS.keys()


@every_example
def test_explains_itself(method: dict[str, Any]) -> None:
    plan = plan_for(method)
    own = plan.methods[0]
    assert own.explain().endswith(".")
    assert own.title
    assert len(own.cites) > 20
    assert Plan.from_document(plan.to_document()).to_document() == plan.to_document()
    assert {parameter.name for parameter in own.parameters} >= set(method) - {"name", "levels"}


@every_example
def test_protects_a_table_with_gaps(method: dict[str, Any]) -> None:
    for gaps in (0.0, 0.1):
        table = people(60, gaps=gaps)
        plan = plan_for(method)
        check_outcome(protect(table, plan), table, plan)


@every_example
def test_one_row_and_equal_rows_are_answered(method: dict[str, Any]) -> None:
    one = people(1)
    same = Table.from_rows(NAMES, cells_of(one) * 6)
    for table, k in ((one, 2), (same, 2)):
        plan = plan_for(method, k) if table is same else plan_for(method, models=[])
        try:
            check_outcome(protect(table, plan), table, plan)
        except EngineError as refusal:
            assert str(refusal).endswith(".")  # noqa: PT017 - refusing in a sentence is fine


@examples(lambda method: method.makes_classes)
def test_more_than_there_are_is_refused(method: dict[str, Any]) -> None:
    with pytest.raises(EngineError, match="at most 5"):
        protect(people(5), plan_for(method, k=6))


@examples(lambda method: not method.is_private)
def test_same_secret_same_result(method: dict[str, Any]) -> None:
    table, plan = people(50), plan_for(method)
    first, second = (protect(table, plan, secret=known_secret()) for _ in range(2))
    assert first.solution == second.solution
    if first.released is not None and second.released is not None:
        assert cells_of(first.released) == cells_of(second.released)


@every_example
def test_can_be_stopped(method: dict[str, Any]) -> None:
    calls = 0

    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        nonlocal calls
        calls += 1
        if phase in ("search", "protect"):
            raise Cancelled

    with pytest.raises(Cancelled):
        protect(people(50), plan_for(method), stop)
    assert calls


@pytest.mark.parametrize(("method", "gaps"), [("full-domain", 0.05), ("local-recoding", 0)])
def test_cells_and_levels_are_measured_alike(method: str, gaps: float) -> None:
    """What the levels of a recoding say is what its cells show.

    But for a gap in local recoding, which looks the same on every level.
    """
    for seed in range(6):
        plan = plan_for({"name": method, "suppression_limit": 0.3}, k=3)
        problem = pose_problem(people(80, seed, gaps), plan, Progress(None))
        own = plan.methods[0]
        assert isinstance(own, RecodingMethod)
        draft = own.apply(TableDraft.start(problem), np.random.default_rng(), Progress(None))
        assert draft.recoding is not None
        by_levels, by_cells = measure_recoding(draft.recoding), measure_draft(draft)
        assert sorted(by_levels.classes.sizes) == sorted(by_cells.classes.sizes)
        releases = [
            MeasuredRelease(problem.rows, measured.classes.sizes, measured.columns, 3)
            for measured in (by_levels, by_cells)
        ]
        for metric in METRICS.values():
            assert metric.value(releases[0]) == pytest.approx(metric.value(releases[1]))


@examples(lambda method: not method.protects_by_chance)
def test_the_order_of_the_input_decides_nothing(method: dict[str, Any]) -> None:
    """But for what chance decides, the same people give the same release in any order."""
    table, plan = people(40, gaps=0.1), plan_for(method)
    first = protect(table, plan)
    order = np.random.default_rng(4).permutation(table.rows)
    shuffled = Table.from_rows(NAMES, [cells_of(table)[row] for row in order])
    second = protect(shuffled, plan)
    assert first.solution == second.solution
    if first.released is not None and second.released is not None:
        assert cells_of(first.released) == cells_of(second.released)
