"""Choosing a protection at a real browser: in plain words, and with everything the engine has."""

import random
import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import Person
from tests.launcher.portal import RunningPortal


def _open_protection(steward: Person) -> None:
    steward.open("/datasets/")
    steward.page.get_by_role("link", name="Adult census").first.click()
    steward.page.get_by_role("link", name="Protection").first.click()
    steward.page.wait_for_url("**/protection/**")


def _lose_the_connection(page: Page) -> None:
    """What is answered meanwhile is saved by itself once the portal can be reached."""
    page.context.set_offline(True)
    page.fill("[name=k]", "7")
    expect(page.locator("[data-connection-bar]")).to_be_visible()
    with page.expect_response("**/protection/keep/"):
        page.context.set_offline(False)
    page.reload()
    expect(page.locator("[name=k]")).to_have_value("7")


def _sign_out_elsewhere(steward: Person) -> None:
    """The answer that finds the session over waits behind the sign-in."""
    page = steward.page
    page.context.clear_cookies(name="sessionid")
    page.fill("[name=k]", "8")
    page.wait_for_url("**/sign-in/?next=*")
    page.fill("[name=login]", steward.name)
    page.fill("[name=password]", f"demo-{steward.name}")
    with page.expect_response("**/protection/keep/"):
        page.press("[name=password]", "Enter")
    expect(page.locator("[name=k]")).to_have_value("8")
    expect(page.locator("#promise")).to_contain_text("at least 7 others")


def test_in_plain_words(portal: RunningPortal, browser: Browser) -> None:
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    _open_protection(steward)
    figures = page.locator("#estimate-figures")
    expect(figures).to_contain_text("Detail lost")
    expect(figures).to_contain_text("An estimate, from 19,502 patterns")
    expect(page.locator("#policy-check")).to_contain_text("Everybody hides among at least 5")
    expect(page.locator("#prices-title")).to_contain_text("Hiding among 10 instead of 5")
    expect(page.locator(".next-bar")).to_contain_text("This plan can run.")
    steward.check_page()
    page.locator("label", has_text="Anyone: a public download").click()
    expect(page.locator("#guideline")).to_contain_text("Hides among at least 11")
    page.get_by_role("button", name="Use these numbers").click()
    expect(page.locator("[name=k]")).to_have_value("11")
    expect(page.locator("#promise")).to_contain_text("at least 10 others")
    page.locator("#id_k_range").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[name=k]")).to_have_value("12")
    expect(page.locator("#promise")).to_contain_text("at least 11 others")
    page.fill("[name=facts]", "3")
    expect(page.locator("#recommendation")).to_contain_text("Recommended: Mondrian.")
    expect(figures).to_contain_text("No estimate")
    page.fill("[name=facts]", "9")
    expect(figures).to_contain_text("Detail lost")
    page.fill("[name=k]", "1")
    expect(page.locator("#saved")).to_contain_text("Not saved")
    steward.press_next("Start run")
    expect(page.locator("main")).to_contain_text("hiding among one is not hiding")
    steward.check_page()
    page.fill("[name=k]", "6")
    expect(page.locator("#saved")).to_contain_text(re.compile(r"Saved \d\d:\d\d"))
    page.reload()  # of the answer to a refused form, which is not sent once more
    expect(page.locator("[name=k]")).to_have_value("6")
    _lose_the_connection(page)
    _sign_out_elsewhere(steward)
    page.fill("[name=k]", "5")
    page.press("[name=k]", "Enter")
    expect(page.locator("#messages")).to_contain_text("The protection is saved.")
    page.locator("[name=k]").focus()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/report/")


def _upload_incomes(steward: Person, folder: Path) -> str:
    """Upload, tag and give taxonomies; an income to the cent is what must not be learned."""
    page, chance = steward.page, random.Random(7)
    path = folder / "incomes.csv"
    rows = [
        f"{20 + row % 40};{'mw'[row % 2]};{chance.lognormvariate(7.9, 0.5):.2f}".replace(".", ",")
        for row in range(400)
    ]
    path.write_text("\n".join(["Alter;Geschlecht;Einkommen", *rows]))
    steward.open("/datasets/upload/")
    page.set_input_files("#id_file", path)
    steward.press_next("Upload and look at it")
    page.wait_for_url("**/datasets/*-*/upload/")
    steward.press_next("Keep and tag columns")
    page.wait_for_url("**/columns/")
    for name, role in (("Alter", "Quasi"), ("Geschlecht", "Quasi"), ("Einkommen", "Sensitive")):
        group = page.get_by_role("radiogroup", name=f"What {name} is", exact=True)
        group.locator("label", has_text=role).first.click()
    expect(page.locator(".next-bar")).to_contain_text("All 3 columns are decided")
    dataset = page.url.split("/datasets/")[1].split("/")[0]
    for position, tab in ((0, "intervals"), (1, "flat")):
        steward.open(f"/datasets/{dataset}/taxonomies/{position}/?tab={tab}")
        page.get_by_role("button", name="Build this tree").click()
        expect(page.locator("#origin")).to_be_visible()
    return dataset


def test_amounts_to_the_cent(portal: RunningPortal, browser: Browser, tmp_path: Path) -> None:
    """They are said to be one of a kind and rounded; the report counts who is still found."""
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    steward.open(f"/datasets/{_upload_incomes(steward, tmp_path)}/protection/")
    expect(page.locator(".showing")).to_contain_text("of 400 values of Einkommen occur once")
    expect(page.locator("#promise")).to_contain_text("nearest multiple of")
    expect(page.locator("#estimate-figures")).to_contain_text("Detail lost")
    page.locator("label", has_text="Exactly as it is").click()
    expect(page.locator("#promise")).not_to_contain_text("nearest multiple of")
    page.locator("label", has_text="Rounded").click()
    page.locator("label", has_text="Somebody guesses it nearly right").click()
    expect(page.locator("#promise")).to_contain_text("even the rough amount stays uncertain")
    steward.check_page()
    steward.press_next("Start run")
    page.wait_for_url("**/report/")
    page.get_by_role("navigation", name="Parts of the report").get_by_text("Risk").click()
    expect(page.locator("#lone-title")).to_contain_text("of Einkommen that nobody else has")
    steward.check_page()


def test_with_everything_the_engine_has(portal: RunningPortal, browser: Browser) -> None:
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    _open_protection(steward)
    page.get_by_role("button", name="Expert").click()
    expect(page.locator("#rules-title")).to_be_visible()
    page.select_option("#new-rule", "t-closeness")
    page.get_by_role("button", name="Add this rule").click()
    added = page.get_by_role("group", name="t-closeness")
    added.get_by_label("t", exact=True).fill("0.6")
    expect(page.locator("#promise")).to_contain_text("t = 0.6 is unusual")
    page.select_option("#new-method", "pram")
    page.get_by_role("button", name="Add this method").click()
    pram = page.get_by_role("group", name="Randomized response (PRAM)", exact=True)
    expect(pram).to_be_visible()
    steward.check_page()
    steward.press_next("Sweep")
    expect(pram).to_contain_text("Choose at least one column.")
    pram.get_by_label("condition (sensitive)").check()
    page.get_by_role("button", name="Move Randomized response (PRAM) earlier").click()
    expect(page.locator("#method1")).to_contain_text("1 · Randomized response")
    page.get_by_role("button", name="Remove t-closeness").click()
    expect(added).to_have_count(0)
    page.get_by_text("Attacks, a classifier, who pays").click()
    page.get_by_label(re.compile(r"^\s*Homogeneity")).check()
    page.locator("#id_measure-groups").get_by_label("sex").check()
    steward.check_page()
    page.get_by_role("button", name="JSON").click()
    expect(page.locator("#id_document")).to_have_value(re.compile('"attack": "homogeneity"'))
    steward.check_page()
    steward.press_next("Start run")
    page.wait_for_url("**/report/")
    expect(page.locator("h1")).to_be_visible()
