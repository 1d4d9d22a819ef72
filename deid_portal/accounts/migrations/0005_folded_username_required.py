from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_fold_usernames"),
    ]

    operations = [
        migrations.AlterField(
            model_name="user",
            name="folded_username",
            field=models.CharField(editable=False, max_length=450, unique=True),
        ),
    ]
