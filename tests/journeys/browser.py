"""A person at a real browser: sign in, walk, and have every page checked on the way."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Response,
    expect,
    sync_playwright,
)

from tests.patience import PATIENCE

PATIENCE_MS = 1000 * PATIENCE
expect.set_options(timeout=PATIENCE_MS)

# The first is the same browser without the windows, which nobody sees here; it is a tenth faster.
CHROMIUM = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
]
# The last ones keep the browser from calling its maker.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Colors are measured, so nothing may be fading: no request under way, no transition running.
# What was changed just now, the theme for example, is drawn and fades only from the next frame on.
SETTLED = """async () => {
  await document.fonts.ready;
  const frame = () => new Promise(requestAnimationFrame);
  const busy = ".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added";
  const ends = one => one.effect.getTiming().iterations !== Infinity;
  const fading = () => document.getAnimations().filter(ends);
  do {
    await frame();
    await frame();
    await Promise.allSettled(fading().map(one => one.finished));
  } while (document.querySelector(busy) || fading().length);
}"""
# Measuring colors takes most of the time, and a table has hundreds of cells in the same ones. Of
# texts that look alike, in elements alike all the way up, the first, the middle and the last are
# measured.
ACCESSIBLE = """() => {
  const numbers = new Map();  // of a look, given the number of the look around it
  const looks = new Map();    // of an element
  const look = element => {
    if (!element) return 0;
    if (!looks.has(element)) {
      const style = getComputedStyle(element);
      const own = [
        look(element.parentElement), element.localName, element.getAttribute("class"),
        element.matches(":disabled, [aria-disabled=true]"), element.control?.disabled,
        element.checkVisibility(), style.color, style.backgroundColor, style.backgroundImage,
        style.opacity, style.visibility, style.position, style.fontSize, style.fontWeight,
        style.textShadow, style.filter, style.mixBlendMode, style.fill,
      ].join("|");
      if (!numbers.has(own)) numbers.set(own, numbers.size + 1);
      looks.set(element, numbers.get(own));
    }
    return looks.get(element);
  };
  const isText = node => node.nodeType === Node.TEXT_NODE && node.data.trim();
  const alike = new Map();
  for (const element of document.querySelectorAll("*")) {
    const has = element.matches("input, select, textarea") || [...element.childNodes].some(isText);
    if (has) alike.set(look(element), [...(alike.get(look(element)) ?? []), element]);
  }
  const some = all => [all[0], all[all.length >> 1], all.at(-1)];
  const measured = new Set([...alike.values()].flatMap(some));
  const colors = axe._audit.rules.find(rule => rule.id === "color-contrast");
  const applies = colors.matches;
  colors.matches = (node, ...others) => measured.has(node) && applies(node, ...others);
  return axe.run({ resultTypes: ["violations"] });
}"""


@contextmanager
def open_browser() -> Iterator[Browser]:
    found = next((path for name in CHROMIUM if (path := which(name))), None)
    assert found, "The browser journeys need Chromium; make test installs it."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """Open a window of its own that is as patient as everything else here.

    Its owner asks for pages that do not move: drawing a bar that wanders while somebody waits takes
    the processor from what is waited for.
    """
    context = browser.new_context(reduced_motion="reduce", **options)
    context.set_default_timeout(PATIENCE_MS)
    return context


class Person:
    """Somebody of the demo, with a browser window of their own."""

    def __init__(self, browser: Browser, address: str, name: str) -> None:
        self.address = address
        self.name = name
        context = new_context(browser, viewport={"width": 1280, "height": 900})
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.sign_in()

    def _note(self, message: ConsoleMessage) -> None:
        # The browser reports every 4xx and 5xx, and htmx every request that a newer one or the way
        # to the next page cut short; both are meant.
        expected = ("Failed to load resource", "htmx:sendAbort", "htmx:afterRequest")
        if message.type in ("error", "warning") and not message.text.startswith(expected):
            self.complaints.append(f"{self.page.url}: {message.text}")

    def sign_in(self) -> None:
        self.page.goto(f"{self.address}/sign-in/")
        self.page.fill("[name=login]", self.name)
        self.page.fill("[name=password]", f"demo-{self.name}")
        self.page.press("[name=password]", "Enter")
        self.page.wait_for_url(f"{self.address}/")

    def open(self, path: str) -> Response:
        response = self.page.goto(f"{self.address}{path}")
        assert response is not None
        return response

    def status_of(self, path: str) -> int:
        return self.page.request.get(f"{self.address}{path}", max_redirects=0).status

    def press_next(self, label: str) -> None:
        """Press a button of the bar at the bottom."""
        self.page.locator(".next-bar").get_by_text(label, exact=True).click()

    def check_page(self) -> None:
        """Refuse pages with accessibility violations or complaints in the console."""
        self.page.evaluate(SETTLED)
        self.page.evaluate(AXE_SCRIPT)
        found = AxeResults(self.page.evaluate(ACCESSIBLE))
        assert found.violations_count == 0, f"{self.page.url}\n{found.generate_report()}"
        assert not self.complaints, self.complaints


def download(page: Page, label: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.get_by_text(label).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path
