// Query desk. The page is complete without this: it only keeps a click from being lost.
// htmx copies styles from the old form to the new one, which the page's policy forbids; range.js sets them anew.
// Whoever types on while the sentence is being renewed must not lose what they typed.
let typed = null;

document.addEventListener("htmx:beforeSwap", (event) => {
  for (const range of document.querySelectorAll("#composer .range")) range.removeAttribute("style");
  const field = document.activeElement;
  const isTyping = event.detail.target?.id === "composer" && field?.matches("#composer input[type=text]");
  typed = isTyping && field.value !== field.defaultValue ? { id: field.id, value: field.value } : null;
});

document.addEventListener("htmx:afterSettle", () => {
  const field = typed && document.getElementById(typed.id);
  if (field && field.value !== typed.value) {
    field.value = typed.value;
    field.dispatchEvent(new Event(field.matches("[data-recompose]") ? "change" : "input", { bubbles: true }));
  }
  typed = null;
});

// A click on the closed button says why it is closed.
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("#ask[aria-disabled=true]");
  if (button) document.getElementById("price")?.scrollIntoView({ block: "nearest" });
});

// A paid answer has arrived: the account must show it as paid, not as reserved.
document.addEventListener("answered", () => {
  document.getElementById("composer")?.dispatchEvent(new CustomEvent("price"));
});
