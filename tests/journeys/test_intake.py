"""Files as people have them: an ugly workbook, labels, a paste, 200 columns, next month's file."""

import random
import socket
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from deid_portal.guide.demo.invented import demo_table
from tests.engine import files
from tests.engine.test_read_workbook import ugly_book
from tests.journeys.browsing import Person
from tests.launcher.running import RunningPortal, wait_until

pytestmark = pytest.mark.xdist_group("portal")
expect.set_options(timeout=30_000)  # two hundred rows take a busy machine a while


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
    page.wait_for_url("**/report/", timeout=120_000)
    expect(page.locator("#dataset-bar")).to_contain_text("v2")


def test_an_upload_cut_in_the_middle_leaves_nothing_and_can_be_sent_again(
    steward: Person, portal: RunningPortal, tmp_path: Path
) -> None:
    page, files_of_portal = steward.page, portal.data_dir / "files"
    path = tmp_path / "cut.csv"
    path.write_text("name,age\n" + "Ann,39\n" * 200_000)
    steward.open("/datasets/upload/")
    before = set(files_of_portal.rglob("*"))
    _send_half(steward, path)
    wait_until(lambda: set(files_of_portal.rglob("*")) == before, 20, "the half file is gone")
    page.set_input_files("#id_file", path)
    page.route("**/datasets/upload/", lambda route: route.abort("connectionreset"))
    steward.press_next("Upload and look at it")
    expect(page.locator("#upload-problems")).to_contain_text("nothing was kept")
    steward.complaints.clear()  # htmx tells the console, too
    page.unroute("**/datasets/upload/")
    steward.press_next("Upload and look at it")
    page.wait_for_url("**/datasets/*-*/upload/")
    expect(page.locator("#preview tbody")).to_contain_text("Ann")
    page.get_by_role("button", name="Discard upload").click()
    page.wait_for_url("**/datasets/")


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
    with socket.create_connection((host, int(port)), timeout=20) as line:
        line.sendall(head + body + content[: len(content) // 2])
