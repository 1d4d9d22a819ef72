import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Preference",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "by_mail",
                    models.CharField(
                        choices=[
                            ("all", "Everything I am told"),
                            ("asks", "Only what waits for me"),
                            ("nothing", "Nothing"),
                        ],
                        default="all",
                        max_length=10,
                    ),
                ),
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notice_preference",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("kind", models.CharField(max_length=60)),
                ("words", models.CharField(max_length=300)),
                ("url", models.CharField(max_length=300)),
                ("asks", models.BooleanField(default=False)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("read_at", models.DateTimeField(null=True)),
                ("mail_due", models.BooleanField(default=False)),
                ("mail_tries", models.PositiveSmallIntegerField(default=0)),
                ("mail_tried_at", models.DateTimeField(null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-at"],
                "indexes": [
                    models.Index(fields=["person", "read_at"], name="unread_notices"),
                    models.Index(
                        condition=models.Q(("mail_due", True)),
                        fields=["mail_tried_at"],
                        name="mails_to_send",
                    ),
                ],
            },
        ),
    ]
