"""Mondrian cuts the table where people differ most, and never into a part that breaks a rule."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Cancelled, InvalidPlan, Outcome, Plan, Table, protect
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.draft.remeasurement import measure_draft
from deid_portal.engine.methods.mondrian import partition
from deid_portal.engine.methods.mondrian.axes import OrderedAxis
from deid_portal.engine.methods.mondrian.partition import Divider
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.taxonomies.label_reader import LabelReader
from tests.engine.privacy.test_every_privacy_model import every_model, read_people
from tests.engine.tables import SECRETS, adult_columns, adult_table, document, read_adult

K2: dict[str, Any] = {"model": "k-anonymity", "k": 2}
JOBS = {"tree": {"ANY": {"office": ["clerk", "manager"], "field": ["driver", "farmer", "miner"]}}}
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "type": "integer", "weight": 1.0},
    "job": {"role": "quasi-identifier", "taxonomy": JOBS, "weight": 1.0},
    "town": {"role": "quasi-identifier", "weight": 1.0},
    "condition": {"role": "sensitive"},
}
# LeFevre and others, 2006, figure 1; the columns in the order in which they are to be cut.
PATIENTS = Table.from_rows(
    ["sex", "age", "zip", "condition"],
    [
        ["M", "25", "53711", "Flu"],
        ["F", "25", "53712", "Hepatitis"],
        ["M", "26", "53711", "Bronchitis"],
        ["M", "27", "53710", "Broken arm"],
        ["F", "27", "53712", "AIDS"],
        ["M", "28", "53711", "Hang nail"],
    ],
)

people = st.lists(
    st.tuples(
        st.sampled_from([None, *map(str, (21, 22, 23, 35, 36, 58, 59, 80))]),
        st.sampled_from(["clerk", "manager", "driver", "farmer", "miner", None]),
        st.sampled_from(["Aarau", "Bern", "Chur", "Davos"]),
        st.sampled_from(["flu", "cancer", "ulcer"]),
    ),
    min_size=4,
    max_size=30,
)
rules = st.sampled_from(
    [
        [K2],
        [{"model": "k-anonymity", "k": 3}],
        [K2, {"model": "l-diversity", "l": 2, "column": "condition"}],
        [{"model": "l-diversity", "variant": "entropy", "l": 1.7, "column": "condition"}],
        [K2, {"model": "t-closeness", "t": 0.3, "column": "condition"}],
        [{"model": "beta-likeness", "beta": 1, "column": "condition"}],
        [{"model": "average-risk", "limit": 0.3}],
        [{"model": "k-l-anonymity", "k": 2, "l": 2}],
        [],
    ]
)


def divide(
    table: Table,
    models: list[dict[str, Any]] | None = None,
    columns: dict[str, Any] | None = None,
    **method: Any,
) -> tuple[Plan, Outcome]:
    plan = plan_for([K2] if models is None else models, columns, **method)
    return plan, protect(table, plan)


def plan_for(
    models: list[dict[str, Any]], columns: dict[str, Any] | None = None, **method: Any
) -> Plan:
    asked = document(columns or COLUMNS, models=models, method={"name": "mondrian", **method})
    return Plan.from_document(asked, read_file=read_people)


def draft_of(table: Table, plan: Plan) -> TableDraft:
    """Return what the method makes of a table, before it is measured and reported on."""
    start = TableDraft.start(pose_problem(table, plan, Progress(None)))
    return plan.methods[0].apply(start, np.random.default_rng(), Progress(None))


def holds(draft: TableDraft, plan: Plan) -> bool:
    """Say whether every model holds on the cells of a draft."""
    measured = measure_draft(draft)
    classes, whole = measured.classes, measured.whole
    return all(
        model.passes(classes, whole).all() and model.accepts(classes, whole)
        for model in plan.models
    )


def table_of(rows: list[Any]) -> Table:
    return Table.from_rows(list(COLUMNS), rows)


def shown(outcome: Outcome, *names: str) -> list[tuple[str | None, ...]]:
    assert outcome.released is not None
    return sorted(zip(*(outcome.released[name].cells() for name in names), strict=True), key=str)


def test_the_example_of_the_paper() -> None:
    columns = {name: {"role": "quasi-identifier"} for name in ("sex", "age", "zip")}
    _, outcome = divide(PATIENTS, columns={**columns, "condition": {"role": "sensitive"}})
    assert shown(outcome, "sex", "age", "zip", "condition") == sorted(
        [
            ("M", "[25, 26]", "53711", "Flu"),
            ("M", "[25, 26]", "53711", "Bronchitis"),
            ("F", "[25, 27]", "53712", "Hepatitis"),
            ("F", "[25, 27]", "53712", "AIDS"),
            ("M", "[27, 28]", "[53710, 53711]", "Broken arm"),
            ("M", "[27, 28]", "[53710, 53711]", "Hang nail"),
        ],
        key=str,
    )
    assert outcome.report.steps[0].notes["groups"] == 3


# The decks' twelve patients.
TWELVE = [
    ["13053", "28", "Flu"],
    ["13068", "29", "Flu"],
    ["13068", "21", "Diabetes"],
    ["13053", "23", "Diabetes"],
    ["14853", "50", "Cancer"],
    ["14853", "55", "Flu"],
    ["14850", "47", "Diabetes"],
    ["14850", "49", "Diabetes"],
    ["13053", "31", "Cancer"],
    ["13053", "37", "Cancer"],
    ["13068", "36", "Cancer"],
    ["13068", "35", "Cancer"],
]


def test_the_example_of_the_help_page() -> None:
    columns: dict[str, Any] = {
        "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
        "age": {"role": "quasi-identifier"},
        "condition": {"role": "sensitive"},
    }
    table = Table.from_rows(list(columns), TWELVE)
    models: list[dict[str, Any]] = [{"model": "k-anonymity", "k": 4}]
    _, outcome = divide(table, models, columns)
    assert Counter(shown(outcome, "zip", "age")) == {
        ("130**", "[21, 29]"): 4,
        ("130**", "[31, 37]"): 4,
        ("1485*", "[47, 55]"): 4,
    }
    models.append({"model": "l-diversity", "l": 2, "column": "condition"})
    _, outcome = divide(table, models, columns)
    assert Counter(shown(outcome, "zip", "age")) == {
        ("13053", "[23, 37]"): 4,
        ("13068", "[21, 36]"): 4,
        ("1485*", "[47, 55]"): 4,
    }


def line(ages: list[str | None], **column: Any) -> Table:
    return Table.from_rows(["age", "condition"], [[age, f"c{n}"] for n, age in enumerate(ages)])


def cut_line(ages: list[str | None], k: int = 2, **method: Any) -> dict[str | None, int]:
    columns = {"age": COLUMNS["age"], "condition": COLUMNS["condition"]}
    _, outcome = divide(line(ages), [{"model": "k-anonymity", "k": k}], columns, **method)
    return dict(Counter(cell for (cell,) in shown(outcome, "age")))


def test_a_cut_goes_through_the_middle() -> None:
    assert cut_line(["10", "20", "30", "40"]) == {"[10, 20]": 2, "[30, 40]": 2}
    assert cut_line(["7", "7", "7", "8"]) == {"[7, 8]": 4}
    assert cut_line(["7", "7", "8", "9", "9"]) == {"[7, 8]": 3, "9": 2}


def test_equal_values_part_ways_only_when_relaxed() -> None:
    ages: list[str | None] = ["5", "7", "7", "7", "7", "9"]
    assert cut_line(ages, k=3) == {"[5, 9]": 6}
    assert cut_line(ages, k=3, relaxed=True) == {"[5, 7]": 3, "[7, 9]": 3}


def test_gaps_are_cut_off_first_and_never_stand_in_a_range() -> None:
    assert cut_line([None, None, "1", "2", "3", "4"]) == {None: 2, "[1, 2]": 2, "[3, 4]": 2}
    # One gap alone cannot be cut off; only those who share a group with it lose their range.
    assert cut_line([None, "1", "2", "3", "4", "5"]) == {"*": 3, "[3, 5]": 3}
    assert cut_line([None] * 5) == {None: 5}


def test_values_of_a_taxonomy_are_cut_into_the_children_of_their_label() -> None:
    def jobs(*cells: str | None) -> dict[str | None, int]:
        columns = {"job": COLUMNS["job"]}
        table = Table.from_rows(["job"], [[cell] for cell in cells])
        return dict(Counter(cell for (cell,) in shown(divide(table, columns=columns)[1], "job")))

    assert jobs("clerk", "manager", "driver", "farmer") == {"office": 2, "field": 2}
    assert jobs("clerk", "clerk", "driver", "farmer", "miner") == {"clerk": 2, "field": 3}
    assert jobs("clerk", "driver", "driver", "farmer") == {"ANY": 4}
    assert jobs("driver", "driver", "miner", "miner", "miner") == {"driver": 2, "miner": 3}
    # The gap is a child of the root.
    assert jobs("clerk", "clerk", None, None) == {"clerk": 2, None: 2}
    assert jobs("clerk", "clerk", None) == {"ANY": 3}


def test_words_without_a_taxonomy_are_listed_unless_there_are_many() -> None:
    def towns(cells: list[str]) -> set[str | None]:
        table = Table.from_rows(["town"], [[cell] for cell in cells])
        columns = {"town": COLUMNS["town"]}
        return {cell for (cell,) in shown(divide(table, columns=columns)[1], "town")}

    assert towns(["Bern", "Chur", "Aarau", "Davos"]) == {"{Aarau, Bern}", "{Chur, Davos}"}
    assert towns(["Aarau", "Bern", "Chur"]) == {"*"}
    many = [f"town {number:02}" for number in range(60)]
    assert towns(many) == {"*"}
    assert towns(many + many) == set(many)


def test_dates_are_ordered_and_masked_codes_are_not_numbers() -> None:
    dates = ["03.01.2020", "05.02.2019", "01.12.2019", "04.03.2020"]
    table = Table.from_rows(
        ["visit", "zip"], zip(dates, ["13053"] * 2 + ["13068"] * 2, strict=True)
    )
    columns: dict[str, Any] = {
        "visit": {"role": "quasi-identifier"},
        "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    }
    _, outcome = divide(table, columns=columns)
    assert shown(outcome, "visit", "zip") == [
        ("[03.01.2020, 04.03.2020]", "130**"),
        ("[03.01.2020, 04.03.2020]", "130**"),
        ("[05.02.2019, 01.12.2019]", "130**"),
        ("[05.02.2019, 01.12.2019]", "130**"),
    ]


def test_decimal_commas_stay() -> None:
    table = Table.from_rows(["pay"], [["1,5"], ["2,5"], ["3,5"], ["4"]])
    pay = table["pay"]
    commas = type(pay)("pay", pay.type, pay.codes, pay.values, ",")
    plan = Plan.from_document(
        document(
            {"pay": {"role": "quasi-identifier", "type": "number"}}, method={"name": "mondrian"}
        )
    )
    outcome = protect(Table((commas,)), plan)
    assert {cell for (cell,) in shown(outcome, "pay")} == {"[1,5, 2,5]", "[3,5, 4]"}
    assert outcome.report.utility.loss == pytest.approx(1 / 3)  # 2 of 4 values each


def test_weights_say_which_column_is_cut() -> None:
    table = Table.from_rows(["a", "b"], [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]])
    for weight, expected in (
        (0.5, {("[1, 2]", "1"), ("[1, 2]", "2")}),
        (1.0, {("1", "[1, 2]"), ("2", "[1, 2]")}),
    ):
        columns = {
            "a": {"role": "quasi-identifier", "weight": weight},
            "b": {"role": "quasi-identifier"},
        }
        assert set(shown(divide(table, columns=columns)[1], "a", "b")) == expected


def test_two_ways_to_write_a_number_are_one_value() -> None:
    table = Table.from_rows(["a"], [["1"], ["1.0"], ["2"], ["2.00"]])
    _, outcome = divide(table, columns={"a": {"role": "quasi-identifier"}})
    assert shown(outcome, "a") == [("1",), ("1",), ("2",), ("2",)]


def test_no_solution_if_all_together_break_a_rule() -> None:
    table = table_of([["30", "clerk", "Bern", "flu"]] * 5)
    _, outcome = divide(table, [{"model": "l-diversity", "l": 2, "column": "condition"}])
    assert not outcome.solution
    assert outcome.report.blocked_by == "l-diversity"


def test_a_rule_about_the_whole_release_makes_the_groups_larger() -> None:
    table = table_of([[str(age), "clerk", "Bern", "flu"] for age in range(64)])
    _, outcome = divide(table, [{"model": "average-risk", "limit": 0.2}])
    assert outcome.solution
    assert outcome.report.steps[0].notes["least_records"] == 8
    assert outcome.report.classes.count == 8


def test_models_that_look_for_labels_are_refused_in_a_sentence() -> None:
    with pytest.raises(InvalidPlan, match="k-concealment looks for labels of a taxonomy"):
        divide(table_of([["30", "clerk", "Bern", "flu"]] * 5), [{"model": "k-concealment", "k": 2}])


@given(people, rules, st.booleans())
@settings(max_examples=60)
def test_every_model_holds_and_every_label_is_true(
    rows: list[Any], models: list[dict[str, Any]], relaxed: bool
) -> None:
    table, plan = table_of(rows), plan_for(models, relaxed=relaxed)
    draft = draft_of(table, plan)
    if not draft.table.rows:
        return
    assert draft.table.rows == table.rows
    assert holds(draft, plan)
    for name in ("age", "job", "town"):
        reader = LabelReader(table[name])
        cells = zip(draft.table[name].cells(), table[name].cells(), table[name].codes, strict=True)
        for label, own, code in cells:
            if name == "job":
                assert label == own or own in under_label(label)
            elif own is None:
                assert label in (None, "*")
            else:
                assert code in reader.read(label)


def under_label(label: str | None) -> set[str | None]:
    groups: dict[str, list[str]] = JOBS["tree"]["ANY"]
    everything = {job for jobs in groups.values() for job in jobs}
    return {*everything, None} if label == "ANY" else set(groups.get(str(label), ()))


@given(people, rules, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_the_rows_makes_no_difference(
    rows: list[Any], models: list[dict[str, Any]], random: Any
) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    plan = plan_for(models)
    first, second = (draft_of(table_of(some), plan).table for some in (rows, shuffled))
    assert sorted(first.head(99), key=str) == sorted(second.head(99), key=str)


@given(people, st.sampled_from([2, 3, 5]), st.sampled_from([0, 2]), st.booleans())
@settings(max_examples=60)
def test_against_the_same_written_out_plainly(
    rows: list[Any], k: int, different: int, relaxed: bool
) -> None:
    models: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k}]
    if different:
        models.append({"model": "l-diversity", "l": different, "column": "condition"})
    if len(rows) < k or len({row[3] for row in rows}) < different:
        return
    draft = draft_of(table_of(rows), plan_for(models, relaxed=relaxed))
    boxes = Plainly(rows, k, different, relaxed).boxes
    assert draft.steps[0]["groups"] == len(boxes)
    if not relaxed:  # where two groups may show the same
        groups = defaultdict(list)
        for row, cells in enumerate(draft.table.head(99)):
            groups[tuple(cells[:3])].append(row)
        assert sorted(groups.values()) == sorted(boxes)


class Plainly:
    """Mondrian as the paper describes it, on lists of rows."""

    def __init__(self, rows: list[Any], k: int, different: int, relaxed: bool) -> None:
        self.rows = rows
        self.k = k
        self.different = different
        self.relaxed = relaxed
        ages = [int(row[0]) for row in rows if row[0] is not None]
        self.ages = max([1, max(ages, default=0) - min(ages, default=0)])
        self.towns = max([1, len({row[2] for row in rows}) - 1])
        self.order = sorted({row[2] for row in rows})
        self.boxes = list(self.divide(list(range(len(rows)))))

    def divide(self, box: list[int]) -> Iterator[list[int]]:
        widths = [self.age_width(box), self.job_width(box), self.town_width(box)]
        for column in sorted(range(3), key=lambda column: -widths[column]):
            if widths[column] == 0:
                continue
            for parts in self.cuts(box, column):
                if all(self.is_allowed(part) for part in parts):
                    for part in parts:
                        yield from self.divide(part)
                    return
        yield sorted(box)

    def is_allowed(self, part: list[int]) -> bool:
        return len(part) >= self.k and len({self.rows[row][3] for row in part}) >= self.different

    def age_width(self, box: list[int]) -> float:
        cells = {self.rows[row][0] for row in box}
        if None in cells:
            return float(len(cells) > 1)
        ages = [int(cell) for cell in cells]
        return (max(ages) - min(ages)) / self.ages

    def town_width(self, box: list[int]) -> float:
        places = [self.order.index(self.rows[row][2]) for row in box]
        return (max(places) - min(places)) / self.towns

    def job_width(self, box: list[int]) -> float:
        leaves = 6 if any(row[1] is None for row in self.rows) else 5
        cells = {self.rows[row][1] for row in box}
        if len(cells) == 1:
            return 0.0
        for jobs in JOBS["tree"]["ANY"].values():
            if cells <= set(jobs):
                return (len(jobs) - 1) / (leaves - 1)
        return 1.0

    def cuts(self, box: list[int], column: int) -> Iterator[list[list[int]]]:
        if column == 1:
            yield self.children(box)
            return
        if column == 0:
            keys = {row: int(self.rows[row][0] or 0) for row in box}
            gaps = [row for row in box if not keys[row]]
            if gaps:
                yield [gaps, [row for row in box if keys[row]]]
        else:
            keys = {row: self.order.index(self.rows[row][2]) for row in box}
        if self.relaxed:
            low = set(sorted(box, key=lambda row: keys[row])[: len(box) // 2])
            yield [[row for row in box if row in low], [row for row in box if row not in low]]
            return
        borders = sorted(set(keys.values()))[1:]
        lefts = [[row for row in box if keys[row] < border] for border in borders]
        # The most even cut, of two equally even ones the one with more on the left.
        left = max(lefts, key=lambda left: (min(len(left), len(box) - len(left)), len(left)))
        yield [left, [row for row in box if row not in left]]

    def children(self, box: list[int]) -> list[list[int]]:
        cells = {self.rows[row][1] for row in box}
        groups: list[set[str | None]] = [set(jobs) for jobs in JOBS["tree"]["ANY"].values()]
        inside = next((jobs for jobs in groups if cells <= jobs), None)
        kinds: list[set[str | None]] = [*groups, {None}]
        if inside is not None:
            kinds = [{job} for job in inside]
        parts = [[row for row in box if self.rows[row][1] in kind] for kind in kinds]
        return [part for part in parts if part]


def grid(relaxed: bool) -> Divider:
    """Return 500 records with two numbers from 0 to 8 each, to be divided by k = 4."""
    cells = np.random.default_rng(4).integers(0, 9, (500, 2)).astype(str)
    table = Table.from_rows(["a", "b"], cells.tolist())
    axes = [OrderedAxis.of(column) for column in table.columns]
    assert axes[0] is not None
    assert axes[1] is not None
    places = [
        axis.places[column.codes] for axis, column in zip(axes, table.columns, strict=True) if axis
    ]
    ones = np.ones(500, np.int64)
    return Divider([axes[0], axes[1]], np.array(places), ones, [1, 1], least=4, relaxed=relaxed)


def test_relaxed_groups_stay_under_twice_k_unless_all_are_equal() -> None:
    partition = grid(relaxed=True).divide_by_counts(Progress(None))
    sizes = np.bincount(partition.box_of)
    assert sizes.min() >= 4
    assert sizes[(partition.low < partition.high).any(axis=0)].max() < 8


@pytest.mark.parametrize("relaxed", [False, True])
def test_counting_and_asking_a_rule_divide_alike(relaxed: bool) -> None:
    counted = grid(relaxed).divide_by_counts(Progress(None))
    asked = grid(relaxed).divide_by_rule(lambda parts: parts.sizes >= 4, Progress(None))
    assert (counted.box_of == asked.box_of).all()
    assert (counted.low == asked.low).all()
    assert (counted.high == asked.high).all()


def test_can_be_stopped_between_two_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition, "STEPS_BETWEEN_REPORTS", 100)
    monkeypatch.setattr(partition, "ROOM", 1)
    told: list[int] = []

    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        assert (total, phase) == (500, "protect")
        told.append(done)
        if len(told) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        grid(relaxed=False).divide_by_counts(Impatient(stop))
    assert told == sorted(told)
    # Little room and many breaks change nothing.
    calm = grid(relaxed=False).divide_by_counts(Progress(None))
    monkeypatch.undo()
    assert (calm.box_of == grid(relaxed=False).divide_by_counts(Progress(None)).box_of).all()


class Impatient(Progress):
    """Passes every report on."""

    def __init__(self, callback: Any) -> None:
        super().__init__(None)
        self.report = callback  # type: ignore[method-assign]


def test_adult_keeps_more_detail_than_any_combination_of_levels() -> None:
    table = adult_table()
    columns = adult_columns(list(table.names))
    models = [{"model": "k-anonymity", "k": 5}]
    losses = {}
    for name in ("mondrian", "full-domain"):
        limit = {"suppression_limit": 0.05} if name == "full-domain" else {}
        plan = Plan.from_document(
            document(columns, models=models, method={"name": name, **limit}), read_file=read_adult
        )
        outcome = protect(table, plan)
        assert outcome.solution
        losses[name] = outcome.report.utility.loss
        if name == "mondrian":
            assert outcome.report.classes.count == 3902
            assert outcome.report.classes.smallest == 5
            assert outcome.report.rows.suppressed == 0
    assert losses["mondrian"] < losses["full-domain"] / 2


@pytest.mark.parametrize("relaxed", [False, True])
@every_model
def test_every_model_is_a_rule_or_refused_in_a_sentence(
    example: dict[str, Any], relaxed: bool
) -> None:
    """What holds if all look alike holds in the groups, too; so there is always an answer."""
    quasi = {"role": "quasi-identifier"}
    columns: dict[str, Any] = {"q0": {**quasi, "taxonomy": JOBS}, "q1": quasi, "q2": quasi}
    columns |= {"secret": {"role": "sensitive", "taxonomy": SECRETS}}
    jobs = ["clerk", "manager", "driver", "farmer", "miner"]
    generator = np.random.default_rng(8)
    cells = generator.integers(0, [5, 30, 4, 6], (120, 4)).tolist()
    rows = [[jobs[a], None if b == 7 else str(b), "abcd"[c], "012379"[d]] for a, b, c, d in cells]
    table = Table.from_rows(list(columns), rows)
    plan = plan_for([example], columns, relaxed=relaxed)
    if plan.models[0].needs_labels:
        with pytest.raises(InvalidPlan, match="looks for labels of a taxonomy"):
            draft_of(table, plan)
        return
    draft = draft_of(table, plan)
    assert draft.steps[0]["groups"] > 1
    assert holds(draft, plan)
