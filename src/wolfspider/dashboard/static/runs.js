// All runs of the folder.

import { get } from "./api.js";
import { bar } from "./charts.js";
import { fill, h, say } from "./dom.js";
import { ago, bounded, clock, int, percent, wanted } from "./format.js";
import { icon } from "./icons.js";
import { pill, stateOf } from "./overview.js";
import { at } from "./routes.js";

function card(run) {
  return h("a", { class: "card run-card", href: at(run.name) },
    h("div", { class: "run-top" }, pill(stateOf(run), run.reason), run.test && h("span", { class: "tag" }, "test"), run.watch && h("span", { class: "tag" }, "watch"),
      h("span", { class: "muted run-since" }, run.running ? `for ${ago(run.began, run.now).replace(" ago", "")}` : run.began ? clock(run.began, run.now) : "")),
    h("h2", { class: "clamp", title: run.topic }, wanted(run.topic, null, run.name)),
    h("p", { class: "muted cut" }, [run.name, run.strategy].filter(Boolean).join(" · ")),
    h("div", { class: "run-numbers" },
      h("div", {}, h("span", { class: "run-big" }, int(run.relevant)), h("span", { class: "muted" }, "relevant")),
      h("div", {}, h("span", { class: "run-big" }, percent(run.harvest)), h("span", { class: "muted" }, "harvest rate")),
      h("div", {}, h("span", { class: "run-big" }, int(run.downloads)), h("span", { class: "muted" }, bounded(run.budget) ? `of ${int(run.budget)}` : "downloads"))),
    bar(bounded(run.budget) ? run.downloads / run.budget : 0, "Budget spent"));
}

export function open(box) {
  const list = h("div", { class: "runs" }), note = h("p", { class: "muted" });
  fill(box, h("header", { class: "head" }, h("div", { class: "head-text" }, h("h1", {}, "Runs"), note),
    h("a", { class: "button primary", href: "#/start" }, icon("start"), "Start a crawl")), list);
  let first = true;
  const look = async () => {
    if (document.hidden && !first) return;
    first = false;
    try {
      const { runs, folder } = await get("/api/runs");
      const running = runs.filter((one) => one.running).length;
      say(note, runs.length ? `${int(runs.length)} in ${folder ?? "this folder"}, ${int(running)} running.` : "");
      const order = [...runs].sort((a, b) => Number(b.running) - Number(a.running) || (b.began ?? Infinity) - (a.began ?? Infinity));
      fill(list, order.length ? order.map(card) : h("div", { class: "card welcome" }, h("h2", {}, "Nothing hunts here yet."),
        h("p", {}, "Give a topic in a few words, some addresses to start from, and a budget. A test crawl of 50 pages shows in a minute whether that works."),
        h("a", { class: "button primary", href: "#/start" }, icon("start"), "Start a crawl")));
    } catch (problem) {
      say(note, problem.message);
    }
  };
  look();
  const clock = setInterval(look, 2500);
  return { destroy: () => clearInterval(clock) };
}
