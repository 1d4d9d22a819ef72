// The scenario board: a click on a point pins its run, "P" the point under the pointer or the row in focus.
// Pinning checks the radio button of the table, so that there is one truth; of two pins the older leaves.
let hovered = null;

function radio(letter, number) {
  return document.querySelector(`input[name="${letter}"][value="${number}"][form="board-form"]`);
}

function pinned(letter) {
  return document.querySelector(`input[name="${letter}"][form="board-form"]:checked`);
}

function pin(number) {
  if (pinned("a")?.value === String(number) || pinned("b")?.value === String(number)) return;
  const last = document.getElementById("board-last");
  const letter = !pinned("a") ? "a" : !pinned("b") || last.value === "a" ? "b" : "a";
  const choice = radio(letter, number);
  if (!choice) return;
  last.value = letter;
  choice.checked = true;
  choice.dispatchEvent(new Event("change", { bubbles: true }));
}

document.addEventListener("portal:drawn", (event) => {
  const box = event.target;
  if (!box.matches("[data-board]") || box.dataset.listening) return;
  box.dataset.listening = "true";
  box.on("plotly_click", (clicked) => pin(clicked.points[0].customdata));
  box.on("plotly_hover", (over) => {
    hovered = over.points[0].customdata;
  });
  box.on("plotly_unhover", () => {
    hovered = null;
  });
});

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "p" || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = document.activeElement?.closest("#board-table tr");
  const number = row ? row.querySelector('input[name="a"]')?.value : hovered;
  if (number) pin(number);
});

// The table stays as open, as far scrolled and as much in focus as it was while the board is drawn anew.
let table = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target?.id !== "board") return;
  const box = document.getElementById("board-table");
  const focus = box?.contains(document.activeElement) ? document.activeElement.id : "";
  table = box && { open: box.open, top: box.querySelector(".board-table")?.scrollTop, focus };
});
document.addEventListener("htmx:afterSwap", (event) => {
  const box = document.getElementById("board-table");
  if (event.detail.target?.id !== "board" || !box || !table) return;
  box.open = table.open;
  if (table.focus) document.getElementById(table.focus)?.focus({ preventScroll: true });
  box.querySelector(".board-table").scrollTop = table.top;
});
