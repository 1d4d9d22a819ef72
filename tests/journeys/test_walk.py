"""The whole walk, from a file on the steward's desk to the package on the analyst's."""

import csv
import hashlib
import io
import json
import random
import zipfile
from collections import Counter
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.accounts.test_second_factor import code_of
from tests.journeys.browser import Person, download
from tests.journeys.test_sign_in import confirm_password
from tests.launcher.portal import RunningPortal

JOBS = {
    "Nurse": "Health",
    "Doctor": "Health",
    "Carpenter": "Trade",
    "Painter": "Trade",
    "Teacher": "School",
}
GOT_THROUGH = "the one attack made is over its limit"
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


def _write_patients(folder: Path, *new_jobs: str) -> Path:
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
                    chance.choice([*JOBS, *new_jobs]),
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
    approver = Person(browser, portal.address, "approver")
    expect(steward.page.get_by_role("link", name="Adult census").first).to_be_visible()
    steward.check_page()
    dataset = _upload_and_correct(steward, _write_patients(tmp_path))
    _tag_every_column(steward)
    _build_a_taxonomy_of_each_kind(steward, dataset, _write_jobs(tmp_path))
    _choose_the_promise_and_start(steward)
    run = _read_the_report(steward)
    administrator = Person(browser, portal.address, "administrator")
    _ask_for_two_approvals(administrator)
    review = _ask_for_review(steward)
    _send_back(approver)
    _answer_and_get_one_approval(steward, approver, review, run)
    _make_the_approval_void(steward, approver, dataset, review)
    second = Person(browser, portal.address, "reviewer")
    _have_votes_confirmed(administrator)
    release = _get_two_approvals(steward, [approver, second], review)
    analyst = Person(browser, portal.address, "analyst")
    _take_the_package(analyst, release, tmp_path)
    _go_on_after_a_cut(analyst, release)
    _get_a_new_period(steward, analyst, release)
    assert approver.status_of(f"{release}package.zip") == 403  # not named
    _repeat_on_the_next_version(steward, release, tmp_path)
    _look_into_the_records(steward)
    _withdraw(steward, analyst, release)
    _find_nothing(Person(browser, portal.address, "outsider"), dataset, run, review, release)


def _upload_and_correct(steward: Person, table: Path) -> str:
    """1 · What was detected is shown and can be corrected; returns the dataset's id."""
    page = steward.page
    page.get_by_role("link", name="Upload a table").click()
    steward.check_page()
    page.set_input_files("#id_file", table)
    page.fill("[name=name]", "Ward patients")
    page.locator(".next-bar .btn-primary").click()
    page.wait_for_url("**/datasets/*-*/upload/")
    expect(page.locator("[name=delimiter]")).to_have_value(";")
    expect(page.locator("[name=encoding]")).to_have_value("cp1252")
    expect(page.locator("#preview")).to_contain_text("Renée 0")
    steward.check_page()
    page.select_option("[name=delimiter]", ",")
    expect(page.locator("#preview td").first).not_to_have_text("Renée 0")
    page.select_option("[name=delimiter]", ";")
    expect(page.locator("#preview td").first).to_have_text("Renée 0")
    dataset = page.url.split("/datasets/")[1].split("/")[0]
    page.locator(".next-bar .btn-primary").click()
    page.wait_for_url("**/columns/")
    return dataset


def _tag_every_column(steward: Person) -> None:
    """2 · Every column gets its role."""
    page = steward.page
    steward.check_page()
    for position, (name, role) in enumerate(ROLES.items()):
        group = page.get_by_role("radiogroup", name=f"What {name} is", exact=True)
        group.locator("label", has_text=role).first.click()
        expect(page.locator(f"#column-{position}")).not_to_have_attribute("data-role", "")
    expect(page.locator(".next-bar")).to_contain_text("All 7 columns are decided")
    steward.check_page()
    page.locator(".next-bar .btn-primary").click()
    page.wait_for_url("**/taxonomies/1/")


def _build_a_taxonomy_of_each_kind(steward: Person, dataset: str, jobs: Path) -> None:
    """3 · Masking, intervals, a typed tree and an uploaded file."""
    page = steward.page
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
    page.set_input_files("#taxonomy-file", jobs)
    page.get_by_role("button", name="Use this file").click()
    expect(page.locator("main")).to_contain_text("Health")
    page.get_by_label("These groups are public knowledge").check()
    page.locator("#public-labels button").click()
    expect(page.locator("#messages")).to_contain_text("Releases will name what stands below")
    steward.check_page()
    page.locator(".next-bar .btn-primary").click()
    page.wait_for_url("**/protection/")


def _choose_the_promise_and_start(steward: Person) -> None:
    """4 · Look-alikes, different values in a group, who may be left out; the promise follows."""
    page = steward.page
    page.fill("[name=k]", "3")
    page.locator(".harm label", has_text="A whole group").click()
    page.fill("[name=l_5]", "2")
    page.fill("[name=suppression_percent]", "10")
    expect(page.locator("#promise")).to_contain_text("at least 2 others")
    steward.check_page()
    steward.press_next("Start run")


def _read_the_report(steward: Person) -> str:
    """5 · The run leads to 6 · the report with charts, numbers and rows; returns its id."""
    page = steward.page
    page.wait_for_url("**/report/")
    expect(page.locator("h1")).to_contain_text("Every person now hides among at least")
    for chart in ("risk", "classes"):
        expect(page.locator(f"#{chart} .chart-plot .main-svg").first).to_be_visible()
        expect(page.locator(f"#{chart}-table")).to_be_attached()
    steward.check_page()
    page.locator("#who-pays-column").select_option("sex")
    expect(page.locator("#who-pays")).to_contain_text("by sex")
    _walk_the_tabs(steward)
    return page.url.split("/runs/")[1].split("/")[0]


def _walk_the_tabs(steward: Person) -> None:
    """Every part of the report has an address; a key, a bar or its number leads further."""
    page = steward.page
    page.keyboard.press("2")
    page.wait_for_url("**/report/groups/")
    bar = page.locator("#classes .bars .point").first.bounding_box()
    assert bar is not None
    middle = (bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    page.mouse.move(*middle)
    expect(page.locator("#classes .hovertext")).to_be_visible()
    page.mouse.click(*middle)
    expect(page.locator("#apart table")).to_be_visible()
    steward.check_page()
    for tab in (
        "Risk",
        "Detail lost",
        "Left out",
        "Who pays",
        "Distributions",
        "Sensitive",
        "Rows",
    ):
        _open_tab(steward, tab)
    expect(page.get_by_role("region", name="Table: Rows of the release")).to_be_visible()
    _look_at_rows_side_by_side(steward)
    _pick_another_combination(steward)
    page.keyboard.press("1")
    page.wait_for_url("**/report/")


def _open_tab(steward: Person, tab: str) -> None:
    steward.page.get_by_role("navigation", name="Parts of the report").get_by_text(tab).click()
    expect(steward.page.locator("h1")).to_contain_text("Every person now hides among at least")
    steward.check_page()


def _look_at_rows_side_by_side(steward: Person) -> None:
    """Each row stands beside what became of it; a group shows its look-alikes alone."""
    page = steward.page
    _open_tab(steward, "Side by side")
    pairs = page.get_by_role("region", name="Table: Rows before and after")
    expect(pairs.locator("td.pair-coarser").first).to_be_visible()
    pairs.locator("tbody th a").first.click()
    expect(page.get_by_role("heading", name="Group 1:")).to_be_visible()
    steward.check_page()


def _pick_another_combination(steward: Person) -> None:
    """A mark of the chart picks other levels, which could be run as they are."""
    page = steward.page
    _open_tab(steward, "Combinations")
    expect(page.locator("#combinations .points path").first).to_be_visible()
    page.get_by_role("region", name="Table: The best combinations").get_by_role("link").nth(
        1
    ).click()
    expect(page.locator("#picked")).to_contain_text("It satisfies every rule")
    expect(page.get_by_role("button", name="Run this combination")).to_be_visible()
    steward.check_page()


def _ask_for_two_approvals(administrator: Person) -> None:
    """Before anybody asks: the policy wants two, and the reviewer becomes an approver as well."""
    page = administrator.page
    administrator.open("/team/policy/change/")
    page.fill("[name=approvals]", "2")
    page.fill("[name=reason]", "Four eyes on every release.")
    page.get_by_role("button", name="Put it in force").click()
    expect(page.locator("main")).to_contain_text("2 people approve a release; never its author.")
    administrator.check_page()
    administrator.open("/team/")
    roles = page.get_by_role("group", name="Roles of Reviewer")
    roles.get_by_label("Approver").check()
    page.get_by_role("button", name="Save roles of Reviewer").click()
    expect(page.locator("#messages")).to_contain_text("Reviewer is now")


def _ask_for_review(steward: Person) -> str:
    """7 · The author's own button is closed and says why. Returns the request's address."""
    page = steward.page
    steward.press_next("Ask for review")
    steward.check_page()
    page.fill("[name=purpose]", "teaching file for the university")
    steward.press_next("Ask for review")
    page.wait_for_url("**/reviews/**")
    expect(page.locator("#why-closed")).to_contain_text("You prepared this release")
    expect(page.get_by_role("button", name="Approve")).to_have_attribute("aria-disabled", "true")
    steward.check_page()
    return page.url.removeprefix(steward.address)


def _send_back(approver: Person) -> None:
    page = approver.page
    approver.open("/")
    expect(page.locator("h1")).to_have_text("One thing is waiting for you")
    approver.check_page()
    page.get_by_role("link", name="Decide request").click()
    approver.check_page()
    page.get_by_role("link", name="Chart for: Nobody’s risk").click()
    expect(page.locator("#beside #risk .main-svg").first).to_be_visible()
    approver.check_page()
    page.get_by_role("button", name="Close").click()
    page.check("[value=ask-for-changes]")
    page.fill("#decision [name=reason]", "Say which course it is for.")
    page.get_by_role("button", name="Send back to").click()
    expect(page.locator("#conversation")).to_contain_text("which course")


def _answer_and_get_one_approval(steward: Person, approver: Person, review: str, run: str) -> None:
    """The small table fails gates: waived with a reason, agreed by a second person, approved."""
    steward.open(review)
    page = steward.page
    page.locator("#conversation [name=text]").press_sequentially("It is for course 7. @zip")
    expect(page.locator("#pick-list li")).to_have_text("Columns · zip")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Write comment").click()
    expect(page.locator("#thread")).to_contain_text("on column zip")
    expect(page.locator(".submitted-run")).to_contain_text("Run 1 was sent back")
    page.select_option("[name=run]", label="Run 1, once more")
    page.get_by_role("button", name="Submit this run").click()
    expect(page.locator("#void-note")).to_contain_text("void")
    _ask_for_waivers(steward)
    assert steward.status_of(f"/releases/{run}/package.zip") == 404
    approver.open(review)
    expect(approver.page.locator("[value=approve]")).to_be_disabled()
    _agree_to_waivers(approver)
    _approve(approver)
    expect(approver.page.locator(".own-vote")).to_contain_text("You voted: approve")
    expect(approver.page.locator(".page-how")).to_contain_text("2 approvals needed, 1 given")
    approver.check_page()


def _make_the_approval_void(steward: Person, approver: Person, dataset: str, review: str) -> None:
    """Another run takes the place of the one approved; everybody sees that the vote is void."""
    page = steward.page
    steward.open(f"/datasets/{dataset}/protection/")
    page.fill("[name=k]", "4")
    expect(page.locator("#promise")).to_contain_text("at least 3 others")
    steward.press_next("Start run")
    page.wait_for_url("**/report/")
    _attack_with_success(steward, page.url.split("/runs/")[1].split("/")[0])
    steward.open(review)
    expect(page.locator(".submitted-run")).to_contain_text("Run 1 is submitted")
    page.get_by_text("Submit another run instead").click()
    steward.check_page()
    page.select_option("[name=run]", index=1)
    page.check("[name=is_sure]")
    page.get_by_role("button", name="Submit this run; votes become void").click()
    expect(page.locator("#void-note")).to_contain_text("votes given before are void")
    approver.open(review)
    expect(approver.page.locator("#void-note")).to_contain_text("look again")
    expect(approver.page.locator(".page-how")).to_contain_text("2 approvals needed, 0 given")
    gate = approver.page.locator(".gate-fail", has_text="skewness")
    expect(gate).to_contain_text("over the limit: success")
    expect(approver.page.locator("main")).to_contain_text(GOT_THROUGH)
    approver.check_page()


def _attack_with_success(steward: Person, run: str) -> None:
    """In groups this small a value is far likelier than among everybody."""
    page = steward.page
    steward.open(f"/runs/{run}/attacks/?attack=skewness")
    page.locator("#run-one").click()
    expect(page.locator("#attack-skewness")).to_contain_text("Over limit")


def _get_two_approvals(steward: Person, approvers: list[Person], review: str) -> str:
    """Two people look again and approve, each with a second factor; returns the release's address.

    Whoever has just given it, for a waiver or a vote, is not asked again.
    """
    steward.open(review)
    _ask_for_waivers(steward)
    approvers[0].open(review)
    code = _set_up_an_app(approvers[0], review)
    approvers[0].page.get_by_role("button", name="Agree to this waiver").first.click()
    _confirm(approvers[0], code)
    _agree_to_waivers(approvers[0])
    _approve(approvers[0])
    code = _set_up_an_app(approvers[1], review)
    expect(approvers[1].page.locator("#decision")).to_contain_text("asked for your second factor")
    _approve(approvers[1])
    _confirm(approvers[1], code)
    last = approvers[-1]
    last.press_next("Go to the release")
    last.page.wait_for_url("**/releases/**")
    last.check_page()
    return last.page.url.removeprefix(last.address)


def _have_votes_confirmed(administrator: Person) -> None:
    administrator.open("/team/policy/change/")
    administrator.page.check("[name=confirm_votes]")
    administrator.page.fill("[name=reason]", "A vote is worth as much as a signature.")
    administrator.page.get_by_role("button", name="Put it in force").click()
    expect(administrator.page.locator("main")).to_contain_text("confirmed with the second factor")


def _set_up_an_app(approver: Person, review: str) -> str:
    """Set up an authenticator app, sign in anew and come back; returns a recovery code."""
    page = approver.page
    approver.open("/account/second-factor/app/")
    confirm_password(approver)
    page.fill("[name=code]", code_of(page.locator(".secret").inner_text()))
    page.get_by_role("button", name="Turn it on").click()
    code = page.locator(".recovery-codes li").first.inner_text()
    approver.open(review)
    return code


def _confirm(approver: Person, code: str) -> None:
    """What was sent goes on by itself once the factor was given."""
    page = approver.page
    page.wait_for_url("**/account/confirm/code/**")
    approver.check_page()
    page.fill("[name=code]", code)
    page.keyboard.press("Enter")
    page.wait_for_url("**/reviews/*-*/")


def _approve(approver: Person) -> None:
    page = approver.page
    page.check("[value=approve]")
    with page.expect_navigation():
        page.locator("#decide").click()


def _ask_for_waivers(steward: Person) -> None:
    page = steward.page
    while (asked := page.get_by_text("Ask for a waiver")).count():
        left = asked.count()
        asked.first.click()
        steward.check_page()
        page.locator(".waive[open] textarea").fill("The students are bound by contract.")
        page.locator(".waive[open] button").click()
        expect(page.get_by_text("Ask for a waiver")).to_have_count(left - 1)


def _agree_to_waivers(approver: Person) -> None:
    page = approver.page
    while (waiting := page.get_by_role("button", name="Agree to this waiver")).count():
        left = waiting.count()
        waiting.first.click()
        expect(page.get_by_role("button", name="Agree to this waiver")).to_have_count(left - 1)
    expect(page.locator("#gates-title")).to_have_text("Every gate passes or is waived")
    approver.check_page()


def _take_the_package(analyst: Person, release: str, folder: Path) -> None:
    """8 · The analyst takes the package, and it proves itself."""
    analyst.check_page()
    analyst.open(release)
    link = analyst.page.get_by_role("link", name="Download package")
    expect(link).to_be_visible()  # it is packed meanwhile
    analyst.check_page()
    package = download(analyst.page, "Download package", folder)
    _check_package(package)
    certificate = zipfile.ZipFile(package).read("certificate.html").decode()
    first_page = certificate.split('class="decided"')[1].split("</div>")[0]
    assert GOT_THROUGH in first_page


def _go_on_after_a_cut(analyst: Person, release: str) -> None:
    """The rest of a download that was cut off is fetched, and not counted again."""
    address = f"{analyst.address}{release}package.zip"
    etag = analyst.page.request.head(address).headers["etag"]
    resumed = {"Range": "bytes=1000-", "If-Range": etag}
    rest = analyst.page.request.get(address, headers=resumed)
    assert rest.status == 206
    analyst.open(release)
    expect(analyst.page.locator("#people")).to_contain_text("1 of 5")


def _get_a_new_period(steward: Person, analyst: Person, release: str) -> None:
    """A period is ended, the analyst asks for another, and the steward gives it."""
    steward.open(release)
    page = steward.page
    page.get_by_role("link", name="Change the terms of Analyst").click()
    page.get_by_role("button", name="End now for Analyst").click()
    assert analyst.status_of(f"{release}package.zip") == 403
    analyst.open(release)
    analyst.page.get_by_role("button", name="Ask for a new period").click()
    expect(analyst.page.locator("#messages")).to_contain_text("Asked.")
    steward.open(release)
    page.get_by_role("link", name="Answer the terms of Analyst").click()
    steward.check_page()
    page.get_by_role("button", name="Give a new period").click()
    expect(page.locator("#messages")).to_contain_text("Analyst was told")
    analyst.open(release)
    expect(analyst.page.get_by_role("link", name="Download package")).to_be_visible()


def _repeat_on_the_next_version(steward: Person, release: str, folder: Path) -> None:
    """The approved plan on next month's file: what does not fit is said, mended, and it runs."""
    page = steward.page
    steward.open(release)
    page.get_by_role("link", name="Repeat on next version").click()
    page.set_input_files("#id_file", _write_patients(folder, "Pilot"))
    steward.press_next("Upload and look at it")
    page.wait_for_url("**/datasets/*-*/upload/")
    steward.press_next("Keep and see what changed")
    page.wait_for_url("**/changes/")
    steward.open(release)
    page.get_by_role("button", name="Repeat on next version").click()
    page.wait_for_url("**/changes/")
    expect(page.locator("#messages")).to_contain_text("One thing does not fit the new file")
    expect(page.locator("#misfits")).to_contain_text("1 value has no place in the tree")
    steward.press_next("Place values")
    page.locator("[name=every_value]").check()
    page.select_option("[name=place_under]", index=2)
    page.get_by_role("button", name="Put them there").click()
    expect(page.locator("#coverage")).to_contain_text("Complete")
    steward.open(release)
    page.get_by_role("button", name="Repeat on next version").click()
    page.wait_for_url("**/report/")
    expect(page.locator("#dataset-bar")).to_contain_text("v2")


def _withdraw(steward: Person, analyst: Person, release: str) -> None:
    """A mistake: the release is withdrawn, and nobody can take it any more."""
    steward.open(release)
    page = steward.page
    page.get_by_text("Withdraw …").click()
    page.fill("[name=reason]", "A column was forgotten.")
    page.fill("[name=typed]", "something else")
    page.get_by_role("button", name="Withdraw release").click()
    expect(page.locator("#withdraw")).to_contain_text("Type exactly this")
    steward.check_page()
    page.fill("[name=typed]", page.title())
    page.get_by_role("button", name="Withdraw release").click()
    expect(page.locator("#withdrawn")).to_contain_text("A column was forgotten.")
    steward.check_page()
    assert analyst.status_of(f"{release}package.zip") == 404
    analyst.open(release)
    expect(analyst.page.locator("#withdrawn")).to_contain_text("A column was forgotten.")
    analyst.check_page()


def _look_into_the_records(steward: Person) -> None:
    steward.open("/audit/")
    expect(steward.page.locator("main")).to_contain_text("Downloaded a release")
    steward.check_page()
    for address in ("/releases/", "/datasets/", "/help/", "/help/getting-started/"):
        steward.open(address)
        steward.check_page()


def _find_nothing(outsider: Person, dataset: str, run: str, review: str, release: str) -> None:
    """9 · For the outsider none of it exists."""
    steps = ("", "upload/", "columns/", "taxonomies/", "taxonomies/1/", "protection/", "runs/")
    pages = ("", "progress/", "report/", "report.json", "recipe.zip", "review/")
    for address in (
        *(f"/datasets/{dataset}/{step}" for step in steps),
        *(f"/runs/{run}/{page}" for page in pages),
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
    dictionary = json.loads(package.read("datapackage.json"))["resources"][0]
    assert dictionary["dialect"]["delimiter"] == ";", "as in the file that came"
    job = next(field for field in dictionary["schema"]["fields"] if field["name"] == "job")
    assert "public knowledge" in job["labelsBelow"]
    rows = list(csv.DictReader(io.StringIO(package.read("release.csv").decode()), delimiter=";"))
    assert list(rows[0]) == ["zip", "age", "sex", "job", "condition", "ward"]
    assert len(rows) == report["rows"]["released"]
    groups = Counter((row["zip"], row["age"], row["sex"], row["job"]) for row in rows)
    assert min(groups.values()) == report["classes"]["smallest"] >= 3
    for group in groups:
        members = [row for row in rows if (row["zip"], row["age"], row["sex"], row["job"]) == group]
        assert len({row["condition"] for row in members}) >= 2
