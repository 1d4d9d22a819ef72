import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deid_portal.settings")

application = get_wsgi_application()

# After the registry is ready: the check looks for demo people in the database.
from deid_portal.serving.readiness import check_ready_to_serve  # noqa: E402

check_ready_to_serve()
