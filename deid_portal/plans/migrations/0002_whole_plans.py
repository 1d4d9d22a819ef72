import deid_portal.common.sealing
from django.db import migrations


def seal_methods(apps, schema_editor):
    for protection in apps.get_model("plans", "Protection").objects.all():
        protection.method = protection.clear_method
        protection.save(update_fields=["method"])


def open_methods(apps, schema_editor):
    for protection in apps.get_model("plans", "Protection").objects.all():
        protection.clear_method = protection.method
        protection.save(update_fields=["clear_method"])


class Migration(migrations.Migration):
    """Methods may name values now, so they are sealed; measures and plain answers are kept."""

    dependencies = [("plans", "0001_initial")]

    operations = [
        migrations.RenameField("protection", "method", "clear_method"),
        migrations.AddField(
            "protection", "method", deid_portal.common.sealing.SealedJSONField(default=dict)
        ),
        migrations.AddField(
            "protection", "measures", deid_portal.common.sealing.SealedJSONField(default=dict)
        ),
        migrations.AddField(
            "protection", "answers", deid_portal.common.sealing.SealedJSONField(default=dict)
        ),
        migrations.RunPython(seal_methods, open_methods),
        migrations.RemoveField("protection", "clear_method"),
    ]
