"""What of a report may leave with its release, and what may be kept when the table is forgotten."""

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

# Told by values that the release may not show (`HouseDetails`), or about people it leaves out.
TOLD_BY_VALUES = (
    "who_pays", "distributions", "spread", "isolation", "examples", "remedies", "walk", "beside",
    "released_labels",
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
    """Return a report as it may leave beside the document of a published plan.

    Only what is listed in `allow_list.py` does. `detail` is what `measure_detail` found of the
    release and that plan; without it nothing is said of the detail lost. The hash is that plan's,
    too: one of the full plan would tell whoever guesses a seed or a hidden label that the guess is
    right.
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
    """Return a report with the parts that are told otherwise than the stewards read them."""
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
    """Return the columns, with what the published plan itself says of their levels."""
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
    """Return the measures, with detail lost as the published plan lets anybody compute it."""
    told = detail.utility or DetailMeasures()
    return replace(utility, loss=told.loss, iloss=told.iloss, precision=told.precision)


def _retell_risk(report: Report) -> RiskReport:
    """Return the risk with what it is at most in place of what the population makes of it.

    People of the population are looked up by taxonomies that were built for everybody in the table:
    whether somebody left out had a gap, or the longest code, decides who is found. Where nobody was
    left out the release decides that, too. What a population makes of it is never more than what
    the release tells alone.
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
    """Say whether the release may lack somebody; a made-up one has nobody of the original."""
    return report.rows.released != report.input.rows or promises_privacy(report.plan)


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


def _decided(rule: RuleVerdict, report: Report, read_file: ReadFile | None) -> RuleVerdict:
    """Return what is said of a rule, without what it reaches where the release cannot decide it."""
    return replace(rule, achieved=None) if why_undecided(rule, report, read_file) else rule


def why_undecided(entry: RuleVerdict, report: Report, read_file: ReadFile | None) -> str:
    """Say why a release alone does not decide what a rule reaches; nothing where it does."""
    if report.network is not None:
        return ""  # rules about networks look at the released links and at nothing else
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
    """Say whether the release has the cells of the original, all of them and no others."""
    return keeps_cells(report) and report.rows.tells("suppressed") and not report.rows.suppressed


def keeps_cells(report: Report) -> bool:
    """Say whether the people of the release are those of the original, but for some left out."""
    kinds = [METHODS[step.method] for step in report.steps if step.method in METHODS]
    is_changed = any(kind.moves_cells or kind.is_private for kind in kinds)
    return not is_changed and not report.rows.not_drawn


def _retell_transformation(report: Report) -> Transformation:
    """Return the levels used and, of each step, what its method lets out."""
    mixed = columns_of_several_levels(report.transformation)
    levels = report.transformation.levels
    return Transformation(
        levels={name: level for name, level in levels.items() if name not in mixed},
        steps=tuple(_publish_step(step) for step in report.steps),
    )


def columns_of_several_levels(made: Transformation) -> set[str]:
    """Return the columns that show labels of several levels, since there were several rounds."""
    shown: dict[str, set[int]] = {}
    for own in made.rounds or ():
        for name, level in own.levels.items():
            shown.setdefault(name, set()).add(level)
    return {name for name, levels in shown.items() if len(levels) > 1}


def _publish_step(step: MethodStep) -> MethodStep:
    kind = METHODS.get(step.method) or NETWORK_METHODS.get(step.method)
    return MethodStep(step.method, kind.published_figures(step.notes) if kind else {})


def hide_values_in_report(report: Report, plan: Mapping[str, Any]) -> Report:
    """Return a report with its rules, wherever it names them, in the words of a hidden plan.

    What is told by values is left out.
    """
    words = list(zip(report.plan["models"], plan["models"], strict=True))
    kept = {key: own for key, own in report.to_document().items() if key not in TOLD_BY_VALUES}
    return Report.from_document(
        {key: plan if key == "plan" else _said_in(words, own) for key, own in kept.items()}
    )


def _said_in(words: Sequence[tuple[Rule, Rule]], own: Any) -> Any:
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
