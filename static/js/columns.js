// Columns: one row is selected and shown in the panel, rows are filtered, ticked rows are tagged together.
// Tagging itself is htmx; the keys are those of keys.js, each bound to a control of the selected row.
const LOOK_AFTER = 150;
const ROLE_WORDS = { "": "open", insensitive: "harmless" };
const table = document.getElementById("columns-table");
const filter = document.getElementById("column-filter");
const bulk = document.getElementById("bulk-form");
const all = document.getElementById("pick-all");
let selected = document.getElementById("column-panel")?.dataset.position;
let show = "all";
let looking = 0;
const kept = new Set(); // rows decided under "To decide" stay until the view is changed

function rows() {
  return [...table.tBodies[0].rows];
}

function shownRows() {
  return rows().filter((row) => !row.hidden);
}

// Selection

function mark() {
  for (const row of rows()) {
    const chosen = row.dataset.position === selected;
    row.classList.toggle("is-selected", chosen);
    row.tabIndex = chosen ? 0 : -1;
    if (chosen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

function select(row) {
  if (!row || row.dataset.position === selected) return;
  selected = row.dataset.position;
  mark();
  clearTimeout(looking);
  // The panel follows a little later, so that walking down a long table asks once, at the end.
  looking = setTimeout(() => document.getElementById(`open-${selected}`)?.dispatchEvent(new Event("look")), LOOK_AFTER);
}

function step(by) {
  const list = shownRows();
  const at = list.findIndex((row) => row.dataset.position === selected);
  const row = list[at < 0 ? 0 : Math.min(Math.max(at + by, 0), list.length - 1)];
  if (!row) return;
  select(row);
  row.focus();
}

table.addEventListener("focusin", (event) => select(event.target.closest("tbody tr")));
table.addEventListener("click", (event) => {
  const row = event.target.closest("tbody tr");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("a")) event.preventDefault();
  else if (event.target.closest("button, input, select, label")) return;
  else row.focus({ preventScroll: true });
  select(row);
});

// The arrow buttons of the panel are links for those without scripts; here they walk the rows shown.
document.addEventListener("click", (event) => {
  const arrow = event.target.closest("[data-step]");
  if (!arrow) return;
  event.preventDefault();
  step(Number(arrow.dataset.step));
});

// Filter

function matches(row, words) {
  const { name, type, role, missing, danger } = row.dataset;
  return words.every((word) => {
    const [, key, value] = word.match(/^(type|role|danger):(.*)$/) || [];
    // "Very high" is high, too.
    if (key === "danger") return danger.includes(value);
    if (key) return (key === "type" ? type : ROLE_WORDS[role] || role).startsWith(value);
    const more = word.match(/^missing>(\d+)$/);
    return more ? Number(missing) > Number(more[1]) : name.includes(word);
  });
}

function applyFilter() {
  const wantedWords = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows()) {
    const decided = row.dataset.role !== "";
    const wanted = show === "all" || kept.has(row.dataset.position) || (show === "decided") === decided;
    row.hidden = !(wanted && matches(row, wantedWords));
    if (!row.hidden) count += 1;
  }
  const total = rows().length;
  document.getElementById("no-column").hidden = count > 0;
  const words = count === total ? `${total} columns, sorted by danger` : `${count} of ${total} columns shown`;
  const line = document.getElementById("columns-shown");
  if (line.textContent !== words) line.textContent = words;
  countTicked();
}

function showOnly(what) {
  show = what;
  kept.clear();
  for (const button of document.querySelectorAll("[data-show]")) {
    button.setAttribute("aria-pressed", String(button.dataset.show === what));
  }
  applyFilter();
}

filter.addEventListener("input", () => {
  kept.clear();
  applyFilter();
});

document.addEventListener(
  "click",
  (event) => {
    const button = event.target.closest("[data-show]");
    if (button) showOnly(button.dataset.show);
    // "Show all", and a blocked next step: what it leads to must not be hidden.
    if (event.target.closest("[data-clear-filter], [data-blocked]")) {
      filter.value = "";
      showOnly("all");
    }
  },
  { capture: true },
);

// Ticked rows

function ticked() {
  return rows().filter((row) => row.querySelector("input[name=position]")?.checked);
}

function countTicked() {
  if (!bulk) return;
  const chosen = ticked();
  const shown = shownRows();
  bulk.classList.toggle("is-open", chosen.length > 0);
  bulk.querySelector("[data-bulk-count]").textContent = chosen.length ? `${chosen.length} selected` : "Select all shown";
  bulk.querySelector("[data-bulk-names]").textContent = chosen.map((row) => row.querySelector(".cell-title").title).join(", ");
  all.checked = chosen.length > 0 && shown.every((row) => chosen.includes(row));
  all.indeterminate = chosen.length > 0 && !all.checked;
}

// A row that a filter hides is not what the person sees as chosen.
function tickShown(value) {
  for (const row of rows()) row.querySelector("input[name=position]").checked = value && !row.hidden;
  countTicked();
}

// Shift and an arrow tick the row and the next one, as in a list of files.
table.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = event.target.closest("tbody tr");
  if (!by || !event.shiftKey || !row || !bulk) return;
  event.preventDefault();
  const tick = (one) => {
    const box = one?.querySelector("input[name=position]");
    if (box) box.checked = true;
  };
  tick(row);
  step(by);
  tick(document.getElementById(`column-${selected}`));
  countTicked();
});

all?.addEventListener("change", () => tickShown(all.checked));
table.addEventListener("change", (event) => {
  if (event.target.name === "position") countTicked();
});

// After an answer: the new row knows nothing of what was selected, ticked or filtered.

let tickedBefore = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  const target = event.detail.target;
  if (target.matches?.("#columns-table tbody tr")) {
    tickedBefore = ticked().map((row) => row.dataset.position);
    if (show !== "all") kept.add(target.dataset.position);
  } else if (target.id === "columns-body") {
    tickedBefore = [];
    if (show !== "all") for (const row of ticked()) kept.add(row.dataset.position);
  }
});

// Only once htmx has settled: until then it puts the attributes of the old row onto the new one.
document.addEventListener("htmx:afterSettle", (event) => {
  if (!event.target.closest?.("#columns-table")) return;
  for (const position of tickedBefore) {
    const box = document.getElementById(`pick-${position}`);
    if (box) box.checked = true;
  }
  tickedBefore = [];
  mark();
  applyFilter();
});

// A decision that was refused must not look as if it had been saved.
document.addEventListener("htmx:responseError", (event) => {
  const form = event.target.closest?.("#columns-table form, #column-panel form");
  if (!form) return;
  form.reset();
  const saved = document.getElementById("saved");
  if (saved) saved.textContent = "Not saved. Reload the page and try again.";
});

if (rows().length > 50 && rows().some((row) => row.dataset.role === "")) {
  showOnly("open");
  kept.add(selected);
  applyFilter();
} else {
  countTicked();
}
