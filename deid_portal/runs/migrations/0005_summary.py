import deid_portal.common.sealing
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("runs", "0004_rows_deleted")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="summary",
            field=deid_portal.common.sealing.SealedJSONField(default=dict),
        ),
    ]
