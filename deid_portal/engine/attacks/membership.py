"""Membership inference: was this person in the table a model was trained on?

R. Shokri et al., Membership inference attacks against machine learning models, S&P 2017. Shadow
models, trained on people the attacker has, show how a model looks at its own training records; a
classifier that learned the difference judges the model trained on the release.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    recode,
    share_of,
    weigh_gain,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, MembershipFigures
from deid_portal.engine.attacks.bins import compare_shares
from deid_portal.engine.attacks.confidence import wilson_interval
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Codes, Table
from deid_portal.engine.utility.coverage import cover

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]
FEWEST = 8
TREES, TREES_AT_ONCE = 30, 5


@dataclass(frozen=True)
class MembershipScores:
    """How claims of membership compare with the truth.

    `claimed` is miaAR as printed, claimed members of everybody; `identified` as glossed, members
    found of everybody.
    """

    claimed: float
    identified: float
    recall: float
    precision: float
    f1: float


def score_membership(claims: Mask, members: Mask) -> MembershipScores:
    """Compare one claim per person with the truth; 0 where there is nothing to divide by."""
    found = int((claims & members).sum())
    recall = share_of(found, int(members.sum()))
    precision = share_of(found, int(claims.sum()))
    both = recall + precision
    return MembershipScores(
        claimed=share_of(int(claims.sum()), len(claims)),
        identified=share_of(found, len(claims)),
        recall=recall,
        precision=precision,
        f1=2 * recall * precision / both if both else 0.0,
    )


@dataclass(frozen=True)
class MembershipInference(Attack):
    """Attacks a forest that learned the sensitive column from the released quasi-identifiers.

    Half of the control table trains the shadow models, the other half stands for outsiders.
    """

    shadows: int = 4
    most_people: int = 2000

    name: ClassVar[str] = "membership-inference"
    figures_kind: ClassVar[type[AttackFigures]] = MembershipFigures
    # 55 of 100 claims right: hardly better than tossing a coin.
    usual_limit: ClassVar[float] = 0.1
    usual_seconds: ClassVar[tuple[float, float]] = (2.0, 2.0)
    with_time: ClassVar[Mapping[str, Any]] = MappingProxyType({"most_people": 7500})
    holds_out: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "R. Shokri et al., Membership inference attacks against machine learning models, S&P 2017."
    )
    needs: ClassVar[tuple[str, ...]] = ("sensitive", "control")
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("shadows", minimum=1, maximum=50, whole=True, default=4, is_effort=True),
        Parameter(
            "most_people", minimum=20, maximum=100_000, whole=True, default=2000, is_effort=True
        ),
    )

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        seed = int(generator.integers(2**31))
        known, target = _show(setting, setting.control_table)
        order = generator.permutation(len(target))[: 2 * self.most_people]
        shadow, outside = np.array_split(order, 2)
        if len(outside) < FEWEST:
            raise InvalidPlan(f"The control table needs at least {2 * FEWEST} people.")
        judge = self._train_judge(setting, known[shadow], target[shadow], generator, seed)
        model = _train(*_show(setting, setting.released), seed, setting.progress)
        people, truth = _show(setting, setting.original, setting.rows)
        chosen = generator.permutation(len(truth))[: len(outside)]
        seen = _look(model, people[chosen], truth[chosen])
        unseen = _look(model, known[outside], target[outside])
        claims = judge.predict(np.vstack([seen, unseen])) == 1
        members = np.arange(len(claims)) < len(chosen)
        return self._conclude(claims, members)

    def explain(self) -> str:
        return (
            "Trains models like the one the release allows, learns how they treat people they "
            "were trained on, and claims membership accordingly."
        )

    def _train_judge(
        self,
        setting: AttackSetting,
        known: Codes,
        target: Codes,
        generator: np.random.Generator,
        seed: int,
    ) -> Any:
        """Learn from shadow models how predictions for training records differ from others."""
        from sklearn.linear_model import LogisticRegression

        looks, labels = [], []
        for _ in range(self.shadows):
            inside = generator.permutation(len(target)) < len(target) // 2
            model = _train(known[inside], target[inside], seed, setting.progress)
            looks.append(_look(model, known, target))
            labels.append(inside)
        return LogisticRegression().fit(np.vstack(looks), np.concatenate(labels).astype(int))

    def _conclude(self, claims: Mask, members: Mask) -> AttackResult:
        scores = score_membership(claims, members)
        claimed, found = int(claims.sum()), int((claims & members).sum())
        return AttackResult(
            name=self.name,
            value=scores.precision,
            interval=wilson_interval(found, claimed),
            control=share_of(int(members.sum()), len(members)),
            records=found,
            sentence=(
                f"The attack claims membership for {claimed} of {len(claims)} people and is right "
                f"for {found} of them ({fixed_percent(scores.precision)}; it finds "
                f"{fixed_percent(scores.recall)} of all members)."
            ),
            figures=MembershipFigures(
                miaAR=scores.claimed,
                identified=scores.identified,
                recall=scores.recall,
                precision=scores.precision,
                f1=scores.f1,
                claimed=claimed,
                people=len(claims),
            ),
            spread=compare_shares(
                "Claims of membership that are right",
                [
                    ("the attack", scores.precision),
                    ("tossing a coin", share_of(int(members.sum()), len(members))),
                ],
            ),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        """Weigh what claims are right beyond the share of members among those asked about."""
        return weigh_gain(
            result.value,
            result.interval,
            result.control,
            result.figures.of(MembershipFigures).claimed,
        )


def _train(known: Codes, target: Codes, seed: int, progress: Progress) -> Any:
    """Train a forest, a few trees at a time, so that it can be stopped."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(0, random_state=seed, warm_start=True)
    for trees in range(TREES_AT_ONCE, TREES + 1, TREES_AT_ONCE):
        progress.report(trees - TREES_AT_ONCE, TREES, "attack")
        model.set_params(n_estimators=trees).fit(known, target)
    return model


def _look(model: Any, known: Codes, target: Codes) -> Numbers:
    """Return per prediction the chance of the true class, the highest chance, and the spread."""
    beliefs = np.asarray(model.predict_proba(known), np.float64)
    column = {int(label): index for index, label in enumerate(model.classes_)}
    places = np.array([column.get(int(label), -1) for label in target])
    own = np.where(places >= 0, beliefs[np.arange(len(target)), places], 0.0)
    spread = -(beliefs * np.log(np.maximum(beliefs, 1e-12))).sum(axis=1)
    return np.column_stack([own, beliefs.max(axis=1), spread])


def _show(setting: AttackSetting, people: Table, rows: Codes | None = None) -> tuple[Codes, Codes]:
    """Return people as the release would show them: label codes per column, and the target."""
    shown = []
    for name in setting.quasi_identifiers:
        label = _first_labels(setting, people, name)
        shown.append(label[people[name].codes])
    column = people[setting.sensitive_name]
    target = recode(column, setting.released[setting.sensitive_name])[column.codes]
    matrix = np.array(shown, np.int32).T
    return (matrix, target) if rows is None else (matrix[rows], target[rows])


def _first_labels(setting: AttackSetting, people: Table, name: str) -> Codes:
    """Return per exact value the released label that covers it and that most records show."""
    released = setting.released[name]
    if people is setting.released:
        return np.arange(len(released.values), dtype=np.int32)
    covered = cover(people[name], released, setting.taxonomies.get(name)).covered
    labels = np.full(len(people[name].values), -1, np.int32)
    for code in np.argsort(released.counts, kind="stable").tolist():
        labels[covered[code]] = code
    return labels
