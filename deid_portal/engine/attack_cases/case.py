"""A release with everything its own house knows about it, ready to be attacked.

An attack that makes no sense on a release says why instead of giving a number: made-up records are
nobody's, and where no column is sensitive there is no value to learn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from deid_portal.engine.attack_cases.verdict import promised_chance
from deid_portal.engine.attacks.attack import MADE_UP, Attack, AttackResult, AttackSetting, Stake
from deid_portal.engine.attacks.interval_disclosure import IntervalDisclosureAttack
from deid_portal.engine.draft.draft import NOBODY
from deid_portal.engine.errors import InvalidPlan, InvalidTable
from deid_portal.engine.methods.method import RecodingMethod
from deid_portal.engine.methods.restating_method import (
    names_restated,
    restate_column,
    restating_first,
)
from deid_portal.engine.outcome import Outcome
from deid_portal.engine.plan import ColumnRole, Plan
from deid_portal.engine.progress import Progress
from deid_portal.engine.report import Report
from deid_portal.engine.table.numbers import numbers_of
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.taxonomies import Taxonomy

NO_SENSITIVE = "No sensitive column is in the release, so there is no value to learn."
NO_QUASI_IDENTIFIER = "No quasi-identifier is in the release, so nobody can be looked up in it."
NO_EARLIER = "No earlier release of these people."
NO_MASKED_NUMBERS = (
    "No number was changed a little: columns are exact or coarse, and other attacks look at those."
)


class NotPossible(InvalidPlan):
    """An attack that cannot be made on this release; the message says why."""


@dataclass(frozen=True, eq=False)
class Case:
    """A release beside its original; `rows` holds the original row of each released record."""

    plan: Plan
    original: Table  # read as the types the plan gives
    released: Table
    rows: Codes
    levels: Mapping[str, int] = field(default_factory=dict)
    group_column: str = ""  # of a release that mixes sensitive values within groups

    @classmethod
    def open(cls, plan: Plan, table: Table, released: Table, rows: Codes, report: Report) -> "Case":
        """Put a case together from what a run kept; the report says how the release was made."""
        grouped = [step.group_column for step in report.steps]
        return cls(
            plan,
            plan.typed(table),
            released,
            rows,
            report.transformation.levels,
            next((name for name in grouped if name), ""),
        )

    @classmethod
    def of_outcome(cls, plan: Plan, table: Table, outcome: Outcome) -> "Case":
        if outcome.released is None or outcome.rows is None:
            raise NotPossible("Nothing was released, so there is nothing to attack.")
        return cls.open(plan, table, outcome.released, outcome.rows, outcome.report)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the quasi-identifiers both tables show, in the order of the original."""
        quasi = set(self.plan.quasi_identifiers)
        own = [name for name in self.original.names if name in quasi]
        return tuple(name for name in own if name in self.released)

    @property
    def sensitive(self) -> tuple[str, ...]:
        own = self.plan.names_of(ColumnRole.SENSITIVE)
        return tuple(name for name in own if name in self.released)

    @property
    def has_one_level(self) -> bool:
        """Say whether every quasi-identifier is shown at one level, chosen by a taxonomy alone.

        Values may have been rounded, coded or grouped before, in every row alike.
        """
        others = self.plan.methods[len(restating_first(self.plan.methods)) :]
        recodes = bool(others) and all(isinstance(method, RecodingMethod) for method in others)
        return recodes and set(self.levels) == set(self.plan.quasi_identifiers)

    @cached_property
    def masked_numbers(self) -> tuple[str, ...]:
        """Return the columns whose numbers were changed and are still numbers."""
        roles = (ColumnRole.QUASI_IDENTIFIER, ColumnRole.SENSITIVE, ColumnRole.INSENSITIVE)
        own = [name for role in roles for name in self.plan.names_of(role)]
        return tuple(name for name in own if name in self.released and self._is_masked(name))

    @cached_property
    def taxonomies(self) -> dict[str, Taxonomy]:
        planned = {name: self.plan.column(name) for name in (*self.names, *self.sensitive)}
        built = {
            name: column.recipe.build(self.original[name])
            for name, column in planned.items()
            if column is not None and (name in self.names or column.taxonomy is not None)
        }
        return built | {
            name: _restatement(self.original[name], shown)
            for name, shown in self.restated.items()
            if name not in self.names
        }

    @cached_property
    def restated(self) -> dict[str, Column]:
        """Return the columns of the original whose values every row shows as others, as shown.

        Whoever knows that amounts were rounded knows which amounts stand behind a rounded one.
        """
        shown = {}
        for name in names_restated(self.plan.methods):
            planned = self.plan.column(name)
            if planned is not None and name in self.released:
                shown[name] = restate_column(
                    self.plan.methods, self.original[name], planned.taxonomy
                )
        return shown

    def check(self, attack: type[Attack]) -> None:
        """Refuse an attack that makes no sense on this release."""
        if (self.rows == NOBODY).any():
            raise NotPossible(MADE_UP)
        if attack is IntervalDisclosureAttack:
            if not self.masked_numbers:
                raise NotPossible(NO_MASKED_NUMBERS)
            return
        if not self.names and not self.group_column:
            raise NotPossible(NO_QUASI_IDENTIFIER)
        if "sensitive" in attack.needs and not self.sensitive:
            raise NotPossible(NO_SENSITIVE)

    def setting(self, sensitive: str | None = None, **more: object) -> AttackSetting:
        setting = AttackSetting(
            original=self.original,
            released=self.released,
            rows=self.rows,
            quasi_identifiers=self.names,
            sensitive=sensitive,
            taxonomies=self.taxonomies,
            grouping=(self.group_column,) if self.group_column else (),
            restated=self.restated,
        )
        return replace(setting, **more)  # type: ignore[arg-type]

    def _is_masked(self, name: str) -> bool:
        own, shown = self.original[name], self.released[name]
        if np.isnan(numbers_of(own)).all() or np.isnan(numbers_of(shown)).all():
            return False
        return not _same_cells(own, shown, self.rows)


@dataclass(frozen=True, eq=False)
class AttackAnswer:
    """What an attack got, what of it counts against a limit, and which column it was after."""

    result: AttackResult
    stake: Stake
    column: str | None = None
    others: tuple["AttackAnswer", ...] = ()  # the same attack on less exposed columns


@dataclass(frozen=True, eq=False)
class OtherReleases:
    """Other releases of the same people: of the same rows, and of other versions of the table."""

    same_rows: Sequence[Case] = ()
    versions: Sequence[Case] = ()
    # Who is behind each row of the case attacked, of the same rows and of the versions; only needed
    # where there are versions.
    people: Sequence[Codes] = ()


def run_attack(
    case: Case,
    attack: Attack,
    *,
    seed: int,
    setting: AttackSetting | None = None,
    earlier: OtherReleases | None = None,
    progress: Progress | None = None,
) -> AttackAnswer:
    """Attack a release; after each of its sensitive columns, and answer with the worst.

    `setting` replaces the one of the case, for an attack with a table of its own or on held-out
    people. Raises NotPossible, or another EngineError, with the sentence to show.
    """
    case.check(type(attack))
    base = setting or case.setting()
    base = replace(base, progress=progress or Progress(None))
    if "others" in attack.needs:
        base = with_earlier(base, case, earlier or OtherReleases())
    answers = [_run(case, attack, column, base, seed) for column in _columns_of(case, attack)]
    ranked = sorted(answers, key=lambda answer: -answer.stake.share)
    return replace(ranked[0], others=tuple(ranked[1:]))


def _columns_of(case: Case, attack: Attack) -> Sequence[str | None]:
    if isinstance(attack, IntervalDisclosureAttack):
        return case.masked_numbers if attack.column is None else (attack.column,)
    if "sensitive" in attack.needs:
        return case.sensitive
    if "others" in attack.needs and case.sensitive:
        return case.sensitive
    return (None,)


def _run(
    case: Case, attack: Attack, column: str | None, base: AttackSetting, seed: int
) -> AttackAnswer:
    if isinstance(attack, IntervalDisclosureAttack):
        attack, setting = replace(attack, column=column), base
    else:
        setting = replace(
            base,
            sensitive=column,
            others=tuple(replace(other, sensitive=column) for other in base.others),
            versions=tuple(_after(own, column) for own in base.versions),
        )
    result = attack.run(setting, np.random.default_rng(seed))
    return AttackAnswer(result, attack.weigh(result, promised_chance(case.plan)), column)


def _after(setting: AttackSetting, column: str | None) -> AttackSetting:
    """Let a release of another version be attacked after the same column, where it has that."""
    has_it = column in setting.original and column in setting.released
    return replace(setting, sensitive=column if has_it else None)


def with_earlier(base: AttackSetting, case: Case, earlier: OtherReleases) -> AttackSetting:
    """Give the setting the other releases."""
    if not earlier.same_rows and not earlier.versions:
        raise NotPossible(NO_EARLIER)
    if any(other.original.rows != case.original.rows for other in earlier.same_rows):
        raise InvalidTable("An earlier release is of a table with other rows.")
    return replace(
        base,
        others=tuple(other.setting() for other in earlier.same_rows),
        versions=tuple(other.setting() for other in earlier.versions),
        people=tuple(earlier.people),
    )


def _restatement(original: Column, shown: Column) -> Taxonomy:
    """Return which value shows which as a taxonomy of one level."""
    becomes = dict(zip(original.codes.tolist(), shown.codes.tolist(), strict=True))
    return Taxonomy.from_paths(
        [
            (text, shown.values[becomes[code]] if code in becomes else text)
            for code, text in enumerate(original.values)
        ]
    )


def _same_cells(own: Column, shown: Column, rows: Codes) -> bool:
    """Say whether every released cell is the one of its original row."""
    known = {text: code for code, text in enumerate(shown.values)}
    translate = np.array([known.get(text, -1) for text in own.values], np.int32)
    return bool((translate[own.codes[rows]] == shown.codes).all())
