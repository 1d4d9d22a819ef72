"""Days until a reminder and until expiry are new: for what is open already they begin today."""

from django.db import migrations, models
from django.utils import timezone

WAITING = ("submitted", "changes-requested")


def count_from_today(apps, schema_editor):
    requests = apps.get_model("reviews", "ReviewRequest").objects
    requests.filter(status__in=WAITING).update(days_counted_from=timezone.now())


class Migration(migrations.Migration):
    dependencies = [("reviews", "0006_noisy_answers")]

    operations = [
        migrations.AddField(
            model_name="reviewrequest",
            name="days_counted_from",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="reviewrequest",
            name="status",
            field=models.CharField(
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
        migrations.RunPython(count_from_today, migrations.RunPython.noop),
    ]
