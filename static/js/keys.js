// Keys: every button or link that carries data-key="a" is pressed by that key, outside of fields. "?" lists them.
//   data-key="i"  one key, upper or lower case   data-key="Ctrl+Enter"   data-key="/" focuses a field instead
//   data-key-label="Tag as identifier"  words for the list; otherwise the button's own text
//   data-key-note="Shift+↓" with a label: only listed; the page's own script listens for it
//   data-key-scope on a container: only the selected (or focused) container's keys work (rows of a table)
const NAMES = { " ": "Space", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const IN_FIELD = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=true]";
const sheet = document.getElementById("keys-sheet");

function pressed(event) {
  const key = NAMES[event.key] || event.key;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && key.length > 1) parts.push("Shift");
  parts.push(key.length === 1 ? key.toLowerCase() : key);
  return parts.join("+");
}

function named(element) {
  const key = element.dataset.key;
  return key.length === 1 ? key.toLowerCase() : key;
}

function reachable(element) {
  if (element.offsetParent === null && !element.closest("dialog[open], .next-bar")) return false;
  const scope = element.closest("[data-key-scope]");
  return !scope || scope.matches(".is-selected, [aria-selected=true], :focus-within");
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  const combination = pressed(event);
  const inField = event.target.closest?.(IN_FIELD);
  if (inField) {
    if (event.key === "Escape" && inField.dataset.key) inField.blur();
    if (!combination.startsWith("Ctrl+")) return;
  }
  if (combination === "Space" && event.target.closest?.("button, a, summary, input")) return;
  if (combination === "?") {
    event.preventDefault();
    list();
    return;
  }
  const target = [...document.querySelectorAll("[data-key]")].find((one) => named(one) === combination && reachable(one));
  if (!target) return;
  event.preventDefault();
  if (target.matches(IN_FIELD)) target.focus();
  else target.click();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-open-keys]")) list();
  else if (event.target === sheet) sheet.close();
});

function list() {
  if (!sheet || sheet.open) return;
  const box = sheet.querySelector("[data-keys-list]");
  box.replaceChildren();
  const seen = new Set();
  for (const element of document.querySelectorAll("[data-key], [data-key-note]")) {
    const words = element.dataset.keyLabel || element.getAttribute("aria-label") || element.textContent.trim();
    const key = element.dataset.key || element.dataset.keyNote;
    if (seen.has(key)) continue;
    seen.add(key);
    add(box, words, key);
  }
  add(box, "This list", "?");
  add(box, "Close a menu or this list", "Esc");
  sheet.showModal();
}

function add(box, words, key) {
  const term = document.createElement("dt");
  term.textContent = words;
  const value = document.createElement("dd");
  for (const part of key.length > 1 ? key.split("+") : [key]) {
    const cap = document.createElement("kbd");
    cap.textContent = part.length === 1 ? part.toUpperCase() : part;
    value.append(cap, " ");
  }
  box.append(term, value);
}
