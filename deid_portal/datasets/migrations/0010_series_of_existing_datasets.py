from typing import Any

from django.db import migrations
from django.db.models import F


def begin_a_series_each(apps: Any, schema_editor: Any) -> None:
    apps.get_model("datasets", "Dataset").objects.update(series=F("id"))


class Migration(migrations.Migration):
    dependencies = [("datasets", "0009_versions")]
    operations = [migrations.RunPython(begin_a_series_each, migrations.RunPython.noop)]
