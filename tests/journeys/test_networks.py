"""Networks at a real browser: a small one all the way to its package, a large one to its report."""

import lzma
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import Person
from tests.launcher.portal import RunningPortal

DATA = Path(__file__).parent.parent / "data" / "networks"


def upload(steward: Person, name: str, links: Path) -> None:
    """Upload links and wait until the page says who stands out."""
    page = steward.page
    steward.open("/networks/")
    page.get_by_role("link", name="Upload a network").click()
    page.get_by_label("The links").set_input_files(links)
    page.get_by_label("Name of the network").fill(name)
    steward.check_page()
    steward.press_next("Upload and read it")
    page.wait_for_url("**/network/risk/")


def run_it(page: Page, steward: Person) -> None:
    steward.press_next("Save and go on to the run")
    page.wait_for_url("**/runs/")
    steward.press_next("Start run")
    page.wait_for_url("**/report/")


def test_the_karate_club_walks_to_its_package(
    portal: RunningPortal, browser: Browser, tmp_path: Path
) -> None:
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    upload(steward, "Members", DATA / "karate-links.csv")
    expect(page.locator("h1")).to_have_text("Who could be recognized by their links?")
    expect(page.locator("#network-risk-table")).to_contain_text("6 (17.6")
    steward.check_page()
    steward.press_next("Choose the protection")

    # More is known: another method is recommended, and followed until one is chosen.
    page.get_by_text("Who of the contacts know each other").click()
    expect(page.get_by_label("Equal neighborhoods")).to_be_checked()
    page.get_by_text("Number of links", exact=True).first.click()
    expect(page.get_by_label("Equal numbers of links")).to_be_checked()
    expect(page.locator("#promise")).to_contain_text("at least 4 others")
    steward.check_page()
    run_it(page, steward)
    expect(page.locator("h1")).to_contain_text("hides among at least 5 look-alikes")
    expect(page.locator("h1")).to_contain_text("stand alone to somebody who knows")
    expect(page.locator(".verdict")).to_contain_text("would protect against all of this")
    steward.check_page()
    report = page.url
    for part in ("Risk", "Structure", "Attacks"):
        page.get_by_role("navigation", name="Parts of the report").get_by_text(part).click()
        steward.check_page()

    # The intruder by the number of links, then several plans beside each other.
    page.get_by_role("link", name="Attack", exact=True).click()
    page.locator("#run-one").click()
    expect(page.locator("#attack-panel")).to_contain_text("34 guesses")
    steward.check_page()
    page.goto(report)
    steward.press_next("Open scenario board")
    page.get_by_role("link", name="New sweep").click()
    page.get_by_label("Hides among").fill("3, 5")
    page.get_by_label("Equal numbers of links, mostly adding").check()
    page.get_by_label("Equal numbers of links, adding and removing").check()
    steward.press_next("Start the sweep")
    expect(page.locator("#board-running")).to_be_hidden()
    # One of the four is the run there was.
    expect(page.locator("h1")).to_contain_text("4 runs of Members")
    steward.check_page()

    page.goto(report)
    steward.press_next("Ask for review")
    page.fill("[name=purpose]", "Teaching")
    steward.press_next("Ask for review")
    page.wait_for_url("**/reviews/**")
    address = page.url
    # One in ten is found by the number of links: over the limit of the attack made above.
    page.get_by_text("Ask for a waiver").click()
    page.locator(".waive[open] textarea").fill("The members agreed to be found by that.")
    page.locator(".waive[open] button").click()
    expect(page.locator(".gate-fail")).to_contain_text("a second person has to agree")
    approver = Person(browser, portal.address, "approver")
    approver.page.goto(address)
    approver.page.get_by_role("button", name="Agree to this waiver").click()
    expect(approver.page.locator("#gates-title")).to_have_text("Every gate passes or is waived")
    approver.check_page()
    approver.page.check("[name=verdict][value=approve]")
    approver.page.click("#decide")
    approver.press_next("Go to the release")
    expect(approver.page.locator("body")).to_contain_text("edges.csv")
    approver.check_page()

    # A month later: the same members and one newcomer.
    later = tmp_path / "later.csv"
    later.write_text((DATA / "karate-links.csv").read_text().rstrip() + "\nnewcomer,1\n")
    page.locator(".version-menu summary").click()
    page.get_by_role("link", name="Upload the next version").click()
    page.get_by_label("The links").set_input_files(later)
    steward.press_next("Upload and read it")
    page.wait_for_url("**/network/changes/")
    expect(page.locator("main")).to_contain_text("1 came, 0 went")
    steward.check_page()


def test_a_network_of_thousands_is_drawn_by_its_communities(
    portal: RunningPortal, browser: Browser, tmp_path: Path
) -> None:
    links = tmp_path / "ca-GrQc.txt"
    links.write_bytes(lzma.decompress((DATA / "ca-GrQc.txt.xz").read_bytes()))
    steward = Person(browser, portal.address, "steward")
    upload(steward, "Co-authors", links)
    expect(steward.page.locator("#drawing")).to_contain_text("Every circle is a community")
    expect(steward.page.locator("#drawing-title")).to_have_text("5,241 people and 14,484 links")
    steward.check_page()
    steward.press_next("Choose the protection")
    run_it(steward.page, steward)
    expect(steward.page.locator("h1")).to_contain_text("hides among at least 5 look-alikes")
