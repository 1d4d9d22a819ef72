// Upload: drop a file or paste a table, check its size before sending, show how far it is, cancel. htmx sends the form.
const form = document.getElementById("upload-form");
const field = document.getElementById("id_file");
const pasted = document.getElementById("id_pasted");
const zone = form.querySelector("[data-dropzone]");
const box = document.getElementById("upload-progress");
const meter = box.querySelector("progress");
const announce = document.getElementById("announce");
let startedAt = 0;
let announced = 0;

function part(hook) {
  return box.querySelector(`[data-upload-${hook}]`);
}

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

function suggestName(file) {
  document.getElementById("id_name").placeholder = file.name.replace(/\.[^.]*$/, "");
}

// A form may send only so much text; a longer table comes as a file.
function checkPasted() {
  const fits = pasted.value.length <= Number(pasted.dataset.limit);
  refuse(fits ? "" : pasted.dataset.tooLong);
  return fits;
}

function checkFile() {
  const file = field.files[0];
  if (!file) return checkPasted();
  suggestName(file);
  const fits = file.size <= Number(form.dataset.limit);
  refuse(fits ? "" : form.dataset.tooBig);
  return fits;
}

field.addEventListener("change", checkFile);
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
  const files = event.dataTransfer.files;
  if (files.length > 1) {
    refuse(`You dropped ${files.length} files. Upload one table at a time.`);
    return;
  }
  if (!files.length) return;
  field.files = files;
  checkFile();
});

// A file dropped beside the box would otherwise replace the page.
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => event.preventDefault());
}

function show(percent, rate, what) {
  meter.value = percent;
  part("what").textContent = what;
  part("percent").textContent = `${percent}\u00a0%`;
  part("rate").textContent = rate;
  if (percent >= announced + 25) {
    announced = percent - (percent % 25);
    announce.textContent = `${announced} percent uploaded`;
  }
}

form.addEventListener("htmx:beforeRequest", (event) => {
  if (!checkFile()) {
    event.preventDefault();
    return;
  }
  refuse("");
  if (!field.files.length) return;
  startedAt = performance.now();
  announced = 0;
  box.hidden = false;
  show(0, "", `Uploading ${field.files[0].name}`);
});

form.addEventListener("htmx:xhr:progress", (event) => {
  const { lengthComputable, loaded, total } = event.detail;
  const file = field.files[0];
  // The same event tells of the answer coming back; that one is much shorter than the file.
  if (!file || !lengthComputable || total < file.size) return;
  const percent = Math.floor((100 * loaded) / total);
  const seconds = (performance.now() - startedAt) / 1000;
  const rate = seconds > 0.5 ? `${sizeWords(loaded / seconds)} a second` : "";
  const done = loaded >= total;
  show(percent, rate, done ? "Uploaded. Looking at the first rows" : `Uploading ${file.name}`);
});

part("cancel").addEventListener("click", () => {
  window.htmx.trigger(form, "htmx:abort");
  box.hidden = true;
  announce.textContent = "Upload cancelled. Nothing was kept.";
  field.focus();
});

function end(sentence) {
  box.hidden = true;
  if (sentence) refuse(sentence);
}

form.addEventListener("htmx:sendError", () => end("The upload was cut off and nothing was kept. Your file is still chosen; upload it again."));
form.addEventListener("htmx:responseError", (event) => {
  end(event.detail.xhr.status === 413 ? form.dataset.tooBig : "The portal could not take the file and nothing was kept. Try again.");
});
form.addEventListener("htmx:afterSwap", () => {
  end("");
  const file = field.files[0];
  if (file) suggestName(file);
});

// Somebody who came to paste finds the box open.
if (location.hash === "#paste") {
  document.getElementById("paste").open = true;
  pasted.focus();
}
