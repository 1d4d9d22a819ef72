import deid_portal.vault.sealed_fields
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    # What a database of before this one has instead.
    replaces = [
        ("networks", "0001_squashed_0002_shape_and_drift"),
        ("networks", "0002_shape_and_drift"),
    ]

    dependencies = [
        ("datasets", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Network",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_directed", models.BooleanField(default=False)),
                ("nodes_name", models.CharField(blank=True, default="", max_length=255)),
                ("nodes_format", models.JSONField(default=dict)),
                ("id_column", models.CharField(blank=True, default="", max_length=300)),
                ("links", models.BigIntegerField(default=0)),
                ("intake", models.JSONField(default=dict)),
                ("notes", models.JSONField(default=list)),
                ("risk", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("shape", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("drift", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("drawing", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("story", deid_portal.vault.sealed_fields.SealedJSONField(default=list)),
                (
                    "dataset",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="network",
                        to="datasets.dataset",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="NetworkReading",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("finished", "Finished"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("handed_back", models.PositiveSmallIntegerField(default=0)),
                ("lease", models.UUIDField(null=True)),
                ("stop_requested", models.BooleanField(default=False)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("sent_at", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("heartbeat_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(default=0)),
                ("phase", models.CharField(blank=True, default="", max_length=20)),
                ("figures", models.JSONField(blank=True, default=dict)),
                ("problem", models.TextField(blank=True, default="")),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="network_readings",
                        to="datasets.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["-queued_at"],
            },
        ),
    ]
