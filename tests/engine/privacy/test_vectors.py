"""The decks' worked examples about privacy models."""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Plan, Table, assess
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.privacy.kinds import DisclosureKind
from tests.engine.privacy.records_on_axes import spread_on_axes
from tests.engine.tables import document, judge_secrets
from tests.engine.vectors import Vector, check, find, vectors

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
    told = {"classes": report.classes.to_document(), "risk": report.risk.after.to_document()}
    return report.models[0].to_document() | told


@vectors("k_anonymity")
def test_k_anonymity(vector: Vector) -> None:
    entry = judge(vector, {"model": "k-anonymity", "k": 2})
    assert entry["achieved"]["k"] == vector["expected"]["k"]
    assert entry["classes"]["count"] == vector["expected"].get(
        "n_classes", entry["classes"]["count"]
    )


@vectors("l_diversity")
def test_l_diversity(vector: Vector) -> None:
    for column, expected in vector["expected"].items():
        for variant in ("distinct", "probabilistic", "entropy"):
            model = {"model": "l-diversity", "variant": variant, "l": 2, "column": column}
            reached = judge(vector, model)["achieved"]["l"]
            assert reached == pytest.approx(expected[f"{variant}_l"])


@vectors("l_diversity_counts")
def test_l_diversity_of_counts(vector: Vector) -> None:
    for name, counts in vector["input"]["classes"].items():
        people = [value for value, count in counts.items() for _ in range(count)]
        for key, expected in vector["expected"][name].items():
            variant = key.removesuffix("_l")
            model = {"model": "l-diversity", "variant": variant, "l": 2, "column": "secret"}
            reached = judge_secrets({"1": people}, model).achieved["l"]
            assert reached == pytest.approx(expected)


@vectors("recursive_cl")
def test_recursive_diversity(vector: Vector) -> None:
    counts, said = vector["input"]["counts"], vector["parameters"]
    people = [str(value) for value, count in enumerate(counts) for _ in range(count)]
    model = {"model": "l-diversity", "variant": "recursive", "l": said["l"], "column": "secret"}
    infimum = vector["expected"]["c_infimum"]
    assert judge_secrets({"1": people}, model | {"c": said["c"]}).holds is False
    assert not judge_secrets({"1": people}, model | {"c": infimum}).holds
    assert judge_secrets({"1": people}, model | {"c": infimum + 1e-6}).holds


@vectors("t_closeness")
def test_t_closeness(vector: Vector) -> None:
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


@vectors("k_of_subsets")
def test_subsets_of_columns(vector: Vector) -> None:
    said = vector["parameters"]
    for known, k in vector["expected"]["k_for_l"].items():
        model = {"model": "k-l-anonymity", "k": said["k"], "l": int(known)}
        assert judge(vector, model)["achieved"]["k"] == k
    model = {"model": "k-l-anonymity", "k": said["k"], "l": said["l"]}
    assert judge(vector, model)["holds"] == vector["expected"]["satisfies"]


@vectors("lkc")
def test_lkc_privacy(vector: Vector) -> None:
    said, expected = vector["parameters"], vector["expected"]
    model = {name: said[name] for name in ("L", "K", "C")}
    values = {said["sa"]: said["S"]}
    entry = judge(vector, {"model": "lkc-privacy", **model, "values": values})
    assert entry["holds"] == expected["satisfied"]
    assert entry["achieved"]["K"] == expected["min_support"]
    assert entry["achieved"]["C"] == expected.get("max_conf", entry["achieved"]["C"])


@vectors("alpha_k")
def test_alpha_k_anonymity(vector: Vector) -> None:
    column = vector["parameters"]["sa"]
    model = {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "column": column}
    assert judge(vector, model)["achieved"] == vector["expected"]


@vectors("eps_m")
def test_epsilon_m_anonymity(vector: Vector) -> None:
    said = vector["parameters"]
    model = {"model": "epsilon-m-anonymity", "epsilon": said["eps"], "m": 1, "column": said["sa"]}
    secret = (lambda text: text.removesuffix("K"), None)
    assert judge(vector, model, secret)["achieved"]["m"] == vector["expected"]["m"]


@vectors("k_reid_bound")
def test_bound_of_reidentification(vector: Vector) -> None:
    entry = judge(vector, {"model": "highest-risk", "limit": vector["expected"]["bound"]})
    assert entry["holds"]
    assert entry["achieved"]["limit"] == vector["expected"]["bound"]
    assert entry["risk"]["marketer"] == vector["expected"]["reid_uniform_guess"]
    assert entry["risk"]["sample_uniques"] == vector["expected"]["known_correct"]


@vectors("fung_registry")
def test_table_of_attacks(vector: Vector) -> None:
    for name, attacks in vector["expected"].items():
        if name not in NO_TABLE_MODELS:
            assert [str(attack) for attack in MODELS[NAMES[name]].addresses] == attacks


@vectors("torra_registry")
def test_table_of_disclosures(vector: Vector) -> None:
    for name, expected in vector["expected"].items():
        if name in NO_TABLE_MODELS:
            continue
        disclosure = MODELS[NAMES[name]].disclosure
        assert (DisclosureKind.ATTRIBUTE in disclosure.kinds) == expected["attribute"]
        assert (DisclosureKind.IDENTITY in disclosure.kinds) == expected["identity"]
        assert disclosure.releases_database == expected["database_release"]
        assert disclosure.is_quantitative == (expected["kind"] == "Quantitative")


@vectors("k_confusion")
def test_records_that_confuse_a_cluster(vector: Vector) -> None:
    points = np.array(vector["input"]["X"], np.float64)
    released = spread_on_axes(points)
    assert released.mean(axis=0) == pytest.approx(points.mean(axis=0))
    assert released.var(axis=0, ddof=1) == pytest.approx(points.var(axis=0, ddof=1))
    found = {"x": released[0, 0], "y": released[1, 1]}
    if "var" in vector["expected"]:
        assert released.mean(axis=0) == pytest.approx(vector["expected"]["mean"])
        assert released.var(axis=0, ddof=1) == pytest.approx(vector["expected"]["var"])
    numbers = {key: part for key, part in vector["expected"].items() if key in found}
    assert numbers
    check(vector | {"expected": numbers}, found)


def test_records_that_confuse_a_cluster_of_the_slides_variance() -> None:
    """Two points with the variance 12.8333, which the slide has in place of 13.3333."""
    half = np.sqrt(12.8333 / 2)
    released = spread_on_axes(np.array([[0.0, -half], [0.0, half]]))
    check(find("s1-kconfusion-y-slide-arithmetic"), {"y": released[1, 1]})
