// The run page: the tab's title follows the run, every tenth of the way is announced once, a hidden tab asks less
// often, and what a person has opened stays open when the box is replaced.
const HIDDEN_WAIT = 5000;
const box = () => document.getElementById("run-box");
let announced = 0;
let askedAt = Date.now();
let open = [];

function follow() {
  const run = box();
  if (!run) return;
  document.title = run.dataset.runTitle;
  const percent = Number(run.querySelector("progress.meter-lg")?.value || 0);
  const tenth = Math.floor(percent / 10) * 10;
  if (tenth > announced) {
    announced = tenth;
    document.getElementById("announce").textContent = `${tenth} percent done`;
  }
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt !== box()) return;
  if (document.hidden && Date.now() - askedAt < HIDDEN_WAIT) event.preventDefault();
  else askedAt = Date.now();
});

document.addEventListener("htmx:beforeSwap", () => {
  open = [...document.querySelectorAll("details[data-keep-open][open]")].map((details) => details.id);
});

document.body.addEventListener("htmx:afterSwap", () => {
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  follow();
});
follow();
