from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, InvalidTable, Table
from deid_portal.engine.attacks import ATTACKS, AttackResult, AttackSetting
from deid_portal.engine.attacks.background_knowledge import BackgroundKnowledge
from deid_portal.engine.attacks.confidence import (
    excess_interval,
    excess_over_control,
    wilson_interval,
)
from deid_portal.engine.attacks.distance_linkage import DistanceLinkage
from deid_portal.engine.attacks.downcoding import Downcoding
from deid_portal.engine.attacks.homogeneity import Homogeneity
from deid_portal.engine.attacks.inference import Inference
from deid_portal.engine.attacks.intersection import Intersection
from deid_portal.engine.attacks.interval_disclosure import IntervalDisclosureAttack, is_within
from deid_portal.engine.attacks.membership import MembershipInference
from deid_portal.engine.attacks.record_linkage import RecordLinkage
from deid_portal.engine.attacks.similarity import Similarity
from deid_portal.engine.attacks.singling_out import SinglingOut
from deid_portal.engine.attacks.skewness import Skewness
from tests.engine.attacks.nearest_links import link_nearest
from tests.engine.settings import (
    ILLNESSES,
    NAMES,
    PEOPLE,
    SHOWN,
    complete,
    release,
    renamed,
    shuffled,
)


def random() -> np.random.Generator:
    return np.random.default_rng(7)


def test_linkage_counts_links_and_correct_links_apart() -> None:
    found = RecordLinkage().run(release(), random())
    # The seventh is alone in its class; the eighth fits it too but was left out.
    assert found.figures.links == 2
    assert found.figures.correct_links == found.records == 1
    assert found.value == pytest.approx((3 * 1 / 3 + 3 * 1 / 3 + 1) / 8)
    assert found.control == pytest.approx(1 / 7)


def test_outside_table_brings_people_who_are_not_in_the_release() -> None:
    outside = Table.from_rows(["age", "zip"], [["30", "47605"], ["31", "47602"], ["70", "1"]])
    setting = replace(release(), outside=outside, outside_rows=np.array([6, -1, -1], np.int32))
    found = RecordLinkage().run(setting, random())
    assert (found.figures.links, found.records) == (2, 1)
    assert found.value == pytest.approx(1 / 3)


def test_homogeneity_by_hand() -> None:
    found = Homogeneity().run(release(), random())
    # Three with flu and the one alone.
    assert (found.records, found.figures.classes) == (4, 2)
    assert found.value == pytest.approx(4 / 7)
    assert found.control == pytest.approx(4 / 8)


def test_homogeneity_of_swapped_values_discloses_nothing_true() -> None:
    swapped = [*SHOWN[:6], ["476**", "3*", "Flu"]]
    assert Homogeneity().run(release(swapped), random()).records == 3


def test_background_knowledge_opens_larger_classes() -> None:
    assert BackgroundKnowledge(0).run(release(), random()).records == 4
    assert BackgroundKnowledge(1).run(release(), random()).records == 4
    assert BackgroundKnowledge(2).run(release(), random()).records == 7


def test_similarity_in_a_taxonomy() -> None:
    shown = [*SHOWN[:3], ["4790*", "≥40", "Asthma"], *SHOWN[4:]]
    setting = replace(release(shown), taxonomies={"condition": ILLNESSES})
    assert Similarity().run(setting, random()).records == 7
    assert Similarity(level=0).run(setting, random()).records == 4


def test_similarity_of_numbers_and_of_nothing_comparable() -> None:
    people = [[zip_code, age, str(number)] for number, (zip_code, age, _) in enumerate(PEOPLE)]
    shown = [[zip_code, age, str(number)] for number, (zip_code, age, _) in enumerate(SHOWN)]
    setting = release(shown, people)
    # Classes span 2, 2 and 0 of a range of 6.
    assert Similarity(width=0.3).run(setting, random()).records == 1
    assert Similarity(width=0.34).run(setting, random()).records == 7
    with pytest.raises(InvalidPlan, match='"condition" needs a taxonomy'):
        Similarity().run(release(), random())


def test_skewness_by_hand() -> None:
    found = Skewness().run(release(), random())
    # Cancer: 2 of 8 in general, certain for the seventh. Flu: half, certain for three.
    assert found.value == pytest.approx(0.75)
    assert found.records == 4
    assert found.figures.mean_gain > 0


def test_interval_disclosure_by_hand() -> None:
    truth, shown = np.array([10.0, 20.0, 30.0, 40.0]), np.array([10.0, 21.0, 36.0, 20.0])
    assert is_within(truth, shown, 1, "absolute").tolist() == [True, True, False, False]
    assert is_within(truth, shown, 5, "percent").tolist() == [True, True, False, False]
    assert is_within(truth, shown, 0, "rank").tolist() == [True, True, True, False]
    found = IntervalDisclosureAttack(4, "absolute", "age").run(release(), random())
    # Shown as 25.5, 47.5 and 33: 29, 22, 27 lie within 4; 47 does; 30 does.
    assert found.records == 5


def test_distance_linkage_shares_ties() -> None:
    people = np.array([[0.0], [10.0]])
    found = link_nearest(people, np.array([[1.0], [1.0], [9.0]]), np.array([0, 2], np.int32))
    assert found.ties.tolist() == [2, 1]
    assert found.expected_share == pytest.approx((0.5 + 1) / 2)
    assert found.correct_links == 1


def test_few_and_many_dimensions_give_the_same_links() -> None:
    generator = np.random.default_rng(4)
    people, released = (generator.integers(0, 4, (30, 3)).astype(float) for _ in range(2))
    own = np.arange(30, dtype=np.int32)
    few = link_nearest(people, released, own)
    many = link_nearest(np.tile(people, 4), np.tile(released, 4), own)
    assert many.ties.tolist() == few.ties.tolist()
    assert many.is_right.tolist() == few.is_right.tolist()


def test_distance_linkage_finds_exact_records() -> None:
    found = DistanceLinkage().run(release(PEOPLE), random())
    assert (found.value, found.records) == (1.0, 8)


def test_inference_compares_with_people_who_are_not_there() -> None:
    others = Table.from_rows(NAMES, [["47677", "28", "Cancer"], ["47602", "23", "Flu"]])
    found = Inference().run(replace(release(), control=others), random())
    # Three flu, one of three in the second class, the seventh; the eighth is guessed cancer.
    assert found.figures.success == pytest.approx(5 / 8)
    assert found.control == 0.5
    assert found.value == pytest.approx((5 / 8 - 0.5) / 0.5)
    assert found.interval[0] <= found.value <= found.interval[1]


def test_singling_out_needs_somebody_alone() -> None:
    alike = release([["*", "*", "*"]] * 8)
    setting = replace(alike, control=Table.from_rows(NAMES, PEOPLE))
    found = SinglingOut(attempts=20).run(setting, random())
    assert (found.value, found.records) == (0, 0)
    assert found.interval[1] > 0
    open_book = replace(release(PEOPLE), control=Table.from_rows(NAMES, [["1", "2", "3"]] * 3))
    told = SinglingOut(attempts=20).run(open_book, random())
    assert told.value == 1


def test_downcoding_uses_the_rest_of_the_class() -> None:
    people = [["1", "20", "a"], ["1", "20", "a"], ["2", "30", "a"], ["2", "31", "a"]]
    shown = [["1", "*", "a"], ["1", "*", "a"], ["2", "*", "a"], ["2", "*", "a"]]
    found = Downcoding().run(release(shown, people), random())
    # With zip 1 the age is certain, with zip 2 one of two is right; alone 20 fits two of four.
    assert (found.value, found.control) == (0.75, 0.5)


def test_exact_release_has_nothing_to_downcode() -> None:
    found = Downcoding().run(release(PEOPLE), random())
    assert (found.value, found.interval) == (0.0, (0.0, 0.0))


def test_two_releases_disclose_what_each_hides() -> None:
    people = [["1", "20", "a"], ["1", "30", "b"], ["2", "20", "c"], ["2", "30", "d"]]
    by_zip = release([[zip_code, "*", value] for zip_code, _, value in people], people)
    by_age = release([["*", age, value] for _, age, value in people], people)
    found = Intersection().run(replace(by_zip, others=(by_age,)), random())
    assert (found.value, found.control) == (1.0, 0.0)


def test_membership_inference_tells_members_of_an_overfitted_model() -> None:
    generator = np.random.default_rng(3)
    cells = generator.integers(0, 40, (240, 2))
    rows = [[str(a), str(b), str(generator.integers(0, 2))] for a, b in cells]
    people, others = Table.from_rows(NAMES, rows[:120]), Table.from_rows(NAMES, rows[120:])
    setting = replace(release(rows[:120], rows[:120]), original=people, control=others)
    found = MembershipInference().run(setting, generator)
    assert found.control == pytest.approx(0.5)
    assert found.value > 0.65
    assert set(found.figures.to_document()) >= {"miaAR", "identified", "recall", "precision", "f1"}


def test_membership_inference_needs_enough_people() -> None:
    with pytest.raises(InvalidPlan, match="at least 16 people"):
        MembershipInference().run(
            replace(release(), control=Table.from_rows(NAMES, PEOPLE)), random()
        )


def test_wilson_interval_and_excess() -> None:
    assert wilson_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert (
        excess_over_control(0.75, 0.5),
        excess_over_control(0.2, 0.5),
        excess_over_control(1.0, 1.0),
    ) == (0.5, 0, 0)
    assert excess_interval((0.5, 1.0), (0.0, 0.5)) == (0.0, 1.0)


def run(name: str, setting: AttackSetting) -> AttackResult:
    by_age = IntervalDisclosureAttack(column="age")
    attack = by_age if name == "interval-disclosure" else ATTACKS[name]()
    if name == "outside-linkage":
        everyone = np.arange(setting.original.rows, dtype=np.int32)
        setting = replace(setting, outside=setting.original, outside_rows=everyone)
    return attack.run(setting, random())


# Shadow models and drawn descriptions depend on the order of the records they draw from.
STEADY = [name for name in ATTACKS if name not in ("membership-inference", "singling-out")]


@pytest.mark.parametrize("name", STEADY)
@pytest.mark.parametrize("change", [shuffled, renamed])
def test_order_of_records_and_names_of_values_say_nothing(
    name: str, change: Callable[[AttackSetting], AttackSetting]
) -> None:
    before, after = run(name, complete()), run(name, change(complete()))
    assert after.value == pytest.approx(before.value)
    assert after.records == before.records


@pytest.mark.parametrize("name", list(ATTACKS))
def test_every_attack_answers_completely_and_shows_no_cell(name: str) -> None:
    found = run(name, complete())
    assert found.name == name
    assert 0 <= found.value <= 1
    assert found.interval[0] <= found.value + 1e-12
    assert found.value <= found.interval[1] + 1e-12
    assert found.sentence.endswith(".")
    assert found.records >= 0
    for row in [*PEOPLE, *SHOWN]:
        assert not any(cell in found.sentence.split() for cell in row)
        assert row[2] not in found.sentence
    attack = ATTACKS[name]()
    assert attack.explain().endswith(".")
    assert attack.cites


@pytest.mark.parametrize("name", list(ATTACKS))
def test_same_seed_same_answer(name: str) -> None:
    assert run(name, complete()) == run(name, complete())


def test_what_an_attack_needs_is_asked_for() -> None:
    with pytest.raises(InvalidPlan, match="control table"):
        Inference().run(release(), random())
    with pytest.raises(InvalidPlan, match="two releases"):
        Intersection().run(release(), random())
    with pytest.raises(InvalidPlan, match="sensitive column"):
        Homogeneity().run(replace(release(), sensitive=None), random())
    with pytest.raises(InvalidTable, match="number of its original row"):
        replace(release(), rows=np.zeros(2, np.int32))
