"""The mapping from pseudonyms back to values, if the plan of a run asks for reversible ones."""

from dataclasses import dataclass

from deid_portal.datasets.models import PseudonymKey
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Outcome, Plan, Table
from deid_portal.engine.release.pseudonyms import ways_back
from deid_portal.pseudonyms.services import delete_way_back, keep_way_back, store_way_back
from deid_portal.runs.models import Run


@dataclass(frozen=True)
class StoredWayBack:
    key: PseudonymKey
    pseudonyms: int


def store_way_back_of(
    run: Run, plan: Plan, outcome: Outcome, key: PseudonymKey
) -> StoredWayBack | None:
    """Store the mapping for this attempt, before the run is marked as finished."""
    names = plan.reversible_columns
    if outcome.released is None or not names:
        return None
    columns = run.dataset.columns.filter(name__in=names)
    original = Table(tuple(values_of(column) for column in columns))
    count = store_way_back(
        dataset=run.dataset,
        run_id=run.id,
        attempt=run.attempt,
        ways=ways_back(original, outcome.released, names, key.bytes),
    )
    return StoredWayBack(key, count)


def enter_way_back(run: Run, stored: StoredWayBack) -> None:
    keep_way_back(
        dataset=run.dataset,
        run_id=run.id,
        run_number=run.number,
        attempt=run.attempt,
        key=stored.key,
        pseudonyms=stored.pseudonyms,
        asked_by=run.started_by,
    )


def delete_way_back_of(run: Run, attempt: int) -> None:
    delete_way_back(run.dataset, run.id, attempt)
