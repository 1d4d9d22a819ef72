// What was said about the last change goes with the next one: an old "15 accepted" above a new choice misleads.
// [data-changes] marks the parts of pages whose requests change something; estimates and trials do not.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.requestConfig.verb === "get" || !event.detail.elt.closest("[data-changes]")) return;
  const said = [...document.querySelectorAll("#messages > *")];
  const ended = (answer) => {
    if (answer.detail.xhr !== event.detail.xhr) return;
    document.removeEventListener("htmx:afterRequest", ended);
    if (answer.detail.successful) for (const note of said) note.remove();
  };
  document.addEventListener("htmx:afterRequest", ended);
});
