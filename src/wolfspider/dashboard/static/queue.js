// The links that wait, the best first, and visits under way: the list behind the number of those that wait.

import { get, of } from "./api.js";
import { calm, fill, h, outside, say } from "./dom.js";
import { ago, figure, int, none, plural, short } from "./format.js";
import { header } from "./overview.js";
import { at } from "./routes.js";

export function open(box, { run, live, params, go }) {
  const head = header(live), rows = h("tbody"), note = h("p", { class: "note" }), out = h("ul", { class: "under-way" }), outCard = h("section", { class: "card", hidden: true }, h("h2", {}, "Under way"), out);
  const host = h("input", { type: "search", placeholder: "Only this host", "aria-label": "Only this host", value: params.host ?? "" });
  const table = h("div", { class: "scroll listed", hidden: true }, h("table", { class: "collapse" },
    h("thead", {}, h("tr", {}, h("th", { class: "n", scope: "col" }, "worth"), h("th", { scope: "col" }, "link"), h("th", { scope: "col" }, "found on"))), rows));
  host.addEventListener("change", () => go(at(run, "queue", { host: host.value.trim() })));
  fill(box, head.element, h("div", { class: "filters" }, host), outCard, h("section", { class: "card" }, h("h2", {}, "Links that wait"), note, table));
  let shown = [];
  const draw = calm(rows, () => fill(rows, shown.length ? shown.map((one) => h("tr", {}, h("td", { class: "n" }, figure(one.score)),
    h("td", { class: "grow" }, h("a", { class: "page-title cut", href: at(run, "explain", { url: one.url }), title: one.anchor }, one.anchor || short(one.url)), h("span", { class: "page-where cut" }, outside(one.url, short(one.url)))),
    h("td", { class: "grow from-cell" }, one.source ? h("a", { class: "cut", href: at(run, "explain", { url: one.source }) }, short(one.source)) : none)))
    : h("tr", {}, h("td", { colspan: 3, class: "empty" }, "There is none."))));
  const look = async () => {
    try {
      const told = await get(`${of(run)}/queue`, { host: params.host, limit: 200 });
      shown = told.links;
      table.hidden = Boolean(told.note);
      outCard.hidden = !told.under_way.length;
      fill(out, told.under_way.slice(0, 20).map((url) => h("li", {}, h("a", { class: "cut", href: at(run, "explain", { url }) }, short(url)))), told.all_under_way > 20 && h("li", { class: "muted" }, `and ${int(told.all_under_way - 20)} more`));
      say(note, told.note || `${told.whole ? "" : "At least "}${plural(told.all, "link")}${shown.length < told.all ? `, the best ${int(shown.length)} of them` : ""}, as they were written down ${ago(told.at)}.`);
      draw();
    } catch (problem) { say(note, problem.message); }
  };
  look();
  const ticking = setInterval(look, 6000);
  const off = live.on((what) => { if (what === "run" || what === "gauge") head.draw(); });
  return { destroy: () => { clearInterval(ticking); off(); } };
}
