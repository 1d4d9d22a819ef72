// Upload: drop files or paste a table, check the size before sending, a card for every file on its way. htmx sends what is pasted.
import { Sending } from "./sending.js";

const form = document.getElementById("upload-form");
const field = document.getElementById("id_file");
const pasted = document.getElementById("id_pasted");
const zone = form.querySelector("[data-dropzone]");
const cards = document.getElementById("arriving");
const announce = document.getElementById("announce");
let sent = 0;

field.multiple = true;

// The same red note the server would send, at the same place.
function refuse(sentence) {
  const problems = document.getElementById("upload-problems");
  const note = document.createElement("div");
  note.className = "note note-bad";
  const text = document.createElement("div");
  text.className = "note-text";
  text.textContent = sentence;
  note.append(text);
  problems.replaceChildren(...(sentence ? [note] : []));
}

function sizeWords(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size.toLocaleString("en", { maximumFractionDigits: unit > 1 && size < 10 ? 1 : 0 })}\u00a0${units[unit]}`;
}

// Several files are datasets called like their files; a single one can be given a name.
function showNames() {
  const several = field.files.length > 1;
  document.getElementById("upload-name").hidden = several;
  document.getElementById("several-files").hidden = !several;
  if (field.files.length === 1) document.getElementById("id_name").placeholder = field.files[0].name.replace(/\.[^.]*$/, "");
}

// A form may send only so much text; a longer table comes as a file.
function checkPasted() {
  const fits = pasted.value.length <= Number(pasted.dataset.limit);
  refuse(fits ? "" : pasted.dataset.tooLong);
  return fits;
}

function checkFiles() {
  showNames();
  if (!field.files.length) return checkPasted();
  const fits = [...field.files].every((file) => file.size <= Number(form.dataset.limit));
  refuse(fits ? "" : form.dataset.tooBig);
  return fits;
}

field.addEventListener("change", checkFiles);
pasted.addEventListener("input", () => {
  if (!field.files.length) checkPasted();
});

for (const kind of ["dragenter", "dragover"]) {
  zone.addEventListener(kind, (event) => {
    event.preventDefault();
    zone.classList.add("is-over");
  });
}
for (const kind of ["dragleave", "drop"]) {
  zone.addEventListener(kind, () => zone.classList.remove("is-over"));
}
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  if (!event.dataTransfer.files.length) return;
  field.files = event.dataTransfer.files;
  checkFiles();
});

// A file dropped beside the box would otherwise replace the page.
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => event.preventDefault());
}

const TOLD = { sending: "goesOn", looking: "looksAt", cut: "wasCut", refused: "wasRefused", done: "isDone" };

class Card {
  constructor(box) {
    this.box = box;
    this.announced = 0;
    this.part("resume").addEventListener("click", () => this.resume());
    this.part("give-up").addEventListener("submit", (event) => this.giveUp(event));
    this.part("again").addEventListener("change", () => this.goOnWith(this.part("again").files[0]));
  }

  part(name) {
    return this.box.querySelector(`[data-part="${name}"]`);
  }

  send(file, fields) {
    this.sending = new Sending(file, {
      begin: form.dataset.begin,
      token: form.querySelector("[name=csrfmiddlewaretoken]").value,
      pieceBytes: Number(form.dataset.pieceBytes),
      fields,
      tell: (state, facts) => this[TOLD[state]](facts),
    });
    sent += 1;
    return this.sending.run();
  }

  // Two buttons at most: Cancel while it goes, Resume and Discard when it was cut.
  show(words, { resume = false, giveUp = "", isOver = false }) {
    this.part("say").textContent = words;
    this.part("resume").hidden = !resume;
    this.part("give-up").hidden = !giveUp;
    this.part("give-up-words").textContent = giveUp;
    this.part("problem").hidden = true;
    this.part("meter").hidden = isOver;
  }

  measure(arrived, rate) {
    const { size } = this.sending.file;
    const percent = Math.floor((100 * arrived) / size);
    this.box.querySelector("progress").value = percent;
    this.part("percent").textContent = `${percent}\u00a0%`;
    this.part("rate").textContent = `${sizeWords(arrived)} of ${sizeWords(size)}${rate ? ` · ${sizeWords(rate)} a second` : ""}`;
    if (percent >= this.announced + 25) {
      this.announced = percent - (percent % 25);
      announce.textContent = `${this.announced} percent of ${this.sending.file.name} uploaded`;
    }
    return percent;
  }

  goesOn({ arrived, rate }) {
    this.show("Uploading", { giveUp: "Cancel" });
    this.measure(arrived, rate);
  }

  looksAt() {
    this.measure(this.sending.file.size, 0);
    this.show("It has arrived. Looking at the first rows", {});
  }

  wasCut({ arrived }) {
    const percent = this.measure(arrived, 0);
    this.show(`The upload was cut off. ${percent}\u00a0% has arrived and is kept; it goes on by itself when the connection is back.`, {
      resume: true,
      giveUp: "Discard",
    });
    document.dispatchEvent(new CustomEvent("portal:offline"));
  }

  wasRefused({ problem, isOver }) {
    this.show(isOver ? "Nothing of this file was kept." : "What has arrived is kept.", { resume: !isOver, giveUp: isOver ? "Close" : "Discard", isOver });
    this.part("problem").hidden = false;
    this.part("problem-text").textContent = problem;
    if (isOver) this.sending.address = "";
  }

  isDone({ go }) {
    if (sent === 1) {
      location.assign(go);
      return;
    }
    this.show(`${sizeWords(this.sending.file.size)}. It has arrived; see whether it was read as you meant it.`, { isOver: true });
    this.part("look").href = go;
    this.part("look").hidden = false;
    announce.textContent = `${this.sending.file.name} has arrived`;
  }

  resume() {
    if (this.sending) this.sending.run();
    else this.part("again").click();
  }

  // After a reload the browser no longer knows the file; it has to be the same one.
  goOnWith(file) {
    const { name, bytes, stamp } = this.box.dataset;
    if (!file) return;
    if (file.name === name && file.size === Number(bytes) && file.lastModified === Number(stamp)) {
      this.send(file, {});
      return;
    }
    this.part("problem").hidden = false;
    this.part("problem-text").textContent = `That is another file. Choose ${name} as it was when the upload began (${sizeWords(Number(bytes))}), or discard what has arrived.`;
    this.part("again").value = "";
  }

  async giveUp(event) {
    if (!this.sending) return; // the page forgets it, with or without scripts
    event.preventDefault();
    await this.sending.giveUp();
    this.box.remove();
    announce.textContent = "Upload discarded. Nothing was kept.";
    field.focus();
  }
}

function newCard(file) {
  const box = document.getElementById("arriving-card").content.firstElementChild.cloneNode(true);
  const card = new Card(box);
  box.setAttribute("aria-label", `Upload of ${file.name}`);
  box.querySelector("progress").setAttribute("aria-label", `Arrived of ${file.name}`);
  card.part("name").textContent = file.name;
  card.part("resume-name").textContent = file.name;
  cards.append(box);
  return card;
}

// The form is free for the next file while the chosen ones are on their way.
function sendChosen() {
  const files = [...field.files];
  const fields = files.length === 1 ? { name: form.elements.name.value, next_of: form.elements.next_of?.value ?? "" } : {};
  for (const file of files) newCard(file).send(file, fields);
  field.value = "";
  form.elements.name.value = "";
  showNames();
  cards.lastElementChild.scrollIntoView({ block: "nearest" });
}

form.addEventListener("htmx:beforeRequest", (event) => {
  if (!checkFiles()) {
    event.preventDefault();
    return;
  }
  refuse("");
  if (!field.files.length) return;
  event.preventDefault();
  sendChosen();
});

form.addEventListener("htmx:responseError", (event) => {
  refuse(event.detail.xhr.status === 413 ? pasted.dataset.tooLong : "The portal could not take the table and nothing was kept. Try again.");
});

for (const box of cards.querySelectorAll("[data-arriving]")) new Card(box);

// Somebody who came to paste finds the box open.
if (location.hash === "#paste") {
  document.getElementById("paste").open = true;
  pasted.focus();
}
