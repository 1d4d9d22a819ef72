"""The rules of a policy: read from a document, written as sentences.

A policy holds numbers and names of rules and attacks, never a value of a table.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from deid_portal.engine.attacks import ATTACKS
from deid_portal.engine.attacks.attack import AnyAttack
from deid_portal.engine.networks.attacks.trials import NETWORK_ATTACKS
from deid_portal.engine.privacy import MODELS
from deid_portal.engine.wording.numbers import percent
from deid_portal.web.refusals import Refused

# The attacks a policy may demand, by what they are made on.
ATTACKS_ON: Mapping[str, Mapping[str, type[AnyAttack]]] = {
    "tables": ATTACKS,
    "networks": NETWORK_ATTACKS,
}
DEMANDABLE = {name: kind for kinds in ATTACKS_ON.values() for name, kind in kinds.items()}


@dataclass(frozen=True)
class Rules:
    """The limits in force; every share is between 0 and 1.

    The defaults are what most offices require of files for partners under contract, as far as
    that applies to all tables; teams add what their tables need.
    """

    least_k: int = 5
    highest_risk: float = 0.2
    most_left_out: float = 0.1
    most_left_out_of_group: float = 1.0  # 1: no limit
    # Smaller groups are not checked: few people cannot reach k without suppression.
    smallest_group_judged: int = 100
    # Every sensitive column needs a rule; one of `sensitive_models` if that is not empty.
    protect_sensitive: bool = True
    sensitive_models: tuple[str, ...] = ()
    surest_guess: float = 1.0  # 1: no limit
    no_identifier_left: bool = True
    # Required attacks on the run, each with the largest success allowed.
    attacks: Mapping[str, float] = field(default_factory=dict)
    # Attacks that were made, demanded or not, stay within their limits: these, else the usual ones.
    attacks_within_limits: bool = True
    cross_releases: bool = True  # k must also hold across all releases of the same people
    approvals: int = 1
    download_days: int = 30
    downloads_per_person: int = 5
    publish_recipe: bool = True
    second_factor: bool = False
    confirm_votes: bool = False  # each vote requires the second factor again
    reminder_days: int = 3  # days between reminders to those whose turn it is; 0: none
    decision_days: int = 30  # days after which a request without action expires; 0: never
    # Sentences the author of a request has to confirm, one by one.
    checklist: tuple[str, ...] = ()

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read a stored policy; rules that it lacks get their default."""
        known = {f.name for f in fields(cls)}
        values = {name: value for name, value in document.items() if name in known}
        for name in ("sensitive_models", "checklist"):
            if name in values:
                values[name] = tuple(values[name])
        return cls(**values)

    def to_document(self) -> dict[str, Any]:
        lists = {name: list(getattr(self, name)) for name in ("sensitive_models", "checklist")}
        return {**asdict(self), **lists}

    def check(self) -> None:
        """Raise an error with the first problem found."""
        if self.least_k < 1:
            raise Refused("Everybody must hide among at least 1; enter a whole number from 1.")
        if self.smallest_group_judged < 1:
            raise Refused("Groups are judged from a size of at least 1; enter a whole number.")
        for words, share in self._shares().items():
            if not 0 <= share <= 1:
                raise Refused(f"{words} is a share: enter a number between 0 and 100 percent.")
        if unknown := set(self.sensitive_models) - set(MODELS):
            raise Refused(f'"{min(unknown)}" is no rule the portal knows; choose from the list.')
        if unknown := set(self.attacks) - set(DEMANDABLE):
            raise Refused(f'"{min(unknown)}" is no attack the portal knows; choose from the list.')
        if not 1 <= self.approvals <= 9:
            raise Refused("A release needs between 1 and 9 approvals.")
        if not 1 <= self.download_days <= 3650:
            raise Refused("Downloads expire after 1 to 3,650 days.")
        if not 1 <= self.downloads_per_person <= 1000:
            raise Refused("A person may download a release between 1 and 1,000 times.")
        self._check_waiting()

    def _check_waiting(self) -> None:
        if not 0 <= self.reminder_days <= 365:
            raise Refused("Reminders come every 1 to 365 days; 0 sends none.")
        if not 0 <= self.decision_days <= 3650:
            raise Refused("Requests expire after 1 to 3,650 days; 0 keeps them open.")
        if 0 < self.decision_days <= self.reminder_days:
            raise Refused("A reminder has to come before the request expires; make it earlier.")

    def _shares(self) -> dict[str, float]:
        limits = {f"The limit of the attack {name}": limit for name, limit in self.attacks.items()}
        return {
            "The highest risk": self.highest_risk,
            "The share left out": self.most_left_out,
            "The share left out of a group": self.most_left_out_of_group,
            "The surest guess": self.surest_guess,
            **limits,
        }

    def sentences(self) -> dict[str, str]:
        """Return a sentence per rule, by its name; rules that ask for nothing are omitted."""
        said = {
            "least_k": f"Everybody hides among at least {self.least_k:,} look-alikes.",
            "highest_risk": f"Nobody’s risk is above {percent(self.highest_risk)}.",
            "most_left_out": f"At most {percent(self.most_left_out)} of the rows are left out.",
        }
        if self.most_left_out_of_group < 1:
            most = percent(self.most_left_out_of_group)
            size = self.smallest_group_judged
            which = f"No group of {size:,} or more" if size > 1 else "No group"
            said["most_left_out_of_group"] = f"{which} loses more than {most} of its people."
        if self.protect_sensitive:
            said["protect_sensitive"] = self._sensitive_sentence()
        if self.surest_guess < 1:
            surest = percent(self.surest_guess)
            said["surest_guess"] = f"A sensitive value is guessed right at most {surest}."
        if self.no_identifier_left:
            said["no_identifier_left"] = "No identifier is left in the release."
        for name, limit in self.attacks.items():
            words = attack_words(name)
            said[f"attacks.{name}"] = (
                f"The attack {words} was made; success at most {percent(limit)}."
            )
        if self.attacks_within_limits:
            said["attacks_within_limits"] = "No attack that was made is over its limit."
        if self.cross_releases:
            said["cross_releases"] = (
                f"Nobody hides among fewer than {self.least_k:,} when earlier releases are crossed."
            )
        return {**said, **self._terms()}

    def _sensitive_sentence(self) -> str:
        if not self.sensitive_models:
            return "Every sensitive column is protected by a rule of its own."
        return f"Every sensitive column is protected by {' or '.join(self.sensitive_models)}."

    def _terms(self) -> dict[str, str]:
        people = "1 person approves" if self.approvals == 1 else f"{self.approvals} people approve"
        days = "1 day" if self.download_days == 1 else f"{self.download_days:,} days"
        times = "once" if self.downloads_per_person == 1 else f"{self.downloads_per_person:,} times"
        recipe = "is published with it" if self.publish_recipe else "is kept back"
        said = {
            "approvals": f"{people} a release; never its author.",
            "download_days": f"Downloads expire within {days}.",
            "downloads_per_person": f"A person downloads a release at most {times}.",
            "publish_recipe": f"The recipe of a release {recipe}.",
        }
        if self.second_factor:
            said["second_factor"] = "Everybody of the team signs in with a second factor."
        if self.confirm_votes:
            said["confirm_votes"] = "Votes and waivers are confirmed with the second factor."
        return {**said, **self._waiting()}

    def _waiting(self) -> dict[str, str]:
        said = {}
        if self.reminder_days:
            often = "every day" if self.reminder_days == 1 else f"every {self.reminder_days:,} days"
            said["reminder_days"] = f"Whoever’s turn it is, is reminded {often}."
        if self.decision_days:
            days = "1 day" if self.decision_days == 1 else f"{self.decision_days:,} days"
            said["decision_days"] = f"A request that nobody moves for {days} expires."
        return said


def attack_words(name: str) -> str:
    return name.replace("-", " ")
