import deid_portal.vault.sealed_fields
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    # What a database of before this one has instead.
    replaces = [
        ("reviews", "0001_squashed_0007_days_counted_from"),
        ("reviews", "0002_old_states"),
        ("reviews", "0003_rounds_waivers_and_terms"),
        ("reviews", "0004_crossing_kept"),
        ("reviews", "0005_reminded_at"),
        ("reviews", "0006_noisy_answers"),
        ("reviews", "0007_days_counted_from"),
    ]

    dependencies = [
        ("querydesk", "0001_initial"),
        ("runs", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ReviewRequest",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("purpose", models.CharField(max_length=200)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("submitted", "Submitted"),
                            ("changes-requested", "Changes requested"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("released", "Released"),
                            ("withdrawn", "Withdrawn"),
                            ("expired", "Expired"),
                        ],
                        default="submitted",
                        max_length=20,
                    ),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                ("download_days", models.PositiveIntegerField(default=30)),
                ("downloads_per_person", models.PositiveIntegerField(default=5)),
                ("confirmed", models.JSONField(blank=True, default=list)),
                ("round", models.PositiveIntegerField(default=1)),
                ("round_began_at", models.DateTimeField(null=True)),
                ("input_sha256", models.CharField(max_length=64)),
                ("plan_sha256", models.CharField(max_length=64)),
                ("engine_version", models.CharField(max_length=20)),
                ("output_sha256", models.CharField(max_length=64)),
                ("answers_sha256", models.CharField(blank=True, default="", max_length=64)),
                ("days_counted_from", models.DateTimeField(null=True)),
                ("reminded_at", models.DateTimeField(null=True)),
                ("crossing", models.JSONField(blank=True, default=dict)),
                (
                    "answers",
                    models.ManyToManyField(blank=True, related_name="+", to="querydesk.question"),
                ),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "recipients",
                    models.ManyToManyField(
                        blank=True, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="requests",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "ordering": ["-asked_at"],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("round", models.PositiveIntegerField(default=1)),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("approve", "Approve"),
                            ("ask-for-changes", "Ask for changes"),
                            ("reject", "Reject"),
                        ],
                        max_length=20,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("decided_at", models.DateTimeField(auto_now=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="reviews.reviewrequest",
                    ),
                ),
            ],
            options={
                "ordering": ["decided_at"],
            },
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "about",
                    models.CharField(
                        choices=[
                            ("request", "the request"),
                            ("column", "column"),
                            ("chart", "chart"),
                        ],
                        default="request",
                        max_length=10,
                    ),
                ),
                ("about_name", models.CharField(blank=True, default="", max_length=300)),
                ("text", models.TextField(max_length=4000)),
                ("written_at", models.DateTimeField(auto_now_add=True)),
                ("answered_at", models.DateTimeField(null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "written_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to="reviews.reviewrequest",
                    ),
                ),
            ],
            options={
                "ordering": ["written_at"],
            },
        ),
        migrations.CreateModel(
            name="Waiver",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("round", models.PositiveIntegerField()),
                ("gate", models.CharField(max_length=60)),
                ("measured", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("reason", models.TextField(max_length=1000)),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("agreed_at", models.DateTimeField(null=True)),
                (
                    "agreed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waivers",
                        to="reviews.reviewrequest",
                    ),
                ),
            ],
            options={
                "ordering": ["asked_at"],
            },
        ),
        migrations.AddConstraint(
            model_name="reviewrequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        ["draft", "submitted", "changes-requested", "approved", "released"],
                    )
                ),
                fields=("run",),
                name="one_open_request_per_run",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(
                fields=("request", "round", "decided_by"), name="one_vote_per_person_and_round"
            ),
        ),
        migrations.AddConstraint(
            model_name="waiver",
            constraint=models.UniqueConstraint(
                fields=("request", "round", "gate"), name="one_waiver_per_gate_and_round"
            ),
        ),
    ]
