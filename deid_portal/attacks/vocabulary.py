"""Texts of the page about each attack: what the intruder does, the result, and the baseline.

Pure functions of a result, in plain words; the engine's own sentence and the source are shown under
"How this was measured".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.attacks import sentences as say
from deid_portal.attacks.results import AttackSummary
from deid_portal.engine.attacks.attack_figures import LinkageFigures
from deid_portal.engine.wording.numbers import NBSP, percent, thousands

Say = Callable[[AttackSummary], str]
SayOfTest = Callable[[AttackSummary | None, Mapping[str, Any]], str | None]


@dataclass(frozen=True)
class Wording:
    title: str
    about: str  # subtitle: what is tried
    explanation: str  # what the intruder does, for readers new to it
    sentence: Say  # the result
    compared: Say  # the baseline or control
    chart: Say  # the finding as the title of the chart
    unit: str = "people"  # unit of the records at stake
    particular: SayOfTest | None = None  # of a test, by result and parameters; in place of `about`

    @property
    def in_short(self) -> str:
        """Return the first sentence of the explanation."""
        return f"{self.explanation.split('. ')[0].rstrip('.')}."


def wording_of(attack: str) -> Wording:
    return WORDINGS[attack]


def subtitle_of(attack: str, result: AttackSummary | None, parameters: Mapping[str, Any]) -> str:
    """Return the subtitle, with what is particular to this test."""
    wording = wording_of(attack)
    found = wording.particular(result, parameters) if wording.particular is not None else None
    return wording.about if found is None else found


def _releases_crossed(result: AttackSummary | None, parameters: Mapping[str, Any]) -> str | None:
    if result is None or not result.releases:
        return None
    return f"crossed with release {', '.join(str(number) for number in result.releases)}"


def _table_brought(result: AttackSummary | None, parameters: Mapping[str, Any]) -> str:
    people = f"{thousands(int(result.figures.of(LinkageFigures).people))} people" if result else ""
    return ", ".join(part for part in (parameters.get("file_name", ""), people) if part)


def _values_ruled_out(result: AttackSummary | None, parameters: Mapping[str, Any]) -> str:
    return f"{say.counted_values(parameters.get('attack', {}).get('excluded', 1))} ruled out"


def share_with_interval(result: AttackSummary) -> str:
    """Write a share with its interval: 1.4 % (1.1–1.7); only the share if it is exact."""
    low, high = result.stake.interval
    share = percent(result.stake.share, _decimals(result.stake.share))
    if low == high:
        return share
    return f"{share} ({_bare(low)}–{_bare(high)})"


def _bare(share: float) -> str:
    return percent(share, _decimals(share)).removesuffix(f"{NBSP}%").replace(f"<{NBSP}", "")


def _decimals(share: float) -> int:
    return 2 if 0 < share < 0.01 else 1


WORDINGS: dict[str, Wording] = {
    "record-linkage": Wording(
        "Linkage",
        "everybody’s facts are known",
        "The intruder knows every fact about every person, looks for the records that fit and "
        "takes one of them.",
        say.say_match,
        say.compare_with_the_promise,
        say.chart_of_candidates,
    ),
    "outside-linkage": Wording(
        "Linkage",
        "with an outside table",
        "The intruder has a table of their own, looks up each person of it in the release and "
        "takes one of the records that fit, or the nearest where none does.",
        say.say_outside_match,
        say.compare_with_the_promise,
        say.chart_of_candidates,
        particular=_table_brought,
    ),
    "distance-linkage": Wording(
        "Nearest record",
        "takes what is most alike",
        "The intruder takes, for each person, the record whose values are nearest. That works "
        "where numbers were changed a little and no record fits exactly.",
        say.say_match,
        say.compare_with_the_promise,
        say.chart_of_candidates,
    ),
    "worst-case-linkage": Wording(
        "Nearest record, best weights",
        "knows which columns tell most",
        "As before, but the intruder knows which columns to trust: the weights that would link "
        "most people are learned from the original.",
        say.say_match,
        say.compare_with_the_promise,
        say.chart_of_candidates,
    ),
    "homogeneity": Wording(
        "Homogeneity",
        "one value per group",
        "Where everybody of a group has the same value, nobody needs to be told apart: whoever "
        "is in the group has it.",
        say.say_single_values,
        say.compare_with_nothing,
        say.chart_of_single_values,
    ),
    "background-knowledge": Wording(
        "Background knowledge",
        "one value ruled out",
        "The intruder can rule out some values for a person, from what they know of them. Where "
        "a group holds few different values, one is left over.",
        say.say_left_values,
        say.compare_with_nothing,
        say.chart_of_left_values,
        particular=_values_ruled_out,
    ),
    "similarity": Wording(
        "Similarity",
        "related values",
        "The values of a group differ in word but hardly in meaning: different heart diseases "
        "are still heart diseases, and salaries a few coins apart are the same salary.",
        say.say_related_values,
        say.compare_with_nothing,
        say.chart_of_related_values,
    ),
    "skewness": Wording(
        "Skewness",
        "a group tilts the odds",
        "Nothing becomes certain, but a value is far likelier in a group than among everybody; "
        "whoever is in the group is suspected of it.",
        say.say_suspicion,
        say.compare_with_everybody,
        say.chart_of_suspicion,
    ),
    "interval-disclosure": Wording(
        "Near numbers",
        "changed too little",
        "Numbers were changed, but so little that the released one gives the true one away.",
        say.say_near_numbers,
        say.compare_with_the_middle,
        say.chart_of_near_numbers,
    ),
    "membership-inference": Wording(
        "Membership",
        "was this person in the table?",
        "The intruder trains models like one the release allows, learns how they treat people "
        "they were trained on, and claims of a person that they were in the table.",
        say.say_claims,
        say.compare_with_others,
        say.chart_of_claims,
        "claims",
    ),
    "singling-out": Wording(
        "Singling out",
        "a description that fits one",
        "The intruder takes a few labels of a released record that no other record shows and "
        "looks whether exactly one person fits them.",
        say.say_descriptions,
        say.compare_with_others,
        say.chart_of_descriptions,
        "descriptions",
    ),
    "inference": Wording(
        "Inference",
        "guessing what is sensitive",
        "The intruder guesses the value most frequent among the records that fit a person. Only "
        "what is right more often than for people who are not in the table was given away by "
        "their being in it.",
        say.say_guesses,
        say.compare_with_others,
        say.chart_of_guesses,
        "guesses",
    ),
    "downcoding": Wording(
        "Downcoding",
        "narrowing coarse values",
        "The intruder knows how values go together among people of this kind and guesses the "
        "exact values behind coarse ones from the rest of the row.",
        say.say_cells,
        say.compare_with_the_column,
        say.chart_of_cells,
        "cells",
    ),
    "intersection": Wording(
        "Earlier releases",
        "crossed with what is out already",
        "Whoever holds several releases of the same people knows in which group of each a person "
        "is. Few may be in all of these groups, and who is missing in one is known as well.",
        say.say_crossing,
        say.compare_with_each_alone,
        say.chart_of_crossing,
        particular=_releases_crossed,
    ),
    "network-degree": Wording(
        "Number of links",
        "everybody’s number is known",
        "The intruder counted how many links each person has, looks for the nodes with as many "
        "and takes one of them.",
        say.say_match,
        say.compare_with_the_promise,
        say.chart_of_nodes,
    ),
    "network-neighbourhood": Wording(
        "Surroundings",
        "who of the contacts know each other",
        "The intruder knows, for each person, which of the contacts are linked with each other, "
        "looks for nodes whose surroundings look the same and takes one of them.",
        say.say_match,
        say.compare_with_the_promise,
        say.chart_of_nodes,
    ),
    "network-active": Wording(
        "Planted accounts",
        "prepared before the release",
        "The intruder makes accounts that do not exist, links them with each other in a pattern "
        "and with a few people. In the release the pattern is found again, and with it these "
        "people, and who of them are linked.",
        say.say_planted,
        say.compare_with_unprotected,
        say.chart_of_planted,
        "targets",
    ),
    "network-fake-links": Wording(
        "Added links",
        "told from true ones",
        "People who are linked mostly have contacts in common. The intruder takes the links whose "
        "ends share fewest contacts to be added, and undoes part of the protection.",
        say.say_added,
        say.compare_with_blind_picks,
        say.chart_of_added,
        "links",
    ),
}
