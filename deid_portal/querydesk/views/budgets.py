"""Pages of statements, of the spending of others, and of wishes for more budget."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from deid_portal.accounts.people import person_of
from deid_portal.querydesk.amounts import micro_of, shown
from deid_portal.querydesk.forms import BudgetDecisionForm, WishForm
from deid_portal.querydesk.ledger import balance_of
from deid_portal.querydesk.models import Wish
from deid_portal.querydesk.permissions import (
    check_may_ask_questions,
    check_may_grant,
    check_may_open,
    check_may_see_spending,
)
from deid_portal.querydesk.prices import setting_of
from deid_portal.querydesk.question_form import domain_words
from deid_portal.querydesk.selectors import get_desk_or_404, get_wish_or_404, waiting_wish
from deid_portal.querydesk.statements import accounts_of, ledger_statement_of, lines_before
from deid_portal.querydesk.wishes import ask_for_more, decide_wish, raises
from deid_portal.web.refusals import Refused, refusal

QUESTIONS_SHOWN = 30


@require_GET
def statement(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    desk = get_desk_or_404(person_of(request), desk_id)
    check_may_ask_questions(person_of(request), desk)
    context = {
        "desk": desk,
        "terms": desk.current,
        "statement": ledger_statement_of(desk, person_of(request)),
        "before": lines_before(desk, person_of(request)),
        "wishes": desk.wishes.filter(asked_by=person_of(request)).select_related("decided_by"),
        "help_slug": "query-desk",
    }
    return render(request, "querydesk/statement.html", context)


@require_GET
def accounts(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    """Questions and spending per person, without answers."""
    person = person_of(request)
    desk = get_desk_or_404(person, desk_id)
    check_may_see_spending(person, desk)
    asked = desk.questions.select_related("asked_by", "repeat_of").defer("answer", "document")
    page = Paginator(asked, QUESTIONS_SHOWN).get_page(request.GET.get("page"))
    setting = setting_of(desk.current)
    context = {
        "desk": desk,
        "terms": desk.current,
        "setting": setting,
        "dataset": desk.current.dataset,
        "all_terms": list(desk.terms.select_related("set_by", "dataset")),
        "accounts": accounts_of(desk),
        "page": page,
        "balance": ledger_statement_of(desk, person, most=1),
        "wishes": desk.wishes.select_related("asked_by", "decided_by")[:QUESTIONS_SHOWN],
        "open_columns": [domain_words(name, setting) for name in setting.domains],
        "may_open": not refusal(check_may_open, person, desk.team),
        "may_ask": not refusal(check_may_ask_questions, person, desk),
        "help_slug": "query-desk",
    }
    return render(request, "querydesk/accounts.html", context)


@require_http_methods(["GET", "POST"])
def more(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    """Ask the approvers for more budget."""
    person = person_of(request)
    desk = get_desk_or_404(person, desk_id)
    check_may_ask_questions(person, desk)
    posted = request.POST if request.method == "POST" else None
    form = WishForm(posted, initial={"amount": request.GET.get("amount") or None})
    if posted is not None and form.is_valid():
        try:
            ask_for_more(
                desk=desk,
                asked_by=person,
                micro=micro_of(form.cleaned_data["amount"]),
                reason=form.cleaned_data["reason"],
            )
        except Refused as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, "Asked. The approvers have been told.")
            return redirect(desk)
    context = {
        "desk": desk,
        "terms": desk.current,
        "form": form,
        "statement": ledger_statement_of(desk, person, most=1),
        "waiting": waiting_wish(desk, person),
        "help_slug": "query-desk",
    }
    return render(request, "querydesk/more.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "POST"])
def wish(request: HttpRequest, wish_id: UUID) -> HttpResponse:
    """A wish for more, with what the approver needs to decide on it."""
    person = person_of(request)
    wanted = get_wish_or_404(person, wish_id)
    if request.method == "POST":
        check_may_grant(person, wanted)
    posted = request.POST if request.method == "POST" else None
    form = BudgetDecisionForm(posted, initial={"amount": shown(wanted.micro)})
    if posted is not None and form.is_valid():
        try:
            decide_wish(
                wish=wanted,
                decided_by=person,
                micro=form.micro,
                answer=form.cleaned_data["answer"],
            )
        except Refused as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, "Decided. The person who asked has been told.")
            return redirect("querydesk:wish", wanted.id)
    return _wish_page(request, wanted, form)


def _wish_page(request: HttpRequest, wanted: Wish, form: BudgetDecisionForm) -> HttpResponse:
    desk, person = wanted.desk, person_of(request)
    balance = balance_of(desk, wanted.asked_by)
    raise_pool, raise_total = raises(balance, wanted.micro)
    context = {
        "wish": wanted,
        "desk": desk,
        "terms": desk.current,
        "form": form,
        "account": next((one for one in accounts_of(desk) if one.person == wanted.asked_by), None),
        "balance": ledger_statement_of(desk, wanted.asked_by, most=1),
        "asked": shown(wanted.micro),
        "granted": shown(wanted.granted_micro),
        "raises_total": shown(raise_total) if raise_total else "",
        "raises_pool": shown(raise_pool) if raise_pool else "",
        "new_total": shown(balance.total_limit + raise_total),
        "is_waiting": wanted.status == Wish.Status.WAITING,
        "grant_refusal": refusal(check_may_grant, person, wanted),
        "help_slug": "query-desk",
    }
    return render(request, "querydesk/wish.html", context, status=422 if form.errors else 200)
