// Draws every [data-chart] from its json_script, in the colours of the theme, and saves it as PNG, SVG or CSV.
// A figure is one of Plotly's with our look as its template (engine/charts/look.py); a colour "token:accent" stands for
// the CSS variable --accent at the time of drawing.
const drawn = new Set();
let plotly = null;

function load() {
  plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = document.querySelector("meta[name=plotly-src]").content;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error("plotly could not be loaded"));
    document.head.append(script);
  });
  return plotly;
}

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// A copy with every colour looked up; a label that reads like a token is only text.
function coloured(value, isColour = false) {
  if (typeof value === "string") return isColour && value.startsWith("token:") ? token(value.slice(6)) : value;
  if (Array.isArray(value)) return value.map((inner) => coloured(inner, isColour));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, coloured(inner, /color(way)?$/.test(key))]));
  }
  return value;
}

function figureOf(box) {
  const source = document.getElementById(box.dataset.chart);
  return source ? JSON.parse(source.textContent) : null;
}

async function draw(box) {
  const figure = figureOf(box);
  if (!figure) return;
  try {
    const Plotly = await load();
    const { data, layout } = coloured(figure);
    // On a new width Plotly takes the height from the box, which would have none of its own.
    box.style.height = `${layout.height}px`;
    // The drawing lies on what is around it; only a saved picture brings a surface.
    await Plotly.react(box, data, { ...layout, autosize: true, paper_bgcolor: "rgba(0,0,0,0)" }, {
      displayModeBar: false,
      doubleClick: false,
      responsive: true,
      scrollZoom: false,
      showTips: false,
    });
    box.classList.add("is-drawn");
    box.drawnFrom = document.getElementById(box.dataset.chart)?.textContent;
    if (!drawn.has(box)) followLinks(box);
    drawn.add(box);
    for (const part of box.querySelectorAll("svg")) part.setAttribute("aria-hidden", "true");
    // Pages whose points can be chosen listen to the drawing from here on.
    box.dispatchEvent(new CustomEvent("portal:drawn", { bubbles: true }));
  } catch {
    box.classList.add("is-drawn", "chart-failed");
    box.textContent = "The chart could not be drawn; the numbers are in the table.";
  }
}

// A bar whose number in the table is a link leads there, too.
function followLinks(box) {
  const links = box.closest("[data-chart-box]").querySelectorAll("[data-chart-link]");
  if (!links.length) return;
  box.classList.add("has-links");
  box.on("plotly_click", (event) => {
    const place = String(event.points[0].pointIndex);
    [...links].find((link) => link.dataset.chartLink === place)?.click();
  });
}

function drawAll() {
  for (const box of drawn) {
    if (box.isConnected) continue;
    drawn.delete(box);
    window.Plotly?.purge(box);
  }
  for (const box of document.querySelectorAll("[data-chart]")) {
    // One that was kept while its numbers were replaced (hx-preserve) is drawn again in its place.
    const isOld = drawn.has(box) && box.drawnFrom !== document.getElementById(box.dataset.chart)?.textContent;
    if (!drawn.has(box) || isOld) draw(box);
  }
}

function redraw() {
  for (const box of drawn) if (box.isConnected) draw(box);
}

function fileName(figure) {
  const title = figure.querySelector(".chart-title")?.textContent || "chart";
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "chart";
}

function hand(href, name) {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  link.click();
}

// Room for the title, as in with_title (deid_portal/engine/charts/drawing.py).
const TITLE_ROOM = 44;

// The saved picture says its finding itself: the title goes into it, on the surface of the theme.
async function savePicture(figure, kind) {
  const Plotly = await load();
  const box = figure.querySelector("[data-chart]");
  const { data, layout } = coloured(figureOf(box));
  const width = Math.max(box.clientWidth, 640);
  const height = layout.height + TITLE_ROOM;
  const title = { text: figure.querySelector(".chart-title")?.textContent };
  const titled = { ...layout, width, height, title, margin: { ...layout.margin, t: layout.margin.t + TITLE_ROOM } };
  const href = await Plotly.toImage({ data, layout: titled }, { format: kind, width, height, scale: kind === "png" ? 2 : 1 });
  hand(href, `${fileName(figure)}.${kind}`);
}

// Cells that a spreadsheet would take for a formula are made harmless.
function csvCell(cell) {
  let text = (cell.dataset.value ?? cell.textContent).replace(/\s+/g, " ").trim();
  if (/^[=+\-@\t]/.test(text) && !/^[+-]?[\d.,]+( %)?$/.test(text)) text = `'${text}`;
  return /[",\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function saveTable(figure) {
  const rows = [...figure.querySelectorAll("table tr")].map((row) => [...row.cells].map(csvCell).join(","));
  const file = new Blob([`\ufeff${rows.join("\r\n")}\r\n`], { type: "text/csv" });
  const href = URL.createObjectURL(file);
  hand(href, `${fileName(figure)}.csv`);
  setTimeout(() => URL.revokeObjectURL(href), 10000);
}

document.addEventListener("click", (event) => {
  const save = event.target.closest("[data-chart-save]");
  if (save) {
    const figure = save.closest("[data-chart-box]");
    save.closest("details").open = false;
    if (save.dataset.chartSave === "csv") saveTable(figure);
    else savePicture(figure, save.dataset.chartSave);
    return;
  }
  const toggle = event.target.closest("[data-chart-table]");
  if (!toggle) return;
  const table = document.getElementById(toggle.dataset.chartTable);
  if (table.matches("details")) table.open = !table.open;
  else table.hidden = !table.hidden;
  toggle.setAttribute("aria-expanded", String(table.matches("details") ? table.open : !table.hidden));
});

// What was chosen on a chart is said once, in a sentence.
function announce(event) {
  const words = event.target.closest?.("[data-announce]")?.dataset.announce;
  const region = document.getElementById("announce");
  if (words && region) region.textContent = words;
}

drawAll();
document.addEventListener("htmx:afterSettle", drawAll);
document.addEventListener("htmx:afterSettle", announce);
document.addEventListener("portal:theme", redraw);
document.fonts?.ready.then(redraw);
