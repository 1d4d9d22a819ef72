from django.db import migrations

# Of django-axes, which counted wrong passwords before. They hold what people typed as their name,
# and that may have been a password in the wrong field. The first refers to the second.
TABLES = (
    "axes_accessattemptexpiration",
    "axes_accessattempt",
    "axes_accessfailurelog",
    "axes_accesslog",
)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_folded_username_required"),
    ]

    operations = [
        migrations.RunSQL(f"DROP TABLE IF EXISTS {table}", migrations.RunSQL.noop)
        for table in TABLES
    ]
