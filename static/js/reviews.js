// The review page: evidence opens beside, the button says what it does, and @ picks what a comment is about.

// --- evidence -------------------------------------------------------------------------------------------------------
const beside = document.getElementById("beside");

document.addEventListener("htmx:beforeRequest", (event) => {
  const link = event.target.closest?.("[data-beside]");
  if (!link) return;
  beside.querySelector("#beside-title").textContent = link.dataset.title;
  beside.querySelector("#beside-page").href = link.getAttribute("href");
  beside.querySelector("#beside-comment").dataset.about = link.dataset.about;
  beside.querySelector("#beside-body").textContent = "Getting the figure…";
  if (!beside.open) beside.showModal();
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "beside-body" || event.target.childElementCount) return;
  event.target.textContent = "There is no figure of this; open the page instead.";
});

document.getElementById("beside-close").addEventListener("click", () => beside.close());
beside.addEventListener("click", (event) => { if (event.target === beside) beside.close(); });
document.getElementById("beside-comment").addEventListener("click", (event) => {
  event.preventDefault();
  beside.close();
  aboutField().value = event.currentTarget.dataset.about;
  textField().focus();
});

// --- the decision ---------------------------------------------------------------------------------------------------
const decide = document.getElementById("decide");
const usual = decide?.textContent;

function nameTheAct() {
  const chosen = document.querySelector("#decision [name=verdict]:checked");
  if (decide) decide.textContent = chosen?.dataset.act ?? usual;
}

document.getElementById("decision")?.addEventListener("change", nameTheAct);
nameTheAct();

// --- @ --------------------------------------------------------------------------------------------------------------
const MOST = 8;
const textField = () => document.querySelector("#comment-form textarea");
const aboutField = () => document.querySelector("#comment-form select");
const list = () => document.getElementById("pick-list");

// What was typed after the last @ before the cursor, or null.
function typed(field) {
  return field.value.slice(0, field.selectionStart).match(/(?:^|\s)@([^\n@]{0,60})$/)?.[1] ?? null;
}

function offer(field) {
  const word = typed(field)?.toLowerCase();
  const found = word === undefined ? [] : [...aboutField().options].filter((one) => one.value && one.text.toLowerCase().includes(word)).slice(0, MOST);
  list().replaceChildren(...found.map((option, place) => {
    const line = document.createElement("li");
    Object.assign(line, { id: `pick-${place}`, role: "option", textContent: `${option.parentElement.label ?? ""} · ${option.text}` });
    line.dataset.value = option.value;
    line.setAttribute("aria-selected", String(place === 0));
    return line;
  }));
  list().hidden = found.length === 0;
  if (found.length) field.scrollIntoView({ block: "nearest" });
  mark(field, 0);
}

function mark(field, place) {
  const lines = [...list().children];
  lines.forEach((line, number) => line.setAttribute("aria-selected", String(number === place)));
  if (lines[place]) field.setAttribute("aria-activedescendant", lines[place].id);
  else field.removeAttribute("aria-activedescendant");
  lines[place]?.scrollIntoView({ block: "nearest" });
}

function pick(line) {
  const field = textField();
  const end = field.selectionStart;
  const start = end - typed(field).length - 1;
  field.value = field.value.slice(0, start) + field.value.slice(end);
  field.setSelectionRange(start, start);
  aboutField().value = line.dataset.value;
  list().hidden = true;
  field.removeAttribute("aria-activedescendant");
  field.focus();
  document.getElementById("announce").textContent = `The comment is about ${line.textContent}.`;
}

document.addEventListener("input", (event) => { if (event.target === textField()) offer(event.target); });

document.addEventListener("keydown", (event) => {
  if (event.target !== textField() || list().hidden) return;
  const lines = [...list().children];
  const place = lines.findIndex((line) => line.getAttribute("aria-selected") === "true");
  const moves = { ArrowDown: place + 1, ArrowUp: place - 1 };
  if (event.key in moves) mark(event.target, (moves[event.key] + lines.length) % lines.length);
  else if (event.key === "Enter" || event.key === "Tab") pick(lines[place]);
  else if (event.key === "Escape") list().hidden = true;
  else return;
  event.preventDefault();
});

document.addEventListener("mousedown", (event) => {
  const line = event.target.closest("#pick-list li");
  if (line) { event.preventDefault(); pick(line); }
});
