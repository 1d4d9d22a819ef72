"""Every run draws chance from a secret of its own; runs of before have none."""

import deid_portal.common.sealing
import deid_portal.runs.chance
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("runs", "0012_repeats")]

    operations = [
        # Without a default first: one that is called would give all rows of before the same.
        migrations.AddField(
            model_name="run",
            name="secret",
            field=deid_portal.common.sealing.SealedJSONField(null=True, editable=False),
        ),
        migrations.AlterField(
            model_name="run",
            name="secret",
            field=deid_portal.common.sealing.SealedJSONField(
                default=deid_portal.runs.chance.new_secret, editable=False, null=True
            ),
        ),
    ]
