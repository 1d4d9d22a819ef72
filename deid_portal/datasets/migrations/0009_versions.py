import uuid

import django.db.models.deletion
from django.db import migrations, models

import deid_portal.common.sealing

ROLES = [
    ("identifier", "Identifier"),
    ("quasi-identifier", "Quasi-identifier"),
    ("sensitive", "Sensitive"),
    ("insensitive", "Harmless"),
]


class Migration(migrations.Migration):
    dependencies = [("datasets", "0008_pseudonym_key_rotation")]
    operations = [
        migrations.AddField("dataset", "series", models.UUIDField(default=uuid.uuid4, null=True)),
        migrations.AddField(
            "dataset",
            "previous",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="next_versions",
                to="datasets.dataset",
            ),
        ),
        migrations.AddField(
            "dataset", "drift", deid_portal.common.sealing.SealedJSONField(null=True)
        ),
        migrations.AddField(
            "datasetcolumn",
            "carried_role",
            models.CharField(blank=True, choices=ROLES, default="", max_length=20),
        ),
    ]
