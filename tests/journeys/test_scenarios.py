"""Many runs at a real browser: a sweep lands on the board, two are compared, one is promoted."""

import re

from playwright.sync_api import Browser, expect

from tests.journeys.browser import Person
from tests.launcher.portal import RunningPortal


def test_a_sweep_of_twelve_lands_on_the_board(portal: RunningPortal, browser: Browser) -> None:
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    steward.open("/datasets/")
    page.get_by_role("link", name="Adult census").first.click()
    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_role("link", name="New sweep").click()
    page.get_by_label("Hides among").fill("3, 5, 10, 25")
    page.get_by_label("May leave out, in percent of the rows").fill("2, 5, 10")
    expect(page.locator("#sweep-size")).to_contain_text("12 runs")
    steward.check_page()
    steward.press_next("Start the sweep")
    expect(page.locator("#board-running")).to_contain_text("of 12 still running")
    expect(page.locator("#board-running")).to_be_hidden()
    expect(page.locator("h1")).to_contain_text("12 runs of Adult census")
    expect(page.locator("#board-table")).not_to_contain_text("still running")
    expect(page.locator("#board-chart-title")).to_contain_text("worth a look")
    steward.check_page()

    # By keyboard: the table is the way to every point.
    page.locator("#board-table summary").focus()
    page.keyboard.press("Enter")
    page.locator("#a-8").focus()
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile("a=8"))
    expect(page.locator("#a-8")).to_be_focused()
    page.locator("#b-1").focus()
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile("a=8&b=1"))
    expect(page.locator("#board-table")).to_have_attribute("open", "")
    expect(page.locator("#verdict-title")).to_be_visible()

    # By mouse: of two pins the older leaves.
    page.locator(".scatterlayer .points path").nth(3).click(force=True)
    expect(page).not_to_have_url(re.compile("a=8"))
    expect(page.locator("#comparison-title")).to_be_visible()
    page.get_by_role("radio", name="Left out", exact=True).check()
    expect(page).to_have_url(re.compile("risk=left-out"))
    steward.check_page()

    # The address is the comparison: a colleague sees the same, and decides nothing.
    reviewer = Person(browser, portal.address, "reviewer")
    reviewer.page.goto(page.url)
    expect(reviewer.page.locator("#comparison-title")).to_be_visible()
    expect(reviewer.page.locator(".next-bar")).not_to_contain_text("Promote A")
    reviewer.check_page()

    page.locator(".next-bar").get_by_role("button", name=re.compile("Promote A, run")).click()
    expect(page.locator(".next-bar")).to_contain_text("is promoted.")
    steward.press_next("Undo")
    expect(page.locator("#messages")).to_contain_text("is no longer promoted.")
    page.locator(".next-bar").get_by_role("button", name=re.compile("Promote A, run")).click()
    steward.press_next("Ask for review")
    expect(page.locator("h1")).to_be_visible()


def test_the_home_the_bell_and_what_happened(portal: RunningPortal, browser: Browser) -> None:
    """After the sweep: what each role finds when it comes in, and that the bell tells of it."""
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    expect(page.locator("#datasets")).to_contain_text("Adult census")
    bell = page.locator(".bell-menu")
    bell.locator("summary").click()
    expect(bell.locator("#bell-panel")).to_contain_text("Sweep 1 of Adult census")
    steward.check_page()

    # A line of the bell leads to what it tells of; being there is having read it.
    bell.get_by_role("link", name=re.compile("Sweep 1 of Adult census")).click()
    expect(page.locator("h1")).to_contain_text("Scenario board")
    steward.open("/notices/")
    expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    steward.check_page()
    page.set_viewport_size({"width": 820, "height": 1000})
    page.emulate_media(color_scheme="dark")
    steward.check_page()
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.locator(".bell-menu .count")).to_have_count(0)
    steward.open("/")
    steward.check_page()

    for name, sees in (("approver", "Requests"), ("analyst", "releases"), ("outsider", "Upload")):
        other = Person(browser, portal.address, name)
        expect(other.page.locator("main")).to_contain_text(sees)
        other.check_page()
