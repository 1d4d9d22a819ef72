"""The whole walk, from a file on the steward's desk to the package on the analyst's."""

import csv
import hashlib
import io
import json
import random
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.journeys.browsing import Person, download
from tests.launcher.running import RunningPortal

pytestmark = pytest.mark.xdist_group("portal")

JOBS = {
    "Nurse": "Health",
    "Doctor": "Health",
    "Carpenter": "Trade",
    "Painter": "Trade",
    "Teacher": "School",
}
CONDITIONS = ["Flu", "Asthma", "Diabetes", "Migraine"]
ROLES = {
    "name": "Identifier",
    "zip": "Quasi",
    "age": "Quasi",
    "sex": "Quasi",
    "job": "Quasi",
    "condition": "Sensitive",
    "ward": "Harmless",
}


def _write_patients(folder: Path) -> Path:
    chance = random.Random(7)
    path = folder / "ward patients.csv"
    with path.open("w", newline="", encoding="cp1252") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(ROLES)
        for number in range(300):
            writer.writerow(
                [
                    f"Renée {number}",
                    f"{chance.choice([130, 148]):03d}{chance.randrange(10, 30)}",
                    chance.randrange(20, 80),
                    chance.choice(["female", "male"]),
                    chance.choice(list(JOBS)),
                    chance.choice(CONDITIONS),
                    chance.choice("ABC"),
                ]
            )
    return path


def _write_jobs(folder: Path) -> Path:
    path = folder / "jobs.csv"
    path.write_text("".join(f"{job};{group};*\n" for job, group in JOBS.items()))
    return path


def test_a_table_walks_through_every_room(
    portal: RunningPortal, browser: Browser, tmp_path: Path
) -> None:
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    expect(page.get_by_role("link", name="Adult census").first).to_be_visible()
    steward.check_page()

    # 1 · Upload, look, correct, keep.
    page.get_by_role("link", name="Upload a table").click()
    steward.check_page()
    page.set_input_files("#id_file", _write_patients(tmp_path))
    page.fill("[name=name]", "Ward patients")
    page.locator(".next-bar .btn-primary").click()
    page.wait_for_url("**/upload/")
    page.wait_for_url(lambda url: "/datasets/upload/" not in url)
    dataset = page.url.split("/datasets/")[1].split("/")[0]
    expect(page.locator("[name=delimiter]")).to_have_value(";")
    expect(page.locator("[name=encoding]")).to_have_value("cp1252")
    expect(page.locator("#preview")).to_contain_text("Renée 0")
    steward.check_page()
    page.select_option("[name=delimiter]", ",")
    expect(page.locator("#preview")).not_to_contain_text("Renée 0;")
    page.select_option("[name=delimiter]", ";")
    expect(page.locator("#preview")).to_contain_text("Renée 0")
    page.locator(".next-bar .btn-primary").click()

    # 2 · Every column gets its role.
    page.wait_for_url("**/columns/")
    steward.check_page()
    for position, (name, role) in enumerate(ROLES.items()):
        group = page.get_by_role("radiogroup", name=f"What {name} is", exact=True)
        group.locator("label", has_text=role).first.click()
        expect(page.locator(f"#column-{position}")).not_to_have_attribute("data-role", "")
    expect(page.locator(".next-bar")).to_contain_text("7")
    steward.check_page()
    page.locator(".next-bar .btn-primary").click()

    # 3 · A taxonomy of each kind.
    page.wait_for_url("**/taxonomies/1/")
    steward.check_page()
    page.locator("#tab-mask").click()
    expect(page.locator("#tab-mask")).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="Build this tree").click()
    expect(page.locator("main")).to_contain_text("130**")
    steward.open(f"/datasets/{dataset}/taxonomies/2/?tab=intervals")
    page.fill("[name=width]", "10")
    page.fill("[name=widen]", "2, 2")
    page.get_by_role("button", name="Build this tree").click()
    expect(page.locator("main")).to_contain_text("20-29")
    steward.open(f"/datasets/{dataset}/taxonomies/3/?tab=tree")
    page.fill("[name=tree]", "anybody\n  female\n  male\n")
    page.get_by_role("button", name="Build this tree").click()
    expect(page.locator("main")).to_contain_text("anybody")
    steward.open(f"/datasets/{dataset}/taxonomies/4/?tab=file")
    page.set_input_files("#taxonomy-file", _write_jobs(tmp_path))
    page.get_by_role("button", name="Use this file").click()
    expect(page.locator("main")).to_contain_text("Health")
    steward.check_page()
    page.locator(".next-bar .btn-primary").click()

    # 4 · The promise.
    page.wait_for_url("**/protection/")
    page.fill("[name=k]", "3")
    page.fill("[name=l_5]", "2")
    page.fill("[name=suppression_percent]", "10")
    expect(page.locator("#promise")).to_contain_text("at least 2 others")
    steward.check_page()
    steward.press_next("Start run")

    # 5 · The run, 6 · the report.
    page.wait_for_url("**/report/", timeout=120_000)
    run = page.url.split("/runs/")[1].split("/")[0]
    expect(page.locator("h1")).to_contain_text("Every person now hides among at least")
    for chart in ("risk", "classes", "loss"):
        expect(page.locator(f"#{chart} .chart-plot .main-svg").first).to_be_visible()
        expect(page.locator(f"#{chart}-table")).to_be_attached()
    expect(page.get_by_role("region", name="Table: First rows of the release")).to_be_visible()
    steward.check_page()

    # 7 · Asked for; the author's own button is closed and says why.
    steward.press_next("Ask for review")
    steward.check_page()
    page.fill("[name=purpose]", "teaching file for the university")
    steward.press_next("Ask for review")
    page.wait_for_url("**/reviews/**")
    review = page.url.removeprefix(portal.address)
    expect(page.locator("#why-closed")).to_contain_text("You prepared this release")
    expect(page.get_by_role("button", name="Approve")).to_have_attribute("aria-disabled", "true")
    steward.check_page()

    # Sent back once, asked again, approved.
    approver = Person(browser, portal.address, "approver")
    expect(approver.page.locator("h1")).to_have_text("One thing is waiting for you")
    approver.check_page()
    approver.page.get_by_role("link", name="Decide request").click()
    approver.check_page()
    approver.page.check("[value=ask-for-changes]")
    approver.page.fill("[name=reason]", "Say which course it is for.")
    approver.page.get_by_role("button", name="Decide").click()
    expect(approver.page.locator("#conversation")).to_contain_text("which course")
    steward.open(f"/runs/{run}/review/")
    page.fill("[name=purpose]", "teaching file, course 7 of the university")
    steward.press_next("Ask for review")
    page.wait_for_url("**/reviews/**")
    assert steward.status_of(f"/releases/{run}/package.zip") == 404
    approver.open(page.url.removeprefix(portal.address))
    approver.page.check("[value=approve]")
    approver.page.get_by_role("button", name="Decide").click()
    approver.press_next("Go to the release")
    approver.page.wait_for_url("**/releases/**")
    release = approver.page.url.removeprefix(portal.address)
    approver.check_page()

    # 8 · The analyst takes the package, and it proves itself.
    analyst = Person(browser, portal.address, "analyst")
    analyst.check_page()
    analyst.open(release)
    analyst.check_page()
    _check_package(download(analyst.page, "Download package", tmp_path))
    steward.open("/audit/")
    expect(page.locator("main")).to_contain_text("release.downloaded")
    steward.check_page()
    steward.open("/releases/")
    steward.check_page()

    # 9 · For the outsider none of it exists.
    outsider = Person(browser, portal.address, "outsider")
    for address in (
        *(f"/datasets/{dataset}/{step}" for step in ("", "upload/", "columns/", "taxonomies/")),
        *(f"/datasets/{dataset}/{step}" for step in ("taxonomies/1/", "protection/", "runs/")),
        *(f"/runs/{run}/{step}" for step in ("", "progress/", "report/", "report.json", "review/")),
        review,
        release,
        f"{release}package.zip",
    ):
        assert outsider.status_of(address) == 404, address


def _check_package(path: Path) -> None:
    package = zipfile.ZipFile(path)
    for line in package.read("SHA256SUMS").decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(package.read(name)).hexdigest() == digest
    report = json.loads(package.read("report.json"))
    rows = list(csv.DictReader(io.StringIO(package.read("release.csv").decode())))
    assert list(rows[0]) == ["zip", "age", "sex", "job", "condition", "ward"]
    assert len(rows) == report["rows"]["released"]
    groups = Counter((row["zip"], row["age"], row["sex"], row["job"]) for row in rows)
    assert min(groups.values()) == report["classes"]["smallest"] >= 3
    for group in groups:
        members = [row for row in rows if (row["zip"], row["age"], row["sex"], row["job"]) == group]
        assert len({row["condition"] for row in members}) >= 2
