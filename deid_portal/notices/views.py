from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.notices.models import Preference
from deid_portal.notices.selectors import notices_of, preference_of
from deid_portal.notices.services import choose_mails, mark_read

NOTICES_PER_PAGE = 50


@require_GET
def list_notices(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    page = Paginator(notices_of(person), NOTICES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "preference": preference_of(person),
        "choices": Preference.ByMail.choices,
        "mails_are_sent": settings.MAIL_IS_CONFIGURED,
        "help_slug": "news",
    }
    return render(request, "notices/list.html", context)


@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    mark_read(person_of(request))
    return redirect("notices:list")


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    by_mail = request.POST.get("by_mail", "")
    if by_mail not in Preference.ByMail.values:
        return HttpResponseBadRequest("Choose everything, what waits for you, or nothing.")
    choose_mails(person=person_of(request), by_mail=by_mail)
    messages.success(request, "Saved.")
    return redirect("notices:list")
