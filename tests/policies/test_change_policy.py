import pytest

from deid_portal.audit.models import Event
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policies_of, policy_in_force
from deid_portal.policies.services import change_policy
from deid_portal.web.refusals import Refused
from tests.conftest import Cast


def test_a_team_without_a_policy_has_the_usual_one(cast: Cast) -> None:
    policy = policy_in_force(cast.team)
    assert (policy.version, policy.rules) == (0, Rules())


def test_a_change_is_a_new_version_and_on_record(cast: Cast) -> None:
    change_policy(team=cast.team, changed_by=cast.administrator, rules=Rules(least_k=7))
    change_policy(team=cast.team, changed_by=cast.administrator, rules=Rules(approvals=2))
    assert policy_in_force(cast.team).version == 2
    assert [policy.rules["least_k"] for policy in policies_of(cast.team)] == [5, 7]
    event = Event.objects.filter(action="policy.changed").first()
    assert event is not None
    assert event.facts == {"version": 2, "changed": ["approvals", "least_k"]}


def test_only_administrators_change_it(cast: Cast) -> None:
    with pytest.raises(Refused, match="Only administrators"):
        change_policy(team=cast.team, changed_by=cast.steward, rules=Rules(least_k=2))


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (Rules(least_k=0), "at least 1"),
        (Rules(highest_risk=1.5), "The highest risk is a share"),
        (Rules(sensitive_models=("magic",)), "no rule the portal knows"),
        (Rules(attacks={"magic": 0.1}), "no attack the portal knows"),
        (Rules(attacks={"homogeneity": 2}), "limit of the attack homogeneity is a share"),
        (Rules(approvals=0), "between 1 and 9"),
        (Rules(download_days=0), "1 to 3,650 days"),
    ],
)
def test_what_makes_no_sense_is_refused(cast: Cast, rules: Rules, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        change_policy(team=cast.team, changed_by=cast.administrator, rules=rules)
    assert policy_in_force(cast.team).version == 0


def test_saving_the_same_again_is_refused(cast: Cast) -> None:
    change_policy(team=cast.team, changed_by=cast.administrator, rules=Rules(least_k=7))
    with pytest.raises(Refused, match="Nothing was changed"):
        change_policy(team=cast.team, changed_by=cast.administrator, rules=Rules(least_k=7))


def test_rules_survive_the_database(cast: Cast) -> None:
    rules = Rules(sensitive_models=("t-closeness",), attacks={"homogeneity": 0.01})
    change_policy(team=cast.team, changed_by=cast.administrator, rules=rules)
    assert policy_in_force(cast.team).rules == rules


def test_every_demand_is_a_sentence() -> None:
    said = Rules(sensitive_models=("l-diversity",), second_factor=True).sentences()
    assert all(sentence.endswith(".") for sentence in said.values())
    assert "surest_guess" not in Rules(surest_guess=1).sentences()
