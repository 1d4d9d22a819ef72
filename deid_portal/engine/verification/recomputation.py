"""Recompute the claims of a report from the released cells alone.

Claims that compare with the original are taken on trust (`trusted.py`), unless nothing was
suppressed and no cells were changed, so that the release has the distribution of the original.
"""

from dataclasses import astuple
from typing import Any

from deid_portal.engine.errors import EngineError
from deid_portal.engine.privacy import PrivacyModel
from deid_portal.engine.privacy.population_model import COUNTS_PEOPLE
from deid_portal.engine.progress import Progress
from deid_portal.engine.publication.published_report import why_undecided
from deid_portal.engine.report.risk import ClassRisk, RiskDetails
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.risk.classes import measure_risk, summarize_classes
from deid_portal.engine.risk.guesses import measure_surest_guess
from deid_portal.engine.risk.lone_values import ValueVariety
from deid_portal.engine.risk.safe_harbor import check_safe_harbor
from deid_portal.engine.risk.summary import summarize_risk
from deid_portal.engine.verification.claimed_release import ClaimedRelease
from deid_portal.engine.verification.claims import TOLERANCE, Claims
from deid_portal.engine.verification.detail import compare_claimed_columns, compare_utility
from deid_portal.engine.verification.trusted import list_what_is_trusted


def recompute(claimed: ClaimedRelease, claims: Claims) -> None:
    """Check every number of the report that can be computed from the table."""
    _compare_with_plan(claimed, claims)
    _compare_rows(claimed, claims)
    _compare_risk(claimed, claims)
    _compare_models(claimed, claims)
    compare_claimed_columns(claimed, claims)
    compare_utility(claimed, claims)
    list_what_is_trusted(claimed.report.to_document(), claims)


def _compare_with_plan(claimed: ClaimedRelease, claims: Claims) -> None:
    """Check that report and plan have the same roles and rules, which determine all figures."""
    if not claimed.plan:
        return
    told = claimed.columns
    planned = {n: own["role"] for n, own in claimed.plan["columns"].items() if n in told}
    said = {name: told[name].role for name in planned}
    words = "report.json: a column has another role than in plan.json."
    claims.hold("roles of the plan", said == planned, words)
    if claimed.report.tells("models"):
        rules = [entry.rule for entry in claimed.rules]
        words = "report.json: its rules are not those of plan.json."
        claims.hold("rules of the plan", rules == claimed.plan["models"], words)


def _compare_rows(claimed: ClaimedRelease, claims: Claims) -> None:
    report, sizes = claimed.report, claimed.measured.classes.sizes
    rows = report.rows
    words = "report.json: it is about a plan that nothing satisfied."
    claims.hold("solution", report.solution, words)
    claims.compare("rows.released", rows.released, claimed.table.rows)
    if report.tells("input"):
        whole = claimed.table.rows + claimed.left_out + (rows.not_drawn or 0)
        claims.compare("input.rows", report.input.rows, whole)
    claims.compare("classes", report.classes, summarize_classes(sizes))


def _compare_risk(claimed: ClaimedRelease, claims: Claims) -> None:
    risk = claimed.report.risk
    after, details = risk.after, risk.details.after if risk.details is not None else None
    found = measure_risk(claimed.look_alikes.counts).to_document()
    if after.population is not None:
        _compare_among_people(claims, after, found)
    claims.compare("risk.after", after, found)
    if details is not None and claimed.facts:
        _compare_details(claimed, claims, details)
    if risk.safe_harbor is not None:
        found_kinds = sorted(astuple(own) for own in check_safe_harbor(claimed.table).findings)
        said = sorted(astuple(own) for own in risk.safe_harbor)
        claims.hold(
            "risk.safe_harbor", said == found_kinds, "risk.safe_harbor: other columns were found."
        )
    for name, own in (claimed.report.sensitive or {}).items():
        if name in claimed.table:
            guesses = measure_surest_guess(claimed.table, claimed.groups, [name], Progress(None))
            claims.compare(f"sensitive.{name}.surest_guess", own.surest_guess, guesses[name])
            variety = ValueVariety.of(claimed.table[name])
            # Packages of earlier versions do not say how many values occur once.
            if own.lone_values is not None:
                claims.compare(f"sensitive.{name}.lone_values", own.lone_values, variety.lone)
            if own.values is not None:
                claims.compare(f"sensitive.{name}.values", own.values, variety.records)


def _compare_among_people(claims: Claims, after: ClassRisk, found: dict[str, Any]) -> None:
    """Compare risks based on a population, which is not in the package, with their upper bounds.

    Removes these figures from `found`.
    """
    said_of = {"journalist": after.journalist, "marketer": after.marketer}
    for name, said in said_of.items():
        limit = found.pop(name)
        is_possible = 0 <= said <= limit + TOLERANCE
        words = f"risk.after.{name}: a population cannot make it more than {limit:.6g}."
        claims.hold(f"risk.after.{name}, at most", is_possible, words)
    places = [f"risk.after.{name}" for name in (*said_of, "population")]
    claims.trust("risk among the population", COUNTS_PEOPLE, *places)


def _compare_details(claimed: ClaimedRelease, claims: Claims, details: RiskDetails) -> None:
    threshold = details.prosecutor.threshold
    found = summarize_risk(claimed.look_alikes, threshold=threshold).to_document()
    after = claimed.report.risk.after
    # In packages of earlier versions only the details had risks based on a population.
    if after.population is not None or not details.journalist.is_bound:
        counted = ("journalist", "marketer", "sample_uniques")
        places = [f"risk.details.after.{name}" for name in counted]
        claims.trust("risk of the journalist", COUNTS_PEOPLE, *places)
        for name in counted:
            found.pop(name)
    if after.population is not None:
        found |= {
            "journalist": {"highest": after.journalist},
            "marketer": {"average": after.marketer},
            "sample_uniques": {"share": after.sample_uniques},
        }
    if details.pairs is None:  # packages of earlier versions do not tell it
        found.pop("pairs", None)
    claims.compare("risk.details.after", details, found)


def _compare_models(claimed: ClaimedRelease, claims: Claims) -> None:
    for place, entry in enumerate(claimed.rules):
        _compare_model(claimed, claims, place, entry)


def _compare_model(claimed: ClaimedRelease, claims: Claims, place: int, entry: RuleVerdict) -> None:
    name, model = entry.model, claimed.models[place]
    column = f" of {entry.column}" if "column" in entry.parameters else ""
    if why := _why_not(claimed, model, entry):
        claims.trust(
            f"{name}{column}",
            f"{why}{_against_the_release(claimed, model)}",
            f"models.{place}.achieved",
            f"models.{place}.holds",
        )
        return
    assert model is not None  # noqa: S101 - checked by `_why_not`
    classes, whole = claimed.measured.classes, claimed.measured.whole
    try:
        passes = bool(len(classes.sizes)) and bool(model.passes(classes, whole).all())
        found = {
            "achieved": model.achieved(classes, whole),
            "holds": passes and model.accepts(classes, whole),
        }
    except EngineError:
        why = "it looks for labels that this release does not show"
        claims.trust(f"{name}{column}", why, f"models.{place}.achieved", f"models.{place}.holds")
        return
    claims.compare(f"models.{place}", entry, found)
    claims.hold(
        f"{name}{column} holds", bool(found["holds"]), f"{name}{column}: the rule does not hold."
    )


def _against_the_release(claimed: ClaimedRelease, model: PrivacyModel | None) -> str:
    """Return the figures of a rule about the original, computed with the release in its place."""
    if model is None or not model.compares_with_original:
        return ""
    if any(own not in claimed.table for own in model.counted_columns):
        return ""
    if model.needs_taxonomy and not claimed.plan:
        return ""
    reached = model.achieved(claimed.measured.classes, claimed.measured.whole)
    figures = ", ".join(f"{name} {own:.4g}" for name, own in reached.items())
    return f"; compared with the release itself it is {figures}"


def _why_not(claimed: ClaimedRelease, model: PrivacyModel | None, entry: RuleVerdict) -> str:
    """Return why a rule cannot be measured on the release; "" if it can."""
    if why := why_undecided(entry, claimed.report, claimed.read_file):
        return why
    if model is None:
        return "it names files that are not in the package"
    if model.needs_taxonomy and not claimed.plan:
        return "it needs the taxonomy that the recipe names, and the recipe was kept back"
    return ""
