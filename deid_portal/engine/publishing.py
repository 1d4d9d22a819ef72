"""What of a plan may leave with its release.

Taxonomies name values: those of people who were left out, and the exact ones of columns that are
released only coarsely. In a published plan every label below the level of the release, and every
label at it that nobody in the release has, is a number. The shape of the trees stays, so that every
figure of the report can be computed again; the full plan stays in the house. Models name values as
well, and each says what of it may be published (`PrivacyModel.published`), by the same numbers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from deid_portal.engine.methods import METHODS
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.plan import ColumnPlan, Plan, Treatment, hash_document
from deid_portal.engine.privacy.hiding import hidden_name
from deid_portal.engine.table import Table
from deid_portal.engine.taxonomies import FileTaxonomy, Recipe, TreeTaxonomy
from deid_portal.engine.taxonomies.files import encode_rows

Path = tuple[str, ...]
SHAPES = "taxonomies/shapes.json"
# Told by values that the release may not show (`Outcome.details`), or about people it leaves out.
STAYS_IN_THE_HOUSE = (
    "who_pays", "distributions", "spread", "isolation", "examples", "remedies", "walk", "beside"
)  # fmt: skip


def publish_plan(
    plan: Plan, released: Table, levels: dict[str, int]
) -> tuple[Plan, dict[str, bytes]]:
    """Return the plan as it may be published, and its taxonomy files by name."""
    files: dict[str, bytes] = {}
    names = {
        column.name: _Names(released, column.name, levels.get(column.name, 0))
        for column in plan.columns
    }
    columns = tuple(
        _publish_column(column, number, names[column.name], files)
        for number, column in enumerate(plan.columns, start=1)
    )

    def name_of(column: str, value: str | None) -> str | None:
        return names[column].of(value)

    # Whoever has the seed of a random method could undo it.
    seed = None if plan.is_random else plan.seed
    published = replace(
        plan,
        columns=columns,
        models=tuple(model.published(name_of) for model in plan.models),
        seed=seed,
        measures=plan.measures.without_files(),
    )
    return published, files


def publish_report(report: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report as it may leave beside the document of a published plan.

    What it says of the models is said in the names of that plan. The hash is that plan's too: one
    of the full plan would tell whoever guesses a seed or a hidden label that the guess is right,
    and one of the input whoever knows all of its rows but one.
    """
    models = [
        {**measured, **said}
        for measured, said in zip(report["models"], plan["models"], strict=True)
    ]
    kept = {key: own for key, own in report.items() if key not in STAYS_IN_THE_HOUSE}
    published = {**kept, "plan": plan, "plan_sha256": hash_document(plan), "models": models}
    published["input"] = {key: own for key, own in report["input"].items() if key != "sha256"}
    return _only_about_the_release(published) if _is_private(plan) else published


def publish_shapes(shapes: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, bytes]:
    """Return, as a file by its name, what the detail lost is computed from.

    It says no more than the shape of a tree does, but of all columns, also those with a rule.
    Differential privacy covers no figure about the original, so there it stays.
    """
    if not shapes or _is_private(plan):
        return {}
    return {SHAPES: (json.dumps(shapes, ensure_ascii=False, indent=1) + "\n").encode()}


def hide_values(plan: Plan) -> Plan:
    """Return the plan as it may be kept when nothing of the table is: every value is a number."""
    nothing = Table(())
    tallest = {column.name: _height(column.taxonomy) for column in plan.columns}
    hidden, _ = publish_plan(plan, nothing, tallest)
    return hidden


def _height(recipe: Recipe | None) -> int:
    return max((len(path) - 1 for path in _paths_of(recipe) or ()), default=0)


def hide_values_in_report(report: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report with its rules, wherever it names them, in the words of a hidden plan.

    What is told by values is left out.
    """
    words = list(zip(report["plan"]["models"], plan["models"], strict=True))
    kept = {key: own for key, own in report.items() if key not in STAYS_IN_THE_HOUSE}
    return {key: plan if key == "plan" else _said_in(words, own) for key, own in kept.items()}


def _said_in(words: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], own: Any) -> Any:
    """Replace every rule in a part of a report, with what was measured of it left in place."""
    if isinstance(own, list):
        return [_said_in(words, item) for item in own]
    if not isinstance(own, dict):
        return own
    for rule, hidden in words:
        if all(key in own and own[key] == rule[key] for key in rule):
            left = {key: item for key, item in own.items() if key not in rule or key in hidden}
            return {**left, **hidden}
    return {key: _said_in(words, item) for key, item in own.items()}


def _is_private(plan: Mapping[str, Any]) -> bool:
    """Say whether a method of the plan promises differential privacy."""
    methods = plan["method"] if isinstance(plan["method"], list) else [plan["method"]]
    return any(_promises(method["name"]) for method in methods)


def _promises(method: str) -> bool:
    if method in METHODS:
        return METHODS[method].is_private
    return method in NETWORK_METHODS and NETWORK_METHODS[method].is_private


def _only_about_the_release(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what can be computed from the released table alone.

    A figure about the original, however harmless it looks, is not covered by the promise.
    """
    about_plan = ("report", "solution", "plan", "plan_sha256", "engine")
    kept: dict[str, Any] = {key: report[key] for key in about_plan}
    kept["rows"] = {"released": report["rows"]["released"]}
    kept["classes"] = {k: own for k, own in report["classes"].items() if k != "bins_before"}
    kept["risk"] = {"after": report["risk"]["after"]}
    if "network" in report:
        kept["network"] = _network_as_released(report["network"])
    steps = report["transformation"].get("steps", [])
    kept["transformation"] = {"steps": [_promise_of(step) for step in steps]}
    kept["note"] = (
        "Figures about the original table were left out: they are not covered by the promise of "
        "differential privacy."
    )
    return kept


def _network_as_released(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the released links themselves say of the network."""
    kept: dict[str, Any] = {key: told[key] for key in ("directed", "knowledge", "knowledge_words")}
    for part in ("nodes", "links"):
        kept[part] = {"after": told[part]["after"]}
    kept["risk"] = {
        name: {"words": own["words"], "after": own["after"]} for name, own in told["risk"].items()
    }
    return kept


def _promise_of(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step with the numbers of its promise, which follow from the plan."""
    is_promise = _promises(step["method"])
    return {key: own for key, own in step.items() if key == "method" or is_promise}


class _Names:
    """What the labels of one column may be called in public."""

    def __init__(self, released: Table, column: str, level: int) -> None:
        self._shown = set(released[column].values) if column in released else set()
        self._level = level
        self._above: set[str] = set()
        self._numbers: list[dict[str, str]] = [{} for _ in range(level + 1)]

    def at(self, label: str, depth: int) -> str:
        """Return the name of a label of a taxonomy; it keeps its number wherever it stands."""
        if not label:
            return label  # the gap has no name to hide
        if depth > self._level or (depth == self._level and label in self._shown):
            self._above.add(label)
            return label
        return self._number(label, depth)

    def of(self, value: str | None) -> str | None:
        """Return the name of what a rule is about, the one that the published taxonomy has."""
        if not value or value in self._shown:
            return value
        for depth, numbers in enumerate(self._numbers):
            if value in numbers:
                return self._number(value, depth)
        return value if value in self._above else self._number(value, 0)

    def _number(self, label: str, depth: int) -> str:
        numbers = self._numbers[depth]
        return numbers.setdefault(label, hidden_name(depth, len(numbers) + 1))


def _publish_column(
    column: ColumnPlan, number: int, names: _Names, files: dict[str, bytes]
) -> ColumnPlan:
    if column.treatment == Treatment.REVERSIBLE:
        # That there is a way back, and who has it, is nobody's business outside.
        return replace(column, treatment=Treatment.PSEUDONYM)
    paths = _paths_of(column.taxonomy)
    if paths is None:
        return column
    published = [
        tuple(names.at(label, depth) for depth, label in enumerate(path))
        for path in sorted(paths, key=lambda path: path[::-1])
    ]
    name = f"taxonomies/column-{number:02d}.csv"
    files[name] = encode_rows(published)
    return replace(column, taxonomy=FileTaxonomy.from_content(name, files[name]))


def _paths_of(recipe: Recipe | None) -> list[Path] | None:
    """Return the paths of a recipe that lists values, None for one that is only a rule."""
    if isinstance(recipe, FileTaxonomy):
        return list(recipe.rows)
    if isinstance(recipe, TreeTaxonomy):
        return list(recipe.leaf_paths)
    return None
