// Connection lost: one bar under the top bar, and polls that back off 1, 2, 5, 10 seconds until an answer comes.
const WAITS = [1000, 2000, 5000, 10000];
const bar = document.querySelector("[data-connection-bar]");
let failures = 0;
let quietUntil = 0;
let probe = 0;

function lost() {
  quietUntil = Date.now() + WAITS[Math.min(failures, WAITS.length - 1)];
  failures += 1;
  if (bar) bar.hidden = false;
  clearTimeout(probe);
  probe = setTimeout(tryAgain, quietUntil - Date.now());
}

function back() {
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

document.addEventListener("htmx:sendError", lost);
document.addEventListener("htmx:timeout", lost);
document.addEventListener("portal:offline", lost);
document.addEventListener("htmx:afterOnLoad", back);
addEventListener("offline", lost);
addEventListener("online", tryAgain);

// A poll (hx-trigger "every …") that comes too early is held back; what a person starts always goes out.
document.addEventListener("htmx:beforeRequest", (event) => {
  const polls = (event.detail.elt.getAttribute("hx-trigger") || "").includes("every");
  if (polls && Date.now() < quietUntil && !event.detail.requestConfig.triggeringEvent) event.preventDefault();
});

// A box that failed says so itself, with a way to try again; the rest of the page stays.
document.addEventListener("htmx:responseError", (event) => {
  const text = document.querySelector("[data-connection-bar] span");
  if (event.detail.xhr.status >= 500 && bar && text) {
    text.textContent = "The portal could not answer. What you entered is kept.";
    bar.hidden = false;
  }
});
