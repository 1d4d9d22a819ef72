// "Another sign" as separator: the sign is typed first, and then the file is read again.
document.addEventListener(
  "change",
  (event) => {
    if (event.target.name !== "delimiter" || event.target.value !== "other") return;
    event.stopPropagation();
    event.target.form.elements.other_delimiter.focus();
  },
  { capture: true },
);
