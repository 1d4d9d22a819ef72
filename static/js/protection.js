// Protection: nothing that was answered is lost, and a rule or method that was just added is where typing goes on.
const SIGNED_OUT = "protection-when-signed-out";
let before = new Set();

// A page that came as the answer to a refused form is loaded anew with what is saved, not sent once more.
history.replaceState(history.state, "", location.href);

// What was changed while the connection was away is saved, and its price asked for, once it is back.
document.addEventListener("portal:online", () => {
  for (const name of ["plan-edited", "plan-changed"]) window.htmx.trigger(document.body, name);
});

function plainAnswers(form) {
  return [...form.querySelectorAll("input[type=number], input[type=radio], input[inputmode], select")].filter((field) => field.name);
}

// The session was over when an answer was to be saved: the same person finds the answers when they come back. Those in
// plain words only, which name no value of the table.
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const form = document.getElementById("protection");
  if (!event.detail.xhr.getResponseHeader("HX-Redirect") || form?.elements.view.value !== "plain") return;
  const answers = plainAnswers(form).filter((field) => field.type !== "radio" || field.checked).map((field) => [field.name, field.value]);
  sessionStorage.setItem(SIGNED_OUT, JSON.stringify({ path: location.pathname, person: form.dataset.person, answers }));
});

function takeUpAnswers() {
  const form = document.getElementById("protection");
  const kept = JSON.parse(sessionStorage.getItem(SIGNED_OUT) || "null");
  if (!kept || kept.path !== location.pathname) return;
  sessionStorage.removeItem(SIGNED_OUT);
  if (kept.person !== form.dataset.person || form.elements.view.value !== "plain") return;
  const answers = new Map(kept.answers);
  for (const field of plainAnswers(form)) {
    if (!answers.has(field.name)) continue;
    if (field.type === "radio") field.checked = field.value === answers.get(field.name);
    else field.value = answers.get(field.name);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

addEventListener("load", takeUpAnswers);

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
