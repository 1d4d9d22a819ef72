"""The decks' worked examples about generalization, risk, attacks and utility, from the file."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deid_portal.engine import Table
from deid_portal.engine.attacks import AttackSetting
from deid_portal.engine.attacks.belief import count_sensitive_values
from deid_portal.engine.attacks.differencing import infer_by_difference, infer_from_means
from deid_portal.engine.attacks.max_auditing import find_forced_people
from deid_portal.engine.attacks.membership import score_membership
from deid_portal.engine.attacks.record_linkage import CandidateLinks, link_records
from deid_portal.engine.attacks.transparency import expect_randomized_shares, recover_shares
from deid_portal.engine.attacks.worst_case_linkage import learn_weights
from deid_portal.engine.documents import Place
from deid_portal.engine.progress import Progress
from deid_portal.engine.risk.attackers import journalist, marketer, prosecutor
from deid_portal.engine.risk.distinction import measure_distinction
from deid_portal.engine.risk.sample_uniques import count_sample_uniques
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.projection import number_patterns, sizes_of
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies import Taxonomy, parse_recipe
from deid_portal.engine.utility import METRICS, MeasuredColumn, MeasuredRelease
from deid_portal.engine.utility.class_matching import match_people
from deid_portal.engine.utility.coverage import cover, cover_all
from deid_portal.engine.utility.information_gain import entropy_of
from tests.engine.attacks.exhaustive_reconstruction import reconstruct_exhaustively
from tests.engine.attacks.nearest_links import link_nearest
from tests.engine.vectors import check, compare, find, read_table, vectors


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


@vectors("generalise_equals")
def test_generalization(vector: dict[str, Any]) -> None:
    original, released = (read_table(vector["input"][name]) for name in ("original", "released"))
    given = vector["parameters"]
    names, key = tuple(given["qi"]), given["id"]
    place = {text: row for row, text in enumerate(original[key].cells())}
    rows = np.array([place[text] for text in released[key].cells()], np.int32)
    matches = match_people(original, released, names, cover_all(original, released, names, {}))
    covers = matches.includes(rows, np.arange(released.rows, dtype=np.int32))
    unchanged = all(
        [original[name].values[original[name].codes[row]] for row in rows]
        == list(released[name].cells())
        for name in given["sa"]
    )
    check(
        vector,
        {
            "covers": bool(covers.all()),
            "sensitive_unchanged": unchanged,
            "k": int(matches.classes.counts.min()),
        },
    )


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


@vectors("is_cut")
def test_cut(vector: dict[str, Any]) -> None:
    taxonomy = parse_recipe(Place({"tree": nest(vector["input"]["tree"])}))
    leaves = list(taxonomy.paths(Column.from_cells("job", [])))
    column = Column.from_cells("job", leaves)
    built = taxonomy.build(column)
    found = {
        name: cover(column, Column.from_cells("job", labels), built).is_cut
        for name, labels in vector["input"]["cuts"].items()
    }
    check(vector, found)


def nest(flat: dict[str, list[str]]) -> dict[str, Any]:
    """Turn {parent: children} into the nested form of a plan."""
    below = {child for children in flat.values() for child in children}
    root = next(name for name in flat if name not in below)

    def grow(name: str) -> Any:
        return {child: grow(child) for child in flat.get(name, [])}

    return {root: grow(root)}


def gain_of_split(children: NDArray[np.int64]) -> float:
    """Return what is learned about the class when one group is split (child × class counts)."""
    rows = max(int(children.sum()), 1)
    rest = sum(int(child.sum()) / rows * entropy_of(child) for child in children)
    return entropy_of(children.sum(axis=0)) - rest


@vectors("hdtds", without=["s4-hdtds-run"])  # test_top_down.py
def test_information_gain_of_the_topmost_splits(vector: dict[str, Any]) -> None:
    table, given = read_table(vector["input"]["table"]), vector["parameters"]
    found = {}
    for name, root in given["root"].items():
        tree = vector["input"]["taxonomy"][name]
        children = [leaves_under(tree, child) for child in tree[root]]
        split = [count_classes(table, name, leaves, given["cls"]) for leaves in children]
        found[f"{name}:{root}"] = gain_of_split(np.array(split))
    check(vector, {"first_scores": found})


def leaves_under(tree: dict[str, list[str]], name: str) -> list[str]:
    if name not in tree:
        return [name]
    return [leaf for child in tree[name] for leaf in leaves_under(tree, child)]


def count_classes(table: Table, name: str, leaves: list[str], class_column: str) -> list[int]:
    covered = cover(table[name], Column.from_cells(name, leaves)).covered
    codes = np.concatenate(covered)
    inside = np.isin(table[name].codes, codes)
    column = table[class_column]
    return np.bincount(column.codes[inside], minlength=len(column.values)).tolist()


@vectors("entropy_of_counts")
def test_entropy(vector: dict[str, Any]) -> None:
    check(vector, entropy_of(np.array(vector["input"]["counts"])))


@vectors("distortion")
def test_distortion(vector: dict[str, Any]) -> None:
    """Distortion of one value is what its precision lacks."""
    height = vector["parameters"]["HGV"]
    heights = vector["input"]["heights"]
    check(
        vector, {label: 1 - precision_of([height], [[level]]) for label, level in heights.items()}
    )


@vectors("minimal_distortion_units")
def test_distortion_units(vector: dict[str, Any]) -> None:
    """One unit per record and level."""
    levels = [level for n, level in vector["input"]["instances_levels"] for _ in range(n)]
    height = max(levels) + 1
    check(vector, (1 - precision_of([height], [levels])) * len(levels) * height)


@vectors("precision_metric")
def test_precision(vector: dict[str, Any]) -> None:
    check(vector, precision_of(vector["parameters"]["HGV"], vector["input"]["heights"]))


@vectors("iloss")
def test_iloss(vector: dict[str, Any]) -> None:
    """Ours divides by the leaves (ambiguities, 32); all nodes are as many leaves as there are."""
    levels = [{1: 0, 2: 1}[leaves] for leaves in vector["input"]["LN"]]
    found = {}
    for name, size in vector["parameters"]["denominators"].items():
        others = [(f"{leaf}", "MA", "*") for leaf in range(size - 2)]
        column = measured(
            Taxonomy.from_paths([("a", "NY", "*"), ("b", "NY", "*"), *others]), levels
        )
        found[name] = METRICS["iloss"].value(
            MeasuredRelease(len(levels), np.array([1, 1]), [column])
        )
    check(vector, found)


def precision_of(heights: list[int], levels: list[list[int]]) -> float:
    """Return the precision of columns whose taxonomies are so high, given each record's levels."""
    columns = [
        measured(Taxonomy.from_paths([tuple(f"{level}" for level in range(height + 1))]), own)
        for height, own in zip(heights, levels, strict=True)
    ]
    rows = len(levels[0])
    return METRICS["precision"].value(MeasuredRelease(rows, np.array([rows]), columns))


def measured(taxonomy: Taxonomy, levels: list[int]) -> MeasuredColumn:
    """Return a column of records that all have the first value, each at its level."""
    counts = np.zeros(taxonomy.leaf_count, np.int64)
    counts[0] = len(levels)
    cells = np.zeros((taxonomy.height + 1, taxonomy.leaf_count))
    for level, records in Counter(levels).items():
        cells[level, 0] = records
    return MeasuredColumn(taxonomy, counts, cells)


@vectors("discernibility")
def test_discernibility(vector: dict[str, Any]) -> None:
    table, given = read_table(vector["input"]["table"]), vector["parameters"]
    sizes = reduce_table(table, given["qi"], (), Progress(None)).counts
    release = MeasuredRelease(table.rows, sizes, [], given.get("k", 1))
    found = {
        "DM": METRICS["discernibility"].value(release),
        "C_avg": METRICS["average_class_size"].value(release),
    }
    check(vector, found)
