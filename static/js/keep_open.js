// What a person has opened stays open when a poll replaces it: details[data-keep-open], by their id.
let open = [];

document.addEventListener("htmx:beforeSwap", () => {
  open = [...document.querySelectorAll("details[data-keep-open][open]")].map((details) => details.id);
});

document.addEventListener("htmx:afterSwap", () => {
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
});
