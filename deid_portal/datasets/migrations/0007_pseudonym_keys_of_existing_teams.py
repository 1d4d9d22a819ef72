from typing import Any

from django.db import migrations

from deid_portal.common.keys import current_key, derive_key


def keep_keys(apps: Any, schema_editor: Any) -> None:
    """Teams of before had a key derived from the data key; they keep it, and with it pseudonyms."""
    key_model = apps.get_model("datasets", "PseudonymKey")
    for team in apps.get_model("accounts", "Team").objects.all():
        secret = derive_key(current_key(), f"pseudonyms of team {team.pk}").hex()
        key_model.objects.get_or_create(team=team, defaults={"secret": secret})


class Migration(migrations.Migration):
    dependencies = [("datasets", "0006_pseudonym_key")]
    operations = [migrations.RunPython(keep_keys, migrations.RunPython.noop)]
