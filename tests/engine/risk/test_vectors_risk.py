"""The decks' worked examples about risk, from the file."""

from typing import Any

import numpy as np

from deid_portal.engine.progress import Progress
from deid_portal.engine.risk.attackers import journalist, marketer, prosecutor
from deid_portal.engine.risk.distinction import measure_distinction
from deid_portal.engine.risk.sample_uniques import count_sample_uniques
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.projection import number_patterns, sizes_of
from tests.engine.vectors import check, find, read_table, vectors


def test_the_chance_to_find_somebody_among_fourteen() -> None:
    check(find("s3-aol-arnold"), {"risk": prosecutor(np.array([14])).highest})


def test_shares_of_unique_people() -> None:
    """In millions and tenths of millions of 248 million people; the others are alike."""
    shares = {
        "zip5_gender_dob": np.append(np.ones(216, np.int64), 248 - 216),
        "zip5_gender_month_year": np.append(np.ones(91, np.int64), 2480 - 91),
    }
    found = {name: count_sample_uniques(sizes).share for name, sizes in shares.items()}
    check(find("s1-sweeney-uniqueness"), found)


@vectors("risks")
def test_risks(vector: dict[str, Any]) -> None:
    table, given = read_table(vector["input"]["table"]), vector["parameters"]
    patterns = reduce_table(table, given["qi"], (), Progress(None))
    labels = [
        "|".join(
            str(table[name].values[code]) for name, code in zip(given["qi"], codes, strict=True)
        )
        for codes in patterns.codes.T
    ]
    sizes = patterns.counts
    risk = prosecutor(sizes)
    chances = dict(zip(labels, risk.per_class.tolist(), strict=True))
    check(
        vector,
        {
            "class_sizes": dict(zip(labels, sizes.tolist(), strict=True)),
            "n_unique": count_sample_uniques(sizes).records,
            "prosecutor_min": risk.lowest,
            "prosecutor_max": risk.highest,
            "prosecutor_avg": risk.average,
            "marketer": marketer(sizes).average,
            "journalist": journalist(sizes).highest,
            "target": chances.get(given.get("target", "")),
        },
    )


@vectors("distinction")
def test_distinction(vector: dict[str, Any]) -> None:
    table = read_table(vector["input"]["table"])
    patterns = reduce_table(table, table.names, (), Progress(None))
    pairs = table.rows * (table.rows - 1) // 2
    found = {}
    for columns in vector["parameters"]["qids"]:
        chosen = [patterns.names.index(name) for name in columns]
        sizes = sizes_of(number_patterns(patterns.codes[chosen]), patterns.counts)
        one = measure_distinction(tuple(columns), sizes)
        found[",".join(columns)] = {
            "distinct": one.distinct,
            "alpha": one.distinction,
            "pairs": pairs,
            "separated": round(one.separation * pairs),
            "separation": one.separation,
        }
    check(vector, found)
