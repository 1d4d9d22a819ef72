"""A steward opens a dataset, an analyst asks until the budget is gone, an approver grants more."""

import re

from playwright.sync_api import Browser, expect

from tests.journeys.browser import Person
from tests.launcher.portal import RunningPortal


def test_a_budget_is_spent_and_granted(portal: RunningPortal, browser: Browser) -> None:
    steward = Person(browser, portal.address, "steward")
    desk = _close_and_open_again(steward)
    analyst = Person(browser, portal.address, "analyst")
    _ask_for_an_accuracy(analyst)
    _ask_the_same_again(analyst)
    _choose_under_more(analyst)
    _look_at_a_spread(analyst)
    _run_out_and_ask_for_more(analyst)
    _grant(Person(browser, portal.address, "approver"))
    _spend_what_was_granted(analyst)
    _look_at_the_accounts(steward, desk)
    _find_nothing(Person(browser, portal.address, "outsider"), desk)


def _close_and_open_again(steward: Person) -> str:
    """The demo's desk gets new terms: ε 2 for each; returns its address."""
    page = steward.page
    page.get_by_role("link", name="Query desk").first.click()
    page.get_by_role("link", name="Adult census, v1").click()
    page.get_by_role("link", name="Accounts and terms").click()
    desk = page.url.removeprefix(steward.address).removesuffix("accounts/")
    page.get_by_text("Close the desk").click()
    page.get_by_role("button", name="Close it").click()
    expect(page.locator("#messages")).to_contain_text("Closed.")
    steward.check_page()
    page.get_by_role("link", name="Open again").click()
    expect(page.locator("h1")).to_contain_text("Adult census")
    steward.check_page()
    page.fill("[name=analyst]", "30")
    page.get_by_role("button", name="Open for questions").click()
    expect(page.locator("#id_analyst_error")).to_contain_text("cannot have more than everybody")
    steward.check_page()
    page.fill("[name=analyst]", "2")
    page.get_by_role("button", name="Open for questions").click()
    expect(page.locator("#terms-title")).to_have_text("Terms 2")
    steward.check_page()
    return desk


def _choose_the_old(analyst: Person) -> None:
    """… with age at least 65."""
    page = analyst.page
    page.locator("#add-condition").click()
    page.select_option("#c0-column", "age")
    page.locator("#c0-low").fill("65")
    page.locator("#c0-low").press("Tab")


def _ask_for_an_accuracy(analyst: Person) -> None:
    """Three people at 95 %: the price follows, is paid, and the answer keeps its word."""
    page = analyst.page
    page.get_by_role("link", name="Query desk").first.click()
    expect(page.locator("#budget")).to_contain_text("ε 2.00")
    analyst.check_page()
    _choose_the_old(analyst)
    expect(page.locator("#composer")).to_contain_text("age 17 to 90")
    page.locator("#accuracy").fill("3")
    expect(page.locator("#price")).to_contain_text("ε 0.84")
    expect(page.locator("#epsilon")).to_have_value("0.84")
    expect(page.locator("#budget")).to_contain_text("after this question: 1.16")
    analyst.check_page()
    page.get_by_role("button", name="Pay ε 0.84 and ask").click()
    answer = page.locator(".answer-card").first
    expect(answer).to_contain_text("in 19 of 20 cases")
    expect(answer.locator(".answer-line")).to_be_visible()
    expect(page.locator("#budget")).not_to_contain_text("reserved")
    expect(page.locator("#budget")).to_contain_text("ε 1.16")
    analyst.check_page()


def _ask_the_same_again(analyst: Person) -> None:
    page = analyst.page
    first = page.locator(".answer-card .hero-number").first.inner_text()
    expect(page.locator("#c0-low")).to_have_value("65")  # the question stays after asking
    page.get_by_role("button", name="Show the answer, free").click()
    expect(page.locator(".answer-card").first).to_contain_text("free")
    assert page.locator(".answer-card .hero-number").first.inner_text() == first


def _choose_under_more(analyst: Person) -> None:
    """With the mouse, which moves the focus out of the menu before it presses."""
    page = analyst.page
    page.locator(".desk-more summary").click()
    page.locator("label", has=page.locator("#kind-sum")).click()
    expect(page.locator(".sentence")).to_contain_text("What is the sum of")


def _look_at_a_spread(analyst: Person) -> None:
    page = analyst.page
    page.locator("label", has=page.locator("#kind-histogram")).click()
    page.locator("#f-buckets").fill("4")
    page.locator("#f-buckets").press("Tab")
    page.locator("#epsilon").fill("0.5")
    page.get_by_role("button", name="Pay ε 0.50 and ask").click()
    card = page.locator(".answer-card").first
    expect(card.locator(".chart-title")).to_contain_text(re.compile("More than half|The largest"))
    expect(card.locator(".main-svg").first).to_be_visible()
    analyst.check_page()


def _run_out_and_ask_for_more(analyst: Person) -> None:
    """ε 0.66 is left; what costs 1.5 is refused, and the page says what would fit."""
    page = analyst.page
    page.locator("#epsilon").fill("1.5")
    expect(page.locator("#price")).to_contain_text("would fit your balance")
    expect(page.locator("#ask")).to_have_attribute("aria-disabled", "true")
    analyst.check_page()
    page.locator("#price").get_by_role("link", name="Ask for more").click()
    page.fill("[name=amount]", "1")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#id_reason_error")).to_be_visible()
    analyst.check_page()
    page.fill("[name=reason]", "The counts by occupation are still missing.")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#budget")).to_contain_text("asked for more, waiting")


def _grant(approver: Person) -> None:
    page = approver.page
    expect(page.locator("#awaiting")).to_contain_text("Analyst asks for ε 1.00 more")
    page.get_by_role("link", name="Decide on more budget for Analyst").click()
    approver.check_page()
    page.get_by_label("Grant", exact=True).check()
    page.fill("[name=answer]", "Go on.")
    page.get_by_role("button", name="Decide").click()
    expect(page.locator("#answer-title")).to_contain_text("Granted: ε 1.00")
    approver.check_page()


def _spend_what_was_granted(analyst: Person) -> None:
    page = analyst.page
    page.reload()
    expect(page.locator("#budget")).to_contain_text("ε 1.66")
    page.locator("#epsilon").fill("1.5")
    page.get_by_role("button", name="Pay ε 1.50 and ask").click()
    expect(page.locator("#budget")).to_contain_text("ε 0.16")
    page.get_by_role("link", name="Full statement").click()
    expect(page.locator("main")).to_contain_text("Granted by the approver")
    analyst.check_page()


def _look_at_the_accounts(steward: Person, desk: str) -> None:
    """Questions and spending, and no answer."""
    steward.open(f"{desk}accounts/")
    expect(steward.page.locator("main")).to_contain_text("age is at least 65")
    expect(steward.page.locator("main")).to_contain_text("0.16 of 3.00")
    steward.check_page()


def _find_nothing(outsider: Person, desk: str) -> None:
    for page in ("", "accounts/", "statement/"):
        assert outsider.status_of(f"{desk}{page}") == 404
