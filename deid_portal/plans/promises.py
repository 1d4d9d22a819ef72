"""The plan as sentences. The rules explain themselves; this only strings them together."""

from dataclasses import dataclass

from deid_portal.datasets.models import ColumnRole, Dataset, Treatment
from deid_portal.engine import Plan
from deid_portal.engine.methods.method import records_allowed


@dataclass(frozen=True)
class Promise:
    sentences: list[str]
    pills: list[str]
    cautions: list[str]


def describe_promise(dataset: Dataset, plan: Plan) -> Promise:
    method = plan.to_document()["method"]
    limit = method["suppression_limit"]
    rows = records_allowed(limit, dataset.rows)
    sentences = [model.explain() for model in plan.models]
    if rows:
        sentences.append(f"At most {_percent(limit)} of the rows are left out, {rows:,} people.")
    else:
        sentences.append("Nobody is left out.")
    sentences.extend(_removed(dataset))
    pills = [_pill(model) for model in plan.to_document()["models"]]
    pills += [f"{method['name']}, optimal", method["metric"], f"limit {limit:g}"]
    return Promise(sentences, pills, plan.cautions())


def _percent(share: float) -> str:
    return f"{100 * share:.3g}\u00a0%"


def _pill(rule: dict[str, object]) -> str:
    numbers = [str(rule[name]) for name in ("k", "l") if name in rule]
    about = f" on {rule['column']}" if "column" in rule else ""
    return f"{rule['model']} {' '.join(numbers)}{about}"


def _removed(dataset: Dataset) -> list[str]:
    identifiers = dataset.columns.filter(role=ColumnRole.IDENTIFIER)
    removed = [c.name for c in identifiers if c.treatment == Treatment.REMOVE]
    replaced = [c.name for c in identifiers if c.treatment == Treatment.PSEUDONYM]
    sentences = []
    if removed:
        verb = "is" if len(removed) == 1 else "are"
        sentences.append(f"{_listed(removed)} {verb} removed.")
    if replaced:
        sentences.append(f"{_listed(replaced)} become pseudonyms that only this team's key makes.")
    return sentences


def _listed(names: list[str]) -> str:
    shown = names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} more columns"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
