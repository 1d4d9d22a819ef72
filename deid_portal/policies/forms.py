"""The policy form: shares are typed in percent, each field is part of a sentence."""

from typing import Any

from django import forms

from deid_portal.engine.privacy import MODELS
from deid_portal.policies.rules import ATTACKS_ON, DEMANDABLE, Rules, attack_words
from deid_portal.web.widgets import CheckboxGroup

PERCENT = ("highest_risk", "most_left_out", "most_left_out_of_group", "surest_guess")


def _models_of_sensitive() -> list[tuple[str, str]]:
    return [(name, name) for name, model in MODELS.items() if model.speaks_of_sensitive]


def _share(label: str, help_text: str = "") -> forms.FloatField:
    return forms.FloatField(
        label=f"{label}, in percent",
        min_value=0,
        max_value=100,
        help_text=help_text,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


def _limit_of_attack(name: str) -> forms.FloatField:
    usual = _as_percent(DEMANDABLE[name].usual_limit)
    return forms.FloatField(
        label=f"{attack_words(name).removeprefix('network ').capitalize()}, success at most",
        required=False,
        min_value=0,
        max_value=100,
        help_text=f"Usually {usual}.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


class PolicyForm(forms.Form):
    least_k = forms.IntegerField(
        label="Everybody hides among at least so many look-alikes", min_value=1
    )
    highest_risk = _share("Nobody’s risk of being recognized is above")
    most_left_out = _share("At most so many rows are left out")
    most_left_out_of_group = _share(
        "No group loses more of its people than", "100 asks for nothing."
    )
    smallest_group_judged = forms.IntegerField(
        label="… of the groups with at least so many people",
        min_value=1,
        help_text="The rarest groups cannot hide among many and are always left out.",
    )
    surest_guess = _share("A sensitive value is guessed right at most", "100 asks for nothing.")
    protect_sensitive = forms.BooleanField(
        label="Every sensitive column is protected by a rule of its own", required=False
    )
    sensitive_models = forms.MultipleChoiceField(
        label="… by one of these (none ticked: any rule will do)",
        choices=_models_of_sensitive,
        required=False,
        widget=CheckboxGroup,
    )
    no_identifier_left = forms.BooleanField(
        label="No identifier is left in the release", required=False
    )
    attacks_within_limits = forms.BooleanField(
        label="No attack that was made is over its limit", required=False
    )
    cross_releases = forms.BooleanField(
        label="Earlier releases of the same people count", required=False
    )
    approvals = forms.IntegerField(label="So many people approve", min_value=1, max_value=9)
    download_days = forms.IntegerField(
        label="Downloads expire after so many days", min_value=1, max_value=3650
    )
    downloads_per_person = forms.IntegerField(
        label="A person downloads a release at most so many times", min_value=1, max_value=1000
    )
    publish_recipe = forms.BooleanField(
        label="The recipe (plan and taxonomies) is published with the release", required=False
    )
    second_factor = forms.BooleanField(
        label="Everybody of the team signs in with a second factor", required=False
    )
    confirm_votes = forms.BooleanField(
        label="Votes and waivers are confirmed with the second factor", required=False
    )
    reminder_days = forms.IntegerField(
        label="Whoever’s turn it is, is reminded every so many days",
        min_value=0,
        max_value=365,
        help_text="0 sends no reminders.",
    )
    decision_days = forms.IntegerField(
        label="A request that nobody moves expires after so many days",
        min_value=0,
        max_value=3650,
        help_text="0 keeps it open.",
    )
    checklist = forms.CharField(
        label="What the author of a request confirms",
        required=False,
        max_length=3000,
        help_text="One sentence a line; each becomes a box to tick in the request.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    reason = forms.CharField(
        label="Why it changes",
        max_length=300,
        help_text="Kept with the version.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, data: Any = None, *, rules: Rules) -> None:
        super().__init__(data, initial=_initial(rules))
        for field in self.fields.values():
            if isinstance(field, forms.BooleanField):
                field.widget.attrs["class"] = "form-check-input"
        for name in DEMANDABLE:
            self.fields[f"attack_{name}"] = _limit_of_attack(name)

    @property
    def attack_fields(self) -> dict[str, list[forms.BoundField]]:
        """Return the fields of the attacks by what they are made on."""
        return {
            made_on: [self[f"attack_{name}"] for name in attacks]
            for made_on, attacks in ATTACKS_ON.items()
        }

    def to_rules(self) -> Rules:
        given = dict(self.cleaned_data)
        given.pop("reason")
        limits = {name: given.pop(f"attack_{name}") for name in DEMANDABLE}
        shares = {name: given[name] / 100 for name in PERCENT}
        attacks = {name: limit / 100 for name, limit in limits.items() if limit is not None}
        lists = {
            "sensitive_models": tuple(given.pop("sensitive_models")),
            "checklist": tuple(filter(None, map(str.strip, given.pop("checklist").splitlines()))),
        }
        return Rules(**{**given, **shares, **lists, "attacks": attacks})


def _initial(rules: Rules) -> dict[str, Any]:
    values = rules.to_document()
    shares = {name: _as_percent(values[name]) for name in PERCENT}
    attacks = {f"attack_{name}": _as_percent(limit) for name, limit in rules.attacks.items()}
    return {**values, **shares, **attacks, "checklist": "\n".join(rules.checklist)}


def _as_percent(share: float) -> float:
    """Return a share in percent, without decimals if it is whole: 20, not 20.0."""
    percent = round(100 * share, 6)
    return int(percent) if percent.is_integer() else percent
