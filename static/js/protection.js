// Protection: a rule or method that was just added is where typing goes on.
let before = new Set();

// Looking through what could be added changes nothing yet, so nothing is asked for.
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => { if (event.target.matches?.("[data-picks]")) event.stopPropagation(); }, true);
}

function parts() {
  return [...document.querySelectorAll("#protection .part")];
}

document.addEventListener("htmx:beforeSwap", (event) => {
  before = new Set(parts().map((part) => part.id));
  if (event.detail.target?.id !== "protection") return;
  // htmx copies styles from the old form to the new one, which the page's policy forbids; range.js sets them anew.
  for (const range of document.querySelectorAll("#protection .range")) range.removeAttribute("style");
});

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt?.id !== "protection") return;
  const added = parts().find((part) => !before.has(part.id));
  const field = added?.querySelector("input:not([type=hidden]), select, textarea");
  added?.scrollIntoView({ block: "nearest" });
  field?.focus({ preventScroll: true });
});
