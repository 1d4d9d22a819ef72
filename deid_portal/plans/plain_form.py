"""The questions in plain words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any

from django import forms

from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn
from deid_portal.engine.methods import METHODS
from deid_portal.engine.table.values import NUMERIC
from deid_portal.engine.utility import METRICS, ClassMetric
from deid_portal.engine.wording.numbers import middle_cut
from deid_portal.plans.amounts import ShownAs, amounts_of, has_amounts, variety_of
from deid_portal.plans.guidelines import GUIDELINES, Audience
from deid_portal.plans.proposals import NEAR_AT_MOST_ONE_IN, Answers, Harm, Worry
from deid_portal.plans.recommendation import Purpose
from deid_portal.plans.showing_question import ShowingQuestion
from deid_portal.plans.table_facts import NUMERIC as ORDERED
from deid_portal.plans.table_facts import guess_without_release
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policy_in_force

# Loss first, as recommended, then what else judges cells, then what judges groups.
METRICS_OFFERED = sorted(
    METRICS.values(), key=lambda own: (own.name != "loss", isinstance(own, ClassMetric))
)
LARGEST_K_ON_SLIDER = 50
NAME_LENGTH = 40
ROOM_OF_A_MARK = 16  # percent of the width
# In how many parts the labels divide a slider, the first that comes out even with whole numbers.
PARTS_OF_A_SLIDER = (4, 5, 3, 6, 2, 7)
USUAL_PARTS = 4
USUAL_K = 5  # people in a group that proposed amounts fit


@dataclass(frozen=True)
class SliderMark:
    """A label under a slider, its position, and its alignment."""

    words: str
    place: float  # percent of the width
    is_policy: bool = False

    @property
    def anchor(self) -> str:
        edge = 14 if self.is_policy else 4
        if self.place < edge:
            return "start"
        return "end" if self.place > 100 - edge else "middle"


@dataclass(frozen=True)
class Slider:
    """A number with a slider beneath; both hold the same value."""

    field: forms.BoundField
    unit: str
    why: str
    minimum: float
    maximum: float
    step: float = 1
    policy: float | None = None  # the limit of the team's policy
    policy_words: str = ""

    @property
    def marks(self) -> list[SliderMark]:
        """Return the labels under the slider: even steps, and the limit of the policy."""
        width = self.maximum - self.minimum
        even = [
            SliderMark(_label(value), 100 * (value - self.minimum) / width) for value in self.ticks
        ]
        if self.policy is None or not self.minimum <= self.policy <= self.maximum:
            return even
        at = 100 * (self.policy - self.minimum) / width
        limit = SliderMark(f"{self.policy:g} · {self.policy_words}", at, is_policy=True)
        return [mark for mark in even if abs(mark.place - at) >= ROOM_OF_A_MARK] + [limit]

    @property
    def id(self) -> str:
        return f"{self.field.auto_id}_range"

    @property
    def ticks(self) -> list[float]:
        """Return the labeled values: evenly spaced, and whole numbers where the answer is one."""
        width = self.maximum - self.minimum
        if self.step < 0.5 or width < 1 or width % 1 or self.minimum % 1:
            return [self.minimum + place * width / USUAL_PARTS for place in range(USUAL_PARTS + 1)]
        even = [parts for parts in PARTS_OF_A_SLIDER if width % parts == 0]
        step = width / even[0] if even else ceil(width / USUAL_PARTS)
        return [self.minimum + place * step for place in range(int(width // step) + 1)]


def _label(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


class PlainForm(forms.Form):
    """Questions about the recipients' knowledge and possible harm; one per sensitive column."""

    audience = forms.ChoiceField(
        label="Who gets it?",
        choices=Audience.choices,
        initial=Audience.PARTNERS,
        required=False,
        widget=forms.RadioSelect,
    )
    purpose = forms.ChoiceField(
        label="What will the data be used for?",
        choices=Purpose.choices,
        initial=Purpose.COUNTS,
        required=False,
        widget=forms.RadioSelect,
    )
    class_column = forms.ChoiceField(label="What should the classifier learn?", required=False)
    facts = forms.IntegerField(
        label="How many facts could somebody already know about a person?",
        required=False,
        min_value=1,
        error_messages={
            "min_value": "At least one fact has to be known, or nobody needs protection.",
            "invalid": "The number of facts must be a whole number.",
        },
    )
    k = forms.IntegerField(
        label="Among how many look-alikes must every person hide?",
        min_value=2,
        max_value=1_000_000,
        initial=5,
        error_messages={
            "min_value": "k must be 2 or more: hiding among one is not hiding.",
            "invalid": "k must be a whole number.",
            "required": "Say among how many people everyone must hide.",
        },
    )
    suppression_percent = forms.FloatField(
        label="How many people may be left out to keep the rest detailed?",
        min_value=0,
        max_value=100,
        initial=5,
        error_messages={
            "min_value": "The share must lie between 0 and 100 percent.",
            "max_value": "The share must lie between 0 and 100 percent.",
            "required": "Say how many may be left out; 0 leaves out nobody.",
        },
    )
    method = forms.ChoiceField(label="Method", required=False)
    metric = forms.ChoiceField(
        label="What should the search keep small?",
        choices=[(own.name, own.title) for own in METRICS_OFFERED],
        initial="loss",
        required=False,
        help_text=(
            "Detail lost is the share of each column's detail that disappears; it suits most uses."
        ),
    )

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        columns = list(dataset.columns.all())
        self.dataset = dataset
        self.rows = dataset.rows
        self.quasi_identifiers = [column for column in columns if column.is_quasi_identifier]
        self.sensitive = [
            column for column in columns if column.role == ColumnRoleChoices.SENSITIVE
        ]
        self.fields["facts"].initial = len(self.quasi_identifiers)
        self._offer("class_column", [("", "none"), *_names(_learnable(columns))])
        titles = [(name, kind.title) for name, kind in METHODS.items() if kind.is_in_plain_view]
        self._offer("method", [("", "the recommended one"), *titles])
        self.questions = [SensitiveQuestion(self, column) for column in self.sensitive]
        for name in ("class_column", "method", "metric"):
            self.fields[name].widget.attrs["class"] = "form-select"
        for name, own in self.fields.items():
            if isinstance(own.widget, forms.NumberInput):
                described = f"{self[name].auto_id}_helptext"
                twin = {"data-range-for": f"{self[name].auto_id}_range"}
                own.widget.attrs |= {**twin, "class": "form-control", "aria-describedby": described}

    @cached_property
    def policy(self) -> Rules:
        return policy_in_force(self.dataset.team).rules

    @property
    def facts_slider(self) -> Slider:
        names = [middle_cut(column.name, NAME_LENGTH) for column in self.quasi_identifiers]
        more = f" and {len(names) - 10} more" if len(names) > 12 else ""
        shown = ", ".join(names[:10] if more else names) + more
        why = f"Facts are the quasi-identifiers: {shown}. With all of them, assume everything."
        return Slider(self["facts"], f"of {len(names)} facts", why, 1, max(len(names), 2))

    @property
    def k_slider(self) -> Slider:
        least = self.policy.least_k
        why = (
            f"{least:,} is the team’s minimum; for files anyone may download, 11 is a common "
            "choice (k-anonymity)."
        )
        most = max(min(max(LARGEST_K_ON_SLIDER, least), self.rows), 3)
        slider = Slider(self["k"], "people or more", why, 2, most)
        return replace(slider, policy=least, policy_words="policy minimum")

    @property
    def left_out_slider(self) -> Slider:
        most = 100 * self.policy.most_left_out
        why = (
            "Leaving out rare people lets everybody else stay finer. 0 leaves out nobody; "
            f"the policy allows up to {most:g}\u00a0%."
        )
        slider = Slider(self["suppression_percent"], "% of the rows", why, 0, max(20, most), 0.5)
        return replace(slider, policy=most, policy_words="policy maximum")

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = choices

    def clean_k(self) -> int:
        k: int = self.cleaned_data["k"]
        if k > self.rows:
            raise forms.ValidationError(
                f"The table has only {self.rows:,} rows, so nobody can hide among more. "
                f"Choose a number from 2 to {self.rows:,}."
            )
        return k

    def clean_facts(self) -> int:
        known = self.cleaned_data["facts"] or len(self.quasi_identifiers)
        if known > len(self.quasi_identifiers):
            raise forms.ValidationError(
                f"The table has {len(self.quasi_identifiers)} quasi-identifiers; nobody can know "
                "more of them."
            )
        return int(known)

    def clean(self) -> dict[str, Any]:
        for question in self.questions:
            question.clean()
        return self.cleaned_data

    def to_answers(self) -> Answers:
        given = self.cleaned_data
        return Answers(
            k=given["k"],
            facts_known=given["facts"],
            # Percent typed by people: 0.1 + 0.2 must not become 0.30000000000000004.
            left_out=round(given["suppression_percent"] / 100, 10),
            worries={
                question.column.name: question.to_worry()
                for question in self.questions
                if question.harm != Harm.NOTHING
            },
            audience=given["audience"] or Audience.PARTNERS,
            purpose=given["purpose"] or Purpose.COUNTS,
            class_column=given["class_column"] if given["purpose"] == Purpose.CLASSIFIER else "",
            metric=given["metric"] or "loss",
            method=given["method"],
            shown={
                question.column.name: shown
                for question in self.questions
                if not (shown := question.showing.to_shown()).is_exact
            },
        )

    @classmethod
    def initial_from(cls, dataset: Dataset, answers: Answers) -> dict[str, Any]:
        initial = {
            "audience": answers.audience,
            "purpose": answers.purpose,
            "class_column": answers.class_column,
            "facts": answers.facts_known,
            "k": answers.k,
            "suppression_percent": f"{100 * answers.left_out:g}",
            "metric": answers.metric,
            "method": answers.method,
        }
        for column in dataset.columns.filter(role=ColumnRoleChoices.SENSITIVE):
            worry = answers.worries.get(column.name, Worry(Harm.NOTHING))
            initial |= SensitiveQuestion.initial_from(column, worry)
            shown = answers.shown.get(column.name, ShownAs())
            initial |= ShowingQuestion.initial_from(column, shown)
        return initial

    @classmethod
    def usual_for(cls, audience: str, data: dict[str, Any]) -> dict[str, Any]:
        """Return the answers with the numbers that are usual for these recipients."""
        guideline = GUIDELINES[Audience(audience)]
        usual = {
            "k": guideline.least_k,
            "suppression_percent": f"{min(100 * guideline.most_left_out, 5):g}",
        }
        shares = {
            name: f"{100 * guideline.surest_guess:g}" for name in data if name.startswith("c_")
        }
        return {**data, **usual, **shares}


class SensitiveQuestion:
    """The question about one sensitive column: the harm to prevent, and its limit."""

    def __init__(self, form: PlainForm, column: DatasetColumn) -> None:
        self.form = form
        self.column = column
        self.baseline = guess_without_release(column, form.rows)
        self.amounts = amounts_of(column) if has_amounts(column, form.rows) else None
        at = column.position
        self.harm_name, self.share_name, self.least_name, self.distance_name = (
            f"{kind}_{at}" for kind in ("harm", "c", "l", "t")
        )
        self.near_name, self.apart_name = f"near_{at}", f"apart_{at}"
        short = middle_cut(column.name, NAME_LENGTH)
        form.fields |= {
            self.harm_name: forms.ChoiceField(
                label=f"What must not happen with {short}?",
                choices=Harm.choices,
                initial=Harm.GUESS if self.amounts is None else Harm.SPREAD,
                required=False,
                widget=forms.RadioSelect,
            ),
            self.share_name: self._share_field(short),
            self.least_name: self._least_field(short),
            self.distance_name: self._distance_field(short),
            self.near_name: self._amount_field(
                f"How near is nearly right for {short}?", self._usual_near
            ),
            self.apart_name: self._amount_field(
                f"How far apart must the highest and lowest {short} of a group lie?",
                self._usual_apart,
            ),
        }
        self.showing = ShowingQuestion(form, column, self.amounts)

    def _share_field(self, short: str) -> forms.FloatField:
        return forms.FloatField(
            label=f"How often may a guess of {short} be right, in percent?",
            required=False,
            min_value=0,
            max_value=100,
            initial=max(60, min(100, round(100 * self.baseline + 10))),
            error_messages=dict.fromkeys(
                ("min_value", "max_value"), "The share must lie between 0 and 100 percent."
            ),
        )

    def _least_field(self, short: str) -> forms.IntegerField:
        different = self.column.distinct
        name = self.column.name.replace("%", "%%")  # Django formats field messages with %
        return forms.IntegerField(
            label=f"How many different values of {short} must every group hold?",
            required=False,
            min_value=2,
            max_value=max(different, 2),
            initial=min(3, max(different, 2)),
            error_messages={
                "min_value": "l must be 2 or more; leave it empty to make no promise.",
                "max_value": (
                    f"{name} has only {different:,} different values, so no group can hold more."
                ),
                "invalid": "l must be a whole number.",
            },
        )

    def _distance_field(self, short: str) -> forms.FloatField:
        return forms.FloatField(
            label=f"How far may {short} in a group differ from everybody?",
            required=False,
            min_value=0,
            max_value=1,
            initial=0.3,
            error_messages=dict.fromkeys(
                ("min_value", "max_value"), "The distance must lie between 0 and 1."
            ),
        )

    def _amount_field(self, label: str, usual: float | None) -> forms.FloatField:
        return forms.FloatField(
            label=label,
            required=False,
            min_value=0,
            initial=None if usual is None else f"{usual:.10g}",
            error_messages={"min_value": "An amount of 0 or more is needed."},
        )

    @property
    def _usual_apart(self) -> float | None:
        """Return the range that nearly any group keeps if nobody's facts tell the amount."""
        return None if self.amounts is None else self.amounts.proposed_range(USUAL_K)

    @property
    def _usual_near(self) -> float | None:
        if self.amounts is None:
            return None
        return self.amounts.proposed_distance(USUAL_K, NEAR_AT_MOST_ONE_IN)

    @property
    def harm(self) -> str:
        """Return the harm; it also follows from a number of values alone."""
        given = self.form.cleaned_data
        if given.get(self.harm_name):
            return str(given[self.harm_name])
        return Harm.SAME if given.get(self.least_name) else Harm.NOTHING

    @property
    def _field_of_harm(self) -> dict[Harm, str]:
        """Return the field with the limit of each harm."""
        return {
            Harm.GUESS: self.share_name,
            Harm.SAME: self.least_name,
            Harm.SKEW: self.distance_name,
            Harm.NEAR: self.near_name,
            Harm.SPREAD: self.apart_name,
        }

    def clean(self) -> None:
        self.showing.clean()
        name = self._field_of_harm.get(Harm(self.harm))
        if name is None or name in self.form.errors:
            return
        given = self.form.cleaned_data[name]
        if given is None:
            self.form.add_error(name, "A number is needed here, or choose “nothing”.")
        elif name == self.share_name and given / 100 < self.baseline:
            self.form.add_error(
                name,
                f"The most frequent value alone is right {100 * self.baseline:.0f} % of the time, "
                "so less than that cannot be promised.",
            )
        elif self.harm in (Harm.NEAR, Harm.SPREAD):
            self._clean_amount(name)

    def _clean_amount(self, name: str) -> None:
        if self.column.type not in NUMERIC:
            self.form.add_error(name, "This column holds no numbers; choose another harm.")
        elif self.showing.to_shown().level:
            self.form.add_error(
                name,
                "Groups are no amounts, so nothing can be promised about how far they lie apart: "
                "show the column rounded, or choose that no group stands out.",
            )

    def to_worry(self) -> Worry:
        given = self.form.cleaned_data
        amount = given[self._field_of_harm[Harm(self.harm)]]
        if self.harm == Harm.GUESS:
            return Worry(Harm.GUESS, round(amount / 100, 10))
        if self.harm == Harm.SKEW:
            return Worry(Harm.SKEW, amount, self._distance)
        return Worry(self.harm, amount)

    @property
    def _distance(self) -> str:
        """Return how far values lie apart: in their order, where they have one as they leave."""
        is_ordered = self.column.type in ORDERED
        return "ordered" if is_ordered and self.showing.keeps_order else "equal"

    @classmethod
    def initial_from(cls, column: DatasetColumn, worry: Worry) -> dict[str, Any]:
        at = column.position
        amounts = {Harm.SAME: "l", Harm.SKEW: "t", Harm.NEAR: "near", Harm.SPREAD: "apart"}
        initial: dict[str, Any] = {f"harm_{at}": worry.harm}
        if worry.harm == Harm.GUESS:
            initial[f"c_{at}"] = f"{100 * worry.amount:g}"
        elif worry.harm in amounts:
            initial[f"{amounts[Harm(worry.harm)]}_{at}"] = f"{worry.amount:.10g}"
        return initial

    @property
    def harm_field(self) -> forms.BoundField:
        return self.form[self.harm_name]

    @property
    def harms(self) -> list[forms.boundfield.BoundWidget]:
        """Return the harms that make sense for the column, and the one that is chosen."""
        usual = [Harm.NOTHING, Harm.GUESS, Harm.SAME, Harm.SKEW]
        if self.amounts is not None:
            usual = [Harm.NOTHING, Harm.NEAR, Harm.SPREAD, Harm.SKEW]
        offered = dict.fromkeys([*usual, self.harm_field.value()])
        radios = {radio.data["value"]: radio for radio in self.harm_field}
        return [radios[harm] for harm in offered if harm in radios]

    @property
    def uniqueness(self) -> str:
        """Say how many people have an amount nobody else has; empty where few do."""
        variety = variety_of(self.column, self.form.rows)
        if not variety.is_mostly_lone:
            return ""
        name = middle_cut(self.column.name, NAME_LENGTH)
        return (
            f"{variety.lone:,} of {variety.records:,} values of {name} occur once. Whoever knows "
            "such a value of somebody finds the row by it, whatever the groups say."
        )

    @property
    def sliders(self) -> list[tuple[str, Slider]]:
        """Return the slider of each harm; only that of the chosen harm is used."""
        least = ceil(100 * self.baseline)
        column = self.column
        guess = (
            f"The most frequent value alone is right {100 * self.baseline:.0f} % of the time, so "
            "less than that cannot be promised."
        )
        name = middle_cut(column.name, NAME_LENGTH)
        same = f"{name} has {column.distinct:,} different values (distinct l-diversity)."
        if self.uniqueness:
            same = f"Nearly all values of {name} differ, so this promises next to nothing."
        skew = "0 means spread exactly as in the whole table, 1 means anything goes (t-closeness)."
        most_values = max(min(column.distinct, 20), 3)
        share = Slider(self.form[self.share_name], "% right at most", guess, least, 100)
        surest = 100 * self.form.policy.surest_guess
        if surest < 100:
            share = replace(share, policy=surest, policy_words="policy maximum")
        sliders = [
            (Harm.GUESS, share),
            (
                Harm.SAME,
                Slider(self.form[self.least_name], "values or more", same, 2, most_values),
            ),
            (Harm.SKEW, Slider(self.form[self.distance_name], "at most", skew, 0, 1, 0.05)),
        ]
        return sliders + (self._amount_sliders if self.column.type in NUMERIC else [])

    @property
    def _amount_sliders(self) -> list[tuple[str, Slider]]:
        fits = f"of {USUAL_K} people drawn at random from the table"
        near = (
            "At most half of the people who look alike have an amount this near to any one of "
            f"theirs ((ε, m)-anonymity). Nearly all groups {fits} keep what is proposed."
        )
        apart = (
            "The amounts of people who look alike reach at least this far ((k, e)-anonymity). "
            f"Nearly all groups {fits} keep what is proposed."
        )
        width = 4 * max(self._usual_apart or 1.0, self._usual_near or 1.0)
        return [
            (Harm.NEAR, Slider(self.form[self.near_name], "or less", near, 0, width, width / 200)),
            (
                Harm.SPREAD,
                Slider(self.form[self.apart_name], "or more", apart, 0, width, width / 200),
            ),
        ]


def _learnable(columns: Sequence[DatasetColumn]) -> list[DatasetColumn]:
    """Return the columns a classifier may learn: those released unchanged."""
    return [
        c for c in columns if c.role in (ColumnRoleChoices.SENSITIVE, ColumnRoleChoices.INSENSITIVE)
    ]


def _names(columns: Sequence[DatasetColumn]) -> list[tuple[str, str]]:
    return [(column.name, column.name) for column in columns]
