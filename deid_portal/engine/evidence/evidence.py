"""What a report says beyond the models: whose risk, which attacks succeed, what is it good for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from deid_portal.engine.attacks.attack import MADE_UP
from deid_portal.engine.draft.draft import NOBODY
from deid_portal.engine.draft.measured import MeasuredTable
from deid_portal.engine.draft.remeasurement import GROUP, group_numbers, share_dictionaries
from deid_portal.engine.errors import EngineError, InvalidTable
from deid_portal.engine.evidence.column_groups import group_column
from deid_portal.engine.evidence.distributions import describe_distributions
from deid_portal.engine.evidence.kept_people import count_labels, measure_kept
from deid_portal.engine.evidence.sensitive_spread import SensitiveGroups, describe_spread
from deid_portal.engine.evidence.suppression_causes import describe_seen_isolation
from deid_portal.engine.evidence.who_pays import tell_who_pays
from deid_portal.engine.measures import Measures, PlannedAttack
from deid_portal.engine.plan import ColumnRole, Plan
from deid_portal.engine.privacy import SensitiveColumn, TCloseness, Whole
from deid_portal.engine.progress import Progress
from deid_portal.engine.report import HouseDetails, Report
from deid_portal.engine.report.attacks import AttackFinding, AttackProblem, PlannedAttackEntry
from deid_portal.engine.report.distributions import ChangedValue
from deid_portal.engine.report.left_out import GroupsApart, KeptPeople, PayingColumn
from deid_portal.engine.report.risk import RiskDetails, RiskDetailsBothWays, RiskReport
from deid_portal.engine.report.sensitive import SensitiveSpread, SurestGuess
from deid_portal.engine.report.utility import (
    ClassifierAccuracy,
    ClassifierProblem,
    ReleaseComparison,
    UtilityMeasures,
    WorkloadError,
)
from deid_portal.engine.risk.guesses import measure_surest_guess
from deid_portal.engine.risk.safe_harbor import check_safe_harbor
from deid_portal.engine.risk.summary import summarize_risk
from deid_portal.engine.search.check import Mask
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.ambiguity import measure_ambiguity
from deid_portal.engine.utility.comparison import compare_marginals, compare_pairs
from deid_portal.engine.utility.coverage import LabelCoverage, cover_all
from deid_portal.engine.utility.divergence import measure_divergence
from deid_portal.engine.utility.information_gain import measure_information_gain

MOST_TOLD_COLUMNS = 40  # by which it is told who pays, beyond those asked for
UNKNOWN = -1
MANY_CHANGED = 0.1  # share of rows from which on a changed value is the better example
MOST_PAIRED_COLUMNS = 12
MOST_LABELS, MOST_LAYERS = 5000, 64  # beyond, matching labels with values takes too long


@dataclass(frozen=True, eq=False)
class Evidence:
    """Two tables beside each other: the original and what leaves, or would.

    `rows` holds the original row of each released record, None where it is not known. `drawn` says
    which original rows a sample drew, `groups` the group of each released record where equal cells
    are not what makes one.
    """

    plan: Plan
    problem: Problem
    released: Table
    rows: Codes | None
    drawn: Mask | None = None
    groups: Codes | None = None

    @property
    def measures(self) -> Measures:
        return self.plan.measures

    @property
    def measuring_seed(self) -> int | None:
        """Chooses what is looked at, such as queries; nothing that is drawn so protects anybody."""
        return self.plan.seed

    @property
    def original(self) -> Table:
        return self.problem.table

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.problem.names if name in self.released)

    @property
    def taxonomies(self) -> dict[str, Taxonomy]:
        return dict(zip(self.problem.names, self.problem.taxonomies, strict=True))

    def add_to(
        self, report: Report, before: MeasuredTable, after: MeasuredTable, progress: Progress
    ) -> Report:
        """Return the report with whose risk it is, what the release is good for, who could attack.

        None of it names a value; which columns keep groups apart is told from the release alone.
        """
        coverages = cover_all(self.original, self.released, self.names, self.taxonomies)
        asks_who_pays = self.measures.groups and self.knows_who_is_who
        return replace(
            report,
            risk=self._add_details(report.risk, before, after),
            utility=self._add_measures(report.utility, coverages),
            comparison=self._compare(coverages, progress),
            sensitive=self._measure_guesses(progress),
            who_pays=tuple(self._tell_who_pays(self.measures.groups)) if asks_who_pays else None,
            attacks=self._attack(progress) if self.measures.attacks else None,
            isolation=self._describe_isolation(after),
        )

    def describe_for_the_house(self, progress: Progress) -> HouseDetails:
        """Return what is told by values that the release need not show."""
        columns = [name for name in self._told_names if name in self.released]

        def report() -> None:
            progress.report(3, 4, "measure")

        distributions = describe_distributions(
            self.original,
            self.released,
            columns,
            self._all_taxonomies,
            self.rows if self.knows_who_is_who else None,
            report,
        )
        labels = count_labels(self.released, columns)
        report()
        spread = self._tell_spreads()
        report()
        details = HouseDetails(distributions=distributions, released_labels=labels, spread=spread)
        return self._add_people(details, report) if self.knows_who_is_who else details

    def _add_people(self, details: HouseDetails, report: Callable[[], None]) -> HouseDetails:
        """Add what can be told where it is known whose each released record is."""
        told = self._told_names[: max(MOST_TOLD_COLUMNS, len(self.measures.groups))]
        examples, kept_before = self._give_examples(), self._measure_kept()
        paying = []
        for entry in self._tell_who_pays(told):
            report()
            paying.append(entry)
        return replace(details, examples=examples, kept_before=kept_before, who_pays=tuple(paying))

    def _describe_isolation(self, after: MeasuredTable) -> tuple[GroupsApart, ...] | None:
        seen = _seen_patterns(self.names, after)
        return None if seen is None else describe_seen_isolation(seen)

    @property
    def knows_who_is_who(self) -> bool:
        return self.rows is not None and not (self.rows == NOBODY).any()

    @cached_property
    def _told_names(self) -> list[str]:
        """Return the columns whose values a report tells in groups: all but identifiers.

        Those that were asked for and those that make or need protection come first.
        """
        first = (*self.problem.names, *self.plan.names_of(ColumnRole.SENSITIVE))
        rest = self.plan.names_of(ColumnRole.INSENSITIVE)
        return list(dict.fromkeys((*self.measures.groups, *first, *rest)))

    @cached_property
    def _all_taxonomies(self) -> dict[str, Taxonomy]:
        """Return the taxonomies of quasi-identifiers and of sensitive columns."""
        built = dict(self.taxonomies)
        for name in self.plan.names_of(ColumnRole.SENSITIVE):
            planned = self.plan.column(name)
            if planned is not None and planned.taxonomy is not None:
                built[name] = planned.taxonomy.build(self.original[name])
        return built

    def _measure_kept(self) -> KeptPeople:
        assert self.rows is not None  # noqa: S101 - asked only then
        return measure_kept(self.problem.patterns.pattern_of_row, self.rows)

    def _give_examples(self) -> dict[str, ChangedValue]:
        """Return, per column that leaves, a value and what it became."""
        return {
            name: self._example(self.original[name], self.released[name])
            for name in self._told_names
            if name in self.released
        }

    def _example(self, original: Column, released: Column) -> ChangedValue:
        """Return a frequent value and what it became; one that changed, if many did."""
        assert self.rows is not None  # noqa: S101 - asked only then
        behind, shown = original.codes[self.rows], released.codes
        own = {text: code for code, text in enumerate(original.values)}
        same = np.array([own.get(text, UNKNOWN) for text in released.values], np.int32)
        changed = same[shown] != behind
        if 0 < changed.sum() < len(changed) and changed.mean() > MANY_CHANGED:
            behind, shown = behind[changed], shown[changed]
        value = int(np.bincount(behind, minlength=1).argmax())
        labels = np.bincount(shown[behind == value], minlength=1)
        label = int(labels.argmax())
        return ChangedValue(original.values[value], released.values[label], int(labels[label]))

    def _tell_spreads(self) -> tuple[SensitiveSpread, ...]:
        """Return how the values of each sensitive column are spread over the groups."""
        names = [n for n in self.plan.names_of(ColumnRole.SENSITIVE) if n in self.released]
        if not names or not self.names:
            return ()
        recipes = {name: planned.taxonomy for name in names if (planned := self.plan.column(name))}
        secrets = {n: SensitiveColumn(self.original[n], recipes.get(n)) for n in names}
        whole, recoded = share_dictionaries(Whole(self.original.rows, secrets), self.released)
        seen = self._see(recoded)
        return tuple(self._tell_spread(name, whole, seen) for name in names)

    def _see(self, recoded: list[Column]) -> Patterns:
        """Return the groups a recipient sees, with the sensitive values in each."""
        shown = [self.released[name] for name in self.names]
        if self.groups is not None:
            shown = [group_numbers(self.groups)]
        names = [column.name for column in shown]
        table = Table((*shown, *(column for column in recoded if column.name not in names)))
        return reduce_table(table, names, [column.name for column in recoded], Progress(None))

    def _tell_spread(self, name: str, whole: Whole, seen: Patterns) -> SensitiveSpread:
        original, secret = self.original[name], whole.sensitive[name].column
        distance = self._distance_of(name)
        groups = group_column(original, self._all_taxonomies.get(name))
        own = [
            np.array([code] * (code < len(original.values)), np.int32)
            for code in range(len(secret.values))
        ]
        group_of = groups.shares_of(original, own, secret).argmax(axis=1).astype(np.int32)
        patterns = self.problem.patterns
        before = SensitiveGroups.measure(
            patterns.counts, patterns.pairs_with(original), whole, name, distance
        )
        after = SensitiveGroups.measure(seen.counts, seen.sensitive[name], whole, name, distance)
        told = describe_spread(groups, group_of, distance, before, after)
        if GROUP in seen.names:
            return told
        places = zip(after.worst(), told.worst, strict=True)
        named = (replace(own, labels=self._labels_of(seen, place)) for place, own in places)
        return replace(told, worst=tuple(named))

    def _labels_of(self, seen: Patterns, place: int) -> dict[str, str | None]:
        """Return what a group of the release shows in each column."""
        codes = zip(seen.names, seen.codes[:, place].tolist(), strict=True)
        return {name: self.released[name].values[code] for name, code in codes}

    def _distance_of(self, name: str) -> str:
        """Return the distance a rule of the plan uses; otherwise that of numbers is their order."""
        for model in self.plan.models:
            if isinstance(model, TCloseness) and model.column == name:
                return model.distance
        ordered = (ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE)
        return "ordered" if self.original[name].type in ordered else "equal"

    def _add_details(
        self, risk: RiskReport, before: MeasuredTable, after: MeasuredTable
    ) -> RiskReport:
        details = RiskDetailsBothWays(self._summarize_risk(before), self._summarize_risk(after))
        return replace(risk, details=details, safe_harbor=check_safe_harbor(self.released).findings)

    def _measure_guesses(self, progress: Progress) -> dict[str, SurestGuess]:
        columns = [n for n in self.plan.names_of(ColumnRole.SENSITIVE) if n in self.released]
        released, names = self.released, self.names
        if self.groups is not None:
            # Values were mixed within groups: the row found by its exact cells shows another's.
            own = (self.released[name] for name in columns)
            released, names = Table((group_numbers(self.groups), *own)), (GROUP,)
        guesses = measure_surest_guess(released, names, columns, progress)
        return {name: SurestGuess(share) for name, share in guesses.items()}

    def _summarize_risk(self, measured: MeasuredTable) -> RiskDetails | None:
        patterns, asked = _seen_patterns(self.names, measured), self.measures
        if patterns is None:
            return None
        return summarize_risk(
            patterns,
            threshold=asked.threshold,
            people=measured.people,
            population_size=asked.population_size or (asked.people.size if asked.people else None),
        )

    def _add_measures(
        self, utility: UtilityMeasures, coverages: tuple[LabelCoverage, ...]
    ) -> UtilityMeasures:
        rows = max(self.original.rows, self.released.rows)
        return replace(
            utility,
            ambiguity=measure_ambiguity(self.released, coverages, rows).share,
            kl_divergence=self._measure_divergence(coverages),
            information_gain=self._measure_gain(),
        )

    def _measure_gain(self) -> float | None:
        wanted = self.measures.class_column
        if wanted is None or wanted not in self.released:
            return None
        others = [name for name in self.names if name != wanted]
        return measure_information_gain(self.released, others, wanted).gain

    def _measure_divergence(self, coverages: tuple[LabelCoverage, ...]) -> float | None:
        """Return the divergence; None if too many labels overlap, or if it is not finite.

        It is infinite where the release rules out a record that exists.
        """
        if any(len(coverage.covered) > MOST_LABELS for coverage in coverages):
            return None
        layers = np.prod([float(len(coverage.layers[1])) for coverage in coverages])
        if layers > MOST_LAYERS:
            return None
        found = measure_divergence(self.original, self.released, self.names, self.taxonomies)
        return found if np.isfinite(found) else None

    def _compare(
        self, coverages: tuple[LabelCoverage, ...], progress: Progress
    ) -> ReleaseComparison:
        paired = coverages[:MOST_PAIRED_COLUMNS]
        wanted = self.measures.class_column
        return ReleaseComparison(
            columns=tuple(compare_marginals(self.original, self.released, coverages)),
            pairs=tuple(compare_pairs(self.original, self.released, paired)),
            queries=self._ask_queries(coverages) if self.measures.queries else None,
            classifiers=None if wanted is None else self._classify(wanted, progress),
        )

    def _ask_queries(self, coverages: tuple[LabelCoverage, ...]) -> WorkloadError:
        from deid_portal.engine.utility.workload import measure_workload_error

        return measure_workload_error(
            self.original,
            self.released,
            coverages,
            generator=np.random.default_rng(self.measuring_seed),
            queries=self.measures.queries,
        )

    def _classify(
        self, class_column: str, progress: Progress
    ) -> tuple[ClassifierAccuracy | ClassifierProblem, ...]:
        from deid_portal.engine.utility.classifiers import compare_classifiers

        if class_column not in self.released:
            return ()
        names = [name for name in self.names if name != class_column]
        if not names:
            return ()  # nothing to learn from
        try:
            found = compare_classifiers(
                self.original,
                self.released,
                names,
                class_column,
                seed=self.measuring_seed or 0,
                between=lambda: progress.report(0, 1, "measure"),
            )
        except InvalidTable as error:  # too few records of a class to learn from
            return (ClassifierProblem(str(error)),)
        return tuple(found)

    def _tell_who_pays(self, names: Sequence[str]) -> Iterator[PayingColumn]:
        """Split suppression and loss by the groups of each column; a sample counts as the table."""
        assert self.rows is not None  # noqa: S101 - asked only then
        kept = np.zeros(self.original.rows, np.bool_)
        kept[self.rows] = True
        lost = _lost_per_row(self)
        drawn = slice(None) if self.drawn is None else np.flatnonzero(self.drawn)
        for name in names:
            column = self.original[name].take(drawn)
            groups = group_column(column, self._all_taxonomies.get(name))
            if len(groups.names) > 1 or name in self.measures.groups:
                yield tell_who_pays(column, groups, kept[drawn], lost[drawn])

    def _attack(self, progress: Progress) -> tuple[AttackFinding | AttackProblem, ...]:
        if self.rows is None:
            raise InvalidTable(
                "It cannot be told which released record is whose, so attacks cannot be judged; "
                "ask for them in the plan the release is made with."
            )
        found = []
        for number, planned in enumerate(self.measures.attacks):
            progress.report(number, len(self.measures.attacks), "attack")
            found.append(self._run(planned))
        return tuple(found)

    def _run(self, planned: PlannedAttack) -> AttackFinding | AttackProblem:
        """Run one attack; one that does not fit the tables says so and fails alone."""
        from deid_portal.engine.attacks import AttackSetting

        asked = _describe_attack(planned)
        sensitive = planned.column or next(iter(self.plan.names_of(ColumnRole.SENSITIVE)), None)
        assert self.rows is not None  # noqa: S101 - checked before
        if (self.rows == NOBODY).any():
            return AttackProblem(**vars(asked), problem=MADE_UP)
        try:
            setting = AttackSetting(
                original=self.original,
                released=self.released,
                rows=self.rows,
                quasi_identifiers=self._known_names(planned),
                sensitive=sensitive if sensitive in self.released else None,
                taxonomies=self._taxonomies_with(sensitive),
                outside=planned.outside.table if planned.outside else None,
                outside_rows=self._who_is_who(planned),
                control=planned.control.table if planned.control else None,
            )
            result = planned.attack.run(setting, np.random.default_rng(self.measuring_seed))
        except EngineError as error:
            return AttackProblem(**vars(asked), problem=str(error))
        after = sensitive if "sensitive" in planned.attack.needs else None
        return AttackFinding(
            **vars(replace(asked, column=after)),
            value=result.value,
            interval=(float(result.interval[0]), float(result.interval[1])),
            control_value=result.control,
            records=result.records,
            sentence=result.sentence,
            figures=result.figures.to_document(),
        )

    def _known_names(self, planned: PlannedAttack) -> tuple[str, ...]:
        """Return the quasi-identifiers the attacker can use: those an outside table has, too."""
        if planned.outside is None:
            return self.names
        known = tuple(name for name in self.names if name in planned.outside.table)
        if not known:
            raise InvalidTable(
                f"The outside table has none of the columns {', '.join(self.names)}."
            )
        return known

    def _taxonomies_with(self, sensitive: str | None) -> Mapping[str, Taxonomy]:
        planned = self.plan.column(sensitive) if sensitive is not None else None
        if planned is None or planned.taxonomy is None:
            return self.taxonomies
        built = planned.taxonomy.build(self.original[planned.name])
        return {**self.taxonomies, planned.name: built}

    def _who_is_who(self, planned: PlannedAttack) -> Codes | None:
        """Return the original row of each person in the outside table."""
        if planned.outside is None or planned.person is None:
            return None
        outside = planned.outside.table
        if planned.person not in outside:
            raise InvalidTable(f'The outside table has no column "{planned.person}".')
        from deid_portal.engine.attacks.outside_linkage import find_people

        return find_people(self.original, outside, (planned.person, planned.person))


def _describe_attack(planned: PlannedAttack) -> PlannedAttackEntry:
    return PlannedAttackEntry(
        attack=planned.attack.name,
        parameters=planned.parameters,
        column=planned.column,
        outside=planned.outside.name if planned.outside else None,
        control=planned.control.name if planned.control else None,
        person=planned.person,
        explain=planned.attack.explain(),
    )


def _seen_patterns(names: tuple[str, ...], measured: MeasuredTable) -> Patterns | None:
    """Return the classes of a release as patterns; None for a release in groups."""
    if measured.alike is not None:
        return None
    labels = measured.classes.labels
    nothing = np.zeros(0, np.int32)
    return Patterns(names, np.ascontiguousarray(labels), measured.classes.sizes, nothing, {})


def _lost_per_row(evidence: Evidence) -> Numbers:
    """Return the share of detail each original row lost, columns weighed as in the plan."""
    from deid_portal.engine.utility.shown import describe_labels, look_behind

    assert evidence.rows is not None  # noqa: S101 - asked only then
    weights = np.array(evidence.problem.weights, np.float64)
    factors = weights / weights.sum() if weights.sum() else weights
    lost = np.zeros(evidence.original.rows)
    for (name, taxonomy), factor in zip(evidence.taxonomies.items(), factors, strict=True):
        original, released = evidence.original[name], evidence.released[name]
        shown = describe_labels(
            taxonomy, original.counts, look_behind(original, taxonomy, released.values)
        )
        share = (shown.leaves - 1) / max(taxonomy.leaf_count - 1, 1)
        lost[evidence.rows] += factor * share[released.codes]
    return lost
