"""What of a report may leave with its release, and what may be kept when the table is forgotten."""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.engine.documents import Place, hash_document
from deid_portal.engine.errors import EngineError
from deid_portal.engine.methods import METHODS
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.privacy import MODELS, parse_model
from deid_portal.engine.publication.allow_list import pick
from deid_portal.engine.taxonomies.recipe import ReadFile

Report = Mapping[str, Any]
# Told by values that the release may not show (`Outcome.details`), or about people it leaves out.
TOLD_BY_VALUES = (
    "who_pays", "distributions", "spread", "isolation", "examples", "remedies", "walk", "beside",
    "released_labels",
)  # fmt: skip
MEASURED_KEYS = ("holds", "achieved", "achieved_before", "nodes_over")
NOTE = (
    "Figures that only the original table decides were left out: with them, values of people who "
    "are not in the release could be found."
)
PRIVATE_NOTE = (
    "Figures about the original table were left out: they are not covered by the promise of "
    "differential privacy."
)


def publish_report(
    report: Report,
    plan: Mapping[str, Any],
    detail: Mapping[str, Any] | None = None,
    read_file: ReadFile | None = None,
) -> dict[str, Any]:
    """Return a report as it may leave beside the document of a published plan.

    Only what is listed in `allow_list.py` does. `detail` is what `measure_detail` found of the
    release and that plan; without it nothing is said of the detail lost. The hash is that plan's,
    too: one of the full plan would tell whoever guesses a seed or a hidden label that the guess is
    right.
    """
    is_private = promises_privacy(plan)
    told = {
        **report,
        "plan": plan,
        "plan_sha256": hash_document(plan),
        "note": PRIVATE_NOTE if is_private else NOTE,
        **describe_shown(report, detail or {}, read_file),
    }
    published = round_figures(pick(told, is_private=is_private))
    if "models" in published:
        pairs = zip(plan["models"], published["models"], strict=True)
        published["models"] = [{**rule, **measured} for rule, measured in pairs]
    return {**published, "plan": plan}


def describe_shown(
    report: Report, detail: Report, read_file: ReadFile | None = None
) -> dict[str, Any]:
    """Return the parts of a report that are told otherwise than the stewards read them."""
    return {
        "models": [_decided(entry, report, read_file) for entry in report["models"]],
        "transformation": _describe_transformation(report),
        **_describe_risk(report),
        **describe_detail(report, detail),
    }


def describe_detail(report: Report, detail: Report) -> dict[str, Any]:
    """Return columns and measures with the detail lost as the published plan tells it."""
    return {
        "columns": _describe_columns(report, detail),
        "utility": _describe_utility(report, detail),
    }


def _describe_risk(report: Report) -> dict[str, Any]:
    """Return the risk with what it is at most in place of what the population makes of it.

    People of the population are looked up by taxonomies that were built for everybody in the table:
    whether somebody left out had a gap, or the longest code, decides who is found. Where nobody was
    left out the release decides that, too. What a population makes of it is never more than what
    the release tells alone.
    """
    risk = report.get("risk", {})
    if "population" not in risk.get("after", {}) or not _is_anybody_missing(report):
        return {}
    after = {key: own for key, own in risk["after"].items() if key != "population"}
    after |= {"journalist": after["prosecutor"]["highest"]}
    after |= {"marketer": after["prosecutor"]["average"]}
    told = {**risk, "after": after}
    if "details" in risk:
        found = risk["details"]["after"]
        most = {**found["prosecutor"], "is_bound": True}
        alone = {**found["sample_uniques"], "in_population": None}
        bounded = {**found, "journalist": most, "marketer": most, "sample_uniques": alone}
        told["details"] = {**risk["details"], "after": bounded}
    return {"risk": told}


def _is_anybody_missing(report: Report) -> bool:
    """Say whether the release may lack somebody; a made-up one has nobody of the original."""
    rows = report["rows"]
    is_complete = rows["released"] == report["input"]["rows"]
    return not is_complete or promises_privacy(report["plan"])


def round_figures(document: Any) -> Any:
    """Return figures to twelve digits: the last ones of a sum tell in which order it was made."""
    if isinstance(document, float):
        return float(f"{document:.12g}")
    if isinstance(document, list | tuple):
        return [round_figures(own) for own in document]
    if isinstance(document, Mapping):
        return {key: round_figures(own) for key, own in document.items()}
    return document


def promises_privacy(plan: Mapping[str, Any]) -> bool:
    """Say whether a method of the plan promises differential privacy."""
    methods = plan["method"] if isinstance(plan["method"], list) else [plan["method"]]
    return any(_promises(method["name"]) for method in methods)


def _promises(method: str) -> bool:
    kind = METHODS.get(method) or NETWORK_METHODS.get(method)
    return kind is not None and kind.is_private


def _decided(entry: Report, report: Report, read_file: ReadFile | None) -> Report:
    """Return what is said of a rule, without what it reaches where the release cannot decide it."""
    if why_undecided(entry, report, read_file):
        return {key: own for key, own in entry.items() if key != "achieved"}
    return entry


def why_undecided(entry: Report, report: Report, read_file: ReadFile | None) -> str:
    """Say why a release alone does not decide what a rule reaches; nothing where it does."""
    if "network" in report:
        return ""  # rules about networks look at the released links and at nothing else
    name = str(entry.get("model"))
    if name not in MODELS:
        return "it is not known here"
    if MODELS[name].needs_besides:
        return MODELS[name].needs_besides
    rule = {key: own for key, own in entry.items() if key not in MEASURED_KEYS}
    try:
        model = parse_model(Place(rule), read_file)
    except (EngineError, OSError, KeyError, TypeError):
        return "it names files that are not in the package"
    released = {name for name, column in report["columns"].items() if column["released"]}
    gone = [own for own in model.counted_columns if own not in released]
    if gone:
        return f'it counts the column "{gone[0]}", which was not released'
    if model.compares_with_original and not keeps_distribution(report):
        return "it compares with the distribution of the original, people left out included"
    return ""


def keeps_distribution(report: Report) -> bool:
    """Say whether the release has the cells of the original, all of them and no others."""
    return keeps_cells(report) and not report["rows"].get("suppressed", 1)


def keeps_cells(report: Report) -> bool:
    """Say whether the people of the release are those of the original, but for some left out."""
    steps = report.get("transformation", {}).get("steps", [])
    kinds = [METHODS[step["method"]] for step in steps if step["method"] in METHODS]
    is_changed = any(kind.moves_cells or kind.is_private for kind in kinds)
    return not is_changed and not report["rows"].get("not_drawn", 0)


def _describe_columns(report: Report, detail: Report) -> dict[str, Any]:
    """Return the columns, with what the published plan itself says of their levels."""
    own = detail.get("columns", {})
    unknown = {"level": None, "height": None, "level_name": None, "loss": None}
    return {
        name: {**column, **(unknown | own.get(name, {}))}
        for name, column in report["columns"].items()
    }


def _describe_utility(report: Report, detail: Report) -> dict[str, Any]:
    """Return the measures, with detail lost as the published plan lets anybody compute it."""
    house = ("loss", "iloss", "precision")
    kept = {name: own for name, own in report["utility"].items() if name not in house}
    return {**kept, **detail.get("utility", {})}


def _describe_transformation(report: Report) -> dict[str, Any]:
    """Return the levels used and, of each step, what its method lets out."""
    told = report["transformation"]
    mixed = columns_of_several_levels(report)
    levels = {name: level for name, level in told["levels"].items() if name not in mixed}
    return {"levels": levels, "steps": [_describe_step(step) for step in told.get("steps", [])]}


def columns_of_several_levels(report: Report) -> set[str]:
    """Return the columns that show labels of several levels, since there were several rounds."""
    rounds = report.get("transformation", {}).get("rounds", [])
    shown: dict[str, set[int]] = {}
    for levels in (own["levels"] for own in rounds):
        for name, level in levels.items():
            shown.setdefault(name, set()).add(level)
    return {name for name, levels in shown.items() if len(levels) > 1}


def _describe_step(step: Report) -> dict[str, Any]:
    kind = METHODS.get(step["method"]) or NETWORK_METHODS.get(step["method"])
    figures = {key: own for key, own in step.items() if key != "method"}
    return {"method": step["method"], **(kind.published_figures(figures) if kind else {})}


def hide_values_in_report(report: Report, plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report with its rules, wherever it names them, in the words of a hidden plan.

    What is told by values is left out.
    """
    words = list(zip(report["plan"]["models"], plan["models"], strict=True))
    kept = {key: own for key, own in report.items() if key not in TOLD_BY_VALUES}
    return {key: plan if key == "plan" else _said_in(words, own) for key, own in kept.items()}


def _said_in(words: Sequence[tuple[Report, Report]], own: Any) -> Any:
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
