"""Three views of the same plan: plain words, every detail, the document itself.

Each view reads posted data into the same `ProtectionChoice`, and can show one made by another view.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.http import QueryDict

from deid_portal.datasets.models import Dataset
from deid_portal.engine import Plan
from deid_portal.plans.composition import ProtectionChoice, choice_of
from deid_portal.plans.document_form import DocumentForm
from deid_portal.plans.expert_forms import ExpertForm
from deid_portal.plans.guidelines import (
    GUIDELINES,
    Audience,
    Guideline,
    GuidelineCheck,
    hold_against,
)
from deid_portal.plans.measures_form import MeasuresForm
from deid_portal.plans.models import Protection
from deid_portal.plans.plain_form import PlainForm
from deid_portal.plans.proposals import (
    Answers,
    ProtectionProposal,
    expresses,
    guesses_of,
    propose_protection,
    understand,
)
from deid_portal.plans.recommendation import MethodRecommendation, Purpose, recommend_method
from deid_portal.plans.table_facts import facts_of
from deid_portal.plans.weights_form import WeightsForm, weights_of

PLAIN, EXPERT, DOCUMENT = "plain", "expert", "json"
VIEWS = {PLAIN: "Plain words", EXPERT: "Expert", DOCUMENT: "JSON"}


class WayToChoose(ABC):
    """A view of a plan, bound to posted data or showing a choice."""

    view: str

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.facts = facts_of(dataset)

    @abstractmethod
    def read(self) -> ProtectionChoice | None:
        """Return the choice, or None if the fields are invalid."""

    @abstractmethod
    def place_error(self, sentence: str) -> None:
        """Show an error message of the engine."""

    def say(self, sentence: str) -> str:
        """Return a message of the engine in the wording of this view."""
        return sentence

    @property
    @abstractmethod
    def has_errors(self) -> bool: ...

    @property
    def answers(self) -> Answers | None:
        """Return the plain answers that led to the choice, if any."""
        return None

    def act(self, act: str, data: QueryDict) -> bool:
        """Handle a button of this view; return whether it was one."""
        return False

    def take_note_of(self, plan: Plan) -> None:  # noqa: B027 - optional
        """Show the engine's cautions at the fields."""


class _WithMeasures(WayToChoose):
    def __init__(
        self,
        dataset: Dataset,
        data: QueryDict | None,
        measures: dict[str, Any],
        shown: ProtectionChoice | None,
    ) -> None:
        super().__init__(dataset)
        self.measures = MeasuresForm(data, dataset=dataset, chosen=measures)
        # Forms that are not sent keep their saved values.
        source = shown if shown is not None else getattr(dataset, "protection", None)
        self.kept_weights = weights_of(source, dataset)
        self.kept_seed: int | None = source.seed if source is not None else None
        self.weights = WeightsForm(data, dataset=dataset, weights=self.kept_weights)

    def _weights_are_valid(self) -> bool:
        return not self.weights.was_given or self.weights.is_valid()

    def _extras(self) -> dict[str, Any]:
        """Return weights as posted, else as saved; a seed can only be set in the document."""
        is_given = self.weights.was_given
        weights = self.weights.to_weights() if is_given else self.kept_weights
        return {"weights": weights, "seed": self.kept_seed}

    @property
    def _side_forms_have_errors(self) -> bool:
        weights = self.weights.was_given and bool(self.weights.errors)
        return weights or (self.measures.is_bound and bool(self.measures.errors))


class PlainChoosing(_WithMeasures):
    """The view with questions in plain words, and the plan that follows from the answers."""

    view = PLAIN

    def __init__(
        self,
        dataset: Dataset,
        *,
        data: QueryDict | None = None,
        choice: ProtectionChoice | None = None,
        answers: Answers | None = None,
        kept: dict[str, Any] | None = None,
    ) -> None:
        measures = choice.measures if choice is not None else kept or {}
        super().__init__(dataset, data, measures, choice)
        self.shown = choice
        self.is_foreign = False
        initial: dict[str, Any] = {}
        if data is None and choice is not None:
            answers = answers or understand(choice.rules, choice.method, self.facts)
            self.is_foreign = answers is None
            initial = PlainForm.initial_from(dataset, answers) if answers is not None else {}
        self.form = PlainForm(data, initial=initial, dataset=dataset)

    def read(self) -> ProtectionChoice | None:
        if not self.form.is_bound and self.shown is not None:
            return self.shown
        bound = self._bound
        fits = self._measures_are_valid() and self._weights_are_valid()
        if not bound.is_valid() or not fits:
            return None
        answers = bound.to_answers()
        proposal = self._propose(answers)
        measures = self._measures(answers.class_column)
        choice = ProtectionChoice(proposal.rules, proposal.method, measures, **self._extras())
        return choice.without_undoing_seed(self.dataset.subject)

    @cached_property
    def _bound(self) -> PlainForm:
        """Return the form bound to its initial answers, so that there is a plan at once."""
        if self.form.is_bound:
            return self.form
        form = self.form
        given = {name: form.get_initial_for_field(own, name) for name, own in form.fields.items()}
        return PlainForm(given, dataset=self.dataset)

    def _measures_are_valid(self) -> bool:
        return not self.measures.is_bound or self.measures.is_valid()

    def _measures(self, class_column: str) -> dict[str, Any]:
        """Return the chosen measures, with a classifier if that is the purpose of the data."""
        measures = self.measures.to_measures() if self.measures.is_bound else {}
        if class_column:
            utility = {"class_column": class_column, **measures.get("utility", {})}
            measures = {**measures, "utility": utility}
        return measures

    def _propose(self, answers: Answers) -> ProtectionProposal:
        return propose_protection(answers, self.facts)

    @property
    def answers(self) -> Answers | None:
        bound = self._bound
        return bound.to_answers() if bound.is_valid() else None

    @property
    def recommendation(self) -> MethodRecommendation | None:
        answers = self.answers
        return self._propose(answers).recommendation if answers is not None else None

    @property
    def guideline(self) -> Guideline:
        audience = self.form["audience"].value()
        known = audience if audience in Audience.values else Audience.PARTNERS
        return GUIDELINES[Audience(known)]

    @property
    def held(self) -> list[GuidelineCheck]:
        answers = self.answers
        if answers is None:
            return []
        return hold_against(
            self.guideline, k=answers.k, left_out=answers.left_out, guesses=guesses_of(answers)
        )

    def place_error(self, sentence: str) -> None:
        self.form.add_error(None, sentence)

    @property
    def has_errors(self) -> bool:
        return self._side_forms_have_errors or (self.form.is_bound and bool(self.form.errors))

    def act(self, act: str, data: QueryDict) -> bool:
        if act != "usual":
            return False
        audience = data.get("audience", "")
        if audience in Audience.values:
            usual = PlainForm.usual_for(audience, data.dict())
            self.form = self._bound = PlainForm(usual, dataset=self.dataset)
        return True


class ExpertChoosing(_WithMeasures):
    """Every model and method of the engine."""

    view = EXPERT

    def __init__(
        self,
        dataset: Dataset,
        *,
        data: QueryDict | None = None,
        choice: ProtectionChoice | None = None,
        kept: dict[str, Any] | None = None,
    ) -> None:
        measures = choice.measures if choice is not None else kept or {}
        super().__init__(dataset, data, measures, choice)
        self.form = ExpertForm(dataset, data=data, choice=choice)
        self.shown = choice

    def read(self) -> ProtectionChoice | None:
        if not self.form.is_bound:
            return self.shown
        parts_fit = self.form.is_valid()
        weights_fit = self._weights_are_valid()
        if not self.measures.is_valid() or not parts_fit or not weights_fit:
            return None
        choice = replace(self.form.to_choice(self.measures.to_measures()), **self._extras())
        return choice.without_undoing_seed(self.dataset.subject)

    @property
    def recommendation(self) -> MethodRecommendation:
        return recommend_method(self.facts, Purpose.COUNTS)

    def place_error(self, sentence: str) -> None:
        self.form.place_error(sentence)

    def say(self, sentence: str) -> str:
        return self.form.say(sentence)

    @property
    def has_errors(self) -> bool:
        return self.form.has_errors or self._side_forms_have_errors

    def act(self, act: str, data: QueryDict) -> bool:
        return self.form.act(act, data)

    def take_note_of(self, plan: Plan) -> None:
        for part, own in zip(self.form.rules.parts, plan.models, strict=False):
            part.cautions, part.meaning = own.cautions(), own.explain()
        for part, method in zip(self.form.methods.parts, plan.methods, strict=False):
            part.cautions, part.meaning = method.cautions(), method.explain()


class DocumentChoosing(WayToChoose):
    """The chosen part of the plan as text."""

    view = DOCUMENT

    def __init__(
        self,
        dataset: Dataset,
        *,
        data: QueryDict | None = None,
        choice: ProtectionChoice | None = None,
    ) -> None:
        super().__init__(dataset)
        initial = DocumentForm.initial_from(choice) if choice is not None else {}
        self.form = DocumentForm(data, initial=initial)
        self.shown = choice

    def read(self) -> ProtectionChoice | None:
        if not self.form.is_bound:
            return self.shown
        return self.form.to_choice() if self.form.is_valid() else None

    def place_error(self, sentence: str) -> None:
        self.form.add_error("document" if self.form.is_bound else None, sentence)

    @property
    def has_errors(self) -> bool:
        return self.form.is_bound and bool(self.form.errors)


def read_choosing(dataset: Dataset, data: QueryDict) -> WayToChoose:
    """Read the data posted by one of the views."""
    saved = getattr(dataset, "protection", None)
    kept = saved.measures if saved is not None else {}
    match data.get("view"):
        case "expert":
            return ExpertChoosing(dataset, data=data, kept=kept)
        case "json":
            return DocumentChoosing(dataset, data=data)
    return PlainChoosing(dataset, data=data, kept=kept)


def show_choosing(
    dataset: Dataset, view: str, choice: ProtectionChoice | None, answers: Answers | None = None
) -> WayToChoose:
    """Show a choice in one of the views; without one, the first proposal."""
    plain = PlainChoosing(dataset, choice=choice, answers=answers)
    if view not in VIEWS:
        view = EXPERT if plain.is_foreign else PLAIN
    if view == PLAIN:
        return plain
    choice = choice if choice is not None else plain.read()
    if view == EXPERT:
        return ExpertChoosing(dataset, choice=choice)
    return DocumentChoosing(dataset, choice=choice)


def show_saved(dataset: Dataset, view: str) -> WayToChoose:
    saved: Protection | None = getattr(dataset, "protection", None)
    if saved is None:
        return show_choosing(dataset, view, None)
    choice = choice_of(saved)
    answers = Answers.from_document(saved.answers) if saved.answers else None
    if answers is not None and not expresses(
        answers, choice.rules, choice.method, facts_of(dataset)
    ):
        answers = None  # the columns were changed since
    return show_choosing(dataset, view, choice, answers)
