"""Views for sending a file in pieces by a script, with JSON responses.

A response holds the number of bytes received, or a message under `problem`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.db import DatabaseError, transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.datasets.forms import ArrivalForm, UploadForm
from deid_portal.datasets.models import ArrivingUpload
from deid_portal.datasets.permissions import check_can_upload
from deid_portal.datasets.piecewise_upload import (
    GivenUp,
    OutOfStep,
    PieceCutOff,
    begin_upload,
    end_upload,
    give_up_upload,
    open_arrived,
    take_piece,
)
from deid_portal.datasets.selectors import datasets_to_continue
from deid_portal.datasets.views.upload import place_upload, take_upload
from deid_portal.web.full_disk import NO_ROOM, SENTENCE, is_full_disk
from deid_portal.web.refusals import Refused

OUT_OF_STEP = 409


def _answering_in_json(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Refused as reason:
            status = NO_ROOM if is_full_disk(reason) else 403
            return JsonResponse({"problem": str(reason)}, status=status)
        except (DatabaseError, OSError) as error:
            if not is_full_disk(error):
                raise
            return JsonResponse({"problem": SENTENCE}, status=NO_ROOM)

    return answer


def _standing(upload: ArrivingUpload, status: int = 200) -> HttpResponse:
    return JsonResponse({"arrived": upload.arrived_bytes}, status=status)


def _own_upload_or_404(request: HttpRequest, upload_id: UUID) -> ArrivingUpload:
    """A file on its way concerns nobody but who sends it."""
    own = ArrivingUpload.objects.filter(sent_by=person_of(request)).select_related("team")
    upload = get_object_or_404(own, id=upload_id)
    check_can_upload(person_of(request), upload.team)
    return upload


@require_POST
@_answering_in_json
def begin(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    check_can_upload(person, team)
    form = ArrivalForm(request.POST, offered=datasets_to_continue(person, team))
    if not form.is_valid():
        return JsonResponse({"problem": form.first_problem}, status=422)
    upload = begin_upload(team=team, sent_by=person, **form.upload)
    address = reverse("datasets:send-piece", args=[upload.id])
    return JsonResponse({"address": address, "arrived": upload.arrived_bytes})


@require_POST
@_answering_in_json
def send_piece(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """The body is the piece; `start` in the address says where in the file it belongs."""
    upload = _own_upload_or_404(request, upload_id)
    start, length = request.GET.get("start", ""), request.META.get("CONTENT_LENGTH") or "0"
    if not (start.isdecimal() and length.isdecimal()):
        return JsonResponse({"problem": "Say where the piece belongs."}, status=400)
    try:
        take_piece(upload, int(start), int(length), request)
    except OutOfStep:
        return _standing(upload, OUT_OF_STEP)
    except PieceCutOff:
        return _standing(upload, 400)
    except GivenUp:
        raise Http404 from None
    return _standing(upload)


@require_POST
@_answering_in_json
def finish(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """Make a dataset of what has arrived; what is no table is deleted and gets its sentence."""
    person, upload = person_of(request), _own_upload_or_404(request, upload_id)
    form = UploadForm({"name": upload.name}, upload=open_arrived(upload))
    with transaction.atomic():
        get_object_or_404(ArrivingUpload.objects.select_for_update(), id=upload.id)
        dataset = take_upload(form, upload.team, person)
        if dataset is not None:
            end_upload(upload)
    if dataset is None:
        give_up_upload(upload, person)
        return JsonResponse({"problem": form.first_problem}, status=422)
    place_upload(request, dataset, upload.next_of)
    return JsonResponse({"go": reverse("datasets:preview", args=[dataset.id])})


@require_POST
def give_up(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    give_up_upload(_own_upload_or_404(request, upload_id), person_of(request))
    return redirect("datasets:new")
