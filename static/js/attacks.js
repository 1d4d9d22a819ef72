// Attack my release: on a narrow page the panel stands under the list, so a chosen row leads down to it.
const narrow = window.matchMedia("(max-width: 899.98px)");

document.body.addEventListener("htmx:afterSettle", (event) => {
  const link = event.detail.requestConfig?.elt;
  if (!narrow.matches || !link?.id?.startsWith("open-")) return;
  const panel = document.getElementById("attack-panel");
  panel.scrollIntoView({ block: "start" });
  panel.focus({ preventScroll: true });
});
