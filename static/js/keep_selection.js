// Whoever has selected a field's text goes on typing over it when an answer of the server renews the field.
// htmx moves the focus by itself, but loses a selection that begins at the first character.
let selected = null;

document.addEventListener("htmx:beforeSwap", () => {
  const field = document.activeElement;
  const canSelect = field?.id && typeof field.selectionStart === "number";
  selected = canSelect ? { field, start: field.selectionStart, end: field.selectionEnd } : null;
});

document.addEventListener("htmx:afterSettle", () => {
  const field = document.activeElement;
  if (selected && field !== selected.field && field?.id === selected.field.id) {
    field.setSelectionRange(selected.start, selected.end);
  }
  selected = null;
});
