// The tab's title follows the run, and every tenth of the way is announced once.
const box = () => document.getElementById("run-box");
let announced = 0;

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

document.body.addEventListener("htmx:afterSwap", follow);
follow();
