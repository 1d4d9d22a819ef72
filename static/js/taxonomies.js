// Workbench: makes the tree an ARIA tree with one tab stop. Every change is a button of the form around it; keys and dragging only
// fill that form in and press the button. The answer brings the rows anew, so all is set up again after each.
const UNDO = { z: "tree-undo", y: "tree-redo" };
const IN_TEXT = "input:not([type=checkbox]), textarea"; // where Ctrl Z undoes typing
const SEARCH_PAUSE = 600;
const ticked = new Set();
let at = null; // number of the node the cursor stands on
let wanted = "add"; // what Enter in the name field does
let scrolled = 0;
let firstBefore = null;
let takesFocus = false;
let typed = "";
let typedAt = 0;

const tree = () => document.getElementById("tree");
const form = () => document.getElementById("tree-edit");
const items = () => [...tree().children];
const current = () => document.getElementById(`node-${at}`);

function nameOf(item) {
  return item?.querySelector(".tree-name")?.textContent.trim() || "";
}

// Roles and the one tab stop

function dress(item) {
  const { depth, group, open, position, siblings, ofLevel, node } = item.dataset;
  item.setAttribute("role", "treeitem");
  item.setAttribute("aria-level", String(Number(depth) + 1));
  item.tabIndex = -1;
  for (const part of item.querySelectorAll("button, input")) part.tabIndex = -1;
  for (const part of item.querySelectorAll(".tree-tick, .tree-toggle")) part.setAttribute("aria-hidden", "true");
  if (!node) return;
  item.setAttribute("aria-label", `${nameOf(item)}, level ${ofLevel}, ${item.querySelector(".tree-count").textContent}`);
  item.setAttribute("aria-posinset", position);
  item.setAttribute("aria-setsize", siblings);
  if (group !== undefined && item.querySelector("button.tree-toggle")) item.setAttribute("aria-expanded", open);
  item.draggable = !item.querySelector("input").disabled;
}

function setUp() {
  const box = tree();
  if (!box || !form()) return;
  box.setAttribute("role", "tree");
  box.setAttribute("aria-labelledby", "tree-title");
  box.setAttribute("aria-multiselectable", "true");
  items().forEach(dress);
  for (const chip of document.querySelectorAll("#to-place .chip")) chip.draggable = true;
  for (const item of items()) {
    const tick = item.querySelector("input");
    if (tick) tick.checked = ticked.has(item.dataset.node);
  }
  const said = document.getElementById("tree-card").dataset.at;
  if (said) at = said;
  stand(current() || items()[0]);
  // Another window of rows begins at its top; the same one stays where it was.
  const first = items().find((item) => item.dataset.node)?.dataset.node;
  box.scrollTop = first === firstBefore ? scrolled : 0;
  firstBefore = first;
  showTicked();
}

// The cursor stands on an item; `goes` moves the focus there as well.
function stand(item, goes = false) {
  if (!item) return;
  for (const one of tree().querySelectorAll("[tabindex='0']")) one.tabIndex = -1;
  item.tabIndex = 0;
  at = item.dataset.node ?? null;
  form().elements.at.value = at ?? "";
  if (goes) {
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }
  tell();
}

function showTicked() {
  for (const item of items()) {
    const tick = item.querySelector("input");
    if (tick) item.setAttribute("aria-selected", String(tick.checked));
  }
  tell();
}

function tell() {
  const line = form().querySelector("[data-chosen]");
  const words = ticked.size ? `${ticked.size} ticked` : nameOf(current()) || "Tick what you want to change.";
  if (line.textContent !== words) line.textContent = words;
}

function tick(item, value) {
  const box = item?.querySelector("input");
  if (!box || box.disabled) return;
  box.checked = value ?? !box.checked;
  if (box.checked) ticked.add(item.dataset.node);
  else ticked.delete(item.dataset.node);
  showTicked();
}

function clearTicks() {
  for (const item of items()) tick(item, false);
  ticked.clear();
  tell();
}

// Keys

function step(by) {
  const list = items();
  const from = list.indexOf(document.activeElement.closest("#tree > li") || current());
  return list[Math.min(Math.max(from + by, 0), list.length - 1)];
}

function parentOf(item) {
  const depth = Number(item.dataset.depth);
  let one = item;
  while (one && Number(one.dataset.depth) >= depth) one = one.previousElementSibling;
  return one;
}

function toggle(item, open) {
  const button = item.querySelector("button.tree-toggle");
  if (!button || (item.dataset.open === "true") === open) return false;
  takesFocus = true;
  button.click();
  return true;
}

function sideways(item, right) {
  if (toggle(item, right)) return;
  if (right && item.dataset.open === "true") stand(step(1), true);
  else if (!right && parentOf(item)) stand(parentOf(item), true);
}

function search(letter) {
  typed = Date.now() - typedAt > SEARCH_PAUSE ? letter : typed + letter;
  typedAt = Date.now();
  const list = items();
  const from = list.indexOf(current()) + (typed.length > 1 ? 0 : 1);
  const order = [...list.slice(from), ...list.slice(0, from)];
  stand(order.find((item) => nameOf(item).toLowerCase().startsWith(typed)), true);
}

function openName(action) {
  wanted = action;
  const field = form().elements.name;
  field.value = action === "rename" ? current()?.dataset.name || "" : "";
  field.focus();
  field.select();
}

function openGroups(action) {
  wanted = action;
  form().elements.under.focus();
}

function press(action) {
  const button = [...form().elements].find((one) => one.name === "do" && one.value === action);
  if (!button || button.disabled) return;
  takesFocus = true;
  form().requestSubmit(button);
}

const ACTS = {
  ArrowDown: (item, event) => { if (event.shiftKey) tick(item, true); stand(step(1), true); if (event.shiftKey) tick(current(), true); },
  ArrowUp: (item, event) => { if (event.shiftKey) tick(item, true); stand(step(-1), true); if (event.shiftKey) tick(current(), true); },
  ArrowRight: (item) => sideways(item, true),
  ArrowLeft: (item) => sideways(item, false),
  Home: () => stand(items()[0], true),
  End: () => stand(items().at(-1), true),
  PageDown: () => stand(step(12), true),
  PageUp: () => stand(step(-12), true),
  Enter: (item) => {
    if (toggle(item, item.dataset.open !== "true")) return;
    takesFocus = true;
    item.querySelector(".tree-more button")?.click();
  },
  " ": (item) => tick(item),
  F2: () => openName("rename"),
  n: () => openName("add"),
  m: () => openGroups("move"),
  g: () => openGroups("merge"),
  Delete: () => press("dissolve"),
  Escape: () => clearTicks(),
};

document.addEventListener("keydown", (event) => {
  if (!form() || event.defaultPrevented) return;
  const combined = event.ctrlKey || event.metaKey;
  const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (combined && UNDO[letter] && !event.target.closest(IN_TEXT)) {
    event.preventDefault();
    document.getElementById(UNDO[event.shiftKey && letter === "z" ? "y" : letter])?.click();
    takesFocus = true;
    return;
  }
  if (letter === "m" && !combined && event.target.closest("#to-place")) {
    event.preventDefault();
    event.target.checked = true;
    document.getElementById("place-under").focus();
    return;
  }
  if (event.target.closest("#tree-edit")) inForm(event);
  else if (event.target.id === "tree-find" && event.key === "Enter") event.preventDefault();
  const item = event.target.closest("#tree > li");
  if (!item || event.target !== item || combined || event.altKey) return;
  const act = ACTS[letter];
  if (!act && letter.length > 1) return;
  if (letter === "/" || letter === "?") return;
  event.preventDefault();
  if (act) act(item, event);
  else search(letter);
});

function inForm(event) {
  if (event.key === "Escape") {
    event.preventDefault();
    stand(current() || items()[0], true);
  }
  const inName = event.target.name === "name";
  if (event.key !== "Enter" || !(inName || event.target.name === "under")) return;
  event.preventDefault();
  const fits = inName ? ["add", "rename"] : ["move", "merge"];
  press(fits.includes(wanted) ? wanted : fits[0]);
}

// Pointer: a click stands, a tick ticks, a drag moves.

document.addEventListener("click", (event) => {
  const item = event.target.closest("#tree > li");
  if (!item || !form()) return;
  if (event.target.closest("button")) {
    stand(item);
    takesFocus = true;
  } else if (!event.target.closest(".tree-tick")) {
    stand(item, true);
    if (event.ctrlKey || event.metaKey) tick(item);
  }
});

// However the focus came: what a key does, it does to the item that has it.
document.addEventListener("focusin", (event) => {
  if (event.target.matches?.("#tree > li") && form()) stand(event.target);
});

document.addEventListener("change", (event) => {
  const item = event.target.closest("#tree > li");
  if (item) tick(item, event.target.checked);
});

document.addEventListener("dragstart", (event) => {
  const chip = event.target.closest?.("#to-place .chip");
  const item = event.target.closest?.("#tree > li[draggable=true]");
  if (!chip && !item) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", "");
  if (chip) {
    clearTicks();
    chip.querySelector("input").checked = true;
  } else if (!item.querySelector("input").checked) {
    clearTicks();
    for (const one of document.querySelectorAll("#to-place input")) one.checked = false;
    stand(item);
  }
});

function target(event) {
  return event.target.closest?.("#tree > li[data-group]");
}

document.addEventListener("dragover", (event) => {
  const group = target(event);
  for (const row of document.querySelectorAll(".is-drop-target")) {
    if (row.parentElement !== group) row.classList.remove("is-drop-target");
  }
  if (!group) return;
  event.preventDefault();
  group.firstElementChild.classList.add("is-drop-target");
});

document.addEventListener("drop", (event) => {
  const group = target(event);
  if (!group) return;
  event.preventDefault();
  const select = form().elements.under;
  if (![...select.options].some((option) => option.value === group.dataset.node)) {
    select.add(new Option(nameOf(group), group.dataset.node));
  }
  select.value = group.dataset.node;
  press("move");
});

document.addEventListener("dragend", () => {
  for (const row of document.querySelectorAll(".is-drop-target")) row.classList.remove("is-drop-target");
});

// The level under the cursor or the focus is marked in the table of effects; all levels are already there.

function point(level) {
  const rows = document.querySelectorAll("#effect-table tbody tr");
  rows.forEach((row, index) => row.classList.toggle("is-selected", String(index) === level));
}

for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const row = event.target.closest?.("#tree [data-of-level]");
    if (row) point(row.dataset.ofLevel);
  });
}

// Requests and answers

// Most buttons stand outside of the form they belong to, where htmx does not see which one was pressed.
document.addEventListener("htmx:configRequest", (event) => {
  if (!event.detail.elt.matches("#tree-edit, #tree-view")) return;
  const button = event.detail.triggeringEvent?.submitter;
  if (button?.name) event.detail.parameters[button.name] = button.value;
  // The pressed button may be gone with the answer; the focus then belongs to what was changed.
  if (event.detail.elt === form()) takesFocus = true;
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target?.id !== "tree-card") return;
  scrolled = tree()?.scrollTop || 0;
  const isChange = event.detail.requestConfig?.verb === "post";
  if (isChange && event.detail.xhr.status === 200) ticked.clear();
});

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt?.id === "tree-card") {
    setUp();
    if (takesFocus) stand(current() || tree().querySelector("[data-node]"), true);
    takesFocus = false;
  }
  document.getElementById("builder-problem")?.focus();
});

setUp();
