"""Runs that ended before summaries were kept get theirs from their reports."""

from typing import Any

from django.db import migrations

from deid_portal.runs.summaries import describe_request, summarize


def summarize_old_runs(apps: Any, schema_editor: Any) -> None:
    runs = apps.get_model("runs", "Run").objects
    # One at a time: a report can be large.
    for run_id in list(runs.values_list("id", flat=True)):
        run = runs.get(id=run_id)
        detail = (run.published or {}).get("detail")
        run.summary = summarize(run.report, detail) if run.report else describe_request(run.plan)
        run.save(update_fields=["summary"])


class Migration(migrations.Migration):
    dependencies = [("runs", "0005_summary")]

    operations = [migrations.RunPython(summarize_old_runs, migrations.RunPython.noop)]
