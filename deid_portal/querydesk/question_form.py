"""The question form, a sentence of selects, and the document it makes.

Its fields follow from the engine's declaration of question entries and from the declared terms:
columns that are not open are in no list. Nothing here reads the data.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import QueryDict

from deid_portal.engine.differential import (
    NumberDomain,
    PrivacySetting,
    PrivateQuestion,
    ValuesDomain,
    kinds_of,
)
from deid_portal.engine.differential.fields import (
    ColumnList,
    DeclaredValue,
    Field,
    NumberField,
    OneOf,
)
from deid_portal.engine.differential.selection.domains import (
    DateDomain,
    Domain,
    domain_value_words,
    plain_number,
)
from deid_portal.engine.errors import InvalidPlan
from deid_portal.querydesk.amounts import read_typed_number

MOST_CONDITIONS = 8
NUMBER_TESTS = {
    "at_least": "at least",
    "at_most": "at most",
    "between": "between",
    "missing": "missing",
    "present": "not missing",
}
DATE_TESTS = {
    "between": "from",
    "at_least": "on or after",
    "at_most": "on or before",
    "missing": "missing",
    "present": "not missing",
}
VALUE_TESTS = {
    "is": "is",
    "is_not": "is not",
    "one_of": "is one of",
    "missing": "missing",
    "present": "not missing",
}
GAP = "(missing)"
# Initial values of required entries; never read from the data.
SUGGESTED = {"buckets": "5", "quantiles": "0.25, 0.5, 0.75", "least": "1", "most": "10"}
# Entries in the sentence besides columns.
IN_SENTENCE = {"least", "unit"}


def suggested(name: str, setting: PrivacySetting) -> str:
    """Return the initial value of a field; for links at most the bound of the setting."""
    if name == "most" and setting.links_counted:
        return str(min(int(SUGGESTED[name]), setting.links_counted))
    return SUGGESTED.get(name, "")


def draft_fields(fields: Mapping[str, list[str]]) -> QueryDict:
    """Return the fields of a draft as a form would send them."""
    posted = QueryDict(mutable=True)
    for name, own in fields.items():
        posted.setlist(name, own)
    return posted


def fields_of_question(document: Mapping[str, Any], setting: PrivacySetting) -> QueryDict:
    """Return the form fields that compose this question, as far as its columns are still open."""
    posted = QueryDict(mutable=True)
    kind = kinds_of(setting).get(document["query"])
    if kind is None:
        return posted
    posted["kind"] = kind.kind
    posted["epsilon"] = f"{plain_number(document['epsilon'])}"
    for own in kind.fields:
        given = document.get(own.name)
        name = "rows" if _is_row_count(own) else f"f-{own.name}"
        if own.kind == "columns":
            posted.setlist(name, list(given or ()))
        elif isinstance(given, list | tuple):
            posted[name] = ", ".join(f"{plain_number(number)}" for number in given)
        else:
            posted[name] = "" if given is None else str(given)
    open_conditions = [one for one in document["where"] if one["column"] in setting.domains]
    posted["conditions"] = str(len(open_conditions))
    for number, condition in enumerate(open_conditions):
        _add_condition_fields(posted, f"c{number}-", condition)
    return posted


def _add_condition_fields(posted: QueryDict, start: str, condition: Mapping[str, Any]) -> None:
    posted[f"{start}column"] = condition["column"]
    ((test, operand),) = ((key, own) for key, own in condition.items() if key != "column")
    if test == "missing":
        posted[f"{start}test"] = "missing" if operand else "present"
    elif test in ("is", "is_not"):
        texts = [domain_value_words(value) for value in operand]
        posted[f"{start}test"] = "one_of" if test == "is" and len(texts) > 1 else test
        posted[f"{start}value"] = texts[0]
        posted.setlist(f"{start}values", texts)
    else:
        posted[f"{start}test"] = test
        ends = dict(zip(("low", "high"), operand, strict=True)) if test == "between" else {}
        ends = ends or {"low" if test == "at_least" else "high": operand}
        for name, end in ends.items():
            posted[f"{start}{name}"] = str(end)


@dataclass(frozen=True)
class FormOption:
    value: str
    label: str
    chosen: bool


@dataclass(frozen=True)
class QuestionControl:
    """One control of the sentence. `shape`: select, checks, number, numbers or date."""

    name: str
    label: str
    shape: str
    text: str = ""
    proposed: str = ""  # the text it begins with
    choices: list[FormOption] = field(default_factory=list)
    help: str = ""
    is_column: bool = False

    @property
    def is_changed(self) -> bool:
        """Whether somebody chose something else than what was proposed."""
        is_other = bool(self.choices) and not self.choices[0].chosen
        return self.text != self.proposed or is_other

    @property
    def chosen_words(self) -> str:
        return ", ".join(choice.label for choice in self.choices if choice.chosen) or "choose"


@dataclass(frozen=True)
class ConditionPart:
    """One condition of the sentence: a column, a test, and its operands."""

    number: int
    column: QuestionControl
    test: QuestionControl
    operands: list[QuestionControl]


@dataclass(frozen=True)
class ComposedQuestion:
    """The question in the form, without its price."""

    kind: type[PrivateQuestion]
    setting: PrivacySetting
    parts: list[QuestionControl]
    conditions: list[ConditionPart]
    entries: dict[str, Any]
    where: list[dict[str, Any]]
    problem: str = ""
    rows: int | None = None  # about how many are supposed to fit, for questions that say it

    def with_rows(self, rows: int) -> "ComposedQuestion":
        return replace(self, rows=rows)

    def document(self) -> dict[str, Any]:
        """Return the question without a price; raises InvalidPlan if an entry is missing."""
        if self.problem:
            raise InvalidPlan(self.problem)
        supposed = {own.name: self.rows for own in self.kind.fields if _is_row_count(own)}
        return {"query": self.kind.kind, **supposed, **self.entries, "where": self.where}

    @property
    def kind_name(self) -> str:
        """The name of the kind, since templates would call the class."""
        return self.kind.kind

    @property
    def says_rows(self) -> bool:
        """Whether the question itself says about how many rows there are."""
        return any(_is_row_count(own) for own in self.kind.fields)

    @property
    def can_be_exact(self) -> bool:
        """Whether an ε can be found from a wanted accuracy."""
        return self.kind.has_accuracy

    @property
    def sentence_parts(self) -> list[QuestionControl]:
        """The controls within the sentence: columns and other essential entries."""
        return [part for part in self.parts if _is_in_sentence(part)]

    @property
    def option_parts(self) -> list[QuestionControl]:
        """Other required entries, shown below the sentence."""
        return [part for part in self._others if _own_name(part) in SUGGESTED]

    @property
    def finer_parts(self) -> list[QuestionControl]:
        """Optional entries for experts."""
        return [part for part in self._others if _own_name(part) not in SUGGESTED]

    @property
    def has_finer_choice(self) -> bool:
        """Whether one of these was changed, so that they must be visible."""
        return any(part.is_changed for part in self.finer_parts)

    @property
    def columns(self) -> list[str]:
        """The columns that the entries of the question name."""
        return list(dict.fromkeys(_columns_of(self)))

    @property
    def _others(self) -> list[QuestionControl]:
        others = [part for part in self.parts if not _is_in_sentence(part)]
        return [part for part in others if part.shape != "select" or len(part.choices) > 1]

    @property
    def unit(self) -> str:
        """The unit of accuracies: people, links, percentiles, or that of the column."""
        if self.kind.answer_unit in ("links", "percentiles"):
            return self.kind.answer_unit
        column = self.entries.get("column")
        if self.kind.answer_unit == "squared":
            return f"{column}²"
        has_unit = any(own.kind == "number-column" for own in self.kind.fields)
        if column and has_unit and not self.kind.answer_unit:
            return str(column)
        return self.counted_unit

    @property
    def counted_unit(self) -> str:
        """What is counted: people, or rows where a person may have several."""
        return "people" if self.setting.person or self.setting.rows_per_person == 1 else "rows"

    @property
    def protected(self) -> str:
        """Whom the setting protects, and the neighbor relation."""
        return self.setting.terms_words

    @property
    def declared(self) -> str:
        """What the steward declared about the columns in the sentence."""
        names = [*self.columns, *(str(entry["column"]) for entry in self.where)]
        return ", ".join(domain_words(name, self.setting) for name in dict.fromkeys(names))


# What a column must hold for a field that names one.
COLUMN_KINDS: dict[str, tuple[type[Domain], ...]] = {
    "number-column": (NumberDomain,),
    "values-column": (ValuesDomain,),
    "date-column": (DateDomain,),
}


def _is_row_count(own: Field) -> bool:
    return isinstance(own, NumberField) and own.is_row_count


def _own_name(part: QuestionControl) -> str:
    return part.name.removeprefix("f-")


def _is_in_sentence(part: QuestionControl) -> bool:
    return part.is_column or _own_name(part) in IN_SENTENCE


def _columns_of(composition: ComposedQuestion) -> list[str]:
    entries = composition.entries
    return [
        name
        for own in composition.kind.fields
        if own.name in entries
        for name in own.columns_in(entries[own.name])
    ]


def domain_words(name: str, setting: PrivacySetting) -> str:
    domain = setting.domains[name]
    if isinstance(domain, NumberDomain):
        return f"{name} {plain_number(domain.low)} to {plain_number(domain.high)}"
    if isinstance(domain, DateDomain):
        return f"{name} {domain.first} to {domain.last}"
    count = len(domain.values)
    return f"{name} {count:,} value{'' if count == 1 else 's'}"


def kinds_that_fit(setting: PrivacySetting) -> list[type[PrivateQuestion]]:
    """Return the kinds that the open columns allow, in the order of the engine's list."""
    return [kind for kind in kinds_of(setting).values() if _fits(kind, setting)]


def _fits(kind: type[PrivateQuestion], setting: PrivacySetting) -> bool:
    """Say whether there are enough open columns, and a δ where the kind needs one."""
    if kind.needs_delta and setting.delta is None:
        return False
    taken: set[str] = set()
    for own in kind.fields:
        if own.required and _asks_for_column(own):
            left = [name for name in _choices_of(own, setting) if name not in taken]
            if not left:
                return False
            taken.add(left[0])
    return True


def _asks_for_column(own: Field) -> bool:
    return own.kind in COLUMN_KINDS or own.kind == "columns"


def _choices_of(own: Field, setting: PrivacySetting) -> list[str]:
    """Return the open columns a field could name."""
    holds = own.holds if isinstance(own, ColumnList) else COLUMN_KINDS.get(own.kind, ())
    return [name for name, domain in setting.domains.items() if isinstance(domain, holds)]


def compose_question(posted: QueryDict, setting: PrivacySetting) -> ComposedQuestion:
    """Read the form as far as it is filled in; invalid choices become the first choice."""
    kinds = {kind.kind: kind for kind in kinds_that_fit(setting)}
    if not kinds:
        raise InvalidPlan("No column is open for questions yet.")
    named = posted.get("set-kind") or posted.get("kind", "")
    kind = kinds.get(named, next(iter(kinds.values())))
    reader = _QuestionReader(posted, setting)
    parts = [reader.part(own) for own in kind.fields if not _is_row_count(own)]
    conditions = [reader.condition(number) for number in reader.condition_numbers()]
    return ComposedQuestion(
        kind, setting, parts, conditions, reader.entries, reader.where, reader.problem
    )


# The control of a bound of a condition, and its label.
OPERANDS = {
    NumberDomain: ("number", {"low": "Lowest number", "high": "Highest number"}),
    DateDomain: ("date", {"low": "First day", "high": "Last day"}),
}


def _tests_of(domain: Domain) -> dict[str, str]:
    if isinstance(domain, DateDomain):
        return DATE_TESTS
    return NUMBER_TESTS if isinstance(domain, NumberDomain) else VALUE_TESTS


def _ends_of(domain: NumberDomain | DateDomain) -> dict[str, str]:
    """Return the ends of a domain in form notation."""
    if isinstance(domain, DateDomain):
        return {"low": domain.first.isoformat(), "high": domain.last.isoformat()}
    return {"low": f"{plain_number(domain.low)}", "high": f"{plain_number(domain.high)}"}


class _QuestionReader:
    """Reads a form; collects the document and the first error."""

    def __init__(self, posted: QueryDict, setting: PrivacySetting) -> None:
        self.posted, self.setting = posted, setting
        self.entries: dict[str, Any] = {}
        self.where: list[dict[str, Any]] = []
        self.problem = ""

    def part(self, own: Field) -> QuestionControl:
        name = f"f-{own.name}"
        if own.kind in COLUMN_KINDS:
            return self._column(own, name)
        if isinstance(own, ColumnList):
            return self._columns(own, name)
        if isinstance(own, DeclaredValue):
            return self._value_of(own, name)
        if isinstance(own, OneOf):
            return self._choice(own, name)
        return self._number(own, name)

    def _choice(self, own: OneOf, name: str) -> QuestionControl:
        chosen = self._one_of(name, list(own.choices))
        self.entries[own.name] = chosen
        labels = own.labels or own.choices
        choices = [
            FormOption(value, label, value == chosen)
            for value, label in zip(own.choices, labels, strict=True)
        ]
        return QuestionControl(name, own.label, "select", choices=choices, help=own.help)

    def _value_of(self, own: DeclaredValue, name: str) -> QuestionControl:
        """One of the values of the column that was chosen before it in the sentence."""
        domain = self.setting.domains[self.entries[own.of]]
        values = domain.values if isinstance(domain, ValuesDomain) else ()
        texts = [value for value in values if value is not None]
        chosen = self._one_of(name, texts)
        self.entries[own.name] = chosen
        choices = [FormOption(text, text, text == chosen) for text in texts]
        return QuestionControl(
            name, own.label, "select", choices=choices, help=own.help, is_column=True
        )

    def _column(self, own: Field, name: str) -> QuestionControl:
        columns = _choices_of(own, self.setting)
        chosen = self._one_of(name, columns if own.required else ["", *columns])
        if chosen:
            self.entries[own.name] = chosen
        choices = [FormOption(column, column, column == chosen) for column in columns]
        if not own.required:
            choices.insert(0, FormOption("", "nothing", not chosen))
        return QuestionControl(
            name, own.label, "select", choices=choices, help=own.help, is_column=True
        )

    def _columns(self, own: ColumnList, name: str) -> QuestionControl:
        named = {value for value in self.entries.values() if isinstance(value, str)}
        columns = [one for one in _choices_of(own, self.setting) if one not in named]
        wanted = self.posted.getlist(name)
        chosen = [column for column in columns if column in wanted]
        if not chosen and own.required:
            chosen = columns[:1]
        if chosen:
            self.entries[own.name] = chosen
        choices = [FormOption(column, column, column in chosen) for column in columns]
        return QuestionControl(
            name, own.label, "checks", choices=choices, help=own.help, is_column=True
        )

    def _number(self, own: Field, name: str) -> QuestionControl:
        text = self._text(name)
        if name not in self.posted:
            text = suggested(own.name, self.setting)
        proposed = suggested(own.name, self.setting)
        if isinstance(own, NumberField) and own.default is not None:
            proposed = f"{plain_number(own.default)}"
            text = text or proposed
        if own.kind == "numbers":
            return self._numbers(own, name, text, proposed)
        if text:
            number = self._read(text, own.label)
            self.entries[own.name] = number
        elif own.required:
            self._amiss(f"{own.label}: a number is needed.")
        return QuestionControl(name, own.label, "number", text, proposed, help=own.help)

    def _numbers(self, own: Field, name: str, text: str, proposed: str) -> QuestionControl:
        pieces = [piece for piece in text.replace(";", ",").split(",") if piece.strip()]
        if pieces:
            self.entries[own.name] = [self._read(piece.strip(), own.label) for piece in pieces]
        elif own.required:
            self._amiss(f"{own.label}: numbers with commas between them are needed.")
        return QuestionControl(name, own.label, "numbers", text, proposed, help=own.help)

    def condition_numbers(self) -> list[int]:
        count = self._text("conditions")
        wanted = int(count) if count.isascii() and count.isdigit() and len(count) < 3 else 0
        act = self._text("act")
        dropped = act.removeprefix("drop-") if act.startswith("drop-") else ""
        numbers = [n for n in range(min(wanted, MOST_CONDITIONS)) if str(n) != dropped]
        if act == "add" and len(numbers) < MOST_CONDITIONS:
            numbers.append(wanted)
        return numbers

    def condition(self, number: int) -> ConditionPart:
        """Read a condition; conditions are renumbered by position, without gaps."""
        place = len(self.where)
        old, new = f"c{number}-", f"c{place}-"
        columns = list(self.setting.domains)
        column = self._one_of(f"{old}column", columns)
        domain = self.setting.domains[column]
        tests = _tests_of(domain)
        test = self._one_of(f"{old}test", list(tests))
        operands = self._operands(old, new, test, domain, column)
        return ConditionPart(
            place,
            QuestionControl(
                f"{new}column",
                "Column of the condition",
                "select",
                choices=[FormOption(name, name, name == column) for name in columns],
            ),
            QuestionControl(
                f"{new}test",
                "Test of the condition",
                "select",
                choices=[FormOption(key, label, key == test) for key, label in tests.items()],
            ),
            operands,
        )

    def _operands(
        self, old: str, new: str, test: str, domain: Domain, column: str
    ) -> list[QuestionControl]:
        if test in ("missing", "present"):
            self.where.append({"column": column, "missing": test == "missing"})
            return []
        if isinstance(domain, ValuesDomain):
            return self._value_operands(old, new, test, domain, column)
        ends = _ends_of(domain)
        named = {"at_least": ["low"], "at_most": ["high"], "between": ["low", "high"]}[test]
        texts = [self._text(f"{old}{name}") or ends[name] for name in named]
        if isinstance(domain, DateDomain):
            found: list[Any] = list(texts)
        else:
            found = [self._read(text, column) for text in texts]
        self.where.append({"column": column, test: found if test == "between" else found[0]})
        shape, words = OPERANDS[type(domain)]
        return [
            QuestionControl(f"{new}{name}", words[name], shape, text)
            for name, text in zip(named, texts, strict=True)
        ]

    def _value_operands(
        self, old: str, new: str, test: str, domain: ValuesDomain, column: str
    ) -> list[QuestionControl]:
        texts = [domain_value_words(value) for value in domain.values]
        values = dict(zip(texts, domain.values, strict=True))
        if test == "one_of":
            wanted = self.posted.getlist(f"{old}values")
            chosen = [text for text in texts if text in wanted] or texts[:1]
            shape, name = "checks", "values"
        else:
            chosen = [self._one_of(f"{old}value", texts)]
            shape, name = "select", "value"
        key = "is_not" if test == "is_not" else "is"
        self.where.append({"column": column, key: [values[text] for text in chosen]})
        choices = [FormOption(text, text, text in chosen) for text in texts]
        return [QuestionControl(f"{new}{name}", f"Value of {column}", shape, choices=choices)]

    def _one_of(self, name: str, choices: list[str]) -> str:
        chosen = self._text(name)
        return chosen if chosen in choices or not choices else choices[0]

    def _text(self, name: str) -> str:
        return str(self.posted.get(name, "") or "").strip()

    def _read(self, text: str, label: str) -> float | int:
        number = read_typed_number(text)
        if number is None:
            self._amiss(f"{label}: a number is needed.")
            return 0
        return plain_number(number) if number == number and abs(number) < 1e300 else number

    def _amiss(self, sentence: str) -> None:
        self.problem = self.problem or sentence
