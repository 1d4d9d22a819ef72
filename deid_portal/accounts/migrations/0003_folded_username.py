from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed_0002_invitations_and_second_factor"),
    ]

    operations = [
        migrations.AlterModelManagers(name="user", managers=[]),
        migrations.AddField(
            model_name="user",
            name="folded_username",
            field=models.CharField(editable=False, max_length=450, null=True, unique=True),
        ),
    ]
