import deid_portal.vault.sealed_fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    # What a database of before this one has instead.
    replaces = [
        ("plans", "0001_squashed_0004_populations"),
        ("plans", "0002_whole_plans"),
        ("plans", "0003_weights_and_seed"),
        ("plans", "0004_populations"),
    ]

    dependencies = [
        ("datasets", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PopulationTable",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("file_name", models.CharField(max_length=200)),
                ("rows", models.PositiveBigIntegerField()),
                ("columns", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                (
                    "added_by",
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
                        related_name="populations",
                        to="datasets.dataset",
                    ),
                ),
            ],
            options={
                "ordering": ["added_at"],
            },
        ),
        migrations.CreateModel(
            name="Protection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rules", deid_portal.vault.sealed_fields.SealedJSONField(default=list)),
                ("method", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("measures", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("weights", models.JSONField(blank=True, default=dict)),
                ("seed", models.BigIntegerField(blank=True, null=True)),
                ("answers", deid_portal.vault.sealed_fields.SealedJSONField(default=dict)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "dataset",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="protection",
                        to="datasets.dataset",
                    ),
                ),
            ],
        ),
    ]
