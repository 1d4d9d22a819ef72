"""What was approved has been released; what was sent back and asked again was answered."""

from django.db import migrations


def tell_states_apart(apps, schema_editor):
    requests = apps.get_model("reviews", "ReviewRequest").objects
    requests.filter(status="approved").update(status="released")
    for request in requests.filter(status="changes-requested"):
        if requests.filter(run=request.run, number__gt=request.number).exists():
            requests.filter(id=request.id).update(status="withdrawn")


def back(apps, schema_editor):
    requests = apps.get_model("reviews", "ReviewRequest").objects
    requests.filter(status="released").update(status="approved")


class Migration(migrations.Migration):
    dependencies = [("reviews", "0001_initial")]

    operations = [migrations.RunPython(tell_states_apart, back)]
