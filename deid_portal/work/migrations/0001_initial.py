import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="WorkerProcess",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("seen_at", models.DateTimeField()),
            ],
        ),
        # Processes of before were counted elsewhere; each says again that it is there.
        migrations.RunSQL("DROP TABLE IF EXISTS common_workerprocess", migrations.RunSQL.noop),
    ]
