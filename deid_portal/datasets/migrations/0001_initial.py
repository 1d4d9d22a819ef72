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
        ("datasets", "0001_squashed_0016_arriving_wishes"),
        ("datasets", "0002_detection"),
        ("datasets", "0003_suggestions_and_undo"),
        ("datasets", "0004_mask_treatment"),
        ("datasets", "0005_deletion_day"),
        ("datasets", "0006_pseudonym_key"),
        ("datasets", "0007_pseudonym_keys_of_existing_teams"),
        ("datasets", "0008_pseudonym_key_rotation"),
        ("datasets", "0009_versions"),
        ("datasets", "0010_series_of_existing_datasets"),
        ("datasets", "0011_one_dataset_per_version"),
        ("datasets", "0012_attempts_handed_back"),
        ("datasets", "0013_arriving_uploads"),
        ("datasets", "0014_row_problems"),
        ("datasets", "0015_dataset_kind"),
        ("datasets", "0016_arriving_wishes"),
    ]

    dependencies = [
        ("accounts", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Dataset",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("table", "Table"), ("network", "Network")],
                        default="table",
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("series", models.UUIDField(db_index=True, default=uuid.uuid4, editable=False)),
                ("version", models.PositiveIntegerField(default=1)),
                ("drift", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("uploaded", "Check the preview"),
                            ("reading", "Reading the file"),
                            ("ready", "Ready"),
                            ("forgotten", "Deleted"),
                        ],
                        default="uploaded",
                        max_length=10,
                    ),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("file_bytes", models.BigIntegerField()),
                ("file_sha256", models.CharField(max_length=64)),
                ("file_format", models.JSONField(default=dict)),
                ("detection", models.JSONField(default=dict)),
                ("rows", models.BigIntegerField(default=0)),
                ("table_id", models.UUIDField(null=True)),
                ("delete_on", models.DateField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "previous",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="next_versions",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="datasets",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-changed_at"],
            },
        ),
        migrations.CreateModel(
            name="ArrivingUpload",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("file_bytes", models.BigIntegerField()),
                ("file_stamp", models.BigIntegerField()),
                ("arrived_bytes", models.BigIntegerField(default=0)),
                ("name", models.CharField(blank=True, default="", max_length=120)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "sent_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arriving_uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arriving_uploads",
                        to="accounts.team",
                    ),
                ),
                (
                    "next_of",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="datasets.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["started_at"],
            },
        ),
        migrations.CreateModel(
            name="DatasetColumn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=300)),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("text", "text"),
                            ("integer", "whole number"),
                            ("number", "number"),
                            ("date", "date"),
                            ("boolean", "yes or no"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("identifier", "Identifier"),
                            ("quasi-identifier", "Quasi-identifier"),
                            ("sensitive", "Sensitive"),
                            ("insensitive", "Harmless"),
                        ],
                        default="",
                        max_length=20,
                    ),
                ),
                (
                    "carried_role",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("identifier", "Identifier"),
                            ("quasi-identifier", "Quasi-identifier"),
                            ("sensitive", "Sensitive"),
                            ("insensitive", "Harmless"),
                        ],
                        default="",
                        max_length=20,
                    ),
                ),
                (
                    "treatment",
                    models.CharField(
                        choices=[
                            ("remove", "Remove"),
                            ("pseudonym", "Replace by a pseudonym"),
                            ("reversible", "Pseudonym with a way back"),
                            ("mask", "Mask: ***** in every row"),
                        ],
                        default="remove",
                        max_length=10,
                    ),
                ),
                ("missing", models.BigIntegerField(default=0)),
                ("distinct", models.BigIntegerField(default=0)),
                ("uniques", models.BigIntegerField(default=0)),
                ("rarest", models.BigIntegerField(default=0)),
                ("profile", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("suggestion", models.JSONField(default=dict)),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="columns",
                        to="datasets.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="PseudonymKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(default=1)),
                ("secret", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("retired_at", models.DateTimeField(null=True)),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pseudonym_keys",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.CreateModel(
            name="Reading",
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
                ("file_format", models.JSONField()),
                ("row_problems", models.JSONField(default=list)),
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
                        related_name="readings",
                        to="datasets.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["-queued_at"],
            },
        ),
        migrations.CreateModel(
            name="Tagging",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("before", models.JSONField()),
                ("after", models.JSONField()),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taggings",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.AddConstraint(
            model_name="dataset",
            constraint=models.UniqueConstraint(
                fields=("series", "version"), name="one_dataset_per_version"
            ),
        ),
        migrations.AddConstraint(
            model_name="datasetcolumn",
            constraint=models.UniqueConstraint(
                fields=("dataset", "position"), name="one_column_per_position"
            ),
        ),
        migrations.AddConstraint(
            model_name="pseudonymkey",
            constraint=models.UniqueConstraint(
                fields=("team", "number"), name="pseudonym_keys_are_numbered_per_team"
            ),
        ),
    ]
