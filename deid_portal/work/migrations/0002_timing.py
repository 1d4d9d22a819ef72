from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("work", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Timing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("machine", models.CharField(max_length=80)),
                ("kind", models.CharField(max_length=60)),
                ("about", models.CharField(blank=True, default="", max_length=40)),
                ("modelled_seconds", models.FloatField()),
                ("seconds", models.FloatField()),
            ],
            options={
                "indexes": [models.Index(fields=["kind", "-id"], name="latest_timings")],
            },
        ),
    ]
