from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0004_seal_the_head"),
    ]

    operations = [
        migrations.AddField(
            model_name="chainhead",
            name="accepted",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="chainhead",
            name="notes",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="chainhead",
            name="notes_hash",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="verification",
            name="seal",
            field=models.CharField(blank=True, default="", max_length=80),
        ),
    ]
