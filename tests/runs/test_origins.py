"""A run stores, for internal use, the original row of each released record."""

import numpy as np

from deid_portal.datasets.selectors import table_of
from deid_portal.datasets.services import forget_now
from deid_portal.runs.origins import origins_of
from deid_portal.vault import vault
from tests import factories
from tests.conftest import Cast
from tests.engine.tables import csv_bytes


def test_origins_lead_every_released_record_to_its_person(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    origins = origins_of(run)
    assert origins is not None
    table = table_of(run.dataset)
    shown, own = origins.released["Condition"], table["Condition"]
    assert [own.values[code] for code in own.codes[origins.rows]] == list(shown.cells())
    assert len(np.unique(origins.rows)) == origins.released.rows


def test_the_kept_cells_are_the_released_ones(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    origins = origins_of(run)
    assert origins is not None
    with vault.open_reader(run.release_file) as stream:
        assert csv_bytes(origins.released) == stream.read()


def test_origins_go_with_the_table(cast: Cast, django_capture_on_commit_callbacks: object) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        forget_now(dataset=run.dataset, forgotten_by=cast.steward)
    assert origins_of(run) is None


def test_another_attempt_has_none_of_these(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    run.attempt = 2
    assert origins_of(run) is None
