// Runs side by side: the same curves, over downloads or over time, and the settings in which they differ.

import { get } from "./api.js";
import { plots } from "./charts.js";
import { fill, h } from "./dom.js";
import { int, none, percent, words } from "./format.js";
import { at } from "./routes.js";

const MOST = 8;

export function open(box, { params, go }) {
  const chosen = new Set((params.runs ?? "").split(",").filter(Boolean)), overTime = params.over === "time";
  const choose = h("div", { class: "choose", role: "group", "aria-label": "Runs to compare" }), body = h("div", { class: "view" });
  const to = (over) => go(`#/compare?${new URLSearchParams({ runs: [...chosen].join(","), ...(over && { over: "time" }) })}`);
  fill(box, h("header", { class: "head" }, h("div", { class: "head-text" }, h("h1", {}, "Compare"), h("p", { class: "muted" }, "Choose runs of the same topic, and see which found more for the same downloads."))), choose, body);
  let drawing = null, gone = false;
  get("/api/runs").then(({ runs }) => fill(choose, runs.filter((one) => one.began).map((one) => {
    const tick = h("input", { type: "checkbox", checked: chosen.has(one.name), disabled: !chosen.has(one.name) && chosen.size >= MOST });
    tick.addEventListener("change", () => { if (tick.checked) chosen.add(one.name); else chosen.delete(one.name); to(overTime); });
    return h("label", { class: "choice" }, tick, h("span", { class: "cut" }, one.name));
  }))).catch((problem) => fill(choose, h("p", { class: "callout bad" }, problem.message)));
  if (chosen.size) get("/api/compare", { runs: [...chosen].join(",") }).then((told) => {
    if (gone) return;
    drawing = plots("compare", "Plots: relevant pages found and harvest rate of each run");
    const legend = h("div", { class: "legend" }, told.runs.map((one, place) => h("span", { vars: { "--colour": `var(--s${place % 8 + 1})` } }, h("i"), h("a", { class: "cut", href: at(one.name) }, `${place + 1}. ${one.name}`))));
    const last = (one, column) => one.series[column].at(-1);
    const rows = [["downloads", "downloads", int, "all"], ["pages", "pages", int, "fetched"], ["relevant", "relevant", int, "accepted"], ["harvest rate", "cumulative", percent, "accepted"]];
    const differ = Object.entries(told.differ ?? {}).map(([name, values]) => [name === "pages" ? "budget" : name, values]).sort(([a], [b]) => Number(a.startsWith("set ")) - Number(b.startsWith("set ")));
    fill(body, h("section", { class: "card" }, h("div", { class: "card-head" }, legend, h("div", { class: "segments", role: "group", "aria-label": "Over what" },
      [["Downloads", false], ["Time", true]].map(([text, over]) => h("button", { type: "button", class: "segment", "aria-pressed": String(over === overTime), on: { click: () => to(over) } }, text)))), drawing.element),
    h("section", { class: "card" }, h("h2", {}, "In numbers, and where the settings differ"), h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, ""), told.runs.map((one) => h("th", { class: "n", scope: "col" }, one.name)))),
      h("tbody", {}, rows.map(([name, column, text, kind]) => h("tr", {}, h("td", {}, name), told.runs.map((one) => h("td", { class: "n strong" }, h("a", { href: at(one.name, "pages", { kind }) }, text(last(one, column))))))),
        differ.map(([name, values]) => h("tr", {}, h("td", { class: "muted" }, words(name)), values.map((value) => h("td", { class: "n" }, value === null || value === undefined ? "" : Array.isArray(value) ? value.join(", ") || none : typeof value === "object" ? JSON.stringify(value) : String(value))))))))));
    drawing.draw({ overTime, runs: told.runs.map(({ series }) => ({ downloads: series.downloads, at: series.at.map((time) => time - series.at[0]), relevant: series.relevant, cumulative: series.cumulative })) });
  }).catch((problem) => fill(body, h("p", { class: "callout bad" }, problem.message)));
  return { destroy: () => { gone = true; drawing?.destroy(); } };
}
