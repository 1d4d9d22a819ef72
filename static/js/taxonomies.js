// Workbench: find a value in the tree, open and close all of it, and show which level a row belongs to.
const tree = document.getElementById("tree");
const filter = document.getElementById("tree-filter");
let openBefore = null;

function groups() {
  return [...tree.querySelectorAll("details")];
}

// A group stays when its own name or something beneath it matches; groups on the way are opened.
function keep(item, wanted) {
  const name = item.querySelector(".tree-name")?.textContent.toLowerCase() || "";
  const own = name.includes(wanted);
  let below = false;
  for (const child of item.querySelectorAll(":scope > details > ul > li")) {
    below = (own ? showAll(child) : keep(child, wanted)) || below;
  }
  item.hidden = !(own || below);
  const group = item.querySelector(":scope > details");
  if (group && below && !own) group.open = true;
  return !item.hidden;
}

function showAll(item) {
  item.hidden = false;
  for (const one of item.querySelectorAll("li")) one.hidden = false;
  return true;
}

function find() {
  const wanted = filter.value.trim().toLowerCase();
  openBefore ??= groups().map((group) => group.open);
  const root = tree.querySelector(":scope > li");
  let found = true;
  if (wanted) {
    found = keep(root, wanted);
  } else {
    showAll(root);
    groups().forEach((group, index) => { group.open = openBefore[index]; });
    openBefore = null;
  }
  document.getElementById("tree-none").hidden = found;
}

filter?.addEventListener("input", find);

for (const button of document.querySelectorAll("[data-tree-open]")) {
  button.addEventListener("click", () => {
    const open = button.dataset.treeOpen === "true";
    // Closed means: only the groups right under the root are seen.
    groups().forEach((group, index) => { group.open = open || index === 0; });
  });
}

// The level under the cursor or the focus is marked in the table of effects.
function point(level) {
  const rows = document.querySelectorAll("#effect-table tbody tr");
  rows.forEach((row, index) => row.classList.toggle("is-selected", String(index) === level));
}

for (const kind of ["pointerover", "focusin"]) {
  tree?.addEventListener(kind, (event) => point(event.target.closest("[data-of-level]")?.dataset.ofLevel));
}
tree?.addEventListener("pointerleave", () => point());

document.addEventListener("htmx:afterSwap", () => document.getElementById("builder-problem")?.focus());
