"""A steward attacks a finished run with a table from outside; an approver reads what came out."""

import csv
import gzip
import random
from pathlib import Path

from playwright.sync_api import Browser, expect

from deid_portal.guide.demo import invented
from tests.journeys.browser import Person
from tests.launcher.portal import RunningPortal


def _write_register(folder: Path) -> Path:
    """Write what a recipient might own: four facts under other names, and who is who."""
    with gzip.open(invented.DATA / "adult.csv.gz", "rt", newline="") as file:
        people = list(csv.DictReader(file, delimiter=";"))
    path = folder / "register.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["email", "AGE", "sex", "race", "born in", "shoe size"])
        for number in random.Random(3).sample(range(len(people)), 1000):
            person = people[number]
            facts = [person[name] for name in ("age", "sex", "race", "native-country")]
            writer.writerow([f"p{number + 1}@mail.test", *facts, 36 + number % 10])
    return path


def _write_strange_table(folder: Path) -> Path:
    path = folder / "cities.csv"
    path.write_text("city,height\nRome,2100\nOslo,2300\n")
    return path


def test_an_attack_with_an_outside_file(
    portal: RunningPortal, browser: Browser, tmp_path: Path
) -> None:
    steward = Person(browser, portal.address, "steward")
    run = _finish_a_run(steward)
    _open_the_attacks(steward, run)
    _make_one_attack(steward)
    _bring_a_strange_table(steward, _write_strange_table(tmp_path))
    key = _attack_with_a_register(steward, _write_register(tmp_path))
    _walk_the_rows_by_keyboard(steward)
    _read_as_approver(Person(browser, portal.address, "approver"), run, key)
    _find_nothing(browser, portal, run)


def _finish_a_run(steward: Person) -> str:
    page = steward.page
    page.get_by_role("link", name="Adult census").first.click()
    dataset = page.url.split("/datasets/")[1].split("/")[0]
    steward.open(f"/datasets/{dataset}/runs/")
    steward.press_next("Start run")
    page.wait_for_url("**/report/")
    return page.url.split("/runs/")[1].split("/")[0]


def _open_the_attacks(steward: Person, run: str) -> None:
    """Before the first test: every attack with its time, and nothing to be afraid of."""
    steward.open(f"/runs/{run}/attacks/")
    page = steward.page
    expect(page.locator("h1")).to_contain_text("before somebody else does")
    expect(page.locator("#attacks-table tbody tr")).to_have_count(13)
    expect(page.locator(".next-bar")).to_contain_text("No attack has been made yet.")
    steward.check_page()


def _make_one_attack(steward: Person) -> None:
    page = steward.page
    page.locator("#open-homogeneity").click()
    expect(page.locator("#panel-title")).to_have_text("Homogeneity")
    page.locator("#run-one").click()
    expect(page.locator("#attack-homogeneity")).to_contain_text("Resisted")
    expect(page.locator("#attack-panel")).to_contain_text("different values of condition")
    expect(page.locator("#attack-chart .main-svg").first).to_be_visible()
    steward.check_page()


def _bring_a_strange_table(steward: Person, table: Path) -> None:
    page = steward.page
    page.set_input_files("#outside-file", table)
    page.get_by_role("button", name="Bring it").click()
    problem = page.locator("#outside-problem")
    expect(problem).to_contain_text("It has city, height; the release shows sex, age")
    steward.check_page()


def _attack_with_a_register(steward: Person, table: Path) -> str:
    """Columns are found by name and by values; returns the key of the test."""
    page = steward.page
    page.set_input_files("#outside-file", table)
    page.get_by_role("button", name="Bring it").click()
    columns = page.locator("#id_columns")
    for words in ("age, theirs AGE", "sex", "race", "native-country, theirs born in"):
        expect(columns).to_contain_text(words)
    expect(page.locator("#id_person")).to_contain_text("email")
    steward.check_page()
    page.locator("#start-outside").click()
    row = page.locator("#attacks-table tr", has_text="register.csv")
    expect(row).to_contain_text("1,000 guesses")
    expect(page.locator("#outside-file")).to_be_visible()  # the table is gone
    steward.check_page()
    return page.url.split("attack=")[1]


def _walk_the_rows_by_keyboard(steward: Person) -> None:
    page = steward.page
    before = page.locator("#panel-title").inner_text()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#panel-title")).not_to_have_text(before)
    page.keyboard.press("ArrowUp")
    expect(page.locator("#panel-title")).to_have_text(before)


def _read_as_approver(approver: Person, run: str, key: str) -> None:
    """How it ended, in a wide band; no exact figure, no buttons, not even the name of the table."""
    approver.open(f"/runs/{run}/attacks/?attack={key}")
    page = approver.page
    expect(page.locator("#attack-panel .lead")).to_contain_text("success")
    expect(page.locator("main")).not_to_contain_text("1,000")
    expect(page.locator("main")).not_to_contain_text("register.csv")
    expect(page.get_by_role("button", name="Run all")).to_have_count(0)
    approver.check_page()


def _find_nothing(browser: Browser, portal: RunningPortal, run: str) -> None:
    for name in ("analyst", "outsider"):
        person = Person(browser, portal.address, name)
        assert person.status_of(f"/runs/{run}/attacks/") == 404
