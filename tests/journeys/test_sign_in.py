"""Signing in with more than a password, at a real browser with a made-up security key."""

import re

from playwright.sync_api import Browser, expect

from tests.accounts.test_second_factor import code_of
from tests.journeys.browser import Person, new_context
from tests.launcher.portal import RunningPortal

# A key that is built in, remembers who it belongs to, and recognizes its owner at once.
VIRTUAL_KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def at_localhost(portal: RunningPortal) -> str:
    """Browsers give passkeys to names, not to numbers."""
    return portal.address.replace("127.0.0.1", "localhost")


def confirm_password(person: Person) -> None:
    person.page.fill("[name=password]", f"demo-{person.name}")
    person.page.get_by_role("button", name="Confirm").click()


def sign_out(person: Person) -> None:
    person.page.locator(".person-button").click()
    person.page.get_by_role("button", name="Sign out").click()
    person.page.wait_for_url("**/sign-in/**")


def test_a_code_of_an_authenticator_app(portal: RunningPortal, browser: Browser) -> None:
    reviewer = Person(browser, portal.address, "reviewer")
    page = reviewer.page
    page.locator(".person-button").click()
    page.get_by_role("link", name="Sign-in and devices").click()
    reviewer.check_page()
    page.get_by_role("link", name="Set up").click()
    reviewer.check_page()
    confirm_password(reviewer)
    reviewer.check_page()
    secret = page.locator(".secret").inner_text()
    page.fill("[name=code]", code_of(secret))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    reviewer.check_page()
    recovery = page.locator(".recovery-codes li").first.inner_text()
    sign_out(reviewer)
    page.fill("[name=login]", "reviewer")
    page.fill("[name=password]", "demo-reviewer")
    page.press("[name=password]", "Enter")
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()
    reviewer.check_page()
    page.fill("[name=code]", "000000")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator(".field-error")).to_contain_text("This code is not right")
    page.fill("[name=code]", recovery)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(f"{portal.address}/")


def test_a_passkey_instead_of_the_password(portal: RunningPortal, browser: Browser) -> None:
    approver = Person(browser, at_localhost(portal), "approver")
    page = approver.page
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": VIRTUAL_KEY})
    approver.open("/account/second-factor/passkeys/add/")
    confirm_password(approver)
    approver.check_page()
    page.fill("[name=name]", "Office laptop")
    page.locator("[name=passwordless]").check()
    page.get_by_role("button", name="Add a passkey").click()
    page.wait_for_url(re.compile("/account/second-factor/recovery/"))
    approver.open("/account/second-factor/passkeys/")
    expect(page.get_by_role("rowheader", name="Office laptop")).to_be_visible()
    approver.check_page()
    sign_out(approver)
    guess_until_refused(browser, approver)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(f"{approver.address}/")
    approver.check_page()
    sign_out(approver)
    page.fill("[name=login]", "Approver")
    page.fill("[name=password]", "demo-approver")
    page.press("[name=password]", "Enter")
    # The browser has been here before, so its password is looked at all the same.
    expect(page.get_by_role("heading", name="One more step")).to_be_visible()


def guess_until_refused(browser: Browser, person: Person) -> None:
    """A stranger at the same address tries passwords until the page says to wait."""
    stranger = new_context(browser).new_page()
    refusal = stranger.get_by_text("Too many wrong tries: wait about 15 minutes")
    stranger.goto(f"{person.address}/sign-in/")
    for _ in range(6):
        stranger.fill("[name=login]", person.name.title())
        stranger.fill("[name=password]", "a guess")
        with stranger.expect_navigation():
            stranger.press("[name=password]", "Enter")
    expect(refusal).to_be_visible()


def test_an_invitation_leads_into_the_team(portal: RunningPortal, browser: Browser) -> None:
    administrator = Person(browser, portal.address, "administrator")
    page = administrator.page
    administrator.open("/team/")
    administrator.check_page()
    page.get_by_label("Analyst").last.check()
    page.get_by_role("button", name="Make a link").click()
    link = page.locator(".secret").inner_text()
    administrator.check_page()
    newcomer = new_context(browser).new_page()
    newcomer.goto(link)
    newcomer.fill("[name=username]", "newcomer")
    newcomer.fill("[name=full_name]", "New Comer")
    newcomer.fill("[name=password]", "a long enough password")
    newcomer.get_by_role("button", name="Make my account and join").click()
    newcomer.wait_for_url(f"{portal.address}/")
    expect(newcomer.locator("body")).to_contain_text("Welcome to")
    administrator.open("/team/policy/")
    administrator.check_page()
    page.get_by_role("link", name="Change the policy").click()
    administrator.check_page()
