"""What happens to attacks when their table is deleted.

Without the original no attack can be scored: open tests are stopped, and outside tables are deleted
at once. Results are kept; they hold counts and names of columns.
"""

from deid_portal.attacks.models import AttackTest, OutsideTable
from deid_portal.attacks.outside import delete_table
from deid_portal.datasets.models import Dataset
from deid_portal.work.leases import OPEN_STATUSES, request_stop


def forget_attacks(dataset: Dataset) -> dict[str, int]:
    for test in AttackTest.objects.filter(run__dataset=dataset, status__in=OPEN_STATUSES):
        request_stop(test)
    brought = list(OutsideTable.objects.filter(run__dataset=dataset, deleted_at=None))
    for table in brought:
        delete_table(table)
    return {"outside_tables": len(brought)}
