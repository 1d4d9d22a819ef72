"""Result privacy: what must not be found by mining the release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import AssociationRule, AssociationRules, Declared, Parameter
from deid_portal.engine.privacy.hidden_names import NameOf
from deid_portal.engine.privacy.kinds import ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class ResultPrivacy(PrivacyModel):
    """No forbidden association rule is found in the release.

    A rule "if these cells, then those" is found if at least a share `support` of the released
    records shows all of its cells, and at least a share `confidence` of those that show the first
    part. A quasi-identifier shows the label of the release: a value that is hidden under a coarser
    label is not found, and a rule may name a label as well. A rule names at most one sensitive
    column. It judges the release as a whole; it is not monotone, since a rule may name a coarser
    label.
    """

    rules: tuple[AssociationRule, ...]
    support: float
    confidence: float
    secrets: tuple[str, ...] = ()  # the plan's sensitive columns

    name: ClassVar[str] = "result-privacy"
    cites: ClassVar[str] = (
        "M. Atallah, E. Bertino, A. Elmagarmid, M. Ibrahim, V. Verykios, Disclosure limitation of "
        "sensitive rules, KDEX 1999; V. Torra, Guide to data privacy, 2022."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.ATTRIBUTE_LINKAGE,)
    disclosure: ClassVar[Disclosure] = ATTRIBUTE
    can_be_estimated: ClassVar[bool] = False
    needs_besides: ClassVar[str] = "it compares with results on the original"
    parameters: ClassVar[tuple[Declared, ...]] = (
        AssociationRules("rules"),
        Parameter(
            "support",
            start=0.05,
            minimum=0,
            maximum=1,
            unusual_above=0.5,
            caution="A support of {value} lets rules about less than half of all people be found.",
        ),
        Parameter(
            "confidence",
            start=0.8,
            minimum=0.001,
            maximum=1,
            unusual_above=0.95,
            caution="A confidence of {value} lets rules be found that are nearly always right.",
        ),
    )
    is_monotone = False
    is_monotone_per_record = False
    needs_labels: ClassVar[bool] = True
    judges_release: ClassVar[bool] = True
    judges_classes: ClassVar[bool] = False

    @property
    def counted_columns(self) -> tuple[str, ...]:
        named = {name for rule in self.rules for name in (*rule["if"], *rule["then"])}
        return tuple(name for name in self.secrets if name in named)

    def for_columns(self, sensitive: Sequence[str]) -> Self:
        return replace(self, secrets=tuple(sensitive))

    def published(self, name_of: NameOf) -> Self:
        def publish(cells: Mapping[str, str | None]) -> dict[str, str | None]:
            return {column: name_of(column, text) for column, text in cells.items()}

        rules = (
            AssociationRule({"if": publish(rule["if"]), "then": publish(rule["then"])})
            for rule in self.rules
        )
        return replace(self, rules=tuple(rules))

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        for here, rule in zip(place["rules"].items(), self.rules, strict=True):
            names = {**rule["if"], **rule["then"]}
            known = [roles.get(name) for name in names]
            if any(role not in ("quasi-identifier", "sensitive") for role in known):
                here.refuse("the names of quasi-identifiers and sensitive columns are accepted.")
            if known.count("sensitive") > 1:
                here.refuse("at most one sensitive column is accepted.")

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return np.ones(len(classes.sizes), np.bool_)

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        return not any(self._is_found(*self._measure(rule, kept, whole)) for rule in self.rules)

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        """Return how many rules are found, and the largest confidence of one with support."""
        measured = [self._measure(rule, kept, whole) for rule in self.rules]
        heard = [sure for share, sure in measured if share >= self.support - ROUNDING]
        return {
            "found": sum(self._is_found(*pair) for pair in measured),
            "confidence": max(heard, default=0.0),
        }

    def explain(self) -> str:
        return (
            f"None of {len(self.rules)} forbidden rules can be found in the release with a support "
            f"of {100 * self.support:.3g} in 100 or more and a confidence of "
            f"{100 * self.confidence:.3g} in 100 or more."
        )

    def _is_found(self, share: float, sure: float) -> bool:
        return share > 0 and share >= self.support - ROUNDING and sure >= self.confidence - ROUNDING

    def _measure(
        self, rule: AssociationRule, kept: Classes, whole: WholeTable
    ) -> tuple[float, float]:
        """Return support and confidence of a rule in the release."""
        given = self._count(rule["if"], kept, whole)
        both = self._count({**rule["if"], **rule["then"]}, kept, whole)
        return both / max(int(kept.sizes.sum()), 1), both / given if given else 0.0

    def _count(self, cells: Mapping[str, str | None], kept: Classes, whole: WholeTable) -> float:
        """Return how many records show all these cells."""
        original = whole.original
        names = original.names if original else ()
        records: Shares = kept.sizes.astype(np.float64)
        for name, text in cells.items():
            if name not in names:
                pairs = kept.sensitive[name]
                chosen = np.isin(pairs.codes, whole.sensitive[name].codes_of([text]))
                own = np.bincount(pairs.groups[chosen], pairs.counts[chosen], len(records))
                records = np.minimum(records, own)
        for name, text in cells.items():
            if original is not None and name in names:
                place = names.index(name)
                texts = [label for labels in original.taxonomies[place].labels for label in labels]
                shown = np.array([label == text for label in texts], np.bool_)
                records = np.where(shown[original.labels_of(kept)[place]], records, 0.0)
        return float(records.sum())
