import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    # What a database of before this one has instead.
    replaces = [
        ("audit", "0001_squashed_0004_seal_the_head"),
        ("audit", "0002_verification"),
        ("audit", "0003_content_hashes_and_sealed_head"),
        ("audit", "0004_seal_the_head"),
        ("audit", "0005_notes_and_acceptance_in_the_head"),
        ("audit", "0006_seal_the_head_with_its_notes"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ChainHead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.BigIntegerField(default=0)),
                ("hash", models.CharField(default="", max_length=64)),
                ("notes", models.BigIntegerField(default=0)),
                ("notes_hash", models.CharField(blank=True, default="", max_length=64)),
                ("accepted", models.CharField(blank=True, default="", max_length=64)),
                ("seal", models.CharField(blank=True, default="", max_length=80)),
            ],
        ),
        migrations.CreateModel(
            name="Verification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("records", models.BigIntegerField()),
                ("broken_at", models.BigIntegerField(null=True)),
                ("problem", models.CharField(blank=True, default="", max_length=300)),
                ("anchors", models.PositiveIntegerField(default=0)),
                ("seal", models.CharField(blank=True, default="", max_length=80)),
            ],
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.BigIntegerField(unique=True)),
                ("at", models.DateTimeField()),
                ("team_id", models.UUIDField(db_index=True, null=True)),
                ("action", models.CharField(max_length=60)),
                ("subject_kind", models.CharField(max_length=40)),
                ("subject_id", models.CharField(db_index=True, max_length=40)),
                ("subject_name", models.CharField(blank=True, max_length=200)),
                ("facts", models.JSONField(default=dict)),
                ("salt", models.CharField(blank=True, default="", max_length=32)),
                ("content_hash", models.CharField(blank=True, default="", max_length=64)),
                ("previous_hash", models.CharField(max_length=64)),
                ("hash", models.CharField(max_length=64)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "indexes": [models.Index(fields=["team_id", "-number"], name="audit_of_a_team")],
            },
        ),
    ]
