from dataclasses import dataclass

from deid_portal.accounts.models import User
from deid_portal.attacks.estimates import expected_seconds
from deid_portal.attacks.kinds import traits_of
from deid_portal.attacks.limits import limits_of_team
from deid_portal.attacks.rows import AttackRow, RowState, rows_of
from deid_portal.attacks.subjects import AttackedSubject, standard_attacks
from deid_portal.datasets.permissions import can_see_values
from deid_portal.policies.gates import AttackStanding
from deid_portal.runs.models import Run


@dataclass(frozen=True)
class Summary:
    """A summary of the attacks on a run, for pages of other rooms."""

    made: int
    over: list[AttackRow]
    weak: list[AttackRow]
    resisted: int
    at_work: int

    @property
    def is_made(self) -> bool:
        return self.made > 0

    @property
    def answered(self) -> int:
        """How many attacks could be carried out, so that there is something to compare."""
        return len(self.over) + len(self.weak) + self.resisted

    @property
    def words(self) -> str:
        """One sentence: "13 attacks made: one over the limit, two weak spots, ten resisted."."""
        if not self.made:
            return "No attack has been made yet."
        counts = (
            (len(self.over), "over the limit", "over the limit"),
            (len(self.weak), "weak spot", "weak spots"),
            (self.resisted, "resisted", "resisted"),
        )
        parts = [f"{n} {one if n == 1 else many}" for n, one, many in counts if n]
        made = "1 attack made" if self.made == 1 else f"{self.made} attacks made"
        return f"{made}: {', '.join(parts) or 'none possible on this release'}."


def attack_rows(user: User, run: Run) -> list[AttackRow]:
    """Return the attacks on a run, the worst first; only results on this release count."""
    tests = run.attack_tests.filter(output_sha256=run.output_sha256).select_related("outside")
    # If nobody can be suppressed, figures do not reveal anything about suppressed people.
    is_everybody_there = not run.dataset.subject.leaves_people_out
    sees_figures = is_everybody_there or can_see_values(user, run.dataset)
    limits = limits_of_team(run.dataset.team)
    made = list(tests)
    times = expected_seconds(run, sorted({*standard_attacks(run), *(own.attack for own in made)}))
    return rows_of(run, limits, made, times, sees_figures)


def summarize_attacks(rows: list[AttackRow]) -> Summary:
    return Summary(
        made=sum(row.is_made for row in rows),
        over=[row for row in rows if row.state == RowState.OVER_LIMIT],
        weak=[row for row in rows if row.state == RowState.WEAK_SPOT],
        resisted=sum(row.state == RowState.RESISTED for row in rows),
        at_work=sum(row.is_open for row in rows),
    )


def attack_summary_of(run: Run) -> Summary:
    """Return the summary for the report, the home page and the review."""
    return summarize_attacks(counted_rows(run))


def counted_rows(run: Run, *, sees_figures: bool = False) -> list[AttackRow]:
    """Return the attacks on this very release, for other rooms; without figures by default."""
    tests = list(run.attack_tests.filter(output_sha256=run.output_sha256))
    return rows_of(run, limits_of_team(run.dataset.team), tests, {}, sees_figures=sees_figures)


def standings_of(run: Run) -> dict[str, AttackStanding]:
    """Return the state of each attack, for the gates of the policy.

    Of several outside tables one at work stands for the attack, else the one that got furthest.
    """
    known: dict[str, AttackStanding] = {}
    for row in sorted(counted_rows(run, sees_figures=True), key=lambda row: not row.is_open):
        if row.test is not None:
            known.setdefault(row.attack, _standing(row))
    impossible = AttackedSubject.of(run.dataset).impossible
    refused = {
        name: AttackStanding(None, why, is_possible=False, is_applicable=False)
        for name, why in impossible.items()
    }
    return refused | known


def _standing(row: AttackRow) -> AttackStanding:
    if row.state == RowState.NOT_POSSIBLE:
        return AttackStanding(None, row.reason, is_possible=False)
    if row.is_open or row.result is None:
        return AttackStanding(None, row.reason, is_at_work=row.is_open)
    return AttackStanding(
        row.result.stake.share,
        limit=row.limit,
        is_over=row.state == RowState.OVER_LIMIT,
        crosses_releases=traits_of(row.attack).crosses_releases(),
    )
