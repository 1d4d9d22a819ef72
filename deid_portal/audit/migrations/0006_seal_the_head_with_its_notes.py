"""Let a head that was rightly sealed count the notes outside the database from now on."""

from typing import Any

from django.db import migrations

from deid_portal.audit.anchors import adopt_notes, read_notes
from deid_portal.audit.heads import has_chain_begun, mark_chain_as_begun, words_of
from deid_portal.audit.seals import HEAD, OF_BEFORE, is_seal_of, seal_of


def seal_the_head(apps: Any, schema_editor: Any) -> None:
    # Not a second time (0004): the list of migrations lies in the database that is distrusted.
    if has_chain_begun():
        return
    for head in apps.get_model("audit", "ChainHead").objects.all():
        if is_seal_of(head.seal, f"{head.number}:{head.hash}", OF_BEFORE):
            adopt_notes(head, read_notes())
            head.seal = seal_of(words_of(head), HEAD)
            head.save()
            mark_chain_as_begun()


class Migration(migrations.Migration):
    dependencies = [("audit", "0005_notes_and_acceptance_in_the_head")]
    operations = [migrations.RunPython(seal_the_head, migrations.RunPython.noop)]
