// The hosts of a run: what came from each, what was refused and why, what waits and until when.

import { get, of } from "./api.js";
import { calm, fill, h, say } from "./dom.js";
import { int } from "./format.js";
import { header } from "./overview.js";
import { at } from "./routes.js";
import { HOST_HEADS, hostRow } from "./rows.js";

export function open(box, { run, live, params, go }) {
  const sort = HOST_HEADS.some(([name]) => name === params.sort) ? params.sort : "relevant";
  const head = header(live), rows = h("tbody"), note = h("p", { class: "callout", hidden: true }), total = h("p", { class: "note" });
  const heads = HOST_HEADS.map(([name, text], place) => h("th", { class: place ? "n" : "", scope: "col", "aria-sort": name === sort ? name === "host" ? "ascending" : "descending" : null },
    h("button", { type: "button", on: { click: () => go(at(run, "hosts", { sort: name })) } }, text)));
  fill(box, head.element, note, h("section", { class: "card" }, h("div", { class: "scroll" }, h("table", { class: "hosts-table" }, h("thead", {}, h("tr", {}, heads, h("th", { class: "n", scope: "col" }, "on topic?"))), rows)), total));
  let shown = [];
  const draw = calm(rows, () => fill(rows, shown.length ? shown.map((one) => hostRow(run, one)) : h("tr", {}, h("td", { colspan: 6, class: "empty" }, "No host has answered yet."))));
  const look = async () => {
    try {
      const told = await get(`${of(run)}/hosts`, { sort, limit: 200 });
      shown = told.hosts;
      note.hidden = !told.note;
      say(note, told.note);
      say(total, told.all > shown.length ? `${int(shown.length)} of ${int(told.all)} hosts.` : "");
      draw();
    } catch (problem) { note.hidden = false; say(note, problem.message); }
  };
  look();
  let asked = Date.now();
  const off = live.on((what) => {
    if (what === "run" || what === "gauge") head.draw();
    if ((what === "page" || what === "obeyed" || what === "run") && Date.now() - asked > 2500) { asked = Date.now(); look(); }
  });
  return { destroy: off };
}
