"""The published form of a report, and the form kept after its table was deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from deid_portal.engine.documents import Place, hash_document
from deid_portal.engine.errors import EngineError
from deid_portal.engine.methods import METHODS
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.privacy import MODELS, parse_model
from deid_portal.engine.publication.allow_list import pick_allowed
from deid_portal.engine.report import Report
from deid_portal.engine.report.detail import (
    NO_DETAIL,
    UNKNOWN_DETAIL,
    ColumnDetail,
    DetailMeasures,
    PublishedDetail,
)
from deid_portal.engine.report.risk import RiskDetailsBothWays, RiskReport
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.report.transformation import MethodStep, Transformation
from deid_portal.engine.report.utility import UtilityMeasures
from deid_portal.engine.taxonomies.recipe import ReadFile

# Entries by values that the release may not contain (`HouseDetails`), or about suppressed records.
TOLD_BY_VALUES = (
    "who_pays", "distributions", "spread", "isolation", "examples", "remedies", "walk", "beside",
    "released_labels", "exploration",
)  # fmt: skip
Rule = Mapping[str, Any]
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
    detail: PublishedDetail = NO_DETAIL,
    read_file: ReadFile | None = None,
) -> Report:
    """Return the published form of a report, for the document of a published plan.

    It has only the entries listed in `allow_list.py`. `detail` is the result of `measure_detail`
    for the release and that plan; without it the loss is omitted. The hash is that of the published
    plan: with a hash of the full plan, guesses of a seed or a hidden label could be verified.
    """
    is_private = promises_privacy(plan)
    told = replace(
        retell(report, detail, read_file),
        plan=plan,
        plan_sha256=hash_document(plan),
        note=PRIVATE_NOTE if is_private else NOTE,
    )
    published = round_figures(pick_allowed(told.to_document(), is_private=is_private))
    if "models" in published:
        pairs = zip(plan["models"], published["models"], strict=True)
        published["models"] = [{**rule, **measured} for rule, measured in pairs]
    return Report.from_document({**published, "plan": plan})


def retell(report: Report, detail: PublishedDetail, read_file: ReadFile | None = None) -> Report:
    """Replace the entries whose published values differ from the internal ones."""
    return replace(
        report,
        models=tuple(_decided(rule, report, read_file) for rule in report.models),
        transformation=_retell_transformation(report),
        risk=_retell_risk(report),
        columns=retell_columns(report.columns, detail),
        utility=retell_utility(report.utility, detail),
    )


def retell_columns(
    columns: Mapping[str, ColumnReport], detail: PublishedDetail
) -> dict[str, ColumnReport]:
    """Replace levels and loss of columns by those computed from the published plan."""
    told = detail.columns or {}
    return {
        name: _retell_column(own, told.get(name, UNKNOWN_DETAIL)) for name, own in columns.items()
    }


def _retell_column(column: ColumnReport, told: ColumnDetail) -> ColumnReport:
    return replace(
        column,
        level=told.level,
        height=told.height,
        level_name=told.level_name,
        loss=told.loss,
    )


def retell_utility(utility: UtilityMeasures, detail: PublishedDetail) -> UtilityMeasures:
    """Replace the loss by the one computed from the published plan."""
    told = detail.utility or DetailMeasures()
    return replace(utility, loss=told.loss, iloss=told.iloss, precision=told.precision)


def _retell_risk(report: Report) -> RiskReport:
    """Replace population-based risks by their upper bound, computed from the release alone.

    The population is matched through taxonomies built from the whole table, so the result depends
    on suppressed records (whether one had a missing value, or the longest code). Without suppressed
    records it depends on the release only and is kept. A population-based risk is never larger than
    the risk computed from the release alone.
    """
    risk, after = report.risk, report.risk.after
    if after.population is None or not _is_anybody_missing(report):
        return risk
    highest, average = after.prosecutor.highest, after.prosecutor.average
    alone = replace(after, population=None, journalist=highest, marketer=average)
    return replace(risk, after=alone, details=_bound_details(risk.details))


def _bound_details(details: RiskDetailsBothWays | None) -> RiskDetailsBothWays | None:
    if details is None or details.after is None:
        return details
    found = details.after
    most = replace(found.prosecutor, is_bound=True)
    alone = replace(found.sample_uniques, in_population=None)
    bounded = replace(found, journalist=most, marketer=most, sample_uniques=alone)
    return replace(details, after=bounded)


def _is_anybody_missing(report: Report) -> bool:
    """Say whether original records are not in the release; a synthetic release contains none."""
    return report.rows.released != report.input.rows or promises_privacy(report.plan)


def round_figures(document: Any) -> Any:
    """Round to twelve digits: the last digits of a sum reveal the order of its terms."""
    if isinstance(document, float):
        return float(f"{document:.12g}")
    if isinstance(document, list | tuple):
        return [round_figures(own) for own in document]
    if isinstance(document, Mapping):
        return {key: round_figures(own) for key, own in document.items()}
    return document


def promises_privacy(plan: Mapping[str, Any]) -> bool:
    """Say whether a method of the plan is differentially private."""
    methods = plan["method"] if isinstance(plan["method"], list) else [plan["method"]]
    return any(_promises(method["name"]) for method in methods)


def _promises(method: str) -> bool:
    kind = METHODS.get(method) or NETWORK_METHODS.get(method)
    return kind is not None and kind.is_private


def _decided(rule: RuleVerdict, report: Report, read_file: ReadFile | None) -> RuleVerdict:
    """Remove what a rule reaches if that cannot be computed from the release alone."""
    return replace(rule, achieved=None) if why_undecided(rule, report, read_file) else rule


def why_undecided(entry: RuleVerdict, report: Report, read_file: ReadFile | None) -> str:
    """Return why the figures of a rule cannot be computed from the release; "" if they can."""
    if report.network is not None:
        return ""  # rules about networks depend on released links only
    if entry.model not in MODELS:
        return "it is not known here"
    if MODELS[entry.model].needs_besides:
        return MODELS[entry.model].needs_besides
    try:
        model = parse_model(Place(entry.rule), read_file)
    except (EngineError, OSError, KeyError, TypeError):
        return "it names files that are not in the package"
    released = {name for name, column in report.columns.items() if column.released}
    gone = [own for own in model.counted_columns if own not in released]
    if gone:
        return f'it counts the column "{gone[0]}", which was not released'
    if model.compares_with_original and not keeps_distribution(report):
        return "it compares with the distribution of the original, people left out included"
    return ""


def keeps_distribution(report: Report) -> bool:
    """Say whether the release has the distribution of the original: none suppressed or moved."""
    return keeps_cells(report) and report.rows.tells("suppressed") and not report.rows.suppressed


def keeps_cells(report: Report) -> bool:
    """Say whether the release differs from the original by generalization and suppression only."""
    kinds = [METHODS[step.method] for step in report.steps if step.method in METHODS]
    is_changed = any(kind.moves_cells or kind.is_private for kind in kinds)
    return not is_changed and not report.rows.not_drawn


def _retell_transformation(report: Report) -> Transformation:
    """Return the levels used, and the published notes of each method."""
    mixed = columns_of_several_levels(report.transformation)
    levels = report.transformation.levels
    return Transformation(
        levels={name: level for name, level in levels.items() if name not in mixed},
        steps=tuple(_publish_step(step) for step in report.steps),
    )


def columns_of_several_levels(made: Transformation) -> set[str]:
    """Return the columns with labels of several levels, after several rounds of local recoding."""
    shown: dict[str, set[int]] = {}
    for own in made.rounds or ():
        for name, level in own.levels.items():
            shown.setdefault(name, set()).add(level)
    return {name for name, levels in shown.items() if len(levels) > 1}


def _publish_step(step: MethodStep) -> MethodStep:
    kind = METHODS.get(step.method) or NETWORK_METHODS.get(step.method)
    return MethodStep(step.method, kind.published_figures(step.notes) if kind else {})


def hide_values_in_report(report: Report, plan: Mapping[str, Any]) -> Report:
    """Replace every rule in a report by the rule of a plan without values (`hide_values`).

    Entries by values of the table are removed.
    """
    words = list(zip(report.plan["models"], plan["models"], strict=True))
    kept = {key: own for key, own in report.to_document().items() if key not in TOLD_BY_VALUES}
    return Report.from_document(
        {key: plan if key == "plan" else _said_in(words, own) for key, own in kept.items()}
    )


def _said_in(words: Sequence[tuple[Rule, Rule]], own: Any) -> Any:
    """Replace every rule in a part of a report, keeping its measured values."""
    if isinstance(own, list):
        return [_said_in(words, item) for item in own]
    if not isinstance(own, dict):
        return own
    for rule, hidden in words:
        if all(key in own and own[key] == rule[key] for key in rule):
            left = {key: item for key, item in own.items() if key not in rule or key in hidden}
            return {**left, **hidden}
    return {key: _said_in(words, item) for key, item in own.items()}
