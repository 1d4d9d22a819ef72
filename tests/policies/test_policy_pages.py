from collections.abc import Callable

from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.policies.forms import PolicyForm
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policy_in_force
from tests.conftest import Cast


def answers_of(rules: Rules, **changes: object) -> dict[str, object]:
    """What a browser would send of the form as it stands."""
    form = PolicyForm(rules=rules)
    sent = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    filled = {name: value for name, value in sent.items() if value not in (None, False, "")}
    return {**filled, "reason": "as agreed", **changes}


def test_the_policy_stands_in_sentences(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    page = signed_in(cast.reviewer).get(reverse("policies:show")).content.decode()
    assert "Everybody hides among at least 5 look-alikes." in page
    assert "Only administrators of this team can change the policy." in page


def test_an_administrator_puts_a_version_in_force(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    client = signed_in(cast.administrator)
    sent = answers_of(Rules(), least_k=10, highest_risk="12.5", attack_skewness="3")
    sent["attack_network-degree"] = "10"
    assert client.post(reverse("policies:change"), sent).status_code == 302
    rules = policy_in_force(cast.team).rules
    assert (rules.least_k, rules.highest_risk) == (10, 0.125)
    assert rules.attacks == {"skewness": 0.03, "network-degree": 0.1}
    assert "as agreed" in client.get(reverse("policies:show")).content.decode()


def test_a_form_that_changes_nothing_gives_the_same_rules() -> None:
    rules = Rules(sensitive_models=("t-closeness",), surest_guess=0.333333)
    form = PolicyForm(answers_of(rules), rules=rules)
    assert form.is_valid(), form.errors
    assert form.to_rules() == rules


def test_a_bad_number_keeps_what_was_typed(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    sent = answers_of(Rules(), highest_risk="120", reason="typed reason")
    answer = signed_in(cast.administrator).post(reverse("policies:change"), sent)
    assert answer.status_code == 422
    assert "typed reason" in answer.content.decode()
    assert policy_in_force(cast.team).version == 0


def test_every_version_says_what_it_changed_and_why(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    client = signed_in(cast.administrator)
    client.post(reverse("policies:change"), answers_of(Rules(), least_k=10))
    sent = answers_of(Rules(least_k=10), decision_days=0, confirm_votes="on", reason="No haste.")
    client.post(reverse("policies:change"), sent)
    newest, first = client.get(reverse("policies:show")).context["versions"]
    assert newest.policy.reason == "No haste."
    assert newest.new == ["Votes and waivers are confirmed with the second factor."]
    assert newest.gone == ["A request that nobody moves for 30 days expires."]
    assert "Everybody hides among at least 10 look-alikes." in first.new


def test_a_reminder_after_the_end_is_refused(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    sent = answers_of(Rules(), reminder_days=40, decision_days=30)
    answer = signed_in(cast.administrator).post(reverse("policies:change"), sent)
    assert answer.status_code == 422
    assert "A reminder has to come before the request expires" in answer.content.decode()
