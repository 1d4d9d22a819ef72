// Runs before the first paint, so it is no module: sets the theme and says that scripts work.
(function () {
  const root = document.documentElement;
  root.classList.add("js");
  if ((root.dataset.themeChoice || "auto") === "auto") {
    root.dataset.bsTheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
})();
