"""Seal the end of a chain that was begun before ends were sealed."""

from typing import Any

from django.conf import settings
from django.db import migrations

from deid_portal.audit.seals import OF_BEFORE, seal_of


def seal_the_head(apps: Any, schema_editor: Any) -> None:
    if not settings.DATA_KEY:
        return
    for head in apps.get_model("audit", "ChainHead").objects.filter(seal=""):
        head.seal = seal_of(f"{head.number}:{head.hash}", OF_BEFORE)
        head.save()


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_content_hashes_and_sealed_head")]
    operations = [migrations.RunPython(seal_the_head, migrations.RunPython.noop)]
