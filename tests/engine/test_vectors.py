"""The decks' worked examples about privacy models, from the file; what waits is listed by id."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from deid_portal.engine import Plan, Table, assess
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.privacy.kinds import Disclosed
from tests.engine.tables import DATA, document, judge_secrets

Vector = dict[str, Any]
VECTORS: list[Vector] = json.loads((DATA / "vectors.json").read_text("utf-8"))["vectors"]

# Which other lanes the rest waits for, or where it is tested; this list can only shrink.
WAITING = {
    "risk, attacks, utility and operators: test_vectors_risk.py": """
        s0-anon12-generalisation s0-linkage-sport s0-homogeneity-3star
        s0-div12-generalisation s0-skewness-50pct s0-tclose-generalisation
        s0-chandler-differencing s1-hospital-uniqueness s1-pram-inversion s1-miaAR
        s1-record-linkage s1-record-linkage-worst-case s2-m12-generalisation
        s2-m12-homogeneity s2-sickle-cell s2-query-audit-max s2-bloodsugar-exact
        s2-bloodsugar-noisy-avg s2-dinur-nissim-exhaustive s3-voter-linking
        s3-g6-3anonymous s3-g6-alice-background s3-g6-before-background s3-t11-andre
        s3-t11-homogeneous-class s3-h9-bob-homogeneity s3-h9-carl-background
        s3-similarity-bob s3-tclose6-bob-flu s4-distinction-separation-5
        s4-arx-distinction-separation s4-prosecutor-original s4-prosecutor-decade
        s4-h10-umeko s4-h10-bob s4-age-salary-generalisation s4-lkc-probes
        s4-hdtds-first-scores s4-cut s4-entropy-deterministic s4-entropy-uniform
        s4-distortion-zip s4-precision-three-cells s4-precision-decade
        s4-minimal-distortion s4-minimal-distortion-any s4-iloss-zip
        s4-discernibility-13 s4-cavg
    """,
    "masking, issue 5": """
        s1-kconfusion-kanon-centroid s1-mdav-2d s1-individual-ranking s4-hdtds-run
        s1-microagg-mdav-suboptimal-opt
    """,
    "networks": """
        s3-aol-arnold s3-graph-degree-attack s3-kneighbourhood-fixture
    """,
    "private answers and arithmetic of the decks": """
        s0-partial-sum-sensitivity s0-laplace-scale s0-adjacent-pair s1-mean-3300
        s1-sweeney-uniqueness s1-laplace-5-6 s1-laplace-shift-property s1-laplace-pdf
        s1-eps-delta-b s1-mean-sensitivity-S5 s1-mean-sensitivity-S1e6
        s1-mean-sensitivity-noS s1-mean-sensitivity-proof s1-truncated-mean
        s1-truncated-mean-outlier s1-compose-5-means s1-histogram s1-dp-histogram
        s1-hist-mean s1-true-mean-16 s1-dp-hist-mean s1-warner-100
        s1-warner-one-coin-eps s1-rr-general s1-rr-general-eps s1-ldp-c2-eps0
        s1-ldp-c2-eps1 s1-ldp-c2-eps10-diag s1-ldp-c2-eps10-off s1-ldp-c7-eps10-diag
        s1-ldp-c7-eps10-off s1-ldp-slide-eps9-explains s1-feasibility-region
        s1-feasibility-optimum s1-rosenbrock s2-bloodsugar-noisy-slide-arith
        s2-dinur-nissim-401 s2-laplace-variance s2-sens-count s2-sens-hist-2
        s2-sens-mean s2-sens-median s2-apples s2-expmech-utility-nationality
        s2-expmech-utility-eyecolor s2-expmech-prob95 s2-expmech-probabilities
        s2-eps-choices s3-sens-romance s3-sens-two-counts s3-sens-three-counts
        s3-sens-hist-1 s3-sens-starwars s3-sens-three-seq-2 s4-dp-sum-realestate
        s4-dp-eps-values
    """,
    "k-confusion": """
        s1-kconfusion-x s1-kconfusion-y s1-kconfusion-y-slide-arithmetic
    """,
}

# Names the decks give models; what a table release cannot be is no model of this registry.
NAMES = {
    "k-Anonymity": "k-anonymity",
    "k -Anonymity": "k-anonymity",
    "MultiR k-Anonymity": "multirelational-k-anonymity",
    "ℓ-Diversity": "l-diversity",
    "Confidence Bounding": "confidence-bounding",
    "(α, k)-Anonymity": "alpha-k-anonymity",
    "(X, Y)-Privacy": "x-y-privacy",
    "(k, e)-Anonymity": "k-e-anonymity",
    "(ϵ, m)-Anonymity": "epsilon-m-anonymity",
    "Personalized Privacy": "personalized-privacy",
    "t-Closeness": "t-closeness",
    "δ-Presence": "delta-presence",
    "(c, t)-Isolation": "c-t-isolation",
    "Interval disclosure": "interval-disclosure",
}
NO_TABLE_MODELS = {
    "ϵ-Differential Privacy",
    "(d, γ)-Privacy",
    "Distributional Privacy",
    "Differential privacy",
    "Local differential privacy",
}


def judge(vector: Vector, model: dict[str, Any], secret: Any = None) -> dict[str, Any]:
    """Return what assess says of a model on the vector's table.

    `secret`: how the cells of the sensitive column are written, and its taxonomy.
    """
    names = vector["input"]["table"]["columns"]
    cells = [[str(cell) for cell in row] for row in vector["input"]["table"]["rows"]]
    quasi = vector["parameters"].get("qi", names)
    columns: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in quasi}
    column = model.get("column") or next(iter(model.get("values") or ()), None)
    if column:
        write, taxonomy = secret or (str, None)
        columns[column] = {"role": "sensitive"} | ({"taxonomy": taxonomy} if taxonomy else {})
        place = names.index(column)
        cells = [[*row[:place], write(row[place]), *row[place + 1 :]] for row in cells]
    asked = document(columns, models=[model], method={"name": "none"}, other_columns="remove")
    report = assess(Table.from_rows(names, cells), Plan.from_document(asked))
    return {**report["models"][0], "classes": report["classes"], "risk": report["risk"]["after"]}


def check_k_anonymity(vector: Vector) -> None:
    entry = judge(vector, {"model": "k-anonymity", "k": 2})
    assert entry["achieved"]["k"] == vector["expected"]["k"]
    assert entry["classes"]["count"] == vector["expected"].get(
        "n_classes", entry["classes"]["count"]
    )


def check_l_diversity(vector: Vector) -> None:
    for column, expected in vector["expected"].items():
        for variant in ("distinct", "probabilistic", "entropy"):
            model = {"model": "l-diversity", "variant": variant, "l": 2, "column": column}
            reached = judge(vector, model)["achieved"]["l"]
            assert reached == pytest.approx(expected[f"{variant}_l"])


def check_l_diversity_of_counts(vector: Vector) -> None:
    for name, counts in vector["input"]["classes"].items():
        people = [value for value, count in counts.items() for _ in range(count)]
        for key, expected in vector["expected"][name].items():
            variant = key.removesuffix("_l")
            model = {"model": "l-diversity", "variant": variant, "l": 2, "column": "secret"}
            reached = judge_secrets({"1": people}, model)["achieved"]["l"]
            assert reached == pytest.approx(expected)


def check_recursive(vector: Vector) -> None:
    counts, said = vector["input"]["counts"], vector["parameters"]
    people = [str(value) for value, count in enumerate(counts) for _ in range(count)]
    model = {"model": "l-diversity", "variant": "recursive", "l": said["l"], "column": "secret"}
    infimum = vector["expected"]["c_infimum"]
    assert judge_secrets({"1": people}, model | {"c": said["c"]})["holds"] is False
    assert not judge_secrets({"1": people}, model | {"c": infimum})["holds"]
    assert judge_secrets({"1": people}, model | {"c": infimum + 1e-6})["holds"]


def check_t_closeness(vector: Vector) -> None:
    said = vector["parameters"]
    distance = {"hier": "hierarchical"}.get(said["ground"], said["ground"])
    model = {"model": "t-closeness", "t": 0.5, "distance": distance, "column": said["sa"]}
    rank = {text: str(place) for place, text in enumerate(said["order"])}
    secret = (rank.__getitem__, None) if distance == "ordered" else (str, _tree(said))
    expected = vector["expected"]["t"]
    assert judge(vector, model, secret)["achieved"]["t"] == pytest.approx(expected, abs=1e-9)


def _tree(said: dict[str, Any]) -> dict[str, Any] | None:
    """Return the taxonomy a vector gives as parents, nested from the root."""
    if "parent" not in said:
        return None

    def below(label: str) -> Any:
        children = [child for child, parent in said["parent"].items() if parent == label]
        if all(child in said["order"] for child in children):
            return children
        return {child: below(child) for child in children}

    return {"tree": {"root": below("root")}}


def check_subsets(vector: Vector) -> None:
    said = vector["parameters"]
    for known, k in vector["expected"]["k_for_l"].items():
        model = {"model": "k-l-anonymity", "k": said["k"], "l": int(known)}
        assert judge(vector, model)["achieved"]["k"] == k
    model = {"model": "k-l-anonymity", "k": said["k"], "l": said["l"]}
    assert judge(vector, model)["holds"] == vector["expected"]["satisfies"]


def check_lkc(vector: Vector) -> None:
    said, expected = vector["parameters"], vector["expected"]
    model = {name: said[name] for name in ("L", "K", "C")}
    values = {said["sa"]: said["S"]}
    entry = judge(vector, {"model": "lkc-privacy", **model, "values": values})
    assert entry["holds"] == expected["satisfied"]
    assert entry["achieved"]["K"] == expected["min_support"]
    assert entry["achieved"]["C"] == expected.get("max_conf", entry["achieved"]["C"])


def check_alpha_k(vector: Vector) -> None:
    column = vector["parameters"]["sa"]
    model = {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "column": column}
    assert judge(vector, model)["achieved"] == vector["expected"]


def check_epsilon_m(vector: Vector) -> None:
    said = vector["parameters"]
    model = {"model": "epsilon-m-anonymity", "epsilon": said["eps"], "m": 1, "column": said["sa"]}
    secret = (lambda text: text.removesuffix("K"), None)
    assert judge(vector, model, secret)["achieved"]["m"] == vector["expected"]["m"]


def check_reid_bound(vector: Vector) -> None:
    entry = judge(vector, {"model": "highest-risk", "limit": vector["expected"]["bound"]})
    assert entry["holds"]
    assert entry["achieved"]["limit"] == vector["expected"]["bound"]
    assert entry["risk"]["marketer"] == vector["expected"]["reid_uniform_guess"]
    assert entry["risk"]["sample_uniques"] == vector["expected"]["known_correct"]


def check_attacks(vector: Vector) -> None:
    for name, attacks in vector["expected"].items():
        if name not in NO_TABLE_MODELS and NAMES[name] in MODELS:
            assert [str(attack) for attack in MODELS[NAMES[name]].addresses] == attacks


def check_disclosures(vector: Vector) -> None:
    for name, expected in vector["expected"].items():
        if name in NO_TABLE_MODELS or NAMES[name] not in MODELS:
            continue
        disclosure = MODELS[NAMES[name]].disclosure
        assert (Disclosed.ATTRIBUTE in disclosure.kinds) == expected["attribute"]
        assert (Disclosed.IDENTITY in disclosure.kinds) == expected["identity"]
        assert disclosure.releases_database == expected["database_release"]
        assert disclosure.is_quantitative == (expected["kind"] == "Quantitative")


CHECKS: dict[str, Callable[[Vector], None]] = {
    "k_anonymity": check_k_anonymity,
    "l_diversity": check_l_diversity,
    "l_diversity_counts": check_l_diversity_of_counts,
    "recursive_cl": check_recursive,
    "t_closeness": check_t_closeness,
    "k_of_subsets": check_subsets,
    "lkc": check_lkc,
    "alpha_k": check_alpha_k,
    "eps_m": check_epsilon_m,
    "k_reid_bound": check_reid_bound,
    "fung_registry": check_attacks,
    "torra_registry": check_disclosures,
}
OURS = [vector for vector in VECTORS if vector["check"] in CHECKS]


@pytest.mark.parametrize("vector", OURS, ids=[vector["id"] for vector in OURS])
def test_vector(vector: Vector) -> None:
    CHECKS[vector["check"]](vector)


def test_what_is_not_tested_here_is_listed_as_waiting() -> None:
    tested = {vector["id"] for vector in OURS}
    listed = [id for ids in WAITING.values() for id in ids.split()]
    assert len(set(listed)) == len(listed)
    assert {vector["id"] for vector in VECTORS} == tested | set(listed)
    assert not tested & set(listed)
