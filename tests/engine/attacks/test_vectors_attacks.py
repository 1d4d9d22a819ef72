"""The decks' worked examples about attacks, from the file."""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Table
from deid_portal.engine.attacks import AttackSetting
from deid_portal.engine.attacks.belief import count_sensitive_values
from deid_portal.engine.attacks.differencing import infer_by_difference, infer_from_means
from deid_portal.engine.attacks.max_auditing import find_forced_people
from deid_portal.engine.attacks.membership import score_membership
from deid_portal.engine.attacks.record_linkage import CandidateLinks, link_records
from deid_portal.engine.attacks.transparency import expect_randomized_shares, recover_shares
from deid_portal.engine.attacks.worst_case_linkage import learn_weights
from tests.engine.attacks.exhaustive_reconstruction import reconstruct_exhaustively
from tests.engine.attacks.nearest_links import link_nearest
from tests.engine.vectors import check, compare, find, read_table, vectors


def test_what_noisy_means_still_tell() -> None:
    """The slide's own means, which are not those of the rows it prints."""
    exact, rows = find("s2-bloodsugar-exact")["input"], find("s2-bloodsugar-noisy-avg")["input"]
    truth = infer_from_means(float(np.mean(exact["all"])), 5, float(np.mean(exact["without"])))
    means = [float(np.mean(exact[name])) for name in ("all", "without")]
    bob = infer_from_means(5.23, 5, 5.46)

    def error(right: float, told: float) -> float:
        return (right - told) / right

    found = {
        "bob": bob,
        "err": error(truth, bob),
        "err_q1": error(means[0], 5.23),
        "err_q2": error(means[1], 5.46),
        "err_q1_from_rows": error(means[0], float(np.mean(rows["all"]))),
    }
    check(find("s2-bloodsugar-noisy-slide-arith"), found)


def test_noise_below_one_in_401_people_gives_nearly_everybody_away() -> None:
    """The bound of the attack is 4 · error people; among so few that is nobody."""
    people = 12
    error = people / 401
    check(find("s2-dinur-nissim-401"), {"agreement": 1 - 4 * error / people})
    generator = np.random.default_rng(0)
    bits = generator.integers(0, 2, people)
    found = reconstruct_exhaustively(
        lambda chosen: float(bits[chosen].sum() + generator.uniform(-error, error)), people, error
    )
    assert found is not None
    assert (found == bits).mean() >= find("s2-dinur-nissim-401")["expected"]["agreement"]


@vectors("pram_estimate")
def test_randomized_shares_are_recovered(vector: dict[str, Any]) -> None:
    chances, shares = (np.array(vector["input"][key]) for key in ("P", "pi"))
    observed = expect_randomized_shares(chances, shares)
    assert observed == pytest.approx(vector["expected"]["o"])
    assert recover_shares(chances, observed) == pytest.approx(vector["expected"]["pi_hat"])
    assert chances @ shares == pytest.approx(vector["expected"]["o_if_P_pi"])


@vectors("link")
def test_linkage(vector: dict[str, Any]) -> None:
    given = vector["parameters"]
    released, outside = (read_table(vector["input"][name]) for name in ("released", "external"))
    assert all(ours == theirs for ours, theirs in given["on"])
    truth = {str(name): str(key) for name, key in given.get("truth", {}).items()}
    keys = list(released[given["id"]].cells())
    own = [keys.index(truth[name]) if name in truth else -1 for name in outside["Name"].cells()]
    setting = AttackSetting(
        original=released,
        released=released,
        rows=np.arange(released.rows, dtype=np.int32),
        quasi_identifiers=tuple(name for name, _ in given["on"]),
        outside=outside,
        outside_rows=np.array(own, np.int32),
    )
    links = link_records(setting)
    check(vector, describe_links(vector, links, released, outside))


def describe_links(
    vector: dict[str, Any], links: CandidateLinks, released: Table, outside: Table
) -> dict[str, Any]:
    given = vector["parameters"]
    raw = [row[0] for row in vector["input"]["released"]["rows"]]
    fits = {name: candidates(links, row) for row, name in enumerate(outside["Name"].cells())}
    unique = sorted(name for name, rows in fits.items() if len(rows) == 1 and name)
    right = [name for row, name in enumerate(outside["Name"].cells()) if links.is_right[row]]
    values = list(released[given["sa"]].cells())
    assert links.links == len(unique)
    return {
        "candidates": {name: [raw[row] for row in rows] for name, rows in fits.items()},
        "unique_links": unique,
        "correct": sorted(name for name in right if name in unique),
        "precision": links.correct_links / max(links.links, 1),
        "reid": links.expected_share,
        "inferred": {
            name: sorted({str(values[row]) for row in rows}) for name, rows in fits.items() if rows
        },
    }


def candidates(links: CandidateLinks, person_row: int) -> list[int]:
    pattern = links.matches.people.pattern_of_row[person_row]
    classes = links.matches.class_number[links.matches.person == pattern]
    fits = np.isin(links.matches.classes.pattern_of_row, classes)
    return np.flatnonzero(fits).tolist()


@vectors("class_confidence")
def test_belief(vector: dict[str, Any]) -> None:
    table, given = read_table(vector["input"]["table"]), vector["parameters"]
    known = {name: str(label) for name, label in given["class"].items()}
    counts = count_sensitive_values(table, known, given["sa"], given.get("exclude", ()))
    shares = {
        text: count / counts.sum()
        for text, count in zip(table[given["sa"]].values, counts.tolist(), strict=True)
        if count
    }
    check(vector, {"n": int(counts.sum()), "conf": shares})
    assert set(shares) == set(vector["expected"]["conf"])


@vectors("lkc_probe")
def test_probes(vector: dict[str, Any]) -> None:
    table, given = read_table(vector["input"]["table"]), vector["parameters"]
    identifiers = [row[0] for row in vector["input"]["table"]["rows"]]
    found = {}
    for name, probe in given["probes"].items():
        known = {column: str(label) for column, label in probe.items()}
        counts = count_sensitive_values(table, known, given["sa"])
        worst = [counts[table[given["sa"]].values.index(value)] for value in given["S"]]
        fits = np.logical_and.reduce(
            [np.array(list(table[column].cells())) == label for column, label in known.items()]
        )
        rows = np.flatnonzero(fits)
        found[name] = {
            "ids": [identifiers[row] for row in rows],
            "conf": max(worst) / counts.sum(),
        }
    check(vector, found)


@vectors("k_reid_bound")
def test_reidentification_bound(vector: dict[str, Any]) -> None:
    table = read_table(vector["input"]["table"])
    setting = AttackSetting(
        original=table,
        released=table,
        rows=np.arange(table.rows, dtype=np.int32),
        quasi_identifiers=tuple(vector["parameters"]["qi"]),
    )
    links = link_records(setting)
    found = {
        "reid_uniform_guess": links.expected_share,
        "known_correct": links.correct_links / table.rows,
        "bound": 1 / int(links.candidates.min()),
    }
    check(vector, found)


@vectors("record_linkage")
def test_distance_linkage(vector: dict[str, Any]) -> None:
    people, released = (np.array(vector["input"][name], np.float64) for name in "BA")
    apart = ((people[:, None] - released[None]) ** 2).sum(axis=2)
    own = np.arange(len(people), dtype=np.int32)
    links = link_nearest(people, released, own)
    nearest = [np.flatnonzero(row == row.min()).tolist() for row in apart]
    assert links.ties.tolist() == [len(rows) for rows in nearest]
    check(
        vector,
        {
            "links": nearest,
            "reid": links.expected_share,
            "certain_correct": links.correct_links,
        },
    )


@vectors("worst_case_linkage")
def test_worst_case_linkage(vector: dict[str, Any]) -> None:
    people, released = (np.array(vector["input"][name], np.float64) for name in "AB")
    own = np.arange(len(people), dtype=np.int32)
    apart = (people[:, None, :] - released[None, :, :]) ** 2
    check(vector, {"max_correct": learn_weights(apart, own).correct})


@vectors("mia_ar")
def test_membership_scores(vector: dict[str, Any]) -> None:
    claims, members = (np.array(vector["input"][key]) for key in ("pred_training", "is_member"))
    scores = score_membership(claims, members)
    found = {
        "miaAR_literal(|pred|/|X|)": scores.claimed,
        "miaAR_correct_members(tp/|X|)": scores.identified,
        "recall": scores.recall,
        "precision": scores.precision,
    }
    check(vector, found)


@vectors("diff_attack")
def test_differencing(vector: dict[str, Any]) -> None:
    bits, count = vector["input"]["x"], vector["parameters"]["i"]
    before, after = sum(bits[:count]), sum(bits[: count + 1])
    noise = vector["parameters"]["noise"]
    noisy = [before + noise[0], after + noise[1]]
    found = {
        "Q_i": before,
        "Q_i+1": after,
        "inferred": infer_by_difference(after, before),
        "noisy_diff": infer_by_difference(noisy[1], noisy[0]),
    }
    expected = {key: part for key, part in vector["expected"].items() if key != "noisy"}
    compare(expected, found, vector["tolerance"])
    assert noisy == pytest.approx(vector["expected"]["noisy"])


@vectors("average_diff_attack")
def test_differencing_of_means(vector: dict[str, Any]) -> None:
    everyone, without = vector["input"]["all"], vector["input"]["without"]
    means = float(np.mean(everyone)), float(np.mean(without))
    found = {
        "avg_all": means[0],
        "avg_without": means[1],
        "inferred": infer_from_means(means[0], len(everyone), means[1]),
    }
    check(vector, found)


@vectors("name_exclusion_attack")
def test_excluding_one_name(vector: dict[str, Any]) -> None:
    rows, target = vector["input"]["table"]["rows"], vector["parameters"]["target"]
    everyone = sum(trait == "Yes" for _, trait in rows)
    without = sum(trait == "Yes" for name, trait in rows if name != target)
    inferred = "Yes" if infer_by_difference(everyone, without) else "No"
    check(vector, {"all": everyone, "without": without, "inferred": inferred})


@vectors("max_audit")
def test_auditing_maxima(vector: dict[str, Any]) -> None:
    rows = vector["input"]["table"]["rows"]
    males = np.array([gender == "M" for _, _, gender, _ in rows])
    first = np.array([phd == "Y" for _, phd, _, _ in rows])
    values = np.array([value for *_, value in rows])
    maxima = [float(values[males].max()), float(values[first].max())]
    forced = find_forced_people([males, first], maxima)
    found = {
        "max_males": maxima[0],
        "max_phd1": maxima[1],
        "non_male_phd1": [rows[person][0] for person in forced],
        "forced_values": list(forced.values()),
    }
    check(vector, found)


@vectors("dinur_nissim")
def test_reconstruction(vector: dict[str, Any]) -> None:
    bits = np.array(vector["input"]["db"], np.int64)
    error = vector["parameters"]["E"]
    generator = np.random.default_rng(vector["parameters"]["seed"])
    found = reconstruct_exhaustively(
        lambda chosen: float(bits[chosen].sum() + generator.uniform(-error, error)),
        len(bits),
        error,
    )
    apart = int((found != bits).sum()) if found is not None else len(bits)
    answers = {
        "bound_4E": 4 * error,
        "within_bound": apart <= 4 * error,
        "at_least_one_candidate": found is not None,
    }
    check(vector, answers)
