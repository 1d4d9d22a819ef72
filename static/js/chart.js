// Draws every [data-chart] from its json_script, in the colours of the theme, and saves it as PNG, SVG or CSV.
// A figure is {data, layout}; "token:accent" stands for the CSS variable --accent at the time of drawing.
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

// A copy of the figure with every "token:…" replaced.
function coloured(value) {
  if (typeof value === "string") return value.startsWith("token:") ? token(value.slice(6)) : value;
  if (Array.isArray(value)) return value.map(coloured);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, coloured(inner)]));
  }
  return value;
}

function withDefaults(base, own) {
  const merged = { ...base };
  for (const [key, value] of Object.entries(own || {})) {
    const both = value && typeof value === "object" && !Array.isArray(value) && base[key] && typeof base[key] === "object";
    merged[key] = both ? withDefaults(base[key], value) : value;
  }
  return merged;
}

// Plotly reads <b> and the like in labels as markup; what people uploaded is only text.
function plain(value) {
  if (typeof value === "string") return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return Array.isArray(value) ? value.map(plain) : value;
}

function asText(trace) {
  const labels = ["x", "y", "text", "labels", "name"].filter((key) => key in trace);
  return { ...trace, ...Object.fromEntries(labels.map((key) => [key, plain(trace[key])])) };
}

// The "before" series carries a diagonal pattern, so that it is told apart without colour.
function patterned(trace) {
  if (trace.type !== "bar" || trace.marker?.color !== "token:before" || trace.marker.pattern) return trace;
  const pattern = { shape: "/", fillmode: "overlay", size: 6, solidity: 0.25, fgcolor: "token:surface" };
  return { ...trace, marker: { ...trace.marker, pattern } };
}

function axis() {
  return {
    automargin: true,
    fixedrange: true,
    gridcolor: "token:line",
    linecolor: "token:line-strong",
    showline: true,
    tickangle: 0,
    tickfont: { color: "token:ink-2", size: 12 },
    title: { font: { color: "token:ink-2", size: 12 }, standoff: 6 },
    zeroline: false,
  };
}

// Bars named by text stand side by side, also where the text looks like a number ("17", "80+").
function barAxes(data) {
  const axes = {};
  for (const trace of data) {
    const [letter, names] = trace.orientation === "h" ? ["y", trace.y] : ["x", trace.x];
    if (trace.type === "bar" && names?.every((name) => typeof name === "string")) axes[`${letter}axis`] = { type: "category" };
  }
  return axes;
}

function layoutOf(figure, box) {
  const height = Number(figure.layout?.height || box.dataset.height || 210);
  const named = figure.layout?.showlegend ?? figure.data.length > 1;
  const defaults = {
    autosize: true,
    height,
    margin: { l: 44, r: 12, t: named ? 30 : 16, b: 24 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: "token:ink-2" },
    bargap: 0.28,
    bargroupgap: 0.04,
    dragmode: false,
    hovermode: "closest",
    hoverlabel: { bgcolor: "token:surface", bordercolor: "token:line-strong", font: { color: "token:ink", size: 12 } },
    showlegend: named,
    legend: { orientation: "h", x: 0.5, xanchor: "center", y: 1, yanchor: "bottom", bgcolor: "rgba(0,0,0,0)", itemclick: false, itemdoubleclick: false },
    xaxis: axis(),
    yaxis: axis(),
    ...(figure.layout?.xaxis2 && { xaxis2: axis(), yaxis2: axis() }),
  };
  const layout = withDefaults(withDefaults(defaults, barAxes(figure.data)), figure.layout);
  for (const [key, own] of Object.entries(layout)) {
    if (/^[xy]axis/.test(key) && own.title?.text) layout[key] = { ...own, title: { ...own.title, text: plain(own.title.text) } };
  }
  return coloured(layout);
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
    const data = figure.data.map(asText).map(patterned).map(coloured);
    const layout = layoutOf(figure, box);
    // On a new width Plotly takes the height from the box, which would have none of its own.
    box.style.height = `${layout.height}px`;
    await Plotly.react(box, data, layout, {
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

// The saved picture says its finding itself: the title goes into it, on the surface of the theme.
async function savePicture(figure, kind) {
  const Plotly = await load();
  const box = figure.querySelector("[data-chart]");
  const spec = figureOf(box);
  const layout = layoutOf(spec, box);
  const width = Math.max(box.clientWidth, 640);
  const height = layout.height + 44;
  const titled = {
    ...layout,
    width,
    height,
    autosize: false,
    paper_bgcolor: token("surface"),
    margin: { ...layout.margin, t: (layout.margin.t || 0) + 44 },
    title: { text: figure.querySelector(".chart-title")?.textContent, x: 0, xref: "container", xanchor: "left", y: 1, yanchor: "top", pad: { l: 14, t: 14 }, font: { size: 15, color: token("ink") } },
  };
  const data = spec.data.map(asText).map(patterned).map(coloured);
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
