// Sliders: the filled part follows the value. data-range-for="id" keeps a number field at the same value.
function fill(range) {
  const min = Number(range.min || 0);
  const max = Number(range.max || 100);
  range.style.setProperty("--fill", `${(100 * (range.value - min)) / (max - min || 1)}%`);
}

function fillAll(box) {
  for (const range of box.querySelectorAll("input.range")) fill(range);
}

document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.matches?.("input.range")) fill(field);
  const twin = field.dataset?.rangeFor && document.getElementById(field.dataset.rangeFor);
  if (!twin || field.value === "") return;
  twin.value = field.value;
  if (twin.matches("input.range")) fill(twin);
});

fillAll(document);
document.addEventListener("htmx:afterSwap", () => fillAll(document));
