// Columns: the table is a grid with one tab stop. One row is selected and shown in the panel; ticked rows are tagged together.
// Tagging, filtering and folding are htmx; the keys are those of keys.js, each bound to a control of the selected row.
const LOOK_AFTER = 150;
const CONTROLS = "a, button, input, select";
const filter = document.getElementById("column-filter");
const panelOf = () => document.getElementById("column-panel");
const list = () => document.getElementById("columns-list");
const rows = () => [...(document.getElementById("columns-body")?.rows || [])];
const boxOf = (row) => row?.querySelector("input[name=position]");
let selected = document.querySelector("#columns-body .is-selected")?.id;
let placeBefore = 0;
let takesFocus = false;
let looking = 0;

// The grid: rows take the focus, what is in them is reached with Enter and left with Escape.

function dress() {
  const table = document.getElementById("columns-table");
  if (!table) return;
  table.setAttribute("role", "treegrid");
  for (const row of table.rows) row.setAttribute("role", "row");
  for (const cell of table.querySelectorAll("thead th")) cell.setAttribute("role", "columnheader");
  for (const row of rows()) {
    for (const cell of row.cells) cell.setAttribute("role", cell.tagName === "TH" ? "rowheader" : "gridcell");
    for (const control of row.querySelectorAll(CONTROLS)) control.tabIndex = -1;
    row.setAttribute("aria-level", row.dataset.memberOf ? "2" : "1");
    if (row.dataset.family) row.setAttribute("aria-expanded", row.dataset.open);
  }
  mark();
  countTicked();
}

function mark() {
  const all = rows();
  if (!all.some((row) => row.id === selected)) selected = all[Math.min(placeBefore, all.length - 1)]?.id;
  for (const row of all) {
    const chosen = row.id === selected;
    row.classList.toggle("is-selected", chosen);
    row.tabIndex = chosen ? 0 : -1;
    if (chosen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

function panelIsOpen() {
  return !document.body.classList.contains("panel-closed");
}

function look(row) {
  const link = row?.querySelector("[id^=open-]");
  if (link && panelOf().dataset.position !== row.dataset.position) link.dispatchEvent(new Event("look"));
}

function select(row) {
  if (!row || row.id === selected) return;
  selected = row.id;
  placeBefore = rows().indexOf(row);
  mark();
  clearTimeout(looking);
  // The panel follows a little later, so that walking down a long table asks once, at the end.
  if (panelIsOpen()) looking = setTimeout(() => look(document.getElementById(selected)), LOOK_AFTER);
}

function go(row) {
  if (!row) return;
  select(row);
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const all = rows();
  const at = all.findIndex((row) => row.id === selected);
  go(all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]);
}

function openPanel(row) {
  document.body.classList.remove("panel-closed");
  look(row);
}

function closePanel() {
  document.body.classList.add("panel-closed");
  const here = new URL(location.href);
  here.searchParams.delete("column");
  history.replaceState(history.state, "", here);
  document.getElementById(selected)?.focus();
}

document.addEventListener("focusin", (event) => select(event.target.closest("#columns-body tr")));
document.addEventListener("click", (event) => {
  const row = event.target.closest("#columns-body tr");
  if (event.target.closest("[data-close-panel]")) closePanel();
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest("[id^=open-]");
  if (link) {
    event.preventDefault();
    select(row);
    openPanel(row);
  } else if (!event.target.closest(`${CONTROLS}, label`)) {
    row.focus({ preventScroll: true });
    select(row);
  }
});

// The arrow buttons of the panel are links for those without scripts; here they walk the rows shown.
document.addEventListener("click", (event) => {
  const arrow = event.target.closest("[data-step]");
  if (!arrow) return;
  event.preventDefault();
  step(Number(arrow.dataset.step));
});

function onRow(row, event) {
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
  if (by) {
    if (event.shiftKey) tick(row, true);
    step(by);
    if (event.shiftKey) tick(document.getElementById(selected), true);
  } else if (event.key === "Home") go(rows()[0]);
  else if (event.key === "End") go(rows().at(-1));
  else if (event.key === "ArrowLeft" && row.dataset.memberOf) go(document.getElementById(`family-${row.dataset.memberOf}`));
  else if (event.key === "Enter" && row.dataset.family) row.querySelector(".family-toggle").click();
  else if (event.key === "Enter" && panelIsOpen()) row.querySelector(".decision :is(input:checked, input, select)")?.focus();
  else if (event.key === "Enter") openPanel(row);
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", (event) => {
  const row = event.target.closest?.("#columns-body tr");
  if (row && event.target === row && !event.ctrlKey && !event.altKey && !event.metaKey) onRow(row, event);
  else if (row && event.key === "Escape") row.focus();
  else if (event.key === "Escape" && event.target.closest?.("#column-panel")) closePanel();
});

// Ticked rows

function ticked() {
  return rows().filter((row) => boxOf(row)?.checked);
}

function tick(row, value) {
  const box = boxOf(row);
  if (box) box.checked = value;
  countTicked();
}

function nameOf(row) {
  return row.querySelector(".cell-title").title;
}

function countTicked() {
  const bulk = document.getElementById("bulk-form");
  if (!bulk) return;
  const chosen = ticked();
  const all = document.getElementById("pick-all");
  const count = chosen.reduce((sum, row) => sum + Number(boxOf(row).dataset.count || 1), 0);
  bulk.classList.toggle("is-open", count > 0);
  bulk.querySelector("[data-bulk-count]").textContent = count ? `${count} selected` : "Select all shown";
  bulk.querySelector("[data-bulk-names]").textContent = chosen.map(nameOf).join(", ");
  all.checked = count > 0 && chosen.length === rows().length;
  all.indeterminate = count > 0 && !all.checked;
}

document.addEventListener("change", (event) => {
  if (event.target.id === "pick-all") for (const row of rows()) boxOf(row).checked = event.target.checked;
  if (event.target.id === "pick-all" || event.target.name === "position") countTicked();
});

// A blocked next step leads to a column that is open; where none is shown, the view of them comes first.
document.addEventListener(
  "click",
  (event) => {
    if (!event.target.closest("[data-blocked]") || rows().some((row) => row.dataset.role === "")) return;
    filter.value = "";
    document.getElementById("show-open")?.click();
  },
  { capture: true },
);

// After an answer: new rows know nothing of what was selected or ticked.

let tickedBefore = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  const target = event.detail.target;
  const isRow = target.matches?.("#columns-body tr");
  if (!isRow && target !== list()) return;
  takesFocus = Boolean(document.activeElement.closest?.("#columns-list"));
  tickedBefore = isRow ? ticked().map((row) => row.id) : [];
});

// Only once htmx has settled: until then it puts the attributes of the old row onto the new one.
document.addEventListener("htmx:afterSettle", (event) => {
  if (!event.target.closest?.("#columns-list")) return;
  for (const id of tickedBefore) {
    const box = boxOf(document.getElementById(id));
    if (box) box.checked = true;
  }
  tickedBefore = [];
  dress();
  if (takesFocus && !document.activeElement.closest("#columns-body")) document.getElementById(selected)?.focus({ preventScroll: true });
  takesFocus = false;
});

// A decision that was refused must not look as if it had been saved.
document.addEventListener("htmx:responseError", (event) => {
  const form = event.target.closest?.("#columns-list form, #column-panel form");
  if (!form) return;
  form.reset();
  const saved = document.getElementById("saved");
  if (saved) saved.textContent = "Not saved. Reload the page and try again.";
});

dress();
