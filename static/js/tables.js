// A table that is scrolled sideways gets a line beside its first column.
document.addEventListener(
  "scroll",
  (event) => {
    const wrap = event.target;
    if (wrap.classList?.contains("table-wrap")) wrap.classList.toggle("is-scrolled", wrap.scrollLeft > 0);
  },
  { capture: true, passive: true },
);
