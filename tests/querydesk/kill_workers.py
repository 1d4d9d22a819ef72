"""Workers killed (SIGKILL) at every step of answering. Run by test_killed_workers.py, alone."""

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

import django
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

django.setup()
# Tables as the models say, without walking through their history.
settings.MIGRATION_MODULES = dict.fromkeys(app.label for app in apps.get_app_configs())
call_command("migrate", run_syncdb=True, verbosity=0)

from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from deid_portal.audit.models import Event  # noqa: E402
from deid_portal.querydesk import answer_job  # noqa: E402
from deid_portal.querydesk.ledger import balance_of  # noqa: E402
from deid_portal.querydesk.models import Question  # noqa: E402
from deid_portal.querydesk.tasks import answer_question  # noqa: E402
from deid_portal.work import leases  # noqa: E402
from deid_portal.work.leases import claim, pick_up_forgotten  # noqa: E402
from tests import factories  # noqa: E402
from tests.conftest import make_cast  # noqa: E402

# Nobody listens at the queue, and waiting for that to be certain takes seconds each time.
leases.send = lambda *_: False
DRAWN = Path(os.environ["DATA_DIR"]) / "drawn"  # one line per draw, whoever made it
ENDINGS = ("question.answered", "question.failed")


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise SystemExit("still alive")


def dying_in(name: str, *, after: bool = False) -> None:
    """Let the process die when a step of answering begins, or once it is done."""
    real: Callable[..., Any] = getattr(answer_job, name)

    def deadly(*args: Any, **kwargs: Any) -> NoReturn:
        if after:
            real(*args, **kwargs)
        die()

    setattr(answer_job, name, deadly)


MOMENTS: dict[str, Callable[[], None]] = {
    "opening": lambda: dying_in("open_subject"),
    "opened": lambda: dying_in("open_subject", after=True),
    "marked": lambda: dying_in("_mark_drawing", after=True),
    "drawn": lambda: dying_in("answer_about", after=True),
    # The answer stands in the row, and its transaction is still open.
    "keeping": lambda: dying_in("_record_end"),
    "kept": lambda: dying_in("_keep", after=True),
}


def count_draws() -> None:
    real = answer_job.answer_about

    def counted(*args: Any) -> Any:
        with DRAWN.open("a") as stream:
            stream.write("drawn\n")
        return real(*args)

    answer_job.answer_about = counted


def work_in_a_process_that_dies(question: Question, prepare: Callable[[], None]) -> int:
    """Do a worker's work in a process of its own; return the signal that ended it."""
    connection.close()
    child = os.fork()
    if not child:
        try:
            prepare()
            lease = claim(Question, str(question.id))
            if lease is not None:
                answer_job.perform_question(lease)
        finally:
            os._exit(1)  # nothing of the parent's is tidied up twice
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def find_and_work_again(question: Question) -> None:
    """What the sweep and the next worker do once heartbeats are missing; twice, as they may."""
    for _ in range(2):
        long_ago = timezone.now() - timedelta(hours=1)
        Question.objects.filter(id=question.id).update(heartbeat_at=long_ago)
        pick_up_forgotten(Question, answer_question, answer_job.give_up_question)
        lease = claim(Question, str(question.id))
        if lease is not None:
            answer_job.perform_question(lease)


cast = make_cast()
desk = factories.make_desk(cast.steward, cast.team)
count_draws()
found: dict[str, Any] = {}
for place, (moment, prepare) in enumerate(MOMENTS.items()):
    DRAWN.write_text("")
    left = balance_of(desk, cast.analyst).left
    where = [{"column": "Age", "at_least": place}]
    question = factories.ask_about(desk, cast.analyst, epsilon=0.1, where=where)
    reserved = left - balance_of(desk, cast.analyst).left
    killed_by = work_in_a_process_that_dies(question, prepare)
    find_and_work_again(question)
    question.refresh_from_db()
    ended = Event.objects.filter(action__in=ENDINGS, subject_id=str(question.id))
    found[moment] = {
        "killed_by": killed_by,
        "reserved": reserved,
        "status": question.status,
        "has_answer": question.answer is not None,
        "draws": len(DRAWN.read_text().splitlines()),
        "paid": left - balance_of(desk, cast.analyst).left,
        "entries": dict(Counter(question.entries.values_list("kind", flat=True))),
        "endings": ended.count(),
    }
sys.stdout.write(json.dumps(found))
