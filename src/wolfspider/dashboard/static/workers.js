// The islands of a fleet: which are at work, where, on what lease, and how often they died.

import { get } from "./api.js";
import { bar } from "./charts.js";
import { fill, h, say } from "./dom.js";
import { int } from "./format.js";
import { at } from "./routes.js";

const HEADS = ["island", "at work?", "machine", "hosts", "downloads", "of its lease", "relevant", "a second", "started again", "links waiting"];

function row(one) {
  const state = one.alive ? "at work" : one.trouble || (one.why ? `ended: ${one.why}` : "not at work");
  return h("tr", {},
    h("th", { scope: "row" }, one.run ? h("a", { href: at(one.run) }, one.name) : one.name),
    h("td", { class: "cut", title: state }, state), h("td", { class: "cut" }, one.process ? `${one.machine}, process ${one.process}` : one.machine),
    h("td", { class: "n" }, int(one.hosts)), h("td", { class: "n" }, int(one.downloads)),
    h("td", { class: "n" }, int(one.lease), bar(one.lease ? one.downloads / one.lease : 0, "Lease spent")),
    h("td", { class: "n" }, int(one.relevant)), h("td", { class: "n" }, one.rate.toFixed(1)), h("td", { class: "n" }, int(one.restarts)), h("td", { class: "n" }, int(one.links)));
}

export function open(box) {
  const note = h("p", { class: "muted" }), rows = h("tbody");
  fill(box, h("header", { class: "head" }, h("div", { class: "head-text" }, h("h1", {}, "Islands"), note)),
    h("section", { class: "card" }, h("div", { class: "scroll" }, h("table", { class: "hosts-table" },
      h("thead", {}, h("tr", {}, HEADS.map((text, place) => h("th", { scope: "col", class: place > 2 ? "n" : "" }, text)))), rows))));
  let first = true;
  const look = async () => {
    if (document.hidden && !first) return;
    first = false;
    try {
      const told = await get("/api/workers"), spent = told.workers.reduce((sum, one) => sum + one.downloads, 0);
      say(note, told.at === null ? "The runs of this folder are no islands of a fleet." :
        `${told.running ? "The fleet is at work" : "The fleet is not running"}: ${int(spent)} of ${int(told.budget)} downloads, ${int(told.free)} not leased yet.${told.lost ? ` ${int(told.lost)} keepers were replaced.` : ""}`);
      fill(rows, told.workers.map(row));
    } catch (problem) { say(note, problem.message); }
  };
  look();
  const clock = setInterval(look, 2000);
  return { destroy: () => clearInterval(clock) };
}
