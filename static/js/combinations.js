// The combinations a search checked: a press on a mark of the chart picks it, as the links of the list do, and the ring
// around the picked mark follows.
const RING = "Picked";
let drawing = null;

function moveRing() {
  const ring = drawing.data.findIndex((trace) => trace.name === RING);
  const pick = document.getElementById("picked")?.dataset.pick;
  if (ring < 0 || !pick) return;
  const place = (trace) => (trace.customdata ?? []).indexOf(pick);
  const own = drawing.data.find((trace) => trace.name !== RING && place(trace) >= 0);
  const [x, y] = own ? [own.x[place(own)], own.y[place(own)]] : [null, null];
  window.Plotly.restyle(drawing, { x: [[x]], y: [[y]] }, [ring]);
}

document.addEventListener("portal:drawn", (event) => {
  const box = event.target;
  if (!box.closest("[data-combinations]")) return;
  drawing = box;
  if (box.dataset.listening) return;
  box.dataset.listening = "true";
  box.on("plotly_click", (clicked) => {
    const address = `?pick=${clicked.points[0].customdata}`;
    window.htmx.ajax("GET", address, { target: "#picked", select: "#picked", swap: "outerHTML" });
  });
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (drawing && event.detail.target?.id === "picked") moveRing();
});
