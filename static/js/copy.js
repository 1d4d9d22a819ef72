// Copy buttons: data-copy="text" or data-copy-from="id of the element with the text".
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-from]");
  if (!button) return;
  const source = button.dataset.copyFrom && document.getElementById(button.dataset.copyFrom);
  const text = source ? source.textContent.trim() : button.dataset.copy;
  const copied = await write(text);
  const announce = document.getElementById("announce");
  if (announce) announce.textContent = copied ? "Copied." : "Could not copy; select the text instead.";
  if (!copied) return;
  button.classList.add("is-copied");
  setTimeout(() => button.classList.remove("is-copied"), 1600);
});

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeOldWay(text);
  }
}

// The clipboard needs HTTPS; a portal on plain HTTP in a closed network copies the old way.
function writeOldWay(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  before?.focus();
  return copied;
}
