from django.db import migrations

from deid_portal.accounts.names import fold_name


def fold_usernames(apps, schema_editor):
    """Fill in what names have in common.

    Several accounts may hold spellings of one name, as `createsuperuser` allowed. The oldest gets
    it; the others get something nobody can type, and are found by their exact spelling alone.
    """
    people = apps.get_model("accounts", "User").objects
    taken = set()
    for user in people.order_by("pk"):
        folded = fold_name(user.username)
        user.folded_username = f"{folded}#{user.pk}" if folded in taken else folded
        taken.add(folded)
        user.save(update_fields=["folded_username"])


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_folded_username"),
    ]

    operations = [
        migrations.RunPython(fold_usernames, migrations.RunPython.noop),
    ]
