import deid_portal.runs.chance
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
        ("runs", "0001_squashed_0012_repeats"),
        ("runs", "0002_variants"),
        ("runs", "0003_turns_and_retries"),
        ("runs", "0004_rows_deleted"),
        ("runs", "0005_summary"),
        ("runs", "0006_summaries_of_old_runs"),
        ("runs", "0007_sweeps"),
        ("runs", "0008_promotion"),
        ("runs", "0009_taxonomies_used"),
        ("runs", "0010_words_of_a_plan"),
        ("runs", "0011_attempts_handed_back"),
        ("runs", "0012_repeats"),
        ("runs", "0013_secret_of_chance"),
    ]

    dependencies = [
        ("datasets", "0001_initial"),
        ("taxonomies", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Run",
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
                ("number", models.PositiveIntegerField()),
                ("change_words", models.TextField(blank=True, default="")),
                ("repeats", models.PositiveIntegerField(null=True)),
                (
                    "priority",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "Single run"), (1, "Part of a sweep")], default=0
                    ),
                ),
                ("moved_ahead_at", models.DateTimeField(null=True)),
                ("plan_words", models.CharField(blank=True, default="", max_length=200)),
                ("short_words", models.CharField(blank=True, default="", max_length=80)),
                ("plan", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("plan_files", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("plan_sha256", models.CharField(max_length=64)),
                (
                    "secret",
                    deid_portal.vault.sealed_fields.SealedJSONField(
                        default=deid_portal.runs.chance.new_run_secret, null=True
                    ),
                ),
                ("input_sha256", models.CharField(max_length=64)),
                ("engine_version", models.CharField(blank=True, default="", max_length=20)),
                ("published", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                ("solution", models.BooleanField(null=True)),
                ("report", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                ("summary", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("output_sha256", models.CharField(blank=True, default="", max_length=64)),
                ("output_bytes", models.BigIntegerField(default=0)),
                ("rows_deleted_at", models.DateTimeField(null=True)),
                (
                    "based_on",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="variants",
                        to="runs.run",
                    ),
                ),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "planned_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "retry_of",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="retries",
                        to="runs.run",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "taxonomies",
                    models.ManyToManyField(related_name="runs", to="taxonomies.taxonomyversion"),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.CreateModel(
            name="Promotion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("promoted_at", models.DateTimeField(auto_now=True)),
                (
                    "dataset",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="promotion",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "promoted_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="promotion",
                        to="runs.run",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Sweep",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("words", models.TextField()),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sweeps",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.CreateModel(
            name="SweepMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_new", models.BooleanField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to="runs.run",
                    ),
                ),
                (
                    "sweep",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="runs.sweep",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="sweep",
            name="runs",
            field=models.ManyToManyField(
                related_name="sweeps", through="runs.SweepMember", to="runs.run"
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["status", "queued_at"], name="open_runs"),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                fields=("dataset", "number"), name="runs_are_numbered_per_dataset"
            ),
        ),
        migrations.AddConstraint(
            model_name="sweepmember",
            constraint=models.UniqueConstraint(
                fields=("sweep", "run"), name="a_run_is_once_in_a_sweep"
            ),
        ),
        migrations.AddConstraint(
            model_name="sweep",
            constraint=models.UniqueConstraint(
                fields=("dataset", "number"), name="sweeps_are_numbered_per_dataset"
            ),
        ),
    ]
