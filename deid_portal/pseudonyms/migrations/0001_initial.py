import deid_portal.vault.sealed_fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    # What a database of before this one has instead.
    replaces = [
        ("pseudonyms", "0001_ways_back"),
    ]

    dependencies = [
        ("datasets", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WayBack",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("run_id", models.UUIDField(unique=True)),
                ("run_number", models.PositiveIntegerField()),
                ("attempt", models.PositiveSmallIntegerField()),
                ("pseudonyms", models.PositiveBigIntegerField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ways_back",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ways_back",
                        to="datasets.pseudonymkey",
                    ),
                ),
            ],
            options={
                "ordering": ["-made_at"],
            },
        ),
        migrations.CreateModel(
            name="LookUp",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("pseudonym", models.CharField(max_length=64)),
                ("reason", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("found", models.BooleanField()),
                (
                    "looked_up_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "way_back",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="look_ups",
                        to="pseudonyms.wayback",
                    ),
                ),
            ],
            options={
                "ordering": ["-at"],
            },
        ),
    ]
