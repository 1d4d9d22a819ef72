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
        ("querydesk", "0001_desks"),
    ]

    dependencies = [
        ("accounts", "0001_initial"),
        ("datasets", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Desk",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("series", models.UUIDField(unique=True)),
                ("opened_at", models.DateTimeField(auto_now_add=True)),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="desks",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-opened_at"],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("saved_at", models.DateTimeField(auto_now=True)),
                ("fields", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("words", deid_portal.vault.sealed_fields.SealedJSONField()),
                (
                    "desk",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="querydesk.desk",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-saved_at"],
            },
        ),
        migrations.CreateModel(
            name="Terms",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("setting", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("total_micro", models.BigIntegerField()),
                ("analyst_micro", models.BigIntegerField()),
                ("pool_micro", models.BigIntegerField(null=True)),
                (
                    "period",
                    models.CharField(
                        choices=[
                            ("once", "never"),
                            ("month", "every month"),
                            ("quarter", "every quarter"),
                            ("year", "every year"),
                        ],
                        max_length=10,
                    ),
                ),
                ("smallest_micro", models.BigIntegerField()),
                ("delta_total_atto", models.BigIntegerField(default=0)),
                ("set_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "dataset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="desk_terms",
                        to="datasets.dataset",
                    ),
                ),
                (
                    "desk",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="terms",
                        to="querydesk.desk",
                    ),
                ),
                (
                    "set_by",
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
            name="Question",
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
                ("key", models.UUIDField()),
                ("kind", models.CharField(max_length=40)),
                ("document", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("words", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("fingerprint", models.CharField(max_length=64)),
                ("topic", models.CharField(max_length=64)),
                ("table_id", models.UUIDField(null=True)),
                ("price_micro", models.BigIntegerField()),
                ("delta_atto", models.BigIntegerField(default=0)),
                ("drawing_at", models.DateTimeField(null=True)),
                ("answer", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "desk",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="questions",
                        to="querydesk.desk",
                    ),
                ),
                (
                    "repeat_of",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="repeats",
                        to="querydesk.question",
                    ),
                ),
                (
                    "terms",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="questions",
                        to="querydesk.terms",
                    ),
                ),
            ],
            options={
                "ordering": ["-queued_at"],
            },
        ),
        migrations.CreateModel(
            name="Wish",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("micro", models.BigIntegerField()),
                ("reason", models.TextField(max_length=1000)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("granted", "Granted"),
                            ("declined", "Declined"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("granted_micro", models.BigIntegerField(default=0)),
                ("decided_at", models.DateTimeField(null=True)),
                ("answer", models.TextField(blank=True, default="", max_length=1000)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "desk",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="wishes",
                        to="querydesk.desk",
                    ),
                ),
            ],
            options={
                "ordering": ["-asked_at"],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("paid", "Paid"),
                            ("free", "Free"),
                            ("returned", "Given back"),
                            ("granted", "Granted"),
                        ],
                        max_length=10,
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("counts_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("person_micro", models.BigIntegerField(default=0)),
                ("pool_micro", models.BigIntegerField(default=0)),
                ("total_micro", models.BigIntegerField(default=0)),
                ("delta_atto", models.BigIntegerField(default=0)),
                (
                    "desk",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="querydesk.desk",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="querydesk.question",
                    ),
                ),
                (
                    "wish",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="querydesk.wish",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.AddConstraint(
            model_name="terms",
            constraint=models.UniqueConstraint(
                fields=("desk", "number"), name="terms_are_numbered_per_desk"
            ),
        ),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(fields=["desk", "fingerprint"], name="the_same_question"),
        ),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(fields=["desk", "topic"], name="the_same_at_another_price"),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.UniqueConstraint(
                fields=("asked_by", "key"), name="one_question_per_click"
            ),
        ),
        migrations.AddConstraint(
            model_name="wish",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "waiting")),
                fields=("desk", "asked_by"),
                name="one_waiting_wish_per_person",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(fields=["desk", "person"], name="account_of_a_person"),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("desk", "number"), name="entries_are_numbered"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("question", "kind"), name="paid_and_returned_once"
            ),
        ),
    ]
