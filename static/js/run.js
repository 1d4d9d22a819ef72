// The run page: the tab's title follows the run, every tenth of the way is announced once, and a hidden tab asks
// less often.
const HIDDEN_WAIT = 5000;
const box = () => document.getElementById("run-box");
let announced = 0;
let askedAt = Date.now();

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

document.body.addEventListener("htmx:afterSwap", follow);
follow();
