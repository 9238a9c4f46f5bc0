// Search in the pages of a run, also while it runs; and ask of any address why it stands where it stands.

import { of, post } from "./api.js";
import { fill, h, say } from "./dom.js";
import { int, plural, short } from "./format.js";
import { header } from "./overview.js";
import { at } from "./routes.js";
import { score } from "./rows.js";

const MOST = 50; // pages that are shown

export function open(box, { run, live, params, go }) {
  const head = header(live), input = h("input", { type: "search", value: params.q ?? "", "aria-label": "Words, or an address", placeholder: "Words, a \"phrase\", or an address" }), hits = h("div", { class: "hits" }), card = h("section", { class: "card", hidden: true }, hits), note = h("p", { class: "muted", role: "status" });
  const form = h("form", { class: "search-box", role: "search", on: { submit: (event) => {
    event.preventDefault();
    const asked = input.value.trim();
    go(/^https?:\/\//.test(asked) ? at(run, "explain", { url: asked }) : at(run, "search", { q: asked }));
  } } }, input, h("button", { class: "button primary" }, "Search"));
  fill(box, head.element, form, note, card);
  if (params.q) {
    say(note, "Searching. The first search of a run reads all of its pages, which takes a moment.");
    post(`${of(run)}/search`, { q: params.q, limit: MOST }).then((told) => {
      const found = told.found ?? [];
      say(note, found.length === MOST ? `The best ${int(MOST)} pages; more words find fewer.` : found.length ? `${plural(found.length, "page")}, the best first.` : "No page has these words.");
      card.hidden = !found.length;
      fill(hits, found.map((page) => h("article", { class: "hit" },
        h("div", { class: "row" }, score(page), h("a", { class: "hit-title", href: at(run, "explain", { url: page.url }) }, page.title || short(page.url))),
        h("span", { class: "page-where cut" }, short(page.url)), h("p", {}, page.snippet ?? ""))));
    }).catch((problem) => say(note, problem.message));
  } else say(note, "All words of the pages that this run has; with an address, why it was visited or was not.");
  input.focus({ preventScroll: true });
  const off = live.on((what) => { if (what === "run" || what === "gauge") head.draw(); });
  return { destroy: off };
}
