"""The page of a desk: composing a question, its price, asking, and the answers."""

from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.engine.errors import InvalidPlan
from deid_portal.querydesk.answer_cards import AnswerCard
from deid_portal.querydesk.models import Desk
from deid_portal.querydesk.permissions import (
    check_may_ask_questions,
    check_may_open,
    check_may_see_spending,
)
from deid_portal.querydesk.policies import check_answers
from deid_portal.querydesk.prices import CONFIDENCES, setting_of
from deid_portal.querydesk.question_form import (
    ComposedQuestion,
    compose_question,
    draft_fields,
    fields_of_question,
    kinds_that_fit,
)
from deid_portal.querydesk.quotes import Quote, quote
from deid_portal.querydesk.released_answers import run_to_go_with
from deid_portal.querydesk.selectors import (
    desks_of_team,
    drafts_of,
    find_questions,
    get_desk_or_404,
    get_draft_or_404,
    get_question_or_404,
    questions_of,
    waiting_wish,
)
from deid_portal.querydesk.services import ask, drop_draft, save_draft, stop_question
from deid_portal.querydesk.statements import ledger_statement_of
from deid_portal.querydesk.subjects import AskedSubject
from deid_portal.querydesk.tips import tips_of
from deid_portal.querydesk.vocabulary import question_kind_words, tiles_of
from deid_portal.web.http import STOP_POLLING, wants_part
from deid_portal.web.refusals import Refused, refusal
from deid_portal.work.queue import is_queue_reachable

ANSWERS_SHOWN = 5
LINES_SHOWN = 7
CARDS_SHOWN = 25
DRAFTS_SHOWN = 5
# Form fields that are not part of the question.
NOT_KEPT = ("csrfmiddlewaretoken", "key", "act", "seen_terms")


@require_GET
def show(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    desk = get_desk_or_404(person_of(request), desk_id)
    if refusal(check_may_ask_questions, person_of(request), desk):
        return redirect("querydesk:accounts", desk.id)
    posted: QueryDict = request.GET
    if request.GET.get("draft"):
        posted = _draft_of(request)
    elif request.GET.get("question"):
        posted = _question_of(request, desk)
    return _page(request, desk, posted)


def _draft_of(request: HttpRequest) -> QueryDict:
    try:
        draft = get_draft_or_404(person_of(request), UUID(request.GET["draft"]))
    except ValueError:
        return request.GET
    return draft_fields(draft.fields)


def _question_of(request: HttpRequest, desk: Desk) -> QueryDict:
    """Return the fields of a question asked before, so that it stays where it was put together."""
    try:
        question = get_question_or_404(person_of(request), UUID(request.GET["question"]))
    except ValueError:
        return request.GET
    if question.desk_id != desk.pk:
        return request.GET
    return fields_of_question(question.document, setting_of(desk.current))


@require_POST
def price(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    """Show the price of the question, without reading data or spending."""
    desk = _desk_to_ask(request, desk_id)
    if not wants_part(request):
        return _page(request, desk, request.POST)
    context = _context(request, desk, request.POST)
    is_amount = request.headers.get("HX-Trigger-Name") in ("accuracy", "epsilon", "slider", "rows")
    context["moved"] = request.headers.get("HX-Trigger-Name", "")
    template = "querydesk/_amounts_moved.html" if is_amount else "querydesk/_composed.html"
    return render(request, template, context)


@require_POST
def ask_question(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    desk = _desk_to_ask(request, desk_id)
    person = person_of(request)
    try:
        composition = compose_question(request.POST, setting_of(desk.current))
        offer = quote(desk, desk.current, person, composition, request.POST)
        if offer.to_ask is None:
            raise Refused(offer.problem or "Put the question together first.")
        question = ask(
            desk=desk,
            asked_by=person,
            document=offer.to_ask.document,
            key=_key_of(request.POST),
            seen_terms=_number_of(request.POST.get("seen_terms")),
        )
    except (Refused, InvalidPlan) as reason:
        return _page(request, desk, request.POST, refused=str(reason), status=422)
    # In the address stands the id alone; what was asked names declared values.
    return redirect(f"{desk.get_absolute_url()}?question={question.id}#answer-{question.id}")


@require_POST
def keep_draft(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    desk = _desk_to_ask(request, desk_id)
    try:
        composition = compose_question(request.POST, setting_of(desk.current))
        offer = quote(desk, desk.current, person_of(request), composition, request.POST)
        words = offer.priced.question.words() if offer.priced else composition.kind.label
        fields = {name: own for name, own in request.POST.lists() if name not in NOT_KEPT}
        save_draft(desk=desk, person=person_of(request), fields=fields, words=words)
    except (Refused, InvalidPlan) as reason:
        return _page(request, desk, request.POST, refused=str(reason), status=422)
    messages.success(request, "Kept as a draft. It has cost nothing.")
    return redirect(f"{desk.get_absolute_url()}#drafts")


@require_POST
def drop(request: HttpRequest, draft_id: UUID) -> HttpResponse:
    draft = get_draft_or_404(person_of(request), draft_id)
    desk = draft.desk
    drop_draft(draft=draft, person=person_of(request))
    return redirect(desk)


@require_GET
def answer(request: HttpRequest, question_id: UUID) -> HttpResponse:
    """An answer, as a page, or as the card that is polled until it is ready."""
    question = get_question_or_404(person_of(request), question_id)
    card = AnswerCard(question)
    context = {
        "card": card,
        "desk": question.desk,
        "queue_is_away": _queue_is_away(card),
        "goes_with": run_to_go_with(person_of(request), question.desk),
    }
    if wants_part(request):
        status = 200 if card.is_open else STOP_POLLING
        reply = render(request, "querydesk/_answer.html", context, status=status)
        if not card.is_open:
            reply["HX-Trigger"] = "answered"
        return reply
    return render(request, "querydesk/answer.html", {**context, "help_slug": "query-desk"})


@require_GET
def list_answers(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    """All questions of a person at a desk, with their answers in a line."""
    person = person_of(request)
    desk = _desk_to_ask(request, desk_id)
    wanted, kind = request.GET.get("q", "").strip(), request.GET.get("kind", "")
    asked = sorted(set(desk.questions.filter(asked_by=person).values_list("kind", flat=True)))
    found = find_questions(desk, person, wanted, kind)
    page = Paginator(found, CARDS_SHOWN).get_page(request.GET.get("page"))
    context = {
        "desk": desk,
        "page": page,
        "cards": [AnswerCard(question) for question in page.object_list],
        "wanted": wanted,
        "kinds": [(name, question_kind_words(name).title, name == kind) for name in asked],
        "query": "&" + urlencode({"q": wanted, "kind": kind}),
        "help_slug": "query-desk",
    }
    return render(request, "querydesk/answers.html", context)


@require_GET
def answer_csv(request: HttpRequest, question_id: UUID) -> HttpResponse:
    card = AnswerCard(get_question_or_404(person_of(request), question_id))
    if not card.has_answer:
        raise Refused("There is no answer to this question.")
    reply = HttpResponse(card.to_csv(), content_type="text/csv; charset=utf-8")
    name = f"answer-{str(card.question.id)[:8]}.csv"
    reply["Content-Disposition"] = f'attachment; filename="{name}"'
    return reply


@require_POST
def stop(request: HttpRequest, question_id: UUID) -> HttpResponse:
    question = get_question_or_404(person_of(request), question_id)
    try:
        returned = stop_question(question=question, stopped_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    else:
        words = "Taken back; the price was given back." if returned else "It is being stopped."
        messages.success(request, words)
    return redirect(question.desk)


def _desk_to_ask(request: HttpRequest, desk_id: UUID) -> Desk:
    desk = get_desk_or_404(person_of(request), desk_id)
    check_may_ask_questions(person_of(request), desk)
    return desk


def _key_of(posted: QueryDict) -> UUID:
    try:
        return UUID(posted.get("key", ""))
    except ValueError:
        raise Refused("The form was incomplete. Look at the price and ask again.") from None


def _number_of(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else 0


def _queue_is_away(card: AnswerCard) -> bool:
    return card.is_open and not is_queue_reachable()


def _page(
    request: HttpRequest, desk: Desk, posted: QueryDict, *, status: int = 200, **more: Any
) -> HttpResponse:
    person = person_of(request)
    # Answers before the account: one that arrives in between is polled once more.
    cards = [AnswerCard(question) for question in questions_of(desk, person)[:ANSWERS_SHOWN]]
    context = _context(request, desk, posted)
    context |= {
        "cards": cards,
        "answer_count": questions_of(desk, person).count(),
        "drafts": list(drafts_of(desk, person)[:DRAFTS_SHOWN]),
        "desks": [one for one in desks_of_team(person, desk.team) if one.is_open],
        "queue_is_away": any(_queue_is_away(card) for card in cards),
        "goes_with": run_to_go_with(person, desk),
        "may_open": not refusal(check_may_open, person, desk.team),
        "sees_spending": not refusal(check_may_see_spending, person, desk),
        "help_slug": "query-desk",
        **more,
    }
    return render(request, "querydesk/show.html", context, status=status)


def _context(request: HttpRequest, desk: Desk, posted: QueryDict) -> dict[str, Any]:
    person = person_of(request)
    closed = refusal(check_answers, desk)
    statement = ledger_statement_of(desk, person, most=LINES_SHOWN)
    setting = setting_of(desk.current)
    context: dict[str, Any] = {
        "desk": desk,
        "terms": desk.current,
        "setting": setting,
        "dataset": desk.current.dataset,
        "closed": closed,
        "statement": statement,
        "wish": waiting_wish(desk, person),
    }
    if closed:
        return context
    composition = compose_question(posted, setting)
    offer = quote(desk, desk.current, person, composition, posted)
    return context | _composed(desk, composition, offer, posted)


def _composed(
    desk: Desk, composition: ComposedQuestion, offer: Quote, posted: QueryDict
) -> dict[str, Any]:
    kinds = kinds_that_fit(composition.setting)
    common = AskedSubject.of(desk.current.dataset).tiles
    tiles = tiles_of([kind.kind for kind in kinds], common)
    shown_kinds = [
        (kind.kind, question_kind_words(kind.kind, kind.label, kind.tile)) for kind in kinds
    ]
    kind = composition.kind
    words = question_kind_words(kind.kind, kind.label, kind.tile)
    return {
        "composition": composition,
        "quote": offer,
        "words": words,
        "sentence": list(zip_longest(("", *words.between), composition.sentence_parts)),
        "tiles": [one for one in shown_kinds if one[0] in tiles],
        "other_kinds": [one for one in shown_kinds if one[0] not in tiles],
        "confidences": [(f"{one:g}", f"{one:.0%}".replace("%", " %")) for one in CONFIDENCES],
        "chosen_confidence": f"{offer.confidence:g}",
        "tips": tips_of(composition, offer, desk.current.smallest_micro),
        "key": posted.get("key", "") or str(uuid4()),
        "price_url": reverse("querydesk:price", args=[desk.id]),
    }
