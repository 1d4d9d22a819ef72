"""A taxonomy of 2,000 values at a real browser: built, and changed with the keyboard alone."""

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import Person, new_context
from tests.launcher.portal import RunningPortal

PLACES = [f"place {number:04}" for number in range(2000)]
MISSED = PLACES[-3:]


def _write_table(folder: Path) -> Path:
    path = folder / "places.csv"
    people = (f"{place},{20 + row % 60}\n" for row, place in enumerate(PLACES * 2))
    path.write_text("place,age\n" + "".join(people))
    return path


def _write_taxonomy(folder: Path) -> Path:
    """50 districts in five regions; three places are missing."""
    path = folder / "districts.csv"
    rows = (
        f"{place};district {number // 40:02};region {number // 400};*\n"
        for number, place in enumerate(PLACES)
        if place not in MISSED
    )
    path.write_text("".join(rows))
    return path


def _upload_and_tag(steward: Person, table: Path) -> str:
    page = steward.page
    page.get_by_role("link", name="Upload a table").click()
    page.set_input_files("#id_file", table)
    page.locator(".next-bar .btn-primary").click()
    page.wait_for_url("**/datasets/*-*/upload/")
    dataset = page.url.split("/datasets/")[1].split("/")[0]
    page.locator(".next-bar .btn-primary").click()
    page.wait_for_url("**/columns/")
    for position, (name, role) in enumerate({"place": "Quasi", "age": "Harmless"}.items()):
        group = page.get_by_role("radiogroup", name=f"What {name} is", exact=True)
        group.locator("label", has_text=role).first.click()
        expect(page.locator(f"#column-{position}")).not_to_have_attribute("data-role", "")
    return dataset


def _walk_into_the_tree(page: Page) -> None:
    """Tab until the focus stands in the tree."""
    for _ in range(40):
        if page.evaluate("document.activeElement.matches('#tree > li')"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("The tree cannot be reached with the Tab key.")


def _expect_focus(page: Page, name: str) -> None:
    expect(page.locator("#tree > li:focus .tree-name")).to_have_text(name)


def _keep_export(page: Page, label: str, path: Path) -> Path:
    with page.expect_download() as waiting:
        page.locator("#tree-tools").get_by_role("link", name=label).press("Enter")
    waiting.value.save_as(path)
    return path


def _open_builder(page: Page, kind: str) -> None:
    """The builders stand behind one button once there is a tree."""
    if page.locator("#open-builders").count():
        page.locator("#open-builders").press("Enter")
    page.locator(f"#tab-{kind}").press("Enter")


def _use_file(page: Page, path: Path) -> None:
    if not page.locator("#taxonomy-file").count():
        _open_builder(page, "file")
    page.set_input_files("#taxonomy-file", path)
    page.get_by_role("button", name="Use this file").press("Enter")


def test_two_thousand_values_by_keyboard(
    portal: RunningPortal, browser: Browser, tmp_path: Path
) -> None:
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    dataset = _upload_and_tag(steward, _write_table(tmp_path))
    steward.open(f"/datasets/{dataset}/taxonomies/0/?tab=file")
    _use_file(page, _write_taxonomy(tmp_path))
    expect(page.locator("#coverage")).to_contain_text("1,997 of 2,000 values placed")
    expect(page.locator("#tree > li")).to_have_count(6)
    steward.check_page()
    _place_what_is_missing(page)
    _rename_and_group(page)
    _move_undo_and_redo(page)
    steward.check_page()
    _take_out_and_back_in(page, tmp_path)
    steward.check_page()


def _place_what_is_missing(page: Page) -> None:
    page.locator("[name=every_value]").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("*")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#coverage")).to_contain_text("All 2,000 values placed")
    expect(page.locator("#tree-said")).to_have_text("3 values placed.")
    _expect_focus(page, "Any place (\u00a0*\u00a0)")


def _rename_and_group(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("district 17")
    expect(page.locator("#tree > li")).to_have_count(3)
    _walk_into_the_tree(page)
    page.keyboard.press("End")
    _expect_focus(page, "district 17")
    page.keyboard.press("F2")
    page.keyboard.type("The harbour")
    page.keyboard.press("Enter")
    _expect_focus(page, "The harbour")
    page.keyboard.press("n")
    page.keyboard.type("The quay")
    page.keyboard.press("Enter")
    _expect_focus(page, "The quay")
    expect(page.locator("#tree > li:focus")).to_have_attribute("aria-level", "4")


def _move_undo_and_redo(page: Page) -> None:
    """Two places are ticked and moved into the new group; that is undone, redone, dissolved."""
    quay = page.locator("#tree > li", has_text="The quay")
    page.keyboard.press("ArrowLeft")
    _expect_focus(page, "The harbour")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("Shift+ArrowDown")
    expect(page.locator("[data-chosen]")).to_have_text("2 ticked")
    page.keyboard.press("m")
    page.keyboard.type("The quay")
    page.keyboard.press("Enter")
    expect(quay.locator(".tree-count")).to_contain_text("4")
    _expect_focus(page, "place 0680")
    page.keyboard.press("Control+z")
    expect(quay.locator(".tree-count")).to_contain_text("0")
    _expect_focus(page, "place 0680")
    page.keyboard.press("Control+y")
    expect(quay.locator(".tree-count")).to_contain_text("4")
    _expect_focus(page, "place 0680")
    expect(page.locator("#history")).to_contain_text("4 changes")


def _take_out_and_back_in(page: Page, folder: Path) -> None:
    """Exported as CSV and JSON, replaced by something else, read back: nothing is different."""
    first = {
        "JSON": _keep_export(page, "JSON", folder / "first.json"),
        "Export": _keep_export(page, "Export", folder / "first.csv"),
    }
    assert len(first["Export"].read_text().splitlines()) == 2000
    for label, path in first.items():
        _open_builder(page, "flat")
        page.get_by_role("button", name="Build and replace").press("Enter")
        expect(page.locator("#effect-title")).to_contain_text("no step between exact and hidden")
        _use_file(page, path)
        expect(page.locator("#effect-title")).to_contain_text("At level 1, 2,000 values")
        again = _keep_export(page, label, folder / f"again{path.suffix}")
        assert again.read_bytes() == path.read_bytes()


def _open_education(steward: Person) -> None:
    page = steward.page
    page.set_viewport_size({"width": 1280, "height": 1600})
    steward.open("/datasets/")
    page.get_by_role("link", name="Adult census").first.click()
    page.get_by_role("link", name="Taxonomies").first.click()
    page.wait_for_url("**/taxonomies/**")
    page.locator("#shelf").get_by_role("link", name="education").click()
    expect(page.locator("#coverage")).to_contain_text("All 16 values placed")


def test_a_value_is_taken_out_and_dragged_back_in(portal: RunningPortal, browser: Browser) -> None:
    steward = Person(browser, portal.address, "steward")
    page = steward.page
    _open_education(steward)
    page.locator("#tree > li", has_text="Masters").locator("input").check()
    page.get_by_role("button", name="Dissolve").click()
    expect(page.locator("#to-place")).to_contain_text("Masters")
    expect(page.locator("#effect")).to_contain_text("Counted without the values")
    steward.check_page()
    chip = page.locator("#to-place .chip")
    expect(chip).to_have_attribute("draggable", "true")
    chip.drag_to(page.locator("#tree > li[data-name='Undergraduate']"))
    expect(page.locator("#coverage")).to_contain_text("All 16 values placed")
    masters = page.locator("#tree > li", has_text="Masters")
    masters.drag_to(page.locator("#tree > li[data-name='Graduate']"))
    expect(page.locator("#tree > li[data-name='Graduate'] .tree-count")).to_contain_text("2,002")
    masters.hover()
    expect(page.locator("#effect-table tr.is-selected th")).to_have_text("0 · exact")
    steward.check_page()


def test_the_tree_without_scripts(portal: RunningPortal, browser: Browser) -> None:
    steward = Person(browser, portal.address, "steward")
    _open_education(steward)
    state = steward.page.context.storage_state()
    context = new_context(browser, java_script_enabled=False, storage_state=state)
    page = context.new_page()
    page.goto(steward.page.url)
    page.locator("#node-0 button.tree-toggle").click()
    expect(page.locator("#tree > li")).to_have_count(1)
    page.get_by_role("button", name="Open all").click()
    page.get_by_label("Choose Doctorate").check()
    page.get_by_label("Choose Prof-school").check()
    page.fill("#tree-name", "Long studies")
    page.get_by_role("button", name="New group").click()
    expect(page.locator("#messages")).to_contain_text("A new group was added.")
    group = page.locator("#tree > li", has_text="Long studies").first
    expect(group.locator(".tree-count")).to_contain_text("917")
    page.get_by_role("button", name="Undo").click()
    expect(group).to_have_count(0)
    context.close()
