"""Files as people have them: an ugly workbook, labels, a paste, long, wide, next month's file."""

import hashlib
import itertools
import random
import socket
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from deid_portal.guide.demo.invented import demo_table
from tests.engine.files import files
from tests.engine.files.test_read_workbook import ugly_book
from tests.journeys.browser import Person
from tests.launcher.pause import workers_paused
from tests.launcher.portal import RunningPortal, wait_until
from tests.patience import PATIENCE


@pytest.fixture(scope="module")
def steward(portal: RunningPortal, browser: Browser) -> Person:
    return Person(browser, portal.address, "steward")


def _upload(steward: Person, path: Path) -> None:
    steward.open("/datasets/upload/")
    steward.page.set_input_files("#id_file", path)
    steward.press_next("Upload and look at it")
    steward.page.wait_for_url("**/datasets/*-*/upload/")


def _keep(steward: Person) -> None:
    steward.press_next("Keep and tag columns")
    steward.page.wait_for_url("**/columns/")


def test_an_ugly_workbook_is_understood_and_corrected(steward: Person, tmp_path: Path) -> None:
    page = steward.page
    path = tmp_path / "ugly.csv"  # its name is wrong, too
    path.write_bytes(files.saved(ugly_book()))
    _upload(steward, path)
    preview = page.locator("#preview")
    expect(page.locator("[name=sheet]")).to_have_value("Patients 2026")
    expect(page.locator("[name=first_row]")).to_have_value("4")
    expect(preview).to_contain_text("The name ends in .csv, but this is an Excel workbook")
    expect(preview).to_contain_text("1 row is hidden")
    expect(preview).to_contain_text("01234")
    steward.check_page()
    page.select_option("[name=sheet]", "secret")
    expect(preview).to_contain_text("The sheet is empty")
    page.select_option("[name=sheet]", "Patients 2026")
    expect(preview).to_contain_text("01234")
    preview.get_by_role("button", name="Read as number").click()
    expect(preview).not_to_contain_text("01234")
    expect(page.locator("[name=type-1]")).to_have_value("integer")
    page.select_option("[name=type-1]", "")
    expect(preview).to_contain_text("01234")
    _keep(steward)
    expect(page.locator("#columns-table")).to_contain_text("born")
    steward.check_page()


def test_labels_of_an_spss_file_are_shown_or_not(steward: Person, tmp_path: Path) -> None:
    page = steward.page
    path = tmp_path / "study.sav"
    labels = {"sex": {1: "female", 2: "male"}}
    rows = [(f"p{n}@mail.test", 1 + n % 2, 20 + n % 50) for n in range(60)]
    path.write_bytes(files.sav(("contact", "sex", "age"), rows, variable_value_labels=labels))
    _upload(steward, path)
    expect(page.locator("#preview tbody")).to_contain_text("female")
    page.select_option("[name=labels]", "no")
    expect(page.locator("#preview tbody")).not_to_contain_text("female")
    page.select_option("[name=labels]", "yes")
    expect(page.locator("#preview tbody")).to_contain_text("female")
    _keep(steward)
    expect(page.locator("#column-0")).to_contain_text("Every value is an e-mail address")
    page.locator("#column-0 .accept").click()
    expect(page.locator("#column-0")).to_have_attribute("data-role", "identifier")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#column-0")).to_have_attribute("data-role", "")
    steward.press_next("Accept 3 suggestions")
    expect(page.locator(".next-bar")).to_contain_text("All 3 columns are decided")
    steward.check_page()


def test_a_table_is_pasted(steward: Person) -> None:
    page = steward.page
    steward.open("/datasets/upload/")
    page.locator("#paste summary").click()
    page.fill("#id_pasted", "person\tzip\tage\nAnn\t01234\t39\nBob\t02139\t50\n")
    page.fill("[name=name]", "Pasted")
    steward.check_page()
    steward.press_next("Upload and look at it")
    page.wait_for_url("**/datasets/*-*/upload/")
    expect(page.locator("[name=delimiter]")).to_have_value("\t")
    expect(page.locator("#preview")).to_contain_text("01234")


def test_two_hundred_columns_are_tagged_by_keyboard(steward: Person, tmp_path: Path) -> None:
    chance = random.Random(3)
    page = steward.page
    path = tmp_path / "wide.csv"
    names = ["person_id", *(f"q{number}" for number in range(1, 197)), "sex", "job", "ward"]
    rows = [[str(n), *(str(chance.randrange(5)) for _ in names[1:])] for n in range(100)]
    path.write_text("\n".join(",".join(row) for row in [names, *rows]))
    _upload(steward, path)
    _keep(steward)
    body, keys = page.locator("#columns-body"), page.keyboard
    expect(page.locator("h1")).to_contain_text("0 of 200 columns decided; 200 to go")
    expect(body.locator("tr")).to_have_count(5)
    steward.check_page()
    body.locator("tr").first.focus()
    keys.press("a")
    expect(page.locator("#column-0")).to_have_attribute("data-role", "identifier")
    family = page.locator("#family-1")
    while not family.evaluate("row => row === document.activeElement"):
        keys.press("ArrowDown")
    keys.press("ArrowRight")
    expect(family).to_have_attribute("aria-expanded", "true")
    expect(body.locator("tr")).to_have_count(200)
    expect(family).to_be_focused()
    keys.press("ArrowDown")
    keys.press("s")
    expect(family).to_contain_text("195 open, 1 sensitive")
    expect(page.locator("#column-1")).to_be_focused()
    keys.press("ArrowLeft")
    keys.press("h")
    expect(page.locator("#count-decided")).to_have_text("197")
    expect(family).to_be_focused()
    keys.press("ArrowLeft")
    expect(body.locator("tr")).to_have_count(4)
    keys.press("z")
    expect(page.locator("#count-decided")).to_have_text("2")
    keys.press("/")
    keys.type("sex")
    expect(body.locator("tr")).to_have_count(1)
    page.locator("#column-filter").fill("")
    expect(body.locator("tr")).to_have_count(4)
    page.locator("#column-197").focus()
    keys.press("Shift+ArrowDown")
    expect(page.locator("[data-bulk-count]")).to_have_text("2 selected")
    page.locator("#bulk-form").get_by_role("button", name="Harmless").click()
    expect(page.locator("#count-decided")).to_have_text("4")
    page.locator("#column-197").press("Enter")
    expect(page.locator("#column-panel")).to_contain_text("Column 198")
    steward.check_page()


def _million_people(path: Path) -> Path:
    chance, count = np.random.default_rng(6), 1_000_000
    columns = {
        "person-no": np.arange(count) + 5_000_000,
        "age": chance.integers(18, 90, count),
        "zip": chance.integers(10_000, 10_700, count),
        "sex": np.where(chance.random(count) < 0.5, "male", "female"),
        "diagnosis": chance.choice(["Asthma", "Diabetes", "Flu", "HIV"], count),
    }
    pa.csv.write_csv(pa.table(columns), path)
    return path


def test_a_million_rows_are_read_in_the_background(
    steward: Person, portal: RunningPortal, tmp_path: Path
) -> None:
    page = steward.page
    _upload(steward, _million_people(tmp_path / "million.csv"))
    expect(page.locator("#preview tbody tr")).to_have_count(8)
    with workers_paused(portal):
        steward.press_next("Keep and tag columns")
        expect(page.locator("#reading-title")).to_have_text("Reading million.csv")
        expect(page.get_by_role("progressbar", name="Reading the file")).to_be_visible()
        steward.check_page()
    page.wait_for_url("**/columns/")
    expect(page.locator("#dataset-bar")).to_contain_text("1,000,000 rows")
    expect(page.locator("#column-0")).to_contain_text("1,000,000")
    expect(page.locator("#column-1 .spark")).to_be_visible()
    expect(page.locator("#column-4")).to_contain_text("Sensitive.")
    page.locator("#column-1").press("Enter")
    expect(page.locator("#column-panel")).to_contain_text("one of a kind")
    steward.check_page()
    steward.press_next("Accept 5 suggestions")
    expect(page.locator(".next-bar")).to_contain_text("All 5 columns are decided")


def _next_months_file(path: Path) -> Path:
    """The demo table again, of fewer people: with a ward, and with a country nobody came from."""
    header, *people = demo_table().decode().splitlines()[:2001]
    moved = [line.replace(";Cuba;", ";Atlantis;") for line in people]
    path.write_text("\n".join([f"{header};ward", *(f"{line};North" for line in moved)]))
    return path


def test_next_months_file_is_mended_and_run_with_the_plan_of_this_month(
    steward: Person, tmp_path: Path
) -> None:
    page = steward.page
    steward.open("/datasets/")
    page.get_by_role("link", name="Adult census").click()
    page.locator(".version-menu summary").click()
    page.get_by_role("link", name="Upload the next version").click()
    expect(page.locator("[name=next_of]")).not_to_have_value("")
    page.set_input_files("#id_file", _next_months_file(tmp_path / "adult_2026-11.csv"))
    steward.press_next("Upload and look at it")
    page.wait_for_url("**/datasets/*-*/upload/")
    expect(page.locator(".version-menu summary")).to_contain_text("v2")
    steward.check_page()
    steward.press_next("Keep and see what changed")
    page.wait_for_url("**/changes/")
    changes = page.url
    misfits = page.locator("#misfits")
    expect(misfits).to_contain_text("1 column has no role")
    expect(misfits).to_contain_text("1 value has no place in the tree")
    misfits.get_by_text("List it").click()
    expect(misfits).to_contain_text("Atlantis")
    steward.check_page()

    steward.press_next("Tag columns")
    page.get_by_role("button", name="Accept for ward: Harmless").click()
    expect(page.locator(".next-bar")).to_contain_text("All 14 columns are decided")
    expect(page.locator("#columns-table")).to_contain_text("carried over from v1")
    steward.check_page()

    page.goto(changes)
    steward.press_next("Place values")
    page.locator("[name=every_value]").check()
    page.select_option("[name=place_under]", index=2)
    page.get_by_role("button", name="Put them there").click()
    expect(page.locator("#coverage")).to_contain_text("Complete")

    page.locator(".version-menu summary").click()
    page.get_by_role("link", name="What changed in v2").click()
    expect(page.locator(".next-bar")).to_contain_text("Everything fits.")
    steward.check_page()
    steward.press_next("Run the plan on this version")
    page.wait_for_url("**/report/")
    expect(page.locator("#dataset-bar")).to_contain_text("v2")


def test_an_upload_sent_whole_and_cut_in_the_middle_leaves_nothing(
    steward: Person, portal: RunningPortal, tmp_path: Path
) -> None:
    """As browsers without scripts send it."""
    files_of_portal = portal.data_dir / "files"
    path = tmp_path / "whole.csv"
    path.write_text("name,age\n" + "Ann,39\n" * 200_000)
    steward.open("/datasets/upload/")
    before = set(files_of_portal.rglob("*"))
    _send_half(steward, path)
    wait_until(lambda: set(files_of_portal.rglob("*")) == before, "the half file is gone")


def _cut_after(page: Page, pieces: int) -> None:
    """Let so many pieces of a file through and break the line then."""
    passed = itertools.count()

    def pass_or_cut(route: Route) -> None:
        if "start=" in route.request.url and next(passed) >= pieces:
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/datasets/upload/arriving/**", pass_or_cut)


def test_a_cut_upload_is_found_again_and_goes_on(steward: Person, tmp_path: Path) -> None:
    page = steward.page
    path = tmp_path / "cut.csv"
    path.write_text("name,age\n" + "Ann,39\n" * 1_500_000)  # two pieces
    steward.open("/datasets/upload/")
    _cut_after(page, 1)
    page.set_input_files("#id_file", path)
    steward.press_next("Upload and look at it")
    card = page.locator("[data-arriving]", has_text="cut.csv")
    expect(card).to_contain_text("79\u00a0% has arrived and is kept")
    steward.check_page()
    steward.open("/datasets/upload/")
    expect(card).to_contain_text("79\u00a0% has arrived and is kept until")
    steward.check_page()
    with page.expect_file_chooser() as choosing:
        card.get_by_role("button", name="Resume").click()
    choosing.value.set_files({"name": "cut.csv", "mimeType": "text/csv", "buffer": b"name\nEve\n"})
    expect(card).to_contain_text("That is another file.")
    page.unroute("**/datasets/upload/arriving/**")
    with page.expect_request("**/arriving/*/?start=*") as sent, page.expect_file_chooser() as again:
        card.get_by_role("button", name="Resume").click()
        again.value.set_files(path)
    assert sent.value.url.endswith(f"start={8 * 1024 * 1024}")
    page.wait_for_url("**/datasets/*-*/upload/")
    expect(page.locator("#preview tbody")).to_contain_text("Ann")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    expect(page.locator(f"[data-copy='{digest}']")).to_be_visible()
    page.get_by_role("button", name="Discard upload").click()
    page.wait_for_url("**/datasets/")


def test_two_files_at_once_are_two_cards(steward: Person, tmp_path: Path) -> None:
    page = steward.page
    paths = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for path in paths:
        path.write_text("name,age\nAnn,39\n")
    bad = tmp_path / "third.xlsx"
    bad.write_bytes(b"PK\x03\x04 no workbook")
    steward.open("/datasets/upload/")
    page.set_input_files("#id_file", [*paths, bad])
    expect(page.locator("#several-files")).to_be_visible()
    steward.press_next("Upload and look at it")
    cards = page.locator("[data-arriving]")
    expect(cards.get_by_role("link", name="Look at it")).to_have_count(2)
    expect(cards.filter(has_text="third.xlsx").locator(".note-bad")).to_be_visible()
    steward.check_page()
    cards.filter(has_text="third.xlsx").get_by_role("button", name="Close").click()
    expect(cards).to_have_count(2)
    cards.filter(has_text="second.csv").get_by_role("link", name="Look at it").click()
    page.wait_for_url("**/datasets/*-*/upload/")
    expect(page.locator("[name=name]")).to_have_value("second")


def _send_half(steward: Person, path: Path) -> None:
    """Send the first half of an upload as the browser would, and hang up."""
    token = steward.page.locator("#upload-form [name=csrfmiddlewaretoken]").input_value()
    cookies = "; ".join(f"{c['name']}={c['value']}" for c in steward.page.context.cookies())
    content = path.read_bytes()
    body = (
        f'--cut\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{token}\r\n'
        f'--cut\r\nContent-Disposition: form-data; name="file"; filename="cut.csv"\r\n\r\n'
    ).encode()
    head = (
        f"POST /datasets/upload/ HTTP/1.1\r\nHost: {steward.address.removeprefix('http://')}\r\n"
        f"Cookie: {cookies}\r\nContent-Type: multipart/form-data; boundary=cut\r\n"
        f"Content-Length: {len(body) + len(content) + 9}\r\n\r\n"
    ).encode()
    host, _, port = steward.address.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as line:
        line.sendall(head + body + content[: len(content) // 2])
