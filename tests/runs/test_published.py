"""What a run publishes is read as an object, also where it was stored by an earlier version."""

from dataclasses import replace

import pytest

from deid_portal.engine.publication import Publication
from deid_portal.engine.report.detail import NO_DETAIL
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast


def test_what_is_published_opens_as_it_was_kept(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    stored = Run.objects.get(id=run.id)
    assert isinstance(stored.published, Publication)
    assert stored.publication.plan["columns"].keys() == run.plan["columns"].keys()
    assert stored.publication.detail == stored.summary.detail
    assert stored.published_report.utility.loss == stored.publication.detail.utility.loss


def test_what_was_published_before_detail_was_kept_opens(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    document = run.publication.to_document()
    run.published = {"plan": document["plan"], "files": document["files"]}
    run.save()
    stored = Run.objects.get(id=run.id)
    assert stored.publication == replace(run.publication, detail=NO_DETAIL)
    assert stored.published_report.columns["Zip"].level is None


def test_a_run_that_has_not_ended_has_nothing_to_publish(cast: Cast) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    run = start_run(dataset=dataset, started_by=cast.steward)
    assert run.published is None
    with pytest.raises(ValueError, match="nothing to publish"):
        run.publication  # noqa: B018
