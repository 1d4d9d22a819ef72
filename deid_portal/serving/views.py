from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from deid_portal.work.queue import is_queue_reachable


@login_not_required
def healthz(request: HttpRequest) -> JsonResponse:
    """Say whether the portal can serve; a queue that is away delays work but loses nothing."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database = True
    except DatabaseError:
        database = False
    answer = {
        "status": "ok" if database else "database away",
        "database": database,
        "queue": is_queue_reachable(),
    }
    return JsonResponse(answer, status=200 if database else 503)
