// Light, dark or as the system: changes at once, stored per person by posting the form it came from.
const root = document.documentElement;
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function apply(choice) {
  const dark = choice === "dark" || (choice === "auto" && systemDark.matches);
  root.dataset.themeChoice = choice;
  root.dataset.bsTheme = dark ? "dark" : "light";
  for (const toggle of document.querySelectorAll("[data-theme-toggle]")) toggle.value = dark ? "light" : "dark";
  for (const item of document.querySelectorAll("[data-theme-form] [aria-pressed]")) {
    item.setAttribute("aria-pressed", String(item.value === choice));
  }
  document.dispatchEvent(new CustomEvent("portal:theme"));
}

apply(root.dataset.themeChoice || "auto");
systemDark.addEventListener("change", () => {
  if (root.dataset.themeChoice === "auto") apply("auto");
});

// Paper is light: the page is printed in light colours, charts too, and looks as before afterwards.
addEventListener("beforeprint", () => {
  if (root.dataset.bsTheme !== "dark") return;
  root.dataset.bsTheme = "light";
  root.dataset.printsDark = "";
  document.dispatchEvent(new CustomEvent("portal:theme"));
});

addEventListener("afterprint", () => {
  if (!("printsDark" in root.dataset)) return;
  delete root.dataset.printsDark;
  apply(root.dataset.themeChoice);
});

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-theme-form]");
  if (!form || !event.submitter) return;
  event.preventDefault();
  const choice = event.submitter.value;
  const body = new FormData(form);
  body.set("theme", choice);
  apply(choice);
  try {
    await fetch(form.action, { method: "POST", body, headers: { "X-Requested-With": "fetch" } });
  } catch {
    document.dispatchEvent(new CustomEvent("portal:offline"));
  }
});
