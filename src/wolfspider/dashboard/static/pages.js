// The pages of a run, and visits that failed: the list behind the numbers.

import { get, of } from "./api.js";
import { button, calm, fill, h } from "./dom.js";
import { words } from "./format.js";
import { header } from "./overview.js";
import { at } from "./routes.js";
import { pageRow } from "./rows.js";

const KINDS = [["accepted", "Relevant"], ["rejected", "Not relevant"], ["fetched", "Fetched"], ["failed", "Failed"], ["all", "All"]];
const AT_ONCE = 50;

export function open(box, { run, live, params, go }) {
  const kind = KINDS.some(([name]) => name === params.kind) ? params.kind : params.host || params.reason ? "all" : "accepted";
  const head = header(live), rows = h("tbody"), more = h("div", { class: "row" }), host = h("input", { type: "search", placeholder: "Only this host", "aria-label": "Only this host", value: params.host ?? "" });
  const to = (change) => go(at(run, "pages", { kind, host: params.host, reason: params.reason, ...change }));
  host.addEventListener("change", () => to({ host: host.value.trim() }));
  const chips = [["reason", params.reason]].filter(([, value]) => value).map(([name, value]) => button(`${words(value)} ×`, () => to({ [name]: "" }), { class: "button small", "aria-label": `Without the filter ${value}` }));
  fill(box, head.element,
    h("div", { class: "filters" }, h("div", { class: "segments", role: "group", "aria-label": "Which pages" },
      KINDS.map(([name, text]) => h("button", { type: "button", class: "segment", "aria-pressed": String(name === kind), on: { click: () => to({ kind: name, reason: name === "failed" || name === "all" ? params.reason : "" }) } }, text))), host, chips),
    h("section", { class: "card" }, h("div", { class: "scroll" }, h("table", { class: "collapse" },
      h("thead", {}, h("tr", {}, h("th", { class: "n", scope: "col" }, "score"), h("th", { scope: "col" }, "page"), h("th", { scope: "col" }, "why"), h("th", { class: "n", scope: "col" }, "fetched"), h("th", { class: "n", scope: "col" }, "on topic?"))), rows)), more));
  let shown = [], next = null, deeper = false;
  const draw = calm(rows, () => {
    fill(rows, shown.length ? shown.map((page) => pageRow(run, page)) : h("tr", {}, h("td", { colspan: 5, class: "empty" }, "There is none.")));
    fill(more, next && button("Older ones", () => look(next)));
  });
  const look = async (before) => {
    try {
      const told = await get(`${of(run)}/pages`, { kind, host: params.host, reason: params.reason, before, limit: AT_ONCE });
      shown = before ? [...shown, ...told.pages] : told.pages;
      deeper ||= Boolean(before);
      next = told.next;
      draw(Boolean(before) || !live.run.running);
    } catch (problem) {
      fill(more, h("p", { class: "callout bad" }, problem.message));
    }
  };
  look();
  let asked = Date.now();
  const off = live.on((what) => {
    if (what === "run" || what === "gauge") head.draw();
    if ((what === "page" || what === "obeyed") && !deeper && Date.now() - asked > 2000) { asked = Date.now(); look(); }
  });
  return { destroy: off };
}
