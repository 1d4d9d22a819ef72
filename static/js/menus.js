// Menus are <details class="menu">: they close on Escape, on a click outside, and when another one opens.
function openMenus() {
  return document.querySelectorAll("details.menu[open]");
}

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    const inside = menu.contains(document.activeElement);
    menu.open = false;
    if (inside) menu.querySelector("summary").focus();
  }
});

// A press on a label inside a menu first moves the focus to what is around the menu; that is no leaving.
document.addEventListener("focusin", (event) => {
  for (const menu of openMenus()) {
    if (!menu.contains(event.target) && !event.target.contains(menu)) menu.open = false;
  }
});

// Arrow keys walk the items of an open menu.
document.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const menu = event.target.closest?.("details.menu[open]");
  if (!menu) return;
  const items = [...menu.querySelectorAll(".menu-item")].filter((item) => item.offsetParent !== null);
  if (!items.length) return;
  event.preventDefault();
  const step = event.key === "ArrowDown" ? 1 : -1;
  const at = items.indexOf(document.activeElement);
  items[at < 0 && step < 0 ? items.length - 1 : (at + step + items.length) % items.length].focus();
});
