import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("datasets", "0007_pseudonym_keys_of_existing_teams"),
        ("runs", "0006_summaries_of_old_runs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
