from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format

from deid_portal.accounts.models import Team, User
from deid_portal.policies.rules import Rules
from deid_portal.querydesk.models import Question
from deid_portal.querydesk.released_answers import read_answers, to_documents
from deid_portal.reviews.models import Comment, Decision, ReviewRequest
from deid_portal.reviews.policies import PRINTS
from deid_portal.reviews.selectors import better_runs
from deid_portal.reviews.services import RequestTerms
from deid_portal.runs.models import Run
from deid_portal.web.widgets import CheckboxGroup


class PeopleField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.display_name)


class AnswerChoice(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        (answer,) = read_answers(to_documents([obj]))
        return f"{answer.words} {answer.said} · {answer.price}"


class AskForm(forms.Form):
    """Recipients, terms, and the checklist of the policy."""

    purpose = forms.CharField(
        label="Who gets it, and what for?",
        max_length=200,
        error_messages={"required": "Say who gets the release and what for."},
    )
    recipients = PeopleField(
        label="Who may download it",
        queryset=User.objects.none(),
        required=False,
        widget=CheckboxGroup,
        help_text="Nobody ticked: whoever is analyst of the team when it is released.",
    )
    download_days = forms.IntegerField(label="For how many days", min_value=1, max_value=3650)
    downloads_per_person = forms.IntegerField(label="How often each", min_value=1, max_value=1000)

    def __init__(
        self,
        data: Any = None,
        *,
        team: Team,
        rules: Rules,
        answers: QuerySet[Question],
        draft: ReviewRequest | None = None,
    ) -> None:
        super().__init__(data, initial=_initial(rules, draft))
        self.checklist = rules.checklist
        people = User.objects.filter(memberships__team=team, is_active=True).distinct()
        recipients = self.fields["recipients"]
        assert isinstance(recipients, PeopleField)  # noqa: S101 - for the types
        recipients.queryset = people.order_by("username")
        self.has_answers = answers.exists()
        if self.has_answers:
            self.fields["answers"] = _answers_field(answers)
        for number, sentence in enumerate(rules.checklist):
            self.fields[f"confirm_{number}"] = forms.BooleanField(
                label=sentence,
                error_messages={"required": "Your policy asks for this to be confirmed."},
            )

    @property
    def confirmations(self) -> list[forms.BoundField]:
        return [self[f"confirm_{number}"] for number in range(len(self.checklist))]

    def to_terms(self) -> RequestTerms:
        given = self.cleaned_data
        return RequestTerms(
            purpose=given["purpose"],
            recipients=list(given["recipients"]),
            download_days=given["download_days"],
            downloads_per_person=given["downloads_per_person"],
            confirmed=list(self.checklist),
            answers=list(given.get("answers", [])),
        )


def _answers_field(answers: QuerySet[Question]) -> AnswerChoice:
    return AnswerChoice(
        label="Noisy answers to hand over with it",
        queryset=answers,
        required=False,
        widget=CheckboxGroup,
        help_text="Answers of the query desk to your own questions about this dataset. Whoever "
        "decides on the request sees them.",
        error_messages={
            "invalid_choice": "Choose answers to your own questions about this dataset.",
            "invalid_pk_value": "Choose answers to your own questions about this dataset.",
        },
    )


def _initial(rules: Rules, draft: ReviewRequest | None) -> dict[str, Any]:
    if draft is None:
        return {
            "download_days": rules.download_days,
            "downloads_per_person": rules.downloads_per_person,
        }
    confirmed = {
        f"confirm_{number}": sentence in draft.confirmed
        for number, sentence in enumerate(rules.checklist)
    }
    return {
        "purpose": draft.purpose,
        "recipients": list(draft.recipients.values_list("pk", flat=True)),
        "answers": list(draft.answers.values_list("pk", flat=True)),
        "download_days": draft.download_days,
        "downloads_per_person": draft.downloads_per_person,
        **confirmed,
    }


class ReviewDecisionForm(forms.Form):
    verdict = forms.ChoiceField(
        label="Your decision",
        choices=Decision.Verdict.choices,
        error_messages={"required": "Choose to approve, to ask for changes or to reject."},
    )
    reason = forms.CharField(
        label="Reason",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    # The hashes shown on the page; the decision is valid only for these.
    input = forms.CharField(widget=forms.HiddenInput)
    plan = forms.CharField(widget=forms.HiddenInput)
    engine = forms.CharField(widget=forms.HiddenInput)
    output = forms.CharField(widget=forms.HiddenInput)
    answers = forms.CharField(widget=forms.HiddenInput, required=False)
    round = forms.CharField(widget=forms.HiddenInput, required=False)

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        needs_a_reason = cleaned.get("verdict") not in (None, Decision.Verdict.APPROVE)
        if needs_a_reason and not cleaned.get("reason"):
            self.add_error("reason", "Say why; the reason is kept with the request.")
        return cleaned

    @property
    def seen(self) -> dict[str, str]:
        prints = {name: self.cleaned_data[name] for name in PRINTS if self.cleaned_data[name]}
        shown = self.cleaned_data["round"]
        return {**prints, "round": shown} if shown else prints


class WaiverForm(forms.Form):
    gate = forms.CharField(widget=forms.HiddenInput, max_length=60)
    reason = forms.CharField(
        label="Why may this pass?",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": "Write why; the reason is printed on the certificate."},
    )


class RunChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    current: Run | None = None  # what the request is about so far

    def label_from_instance(self, obj: Any) -> str:
        again = ", once more" if obj == self.current else ""
        finished = timezone.localtime(obj.finished_at) if obj.finished_at else None
        when = f", finished {date_format(finished, 'j M, H:i')}" if finished else ""
        return f"Run {obj.number}{again or when}"


class ResubmitForm(forms.Form):
    """Which run a request is about from now on; nothing is chosen beforehand."""

    run = RunChoice(
        label="Run to submit",
        queryset=Run.objects.none(),
        empty_label="Choose a run",
        error_messages={"required": "Choose a run.", "invalid_choice": "Choose a finished run."},
        widget=forms.Select(attrs={"class": "form-select"}),
    )

    def __init__(self, data: Any = None, *, request: ReviewRequest) -> None:
        super().__init__(data)
        run = self.fields["run"]
        assert isinstance(run, RunChoice)  # noqa: S101 - for the types
        run.current, run.queryset = request.run, better_runs(request)
        if request.status == ReviewRequest.Status.SUBMITTED:
            run.queryset = run.queryset.exclude(id=request.run_id)
            number = request.run.number
            self.fields["is_sure"] = forms.BooleanField(
                label=f"Run {number} is no longer asked for; votes and waivers given are void",
                error_messages={"required": f"Confirm that it takes the place of run {number}."},
            )

    @property
    def has_runs(self) -> bool:
        run = self.fields["run"]
        return isinstance(run, RunChoice) and run.queryset is not None and run.queryset.exists()


# What a comment may be about besides the request and its columns.
CHARTS = (
    "Risk",
    "Groups",
    "Detail lost",
    "Left out",
    "Who pays",
    "Distributions",
    "Sensitive",
    "Attacks",
)


class CommentForm(forms.Form):
    text = forms.CharField(
        label="Comment",
        max_length=4000,
        widget=forms.Textarea(
            attrs={"rows": 2, "placeholder": "Write a comment; pick a column or chart with @"}
        ),
        error_messages={"required": "Write something first."},
    )
    about = forms.ChoiceField(label="About", required=False)

    def __init__(
        self, data: Any = None, *, columns: Sequence[str] = (), about_first: str = ""
    ) -> None:
        """`about_first` is the initial choice, set by the comment links on charts."""
        super().__init__(data, initial={"about": about_first})
        about = self.fields["about"]
        assert isinstance(about, forms.ChoiceField)  # noqa: S101 - for the types
        about.choices = [
            ("", "the request"),
            ("Columns", [(f"column:{name}", name) for name in columns]),
            ("Charts", [(f"chart:{name}", name) for name in CHARTS]),
        ]

    @property
    def subject(self) -> tuple[str, str]:
        kind, _, name = self.cleaned_data["about"].partition(":")
        return kind or Comment.About.REQUEST, name
