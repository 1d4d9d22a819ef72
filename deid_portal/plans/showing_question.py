"""How a sensitive column is shown: exactly, rounded, or in the groups of its taxonomy."""

from typing import Any

from django import forms
from django.db.models import TextChoices

from deid_portal.datasets.models import DatasetColumn
from deid_portal.engine.privacy.fitting_numbers import AmountColumn
from deid_portal.engine.table.values import NUMERIC
from deid_portal.engine.taxonomies import IntervalTaxonomy
from deid_portal.engine.wording.numbers import middle_cut, percent
from deid_portal.plans.amounts import ShownAs

MOST_ROUNDINGS = 9
NAME_LENGTH = 40


class Showing(TextChoices):
    EXACT = "exact", "Exactly as it is"
    ROUNDED = "rounded", "Rounded"
    GROUPED = "grouped", "In groups of its taxonomy"


class ShowingQuestion:
    """What the release shows of one sensitive column."""

    def __init__(self, form: forms.Form, column: DatasetColumn, amounts: AmountColumn | None):
        self.form = form
        self.column = column
        self.amounts = amounts
        at = column.position
        self.way_name, self.base_name, self.ends_name, self.level_name = (
            f"{kind}_{at}" for kind in ("shown", "base", "ends", "level")
        )
        short = middle_cut(column.name, NAME_LENGTH)
        base = amounts.proposed_base() if amounts is not None else None
        form.fields |= {
            self.way_name: forms.ChoiceField(
                label=f"How is {short} shown?",
                choices=Showing.choices,
                initial=Showing.EXACT if base is None else Showing.ROUNDED,
                required=False,
                widget=forms.RadioSelect,
            ),
            self.base_name: forms.FloatField(
                label="Round to multiples of",
                required=False,
                min_value=1e-6,
                max_value=1e12,
                initial=_written(base),
                widget=forms.Select(choices=self._bases(form, base)),
                error_messages={"min_value": "A base above 0 is needed."},
            ),
            self.ends_name: forms.FloatField(
                label="Join the far ends, in percent of the people",
                required=False,
                min_value=0,
                max_value=40,
                help_text="So many at each end are shown one amount; empty leaves them.",
                error_messages=dict.fromkeys(
                    ("min_value", "max_value"), "At each end 0 to 40 percent can be joined."
                ),
            ),
            self.level_name: forms.TypedChoiceField(
                label="At the level", choices=self._levels(), coerce=int, required=False
            ),
        }
        for name in (self.base_name, self.level_name):
            form.fields[name].widget.attrs["class"] = "form-select"

    @property
    def is_offered(self) -> bool:
        """Say whether there is anything to choose."""
        return len(self.ways) > 1

    @property
    def ways(self) -> list[forms.boundfield.BoundWidget]:
        offered = {Showing.EXACT, self.form[self.way_name].value()}
        offered |= {Showing.ROUNDED} if self.amounts is not None else set()
        offered |= {Showing.GROUPED} if self._height else set()
        return [radio for radio in self.form[self.way_name] if radio.data["value"] in offered]

    @property
    def has_taxonomy(self) -> bool:
        return self._height > 0

    @property
    def base_field(self) -> forms.BoundField:
        return self.form[self.base_name]

    @property
    def ends_field(self) -> forms.BoundField:
        return self.form[self.ends_name]

    @property
    def level_field(self) -> forms.BoundField:
        return self.form[self.level_name]

    def clean(self) -> None:
        way = self.form.cleaned_data.get(self.way_name)
        if way == Showing.ROUNDED and self.column.type not in NUMERIC:
            self.form.add_error(self.way_name, "Only numbers can be rounded.")
        elif way == Showing.ROUNDED and not self.form.cleaned_data.get(self.base_name):
            if self.base_name not in self.form.errors:
                self.form.add_error(self.base_name, "Say what to round to.")
        elif way == Showing.GROUPED and not self._height:
            self.form.add_error(self.way_name, "This column has no complete taxonomy yet.")

    def to_shown(self) -> ShownAs:
        given = self.form.cleaned_data
        match given.get(self.way_name):
            case Showing.ROUNDED:
                ends = round((given.get(self.ends_name) or 0) / 100, 10)
                return ShownAs(base=given.get(self.base_name) or 0.0, ends=ends)
            case Showing.GROUPED:
                return ShownAs(level=given.get(self.level_name) or 1)
        return ShownAs()

    @property
    def keeps_order(self) -> bool:
        """Say whether what is shown has the order of the numbers; of groups only ranges have."""
        taxonomy = getattr(self.column, "taxonomy", None)
        is_ranges = taxonomy is not None and taxonomy.kind == IntervalTaxonomy.kind
        return not self.to_shown().level or is_ranges

    @classmethod
    def initial_from(cls, column: DatasetColumn, shown: ShownAs) -> dict[str, Any]:
        way = Showing.GROUPED if shown.level else Showing.ROUNDED if shown.base else Showing.EXACT
        at = column.position
        initial: dict[str, Any] = {f"shown_{at}": way}
        if shown.base:
            initial[f"base_{at}"] = _written(shown.base)
        if shown.ends:
            initial[f"ends_{at}"] = f"{100 * shown.ends:.10g}"
        if shown.level:
            initial[f"level_{at}"] = shown.level
        return initial

    @property
    def _height(self) -> int:
        """Return the height of a complete taxonomy of the column; 0 if it has none."""
        taxonomy = getattr(self.column, "taxonomy", None)
        if taxonomy is None or not taxonomy.is_complete or not taxonomy.recipe:
            return 0
        return int(taxonomy.height)

    def _levels(self) -> list[tuple[int, str]]:
        height = self._height
        return [(level, f"level {level} of {height}") for level in range(1, max(height, 2))]

    def _bases(self, form: forms.Form, proposed: float | None) -> list[tuple[str, str]]:
        """Return roundings with what each leaves; also the one that was chosen."""
        measured = {own.base: own.variety.lone_share for own in self._roundings(proposed)}
        given = form.data if form.is_bound else form.initial
        chosen = given.get(self.base_name)
        bases = {
            _written(base): f"{base:,.10g} · {percent(share)} still occur once"
            for base, share in measured.items()
        }
        if chosen and str(chosen) not in bases:
            bases[str(chosen)] = str(chosen)
        return list(bases.items()) or [("", "no rounding would leave any detail")]

    def _roundings(self, proposed: float | None) -> Any:
        if self.amounts is None:
            return ()
        found = self.amounts.roundings
        place = next((n for n, own in enumerate(found) if own.base == proposed), len(found) - 1)
        first = max(min(place - 4, len(found) - MOST_ROUNDINGS), 0)
        return found[first : first + MOST_ROUNDINGS]


def _written(number: float | None) -> str:
    return "" if number is None else f"{number:.10g}"
