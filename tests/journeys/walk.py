"""Three messy tables walk from the upload to the analyst's package, timed and photographed.

    make walk PICTURES=folder          all tables, on a portal of their own
    make walk TABLES="krankenhaus.csv" some of them

Every page is checked (axe, console) and photographed at 1280 and 820 pixels, light and dark. The
time is that of the walk without the pictures; presses are what a person clicks and fills in.
"""

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, expect

from tests.data.messy_tables import TABLES
from tests.journeys.browser import Person, open_browser
from tests.launcher.portal import running_portal

WIDTHS = (1280, 820)
HEIGHT = 900
THEMES = ("light", "dark")
WIDER_THAN_THE_WINDOW = "document.documentElement.scrollWidth > window.innerWidth"
HEIGHT_OF_PAGE = "document.documentElement.scrollHeight"


@dataclass
class Leg:
    """One step of the walk: what it took, and how high its page is."""

    name: str
    seconds: float = 0.0
    presses: int = 0
    screens: float = 0.0


class Walker(Person):
    """A person whose presses are counted, and whose pages are photographed."""

    def __init__(self, browser: Browser, address: str, name: str, pictures: Path) -> None:
        super().__init__(browser, address, name)
        self.pictures = pictures
        self.legs: list[Leg] = []

    @contextmanager
    def leg(self, name: str) -> Iterator[None]:
        """Time a step; the page it ends on is photographed afterwards."""
        self.legs.append(Leg(name))
        start = time.monotonic()
        yield
        self.legs[-1].seconds = time.monotonic() - start
        self.look(name)

    def press(self, what: Locator) -> None:
        self.legs[-1].presses += 1
        what.click()

    def write(self, what: Locator, text: str) -> None:
        self.legs[-1].presses += 1
        what.fill(text)

    def look(self, name: str) -> None:
        """Photograph a page in every size and theme, and check it."""
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": HEIGHT})
            for theme in THEMES:
                self.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
                self.check_page()
                assert not self.page.evaluate(WIDER_THAN_THE_WINDOW), (name, width)
                if (width, theme) == (WIDTHS[0], THEMES[0]):
                    self.legs[-1].screens = self.page.evaluate(HEIGHT_OF_PAGE) / HEIGHT
                place = self.pictures / f"{name} {width} {theme}.png"
                self.page.screenshot(path=place, full_page=True)
        self.page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
        self.page.emulate_media(color_scheme="light")

    def next_step(self) -> Locator:
        return self.page.locator(".next-bar .btn-primary")


def walk(browser: Browser, address: str, table: Path, pictures: Path) -> list[Leg]:
    """Walk one table through the portal; returns what every step took."""
    pictures.mkdir(parents=True, exist_ok=True)
    steward = Walker(browser, address, "steward", pictures)
    _prepare(steward, table)
    _protect(steward)
    _read(steward)
    review = _ask(steward)
    approver = Walker(browser, address, "approver", pictures)
    _decide(approver, review)
    analyst = Walker(browser, address, "analyst", pictures)
    _take(analyst, table.stem)
    legs = [*steward.legs, *approver.legs, *analyst.legs]
    for person in (steward, approver, analyst):
        person.page.context.close()
    return legs


def _prepare(steward: Walker, table: Path) -> None:
    """Upload, tag and take the proposed taxonomies."""
    page = steward.page
    with steward.leg("1 upload"):
        steward.press(page.get_by_role("link", name="Upload a table").first)
        steward.legs[-1].presses += 1
        page.set_input_files("#id_file", table)
        steward.press(steward.next_step())
        page.wait_for_url("**/upload/")
        expect(page.locator("#preview td").first).to_be_visible()
    with steward.leg("2 columns"):
        steward.press(steward.next_step())
        page.wait_for_url("**/columns/")
        accept = page.get_by_role("button", name=re.compile(r"^Accept \d+ suggestion"))
        steward.press(accept.first)
        expect(page.locator("#messages")).to_contain_text("accepted")
        _remove_what_is_open(steward)
    with steward.leg("3 taxonomies"):
        steward.press(steward.next_step())
        page.wait_for_url("**/taxonomies/*/")
        steward.press(page.get_by_role("button", name=re.compile(r"^Propose all")))
        expect(page.locator("#shelf")).to_contain_text("all complete")


def _remove_what_is_open(steward: Walker) -> None:
    """Decide what nobody else may decide, free text: it is removed."""
    undecided = steward.page.locator("[id^=column-][data-role='']")
    while left := undecided.count():
        steward.press(undecided.first.locator(".segments label").first)
        expect(undecided).to_have_count(left - 1)


def _protect(steward: Walker) -> None:
    page = steward.page
    with steward.leg("4 protection"):
        steward.press(steward.next_step())
        page.wait_for_url("**/protection/")
        expect(page.locator(".next-bar")).to_contain_text("can run")
        expect(page.locator("#estimate-figures")).to_contain_text("Detail lost")
    with steward.leg("5 run and report"):
        steward.press(steward.next_step())
        page.wait_for_url("**/report/")


def _read(steward: Walker) -> None:
    page = steward.page
    parts = page.get_by_role("navigation", name="Parts of the report").get_by_role("link")
    addresses = [parts.nth(place).get_attribute("href") or "" for place in range(parts.count())]
    for address in addresses[1:]:
        name = address.rstrip("/").rsplit("/", 1)[-1]
        with steward.leg(f"6 report, {name}"):
            steward.legs[-1].presses += 1
            steward.open(address)
    run = page.url.split("/runs/")[1].split("/")[0]
    with steward.leg("6 attacks"):
        steward.legs[-1].presses += 1
        steward.open(f"/runs/{run}/attacks/")
        steward.press(steward.next_step())
        expect(page.locator(".next-bar")).not_to_contain_text("No attack has been made yet")
        expect(page.locator(".next-bar")).not_to_contain_text("at work")
    steward.open(f"/runs/{run}/report/")


def _ask(steward: Walker) -> str:
    """Ask for a review, and for a waiver of every gate that fails; returns the address."""
    page = steward.page
    with steward.leg("7 ask"):
        steward.press(steward.next_step())
        page.wait_for_url("**/review/")
        steward.write(page.locator("[name=purpose]"), "A study of how long people stay.")
    with steward.leg("7 request"):
        steward.press(steward.next_step())
        page.wait_for_url("**/reviews/**")
        while (asked := page.get_by_text("Ask for a waiver")).count():
            left = asked.count()
            steward.press(asked.first)
            steward.write(page.locator(".waive[open] textarea"), "They are bound by contract.")
            steward.press(page.locator(".waive[open] button"))
            expect(page.get_by_text("Ask for a waiver")).to_have_count(left - 1)
    return page.url.removeprefix(steward.address)


def _decide(approver: Walker, review: str) -> None:
    page = approver.page
    with approver.leg("7 decision"):
        approver.legs[-1].presses += 1
        approver.open(review)
        while (waiting := page.get_by_role("button", name="Agree to this waiver")).count():
            left = waiting.count()
            approver.press(waiting.first)
            expect(page.get_by_role("button", name="Agree to this waiver")).to_have_count(left - 1)
        expect(page.locator("#gates-title")).to_contain_text("Every gate")
    with approver.leg("8 release"):
        approver.press(page.locator("label", has=page.locator("[value=approve]")))
        approver.press(page.locator("#decide"))
        page.wait_for_url("**/reviews/**")
        approver.press(page.locator(".next-bar").get_by_text("Go to the release"))
        page.wait_for_url("**/releases/**")
        # Once it is packed and verified, the page shows itself anew.
        expect(page.locator("div:has(> #verify-command) ~ .ok").first).to_be_visible()


def _take(analyst: Walker, name: str) -> None:
    page = analyst.page
    analyst.legs.append(Leg("9 home of the analyst"))
    analyst.look("9 home of the analyst")
    with analyst.leg("9 package"):
        analyst.press(page.locator("main").get_by_role("link", name=re.compile(name)).first)
        link = page.get_by_role("link", name="Download package")
        expect(link).to_be_visible()
        with page.expect_download() as waiting:
            analyst.press(link)
        waiting.value.save_as(analyst.pictures / "package.zip")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[*TABLES])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--address", help="of a portal with the demo that is running already")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        if chosen.address:
            _walk_all(chosen.address, chosen.tables, folder, chosen.pictures)
        else:
            with running_portal(folder / "data", DEMO="1") as portal:
                _walk_all(portal.address, chosen.tables, folder, chosen.pictures)
    finally:
        shutil.rmtree(folder)


def _walk_all(address: str, tables: list[str], folder: Path, pictures: Path) -> None:
    with open_browser() as browser:
        for name in tables:
            TABLES[name](folder / name)
            legs = walk(browser, address, folder / name, pictures / Path(name).stem)
            sys.stdout.write(_tabulate(name, legs))
            sys.stdout.flush()


def _tabulate(name: str, legs: list[Leg]) -> str:
    seconds, presses = sum(leg.seconds for leg in legs), sum(leg.presses for leg in legs)
    return "\n".join(
        [
            f"\n{name}",
            f"{'step':<24}{'seconds':>9}{'presses':>9}{'screens':>9}",
            *(f"{o.name:<24}{o.seconds:>9.1f}{o.presses:>9}{o.screens:>9.1f}" for o in legs),
            f"{'in all':<24}{seconds:>9.1f}{presses:>9}\n",
        ]
    )


if __name__ == "__main__":
    main()
