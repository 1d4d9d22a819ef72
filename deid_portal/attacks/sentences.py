"""Sentences about the result of an attack, its baseline, and the title of its chart.

Pure functions of a result, in plain words; every number has its unit.
"""

from deid_portal.attacks.results import AttackSummary
from deid_portal.engine.attacks.attack_figures import (
    AddedLinksFigures,
    BackgroundKnowledgeFigures,
    DowncodingFigures,
    GroupFigures,
    HomogeneityFigures,
    InferenceFigures,
    IntersectionFigures,
    IntervalDisclosureFigures,
    LinkageFigures,
    OutsideLinkageFigures,
    PlantedAccountsFigures,
    SinglingOutFigures,
    SkewnessFigures,
)
from deid_portal.engine.wording.numbers import NBSP, one_in, percent, thousands

COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def counted_units(count: float, noun: str = "people") -> str:
    singular = {"people": "person", "groups": "group", "cells": "cell", "records": "record"}
    return f"1 {singular[noun]}" if count == 1 else f"{thousands(int(count))} {noun}"


def counted_values(count: float) -> str:
    whole = int(count)
    word = COUNTED[whole] if whole < len(COUNTED) else str(whole)
    return f"{word} value" if whole == 1 else f"{word} values"


def say_match(result: AttackSummary) -> str:
    figures = result.figures.of(LinkageFigures)
    guesses = f"{thousands(int(figures.people))} guesses"
    if not result.stake.records:
        return f"{guesses}, none right."
    right = thousands(result.stake.records)
    alone = int(figures.correct_links or 0)
    said = f"{guesses}, {right} right: no better than {one_in(result.stake.share)}."
    return f"{said} {_is_certain(alone)}" if alone else said


def _is_certain(alone: int) -> str:
    return f"{counted_units(alone)} {'is' if alone == 1 else 'are'} found for certain."


def compare_with_the_promise(result: AttackSummary) -> str:
    blind = f"A blind guess is right for {one_in(result.control or 0)}"
    if not result.stake.baseline:
        return f"{blind}; the plan promises no number of look-alikes."
    return f"The plan promises {one_in(result.stake.baseline)} at best. {blind}."


def chart_of_candidates(result: AttackSummary) -> str:
    links = result.figures.of(LinkageFigures).single
    if not links:
        return "Nobody leads to a single record"
    return f"{counted_units(links)} {'leads' if links == 1 else 'lead'} to a single record"


def say_outside_match(result: AttackSummary) -> str:
    figures = result.figures.of(OutsideLinkageFigures)
    if figures.scored:
        return say_match(result)
    links, everyone = figures.single, thousands(int(figures.people))
    if not links:
        return f"None of {everyone} people leads to a single record."
    lead = "leads" if links == 1 else "lead"
    return (
        f"{links:,} of {everyone} {lead} to a single record; which of these links are right "
        f"cannot be told."
    )


def say_single_values(result: AttackSummary) -> str:
    figures = result.figures.of(HomogeneityFigures)
    groups = int(figures.classes)
    if not groups:
        fewest = int(figures.fewest)
        return f"Every group holds at least {fewest:,} different values of {result.column}."
    return f"In {counted_units(groups, 'groups')} everybody has the same {result.column}."


def say_left_values(result: AttackSummary) -> str:
    figures = result.figures.of(BackgroundKnowledgeFigures)
    groups, ruled_out = int(figures.classes), counted_values(figures.excluded)
    if not groups:
        return f"With {ruled_out} ruled out, every group still leaves at least two."
    return f"In {counted_units(groups, 'groups')}, ruling out {ruled_out} leaves one."


def say_related_values(result: AttackSummary) -> str:
    figures = result.figures.of(GroupFigures)
    groups = int(figures.classes)
    if not groups:
        return f"In no group do all values of {result.column} mean nearly the same."
    return (
        f"In {counted_units(groups, 'groups')} all values of {result.column} mean nearly the same."
    )


def say_suspicion(result: AttackSummary) -> str:
    figures = result.figures.of(SkewnessFigures)
    points = f"{100 * figures.threshold:.0f} points"
    if not result.stake.records:
        return f"No group makes a {result.column} likelier by {points} or more."
    highest = f"{100 * figures.highest:.0f}"
    at_stake = counted_units(result.stake.records)
    return (
        f"For {at_stake} the group makes their {result.column} likelier by {points} or more, by "
        f"{highest} at most."
    )


def say_near_numbers(result: AttackSummary) -> str:
    figures = result.figures.of(IntervalDisclosureFigures)
    near = percent(result.value)
    return (
        f"{near} of the numbers of {result.column} come within {figures.width:g}{NBSP}% "
        f"of the truth; guessing the middle, {percent(result.control)}."
    )


def say_claims(result: AttackSummary) -> str:
    right = f"{percent(result.value)} of the claims are right"
    verdict = "no better than" if not result.stake.is_found else "a little better than"
    if result.stake.share > 0.2:
        return f"{right}, tossing a coin {percent(result.control)}."
    return f"{right}: {verdict} tossing a coin."


def say_descriptions(result: AttackSummary) -> str:
    figures = result.figures.of(SinglingOutFigures)
    tries = thousands(int(figures.attempts))
    alone = round(figures.success * figures.attempts)
    others = int(figures.by_chance)
    said = (
        f"{alone:,} of {tries} descriptions fit one person only, {others:,} fit one of the others."
    )
    return said if result.stake.is_found else f"{said} Nothing was learned."


def say_guesses(result: AttackSummary) -> str:
    figures = result.figures.of(InferenceFigures)
    inside, outside = percent(figures.success), percent(result.control)
    return f"Guesses are right for {inside} of the people in the table and {outside} of others."


def say_cells(result: AttackSummary) -> str:
    figures = result.figures.of(DowncodingFigures)
    if not figures.cells:
        return "Nothing was made coarser, so nothing can be narrowed."
    if not result.stake.is_found:
        return "No coarse value could be narrowed beyond chance."
    return (
        f"{percent(result.value)} of the coarse cells are guessed exactly; from their column "
        f"alone, {percent(result.control)}."
    )


def say_crossing(result: AttackSummary) -> str:
    figures = result.figures.of(IntersectionFigures)
    few, disclosed = int(figures.few), int(figures.disclosed)
    k = int(figures.k)
    files = "both files are" if len(result.releases) == 1 else "all files are"
    hide, smallest = "hides" if few == 1 else "hide", int(figures.smallest)
    said = f"{counted_units(few)} {hide} among fewer than {k} when {files} crossed."
    if not few:
        said = f"Everybody still hides among at least {smallest} when {files} crossed."
    return f"{said} The value of {counted_units(disclosed)} is left over." if disclosed else said


def compare_with_nothing(result: AttackSummary) -> str:
    if result.control is None:
        return "Without the release nobody’s value is known."
    most = percent(result.control)
    return (
        f"Without the release nobody’s value is certain; guessing the most frequent is right for "
        f"{most}."
    )


def compare_with_others(result: AttackSummary) -> str:
    whom = {
        "half": "people held out of a release made in the same way",
        "control": "the people you brought",
    }.get(result.measured_on, "other people")
    return f"Control: the same guess is right for {percent(result.control)} of {whom}."


def compare_with_everybody(result: AttackSummary) -> str:
    return "Compared with how likely each value is among everybody."


def compare_with_the_middle(result: AttackSummary) -> str:
    return f"Guessing the middle for everybody comes as near for {percent(result.control)}."


def compare_with_the_column(result: AttackSummary) -> str:
    alone = percent(result.control)
    return f"Control: from its column alone a coarse cell is guessed for {alone}."


def compare_with_each_alone(result: AttackSummary) -> str:
    figures = result.figures.of(IntersectionFigures)
    at_stake = counted_units(figures.alone)
    return f"Alone, the most telling of the releases puts {at_stake} at stake."


def chart_of_single_values(result: AttackSummary) -> str:
    return _chart_of_groups(result, "hold one value only")


def chart_of_left_values(result: AttackSummary) -> str:
    return _chart_of_groups(result, "are left with one value")


def chart_of_related_values(result: AttackSummary) -> str:
    return _chart_of_groups(result, "hold only values that mean nearly the same")


def chart_of_suspicion(result: AttackSummary) -> str:
    return f"{counted_units(result.stake.records)} became suspected"


def chart_of_near_numbers(result: AttackSummary) -> str:
    return f"{percent(result.value)} of the numbers come near the truth"


def chart_of_claims(result: AttackSummary) -> str:
    coin = percent(result.control)
    return f"{percent(result.value)} of the claims are right, of a tossed coin {coin}"


def chart_of_descriptions(result: AttackSummary) -> str:
    figures = result.figures.of(SinglingOutFigures)
    alone, chance = percent(figures.success), percent(result.control)
    return f"{alone} of the descriptions fit one person, {chance} by chance"


def chart_of_guesses(result: AttackSummary) -> str:
    figures = result.figures.of(InferenceFigures)
    inside, outside = percent(figures.success), percent(result.control)
    return f"Guesses are right for {inside}, for others {outside}"


def chart_of_cells(result: AttackSummary) -> str:
    return f"{percent(result.stake.share)} of what was open was narrowed"


def _chart_of_groups(result: AttackSummary, what: str) -> str:
    figures = result.figures.of(GroupFigures)
    groups = int(figures.classes)
    if not groups:
        return f"No groups {what}"
    return f"{counted_units(groups, 'groups')} {what if groups != 1 else _singular(what)}"


def _singular(what: str) -> str:
    verbs = {"hold": "holds", "are": "is"}
    first, _, rest = what.partition(" ")
    return f"{verbs.get(first, first)} {rest}"


def chart_of_crossing(result: AttackSummary) -> str:
    figures = result.figures.of(IntersectionFigures)
    few, k = int(figures.few), int(figures.k)
    if not few:
        return f"No group falls below {k} after crossing"
    falls = "falls" if few == 1 else "fall"
    return f"{counted_units(few)} {falls} below {k} look-alikes after crossing"


def say_planted(result: AttackSummary) -> str:
    figures = result.figures.of(PlantedAccountsFigures)
    attempts, found = int(figures.attempts), int(figures.found)
    times = "once" if found == 1 else f"{found} times"
    if not result.stake.records:
        seen = f"found again {times}, but led to nobody" if found else "never found again"
        return f"Planted {attempts} times, {seen}."
    links = int(figures.links_right)
    told = f", and of {thousands(links)} pairs whether they are linked" if links else ""
    return (
        f"Planted {attempts} times, found again {times}: {thousands(result.stake.records)} of "
        f"{thousands(int(figures.targets))} targets are found{told}."
    )


def compare_with_unprotected(result: AttackSummary) -> str:
    return f"Without protection {percent(result.control or 0)} of the targets are found."


def chart_of_planted(result: AttackSummary) -> str:
    return f"{percent(result.stake.share)} of the targets are found in this release"


def say_added(result: AttackSummary) -> str:
    added = int(result.figures.of(AddedLinksFigures).added)
    return (
        f"Of {thousands(added)} links that fit least, {thousands(result.stake.records)} were added."
    )


def compare_with_blind_picks(result: AttackSummary) -> str:
    return f"Picking links blindly, {percent(result.control or 0)} would have been added."


def chart_of_added(result: AttackSummary) -> str:
    return f"{percent(result.value)} of the links picked were added"


def chart_of_nodes(result: AttackSummary) -> str:
    found = result.figures.of(LinkageFigures).single
    if not found:
        return "Nobody leads to a single node"
    return f"{counted_units(found)} {'leads' if found == 1 else 'lead'} to a single node"
