// Connection lost: one bar under the top bar, and polls that back off 1, 2, 5, 10 seconds until an answer comes.
const WAITS = [1000, 2000, 5000, 10000];
const LOST = "Not connected. What you entered is kept.";
const BROKEN = "The portal could not answer. What you entered is kept.";
const bar = document.querySelector("[data-connection-bar]");
let failures = 0;
let quietUntil = 0;
let probe = 0;

// A request that a newer one or the way to the next page cut short is no error, so htmx need not write it to the console.
const CUT_SHORT = new Set(["htmx:sendAbort", "htmx:afterRequest"]);
window.htmx.logger = (_, name, detail) => {
  if (CUT_SHORT.has(name)) delete detail.error;
};

function holdBack(words) {
  quietUntil = Date.now() + WAITS[Math.min(failures, WAITS.length - 1)];
  failures += 1;
  if (!bar) return;
  bar.querySelector("span").textContent = words;
  bar.hidden = false;
}

function lost() {
  holdBack(LOST);
  clearTimeout(probe);
  probe = setTimeout(tryAgain, quietUntil - Date.now());
}

function back() {
  if (failures) document.dispatchEvent(new CustomEvent("portal:online"));
  failures = 0;
  quietUntil = 0;
  clearTimeout(probe);
  if (bar) bar.hidden = true;
}

async function tryAgain() {
  try {
    await fetch(document.querySelector("link[rel=icon]").href, { method: "HEAD", cache: "no-store" });
    back();
  } catch {
    lost();
  }
}

document.addEventListener("htmx:sendError", (event) => {
  lost();
  sayFailed(event.detail.elt);
});
document.addEventListener("htmx:timeout", lost);
document.addEventListener("portal:offline", lost);
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status >= 500) holdBack(BROKEN);
  sayFailed(event.detail.elt);
});
document.addEventListener("htmx:afterOnLoad", (event) => {
  if (event.detail.xhr.status < 500) back();
});
addEventListener("offline", lost);
addEventListener("online", tryAgain);

// A poll (hx-trigger "every …") that comes too early is held back; what a person starts always goes out.
document.addEventListener("htmx:beforeRequest", (event) => {
  const polls = (event.detail.elt.getAttribute("hx-trigger") || "").includes("every");
  if (polls && Date.now() < quietUntil && !event.detail.requestConfig.triggeringEvent) event.preventDefault();
});

// A slow part (hx-trigger "load") that failed says so in its own box, with a way to try again; the rest of the page stays.
function sayFailed(box) {
  if (!/\bload\b/.test(box.getAttribute?.("hx-trigger") || "")) return;
  const note = document.createElement("div");
  note.className = "note note-bad";
  const words = document.createElement("div");
  words.className = "note-text";
  words.textContent = "This part could not be loaded. The rest of the page is complete.";
  const again = document.createElement("button");
  again.type = "button";
  again.className = "btn btn-sm";
  again.textContent = "Try again";
  again.addEventListener("click", () => {
    const swap = box.getAttribute("hx-swap") || "innerHTML";
    window.htmx.ajax("GET", box.getAttribute("hx-get"), { source: box, target: box, swap });
  });
  note.append(failedIcon(), words, again);
  box.replaceChildren(note);
}

function failedIcon() {
  const drawing = document.querySelector("svg.icon").cloneNode(true);
  const use = drawing.querySelector("use");
  use.setAttribute("href", `${use.getAttribute("href").split("#")[0]}#circle-x`);
  for (const side of ["width", "height"]) drawing.setAttribute(side, "18");
  drawing.setAttribute("class", "icon");
  return drawing;
}
