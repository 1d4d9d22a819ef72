"""Fifty threads want one ε each of a budget of ten. Run by test_spending_at_once.py, alone."""

import json
import sys
from threading import Barrier, Thread
from uuid import uuid4

import django
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

THREADS = 50

django.setup()
# Tables as the models say, without walking through their history.
settings.MIGRATION_MODULES = dict.fromkeys(app.label for app in apps.get_app_configs())
call_command("migrate", run_syncdb=True, verbosity=0)

from django.db import connection  # noqa: E402

from deid_portal.accounts.models import Role  # noqa: E402
from deid_portal.datasets.models import Dataset  # noqa: E402
from deid_portal.querydesk.ledger import balance_of  # noqa: E402
from deid_portal.querydesk.models import Desk  # noqa: E402
from deid_portal.web.refusals import Refused  # noqa: E402
from deid_portal.work import leases  # noqa: E402
from tests import factories  # noqa: E402

# Nobody listens at the queue, and waiting for that to be certain takes seconds each time.
leases.send = lambda *_: False
team = factories.make_team()
steward = factories.make_person("steward", team, Role.STEWARD)
people = [factories.make_person(f"person{n}", team, Role.ANALYST) for n in range(THREADS)]
dataset = Dataset.objects.create(
    team=team,
    name="Patients",
    state=Dataset.State.READY,
    file_name="patients.csv",
    file_bytes=1,
    file_sha256="0" * 64,
    table_id=uuid4(),
    created_by=steward,
)
desk = factories.make_desk(steward, team, dataset, total_micro=10_000_000)
barrier = Barrier(THREADS)
outcomes: list[str] = []


def spend(place: int) -> None:
    barrier.wait()
    try:
        # Each asks something else, else all but the first would be free.
        factories.ask_about(
            Desk.objects.get(id=desk.id),
            people[place],
            where=[{"column": "Age", "at_least": place}],
        )
        outcomes.append("paid")
    except Refused:
        outcomes.append("refused")
    except Exception as error:
        outcomes.append(type(error).__name__)
        sys.stderr.write(f"{error!r}\n")
    finally:
        connection.close()


threads = [Thread(target=spend, args=(place,)) for place in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
numbers = list(desk.entries.order_by("number").values_list("number", flat=True))
sys.stdout.write(
    json.dumps(
        {
            "paid": outcomes.count("paid"),
            "refused": outcomes.count("refused"),
            "left": balance_of(desk, people[0]).total,
            "entries": len(numbers),
            "in_order": numbers == list(range(1, len(numbers) + 1)),
            "questions": desk.questions.count(),
            "database": connection.vendor,
        }
    )
)
