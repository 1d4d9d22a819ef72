"""The plan in sentences, made of the explanations of its models and methods."""

from dataclasses import dataclass
from typing import Any

from deid_portal.datasets.models import ColumnRoleChoices, Dataset, TreatmentChoices
from deid_portal.engine import Plan
from deid_portal.engine.methods import METHODS
from deid_portal.engine.methods.method import records_allowed
from deid_portal.engine.methods.restating_method import names_restated
from deid_portal.engine.table.values import NUMERIC
from deid_portal.plans.amounts import variety_of

MANY_COLUMNS = 10
ABOUT_IDENTITY = "Randomness alone protects nobody's identity: it needs a rule beside it."


@dataclass(frozen=True)
class Formula:
    """A link from a term of the promise to its formula."""

    label: str
    help_slug: str


@dataclass(frozen=True)
class Promise:
    sentences: list[str]
    pills: list[str]
    cautions: list[str]
    formulas: list[Formula]
    names: list[str]  # of the columns

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def describe_promise(dataset: Dataset, plan: Plan) -> Promise:
    document = plan.to_document()
    methods = [method.to_document() for method in plan.methods]
    return Promise(
        sentences=[
            *(model.explain() for model in plan.models),
            *(_method_sentences(plan)),
            *_left_out(dataset, methods),
            *_removed(dataset),
        ],
        pills=[
            *(_pill(model["model"], model) for model in document["models"]),
            *(_pill(method["name"], method) for method in methods),
        ],
        cautions=[
            *plan.cautions(),
            *_cautions_about_amounts(dataset, plan),
            *_cautions_about_methods(plan),
            *_cautions_about_time(plan),
        ],
        formulas=[Formula(name, f"model-{name}") for name in _once(m.name for m in plan.models)],
        names=[column.name for column in plan.columns],
    )


def _once(words: Any) -> list[str]:
    return list(dict.fromkeys(words))


def _method_sentences(plan: Plan) -> list[str]:
    if len(plan.methods) == 1:
        return [plan.methods[0].explain()]
    order = ["First", *["Then"] * len(plan.methods)]
    return [
        f"{word} {method.title}: {method.explain()}"
        for word, method in zip(order, plan.methods, strict=False)
    ]


def _cautions_about_methods(plan: Plan) -> list[str]:
    """Caution if no method makes the models hold, only perturbing ones."""
    if any(method.makes_classes for method in plan.methods):
        return []
    if all(method.protects_by_chance for method in plan.methods) and not plan.models:
        return [ABOUT_IDENTITY]
    if plan.models and not plan.methods[0].is_private:
        return [
            "None of these methods makes the rules hold; the run answers “no solution” unless the "
            "table keeps them already."
        ]
    return []


def _cautions_about_time(plan: Plan) -> list[str]:
    """Caution if there are so many combinations of levels that the search takes long."""
    count = len(plan.quasi_identifiers)
    searches = any(method.searches_all_levels for method in plan.methods)
    if count <= MANY_COLUMNS or not searches:
        return []
    return [
        f"There are {count} quasi-identifiers. Time grows fast beyond {MANY_COLUMNS} columns; "
        "consider top-down."
    ]


def _cautions_about_amounts(dataset: Dataset, plan: Plan) -> list[str]:
    """Caution against rules that hold by themselves, because nearly all values differ."""
    restated = names_restated(plan.methods)
    found = []
    for column in dataset.columns.filter(role=ColumnRoleChoices.SENSITIVE):
        variety = variety_of(column, dataset.rows)
        rules = [
            own.name
            for own in plan.models
            if own.ignores_nearness and column.name in own.counted_columns
        ]
        if rules and column.name not in restated and variety.is_mostly_lone:
            instead = (
                "Ask for (k, e)-anonymity, (ε, m)-anonymity or t-closeness in order, or show it "
                "rounded or in groups."
                if column.type in NUMERIC
                else "Show it in groups."
            )
            found.append(
                f"{variety.lone:,} of {variety.records:,} values of {column.name} occur once, so "
                f"{_listed(_once(rules))} holds by itself: any group has different values, however "
                f"near they are. {instead}"
            )
    return found


def _left_out(dataset: Dataset, methods: list[dict[str, Any]]) -> list[str]:
    limits = [method["suppression_limit"] for method in methods if "suppression_limit" in method]
    if not limits and all(METHODS[own["name"]].leaves_out_nobody for own in methods):
        return ["Nobody is left out."]
    if not limits:
        return []
    rows = records_allowed(max(limits), dataset.rows)
    if not rows:
        return ["Nobody is left out."]
    people = "1 person" if rows == 1 else f"{rows:,} people"
    return [f"At most {_percent(max(limits))} of the rows are left out, {people}."]


def _percent(share: float) -> str:
    return f"{100 * share:.3g}\u00a0%"


def _pill(name: str, part: dict[str, Any]) -> str:
    """Name a part of the plan with its numbers: "k-anonymity k 5"."""
    numbers = [
        f"{key.replace('_', ' ')} {value:g}"
        for key, value in part.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
        if key != "time_limit_seconds"
    ]
    about = f" on {part['column']}" if isinstance(part.get("column"), str) else ""
    return f"{name} {', '.join(numbers)}".strip() + about


def _removed(dataset: Dataset) -> list[str]:
    identifiers = dataset.columns.filter(role=ColumnRoleChoices.IDENTIFIER)
    removed = [c.name for c in identifiers if c.treatment == TreatmentChoices.REMOVE]
    replaced = [c.name for c in identifiers if c.treatment == TreatmentChoices.PSEUDONYM]
    reversible = [c.name for c in identifiers if c.treatment == TreatmentChoices.REVERSIBLE]
    masked = [c.name for c in identifiers if c.treatment == TreatmentChoices.MASK]
    sentences = []
    if removed:
        verb = "is" if len(removed) == 1 else "are"
        sentences.append(f"The {_columns(removed)} {_listed(removed)} {verb} removed.")
    if replaced:
        become = "becomes a pseudonym" if len(replaced) == 1 else "become pseudonyms"
        names = f"The {_columns(replaced)} {_listed(replaced)}"
        sentences.append(f"{names} {become} that only this team's key makes.")
    if reversible:
        sentences.append(
            f"{_listed(reversible)} become pseudonyms that administrators of this team can look up."
        )
    if masked:
        verb = "shows" if len(masked) == 1 else "show"
        sentences.append(f"The {_columns(masked)} {_listed(masked)} {verb} ***** in every row.")
    return sentences


def _columns(names: list[str]) -> str:
    return "column" if len(names) == 1 else "columns"


def _listed(names: list[str]) -> str:
    shown = names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} more columns"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
