import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets", "0010_series_of_existing_datasets")]
    operations = [
        migrations.AlterField(
            "dataset", "series", models.UUIDField(db_index=True, default=uuid.uuid4, editable=False)
        ),
        migrations.AddConstraint(
            "dataset",
            models.UniqueConstraint(fields=["series", "version"], name="one_dataset_per_version"),
        ),
    ]
