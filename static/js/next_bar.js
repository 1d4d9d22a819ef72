// A blocked button of the next bar leads to the first open item instead of doing nothing.
const FOCUSABLE = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary, [tabindex]";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-blocked]");
  if (!button) return;
  event.preventDefault();
  const open = button.dataset.focus && document.querySelector(button.dataset.focus);
  if (!open) return;
  for (let box = open.closest("details:not([open])"); box; box = box.parentElement.closest("details:not([open])")) {
    box.open = true;
  }
  const target = open.matches(FOCUSABLE) ? open : open.querySelector(FOCUSABLE) || open;
  if (!target.matches(FOCUSABLE)) target.tabIndex = -1;
  target.scrollIntoView({ block: "center" });
  target.focus({ preventScroll: true });
  const announce = document.getElementById("announce");
  const why = document.getElementById("next-why");
  if (announce && why) announce.textContent = why.textContent.trim();
});
