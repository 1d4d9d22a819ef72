"""What models and risks measure on random tables, measured again by pyCANON.

pyCANON (Sáinz-Pardo Díaz and López García, A Python library to check the level of anonymity of a
dataset, Scientific Data 9, 2022) is an independent implementation, installed for the tests only.
Five differences are not ours to follow:

- It groups with pandas, which drops a missing value or keeps it depending on version and number of
  columns. Here a gap is written as a word, so that it is counted.
- Its c of recursive (c, l)-diversity starts from the rarest value of a class, the definition from
  the most frequent one (Machanavajjhala et al., 2007); a plain re-implementation takes its place.
- Its entropy l is rounded down.
- Its enhanced β-likeness is the least of the largest gain and of -ln p, over all values together;
  ours is the least β for which no value gains more than min(β, -ln p). A plain re-implementation
  takes its place, and theirs is checked to be what basic β-likeness and the shares make it.
- Its δ-disclosure passes over values that a class does not have; by definition (Brickell and
  Shmatikov, 2008) their logarithm is infinite, and so no δ is reached.
"""

from collections import Counter, defaultdict
from math import floor, log
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycanon import anonymity
from pycanon.anonymity.utils.aux_anonymity import get_equiv_class

from deid_portal.engine import Plan, Table
from deid_portal.engine.progress import Progress
from deid_portal.engine.protection import pose_problem
from deid_portal.engine.risk.attackers import journalist, marketer, prosecutor
from deid_portal.engine.risk.sample_uniques import count_sample_uniques
from deid_portal.engine.table.table import Counts
from deid_portal.engine.utility import METRICS
from tests.engine.tables import document

Row = tuple[str | None, ...]
QUASI = ["sex", "zip"]
COLUMNS = [*QUASI, "secret"]
GAP = "a gap"

sexes = st.sampled_from(["f", "m"])
zips = st.sampled_from(["13", "14"]) | st.none()
numbers = st.sampled_from(["1", "2", "5", "7"])
words = st.sampled_from(["flu", "ulcer", "cancer"]) | st.none()
tables = st.lists(st.tuples(sexes, zips, words), min_size=2, max_size=25)
number_tables = st.lists(st.tuples(sexes, zips, numbers), min_size=2, max_size=25)


def theirs(rows: list[Row]) -> pd.DataFrame:
    """Return the table for pyCANON: gaps as a word, numbers as numbers."""
    frame = pd.DataFrame(
        [[GAP if cell is None else cell for cell in row] for row in rows], columns=COLUMNS
    )
    is_number = frame["secret"].str.isdigit().all()
    return frame.astype({"secret": "int64"}) if is_number else frame


def ours(rows: list[Row], *models: dict[str, Any]) -> tuple[list[dict[str, Any]], Counts]:
    """Return what each model reaches on the table as it is, and the sizes of the classes."""
    roles: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in QUASI}
    roles["secret"] = {"role": "sensitive"}
    plan = Plan.from_document(document(roles, models=list(models), method={"name": "none"}))
    problem = pose_problem(Table.from_rows(COLUMNS, rows), plan, Progress(None))
    classes = problem.checker(METRICS["loss"]).check((0,) * len(QUASI)).classes
    return [model.achieved(classes, problem.whole) for model in plan.models], classes.sizes


def about_secret(name: str, **parameters: Any) -> dict[str, Any]:
    return {"model": name, "column": "secret", **parameters}


def classes_of(rows: list[Row]) -> list[Counter[str | None]]:
    classes: dict[Row, Counter[str | None]] = defaultdict(Counter)
    for *quasi, secret in rows:
        classes[tuple(quasi)][secret] += 1
    return list(classes.values())


@settings(max_examples=25)
@given(tables)
def test_classes_and_risks(rows: list[Row]) -> None:
    k = anonymity.k_anonymity(theirs(rows), QUASI)
    [reached, alpha_k], sizes = ours(
        rows,
        {"model": "k-anonymity", "k": 2},
        about_secret("alpha-k-anonymity", alpha=1.0, k=2),
    )
    assert reached == {"k": k}
    alpha, k_again = anonymity.alpha_k_anonymity(theirs(rows), QUASI, ["secret"])
    assert alpha_k == {"alpha": pytest.approx(alpha), "k": k_again}
    found = [len(people) for people in get_equiv_class(theirs(rows), QUASI)]
    assert sorted(sizes) == sorted(found)
    assert prosecutor(sizes).highest == journalist(sizes).highest == pytest.approx(1 / k)
    assert prosecutor(sizes).average == pytest.approx(len(found) / len(rows))
    assert marketer(sizes).average == pytest.approx(len(found) / len(rows))
    assert count_sample_uniques(sizes).records == found.count(1)


@settings(max_examples=25)
@given(tables)
def test_diversity(rows: list[Row]) -> None:
    variants = ("distinct", "probabilistic", "entropy")
    reached, _ = ours(rows, *(about_secret("l-diversity", l=2, variant=one) for one in variants))
    distinct, probabilistic, entropy = (entry["l"] for entry in reached)
    frame = theirs(rows)
    assert distinct == anonymity.l_diversity(frame, QUASI, ["secret"])
    alpha, _ = anonymity.alpha_k_anonymity(frame, QUASI, ["secret"])
    assert probabilistic == pytest.approx(1 / alpha)
    rounded = anonymity.entropy_l_diversity(frame, QUASI, ["secret"])
    assert rounded in (floor(entropy - 1e-9), floor(entropy + 1e-9))


@settings(max_examples=25)
@given(tables, st.sampled_from([0.8, 1.0, 2.5]))
def test_recursive_diversity(rows: list[Row], c: float) -> None:
    [reached], _ = ours(rows, about_secret("l-diversity", variant="recursive", l=2, c=c))
    assert reached == {"l": recursive_by_definition(rows, c), "c": c}
    _, distinct = anonymity.recursive_c_l_diversity(theirs(rows), QUASI, ["secret"])
    assert reached["l"] <= distinct


def recursive_by_definition(rows: list[Row], c: float) -> int:
    """Return the largest l with r₁ < c · (r_l + r_(l+1) + …) in all classes, 0 without any."""
    counts = [sorted(values.values(), reverse=True) for values in classes_of(rows)]
    holds = [
        place for place in range(1, 5) if all(one[0] < c * sum(one[place - 1 :]) for one in counts)
    ]
    return max(holds, default=0)


@settings(max_examples=25)
@given(tables)
def test_closeness_of_words(rows: list[Row]) -> None:
    [reached], _ = ours(rows, about_secret("t-closeness", t=0.5, distance="equal"))
    assert reached["t"] == pytest.approx(anonymity.t_closeness(theirs(rows), QUASI, ["secret"]))


@settings(max_examples=25)
@given(number_tables.filter(lambda rows: len({row[2] for row in rows}) > 1))
def test_closeness_of_numbers(rows: list[Row]) -> None:
    [reached], _ = ours(rows, about_secret("t-closeness", t=0.5, distance="ordered"))
    assert reached["t"] == pytest.approx(anonymity.t_closeness(theirs(rows), QUASI, ["secret"]))


@settings(max_examples=25)
@given(tables)
def test_likeness(rows: list[Row]) -> None:
    reached, _ = ours(
        rows,
        about_secret("beta-likeness", beta=1.0, enhanced=False),
        about_secret("beta-likeness", beta=1.0, enhanced=True),
    )
    frame = theirs(rows)
    basic = anonymity.basic_beta_likeness(frame, QUASI, ["secret"])
    assert reached[0]["beta"] == pytest.approx(basic, abs=1e-9)
    assert reached[1]["beta"] == pytest.approx(enhanced_by_definition(rows), abs=1e-9)
    shares = [count / len(rows) for count in Counter(row[2] for row in rows).values()]
    together = max(min(basic, -log(share)) for share in shares)
    assert anonymity.enhanced_beta_likeness(frame, QUASI, ["secret"]) == pytest.approx(together)


few_words = st.lists(st.tuples(sexes, st.none(), st.sampled_from(["flu", "ulcer"])), min_size=5)


@settings(max_examples=25)
@given(few_words)
def test_disclosure(rows: list[Row]) -> None:
    [reached], _ = ours(rows, about_secret("delta-disclosure", delta=1.0))
    delta = anonymity.delta_disclosure(theirs(rows), QUASI, ["secret"])
    different = {row[2] for row in rows}
    if all(values.keys() == different for values in classes_of(rows)):
        assert reached["delta"] == pytest.approx(delta, abs=1e-9)
    else:
        assert reached["delta"] is None


def enhanced_by_definition(rows: list[Row]) -> float | None:
    """Return the least β that would do; none if some value gains more than -ln p."""
    whole = Counter(row[2] for row in rows)
    gains = [(0.0, 1.0)]  # and the share it gains on
    for values in classes_of(rows):
        for value, count in values.items():
            before = whole[value] / len(rows)
            gains.append(((count / values.total() - before) / before, before))
    if any(gain > -log(before) + 1e-9 for gain, before in gains):
        return None
    return max(gain for gain, _ in gains)
