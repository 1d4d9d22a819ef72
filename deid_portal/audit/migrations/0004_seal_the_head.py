"""Seal the end of a chain that was begun before ends were sealed."""

from typing import Any

from django.conf import settings
from django.db import migrations

from deid_portal.audit.heads import has_chain_begun
from deid_portal.audit.seals import OF_BEFORE, seal_of


def seal_the_head(apps: Any, schema_editor: Any) -> None:
    # A chain that was sealed once is never sealed again: the list of migrations lies in the same
    # database, so whoever forges records could have this one run once more.
    if not settings.DATA_KEY or has_chain_begun():
        return
    for head in apps.get_model("audit", "ChainHead").objects.filter(seal=""):
        head.seal = seal_of(f"{head.number}:{head.hash}", OF_BEFORE)
        head.save()


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_content_hashes_and_sealed_head")]
    operations = [migrations.RunPython(seal_the_head, migrations.RunPython.noop)]
