"""One record per change in the same transaction, and no value of anybody's table in any of them.

What people change through pages is watched in the tests of every room (tests/witness.py); here it
is what workers and the clock change, and what all of them write.
"""

import csv
import json

from deid_portal.audit.models import Event
from deid_portal.reviews.services import write_comment
from deid_portal.reviews.tasks import remind_and_expire
from tests import factories
from tests.conftest import Cast
from tests.reviews.test_deadlines import let_days_pass
from tests.witness import Witness, witnessing

# The queue's own bookkeeping: who works on what at the moment.
CLAIM = 'SET "status" = %s, "lease" = %s, "attempt" = '
WORDS = "strictly between us"


class WorkWitness(Witness):
    def _note(self, table: str, sql: str) -> None:
        # The policy of the tests' little tables is put there by the test itself.
        if CLAIM not in sql and table != "policies_policy":
            super()._note(table, sql)


def test_workers_and_clock_change_nothing_without_a_record(cast: Cast) -> None:
    with witnessing(WorkWitness()) as witness:
        request = factories.make_request(cast.steward, cast.team)
        factories.attack(request.run, cast.steward, "homogeneity")
        factories.make_way_back(request.run)
    assert witness.units
    assert witness.silent == []
    for days in (3, 40):
        let_days_pass(request, days)
        with witnessing(WorkWitness()) as witness:
            remind_and_expire()
        assert witness.silent == []


def test_no_value_of_a_table_and_no_ones_words_are_in_the_record(cast: Cast) -> None:
    release = factories.make_release(cast.steward, cast.approver, cast.team)
    factories.attack(release.request.run, cast.steward)
    write_comment(request=release.request, written_by=cast.reviewer, text=WORDS)
    written = json.dumps([event.document() for event in Event.objects.all()])
    people = csv.DictReader(factories.PATIENTS.open())
    # Of names and conditions alone: a number of a few digits may stand in any hash.
    values = {person[column] for person in people for column in ("Name", "Condition")}
    assert len(values) > 10
    assert [value for value in {*values, WORDS} if value in written] == []
