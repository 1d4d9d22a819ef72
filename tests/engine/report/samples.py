"""Makes the reports in `tests/data/reports`.

They are kept as they were when the report became classes: whatever is changed later, these still
have to open, whole. To write them anew, from the folder of `manage.py`:

    DJANGO_SETTINGS_MODULE=tests.settings python manage.py shell -c \
        "from tests.engine.report.samples import main; main()"
"""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from deid_portal.engine import Outcome, Plan, Table, assess, protect
from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.methods import METHODS
from deid_portal.engine.networks import NetworkOutcome, protect_network
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.structure.layout import draw_beside, lay_out_network
from deid_portal.engine.publication import Publication, publish_report, show_in_house
from deid_portal.engine.remedies import find_remedies
from deid_portal.engine.report import HouseDetails, Report, written
from tests.chance import known_secret
from tests.engine.methods.test_every_method import COLUMNS, people, plan_for
from tests.engine.methods.test_every_method import EXAMPLES as METHOD_EXAMPLES
from tests.engine.networks import test_every_network_method as network_methods
from tests.engine.networks.networks import plan_of
from tests.engine.privacy.test_every_privacy_model import EXAMPLES as RULES
from tests.engine.privacy.test_every_privacy_model import read_people
from tests.engine.remedies import test_remedies
from tests.engine.tables import SECRETS, document
from tests.patience import PATIENCE

FOLDER = Path(__file__).parents[2] / "data" / "reports"
Views = dict[str, Report]


def every_sample() -> Iterator[tuple[str, Views]]:
    """Give the name of each file and what is in it: whole, as it leaves, as the house sees it."""
    for name in METHODS:
        yield f"table-{name}", made_of_table({"name": name, **METHOD_EXAMPLES[name][0]})
    yield "every-rule", {"whole": assess_every_rule()}
    yield "every-attack", _views(_attacked_plan(), attack_in_every_way())
    yield "repeatable", _repeatable()
    for name, changes in UNSOLVED.items():
        yield f"unsolved-{name}", without_solution(changes)
    for example in network_methods.EXAMPLES:
        last = example[-1] if isinstance(example, list) else example
        if last.keys() <= {"name", "k", "share", "epsilon"}:  # one of each method is enough
            yield f"network-{last['name']}", _made_of_network(example)
    yield "network-large", _made_of_large_network()
    yield "network-unsolved", {"whole": _network_without_solution()}


def made_of_table(method: dict[str, Any]) -> Views:
    if method["name"] == "dp-table":  # keeps nobody of few people who show much
        shown = {"sex": COLUMNS["sex"], "condition": {"role": "quasi-identifier"}}
        columns = {**{name: {"role": "identifier"} for name in COLUMNS}, **shown}
        plan = plan_for({**method, "levels": {}}, columns=columns)
        return _views(plan, protect(people(300), plan, secret=known_secret()))
    plan = plan_for(method, **({"models": []} if method["name"] == "none" else {}))
    return _views(plan, protect(people(30), plan, secret=known_secret()))


def _views(plan: Plan, outcome: Outcome) -> Views:
    whole = outcome.full_report
    if outcome.released is None:
        return {"whole": whole, "in_house": show_in_house(whole)}
    publication = Publication.of(plan, outcome.released, whole)
    return {
        "whole": whole,
        "published": publication.publish_report(whole),
        "in_house": show_in_house(whole, publication.detail, publication.read_file),
    }


def assess_every_rule() -> Report:
    """Measure every rule on a table that is shown as it is."""
    generator = np.random.default_rng(1)
    rows = [
        [f"v{code}" for code in generator.integers(0, 3, 4)] + [str(generator.integers(0, 4))]
        for _ in range(60)
    ]
    table = Table.from_rows(["q0", "q1", "q2", "q3", "secret"], rows)
    columns: dict[str, Any] = {f"q{n}": {"role": "quasi-identifier"} for n in range(4)}
    columns["secret"] = {"role": "sensitive", "taxonomy": SECRETS}
    plan = document(columns, models=RULES, method={"name": "none"})
    return assess(table, Plan.from_document(plan, read_file=read_people))


def attack_in_every_way() -> Outcome:
    return protect(people(80), _attacked_plan())


def _attacked_plan() -> Plan:
    control = "control.csv"
    asked = [
        {"attack": "record-linkage", "outside": control, "person": "id"},
        *({"attack": name} for name in ("record-linkage", "distance-linkage", "homogeneity")),
        *({"attack": name, "column": "pay"} for name in ("similarity", "interval-disclosure")),
        *({"attack": name} for name in ("worst-case-linkage", "background-knowledge", "skewness")),
        {"attack": "membership-inference", "control": control, "shadows": 1},
        {"attack": "singling-out", "control": control, "attempts": 20},
        {"attack": "inference", "control": control, "attempts": 20},
        {"attack": "downcoding"},
        {"attack": "outside-linkage", "outside": control, "person": "id"},
        {"attack": "record-linkage", "outside": "empty.csv"},
    ]
    utility = {"class_column": "condition", "queries": 20, "groups": ["sex", "condition"]}
    risk = {"population": "population.csv", "population_size": 500, "threshold": 0.1}
    plan = {
        "plan": 1,
        "columns": COLUMNS,
        "models": [
            {"model": "k-anonymity", "k": 2},
            {"model": "k-map", "k": 2, "population": "population.csv"},
        ],
        "method": {"name": "full-domain", "suppression_limit": 0.3},
        "measures": {"risk": risk, "attacks": asked, "utility": utility},
        "seed": 1,
    }
    return Plan.from_document(plan, read_file=lambda name: _outside_file(name))


def _outside_file(name: str) -> bytes:
    if name == "empty.csv":
        return b"height\n180\n"
    stream = io.BytesIO()
    write_csv(people(300 if name == "population.csv" else 40, seed=9), stream)
    return stream.getvalue()


def _repeatable() -> Views:
    plan = plan_for({"name": "pram", "columns": ["condition"], "epsilon": 1.5}, seed=7)
    return _views(plan, protect(people(30), plan, is_repeatable=True))


UNSOLVED: dict[str, Mapping[str, Any]] = {
    "limit": {"models": [test_remedies.K, {**test_remedies.SURE, "h": 0.6}]},
    "rule": {"models": [test_remedies.K, test_remedies.SURE]},
    "levels": {"method": {"name": "levels", "levels": {"zip": 0}, "suppression_limit": 0.0},
               "models": [{"model": "k-anonymity", "k": 15}]},
    "mondrian": {"method": {"name": "mondrian"}, "models": [test_remedies.K, test_remedies.SURE]},
}  # fmt: skip


def without_solution(changes: Mapping[str, Any]) -> Views:
    plan = Plan.from_document(document(test_remedies.COLUMNS, **changes))
    outcome = protect(test_remedies.TABLE, plan)
    assert not outcome.solution
    remedies = find_remedies(test_remedies.TABLE, plan, outcome.report, seconds=PATIENCE)
    whole = outcome.report.with_details(HouseDetails(remedies=remedies))
    return {"whole": whole, "in_house": show_in_house(whole)}


def _made_of_network(example: Any) -> Views:
    more = {"measures": {"attacks": ["active"], "repeats": 2}}
    is_drawn_anew = example == {"name": "k-degree", "k": 3}
    outcome = network_methods.outcome_of(example, **(more if is_drawn_anew else {}))
    return _network_views(network_methods.club(), outcome)


def _made_of_large_network() -> Views:
    """A network of which groups are drawn, not nodes."""
    generator = np.random.default_rng(2)
    ends = generator.integers(0, 25, (1500, 2)) + 25 * generator.integers(0, 20, (1500, 1))
    network = Network.from_pairs(500, ends.astype(np.int32))
    plan = plan_of({"name": "random-links", "share": 0.1})
    return _network_views(network, protect_network(network, plan, secret=known_secret()))


def _network_views(network: Network, outcome: NetworkOutcome) -> Views:
    assert outcome.released is not None
    assert outcome.rows is not None
    whole, drawing = outcome.full_report, lay_out_network(outcome.released).drawing
    assert whole.network is not None
    whole = replace(whole, network=replace(whole.network, drawing=drawing))
    if len(outcome.rows) == network.nodes and int(outcome.rows.min()) >= 0:
        whole = replace(whole, beside=draw_beside(network, outcome.released, outcome.rows))
    return {
        "whole": whole,
        "published": publish_report(whole, whole.plan),
        "in_house": show_in_house(whole),
    }


def _network_without_solution() -> Report:
    rule = {"model": "k-degree", "k": 3}
    outcome = network_methods.outcome_of({"name": "random-links", "share": 0.1}, models=[rule])
    assert not outcome.solution
    return outcome.full_report


def main() -> None:
    for name, views in every_sample():
        text = json.dumps(written(views), ensure_ascii=False)
        (FOLDER / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
