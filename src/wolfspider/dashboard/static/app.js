// The shell: the rail of views, the way from an address (after #) to a view, and keys.

import { ask } from "./actions.js";
import { get, of, post } from "./api.js";
import { button, fill, h, say } from "./dom.js";
import { icon, mark } from "./icons.js";
import { Live } from "./live.js";
import { at, where } from "./routes.js";
import { wait } from "./starting.js";

const GENERAL = [["", "runs", "Runs"], ["start", "start", "Start a crawl"], ["compare", "compare", "Compare"]];
const OF_RUN = [
  ["", "overview", "Overview"], ["pages", "pages", "Pages"], ["hosts", "hosts", "Hosts"], ["queue", "queue", "Queue"], ["map", "map", "Map"],
  ["steer", "steer", "Steer"], ["label", "label", "Label"], ["search", "search", "Search"], ["news", "news", "News"],
  ["1997", "spider", "1997"], ["report", "report", "Report"],
];
const MODULES = {
  runs: "./runs.js", start: "./start.js", compare: "./compare.js", overview: "./overview.js", pages: "./pages.js",
  hosts: "./hosts.js", queue: "./queue.js", map: "./stage.js", steer: "./steer.js", label: "./label.js", search: "./search.js",
  news: "./news.js", 1997: "./stage.js", report: "./report.js", explain: "./explain.js", workers: "./workers.js",
};

let live = null, view = null, turn = 0, fleet = false;
const main = document.getElementById("main"), rail = document.getElementById("rail");
const places = h("div", { class: "places" }), ofRun = h("div", { class: "places of-run" });

function place(href, picture, text, current) {
  return h("a", { href, class: "place", "aria-current": current ? "page" : null }, icon(picture), h("span", {}, text));
}

// Two views are for some runs only.
function fits(path, here) {
  if (path === here.name) return true;
  return path === "news" ? Boolean(live?.run?.watch) : path === "1997" ? Boolean(live?.run?.strategy?.startsWith("spider")) : true;
}

function drawRail(here) {
  fill(places, [...GENERAL, ...(fleet ? [["workers", "hosts", "Islands"]] : [])].map(([path, picture, text]) => place(`#/${path}`, picture, text, !here.run && here.name === (path || "runs"))));
  fill(ofRun, here.run ? [
    h("p", { class: "rail-run cut", title: here.run }, here.run),
    OF_RUN.filter(([path]) => fits(path, here)).map(([path, picture, text]) => place(at(here.run, path), picture, text, here.name === (path || "overview") || path === "pages" && here.name === "explain")),
  ] : []);
  const current = rail.querySelector("[aria-current]");
  if (current && rail.scrollWidth > rail.clientWidth) current.scrollIntoView({ block: "nearest", inline: "center" });
}

async function show() {
  const here = where(), mine = ++turn;
  view?.destroy?.();
  view = null;
  if (live && live.name !== here.run) { live.close(); live = null; }
  if (here.run && !live) live = new Live(here.run);
  drawRail(here);
  const box = h("div", { class: `view view-${here.name}` });
  try {
    const module = await import(MODULES[here.name] ?? MODULES.runs);
    if (here.run) await live.ready;
    if (mine !== turn) return;
    drawRail(here);
    if (here.run && !live.run) {
      view = wait(box, live, show);
    } else view = module.open(box, { ...here, live, api: live && bound(live), go: (hash) => { location.hash = hash; } }) ?? null;
  } catch (problem) {
    if (mine !== turn) return;
    fill(box, h("h1", { tabindex: "-1" }, "This view cannot be shown"), h("p", { class: "callout bad" }, problem.message));
  }
  main.replaceChildren(box);
  scrollTo(0, 0);
  const head = box.querySelector("h1");
  document.title = head ? `${head.textContent} · wolfspider` : "wolfspider";
  if (show.once && head) { head.tabIndex = -1; head.focus({ preventScroll: true }); }
  show.once = true;
}

// What the map and the 1997 view are given: the server, and the frames of this run.
function bound(run) {
  return { get, post, of, on: (kind, ear) => run.frames.on(kind, ear) };
}

const KEYS = [
  ["?", "these keys"], ["/", "search in the pages of this run"], ["[ and ]", "the view before, the next view"], ["o", "overview of this run"],
  ["l", "label pages"], ["g", "all runs"], ["n", "start a crawl"], ["t", "light or dark"],
];

function help() {
  ask("Keys", (close) => h("div", { class: "stack" },
    h("dl", { class: "keys" }, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("div", { class: "row end" }, button("Close", () => close(null), { autofocus: true }))));
}

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const here = where(), order = OF_RUN.map(([path]) => path), now = order.indexOf(here.name === "overview" ? "" : here.name);
  const to = {
    "?": help, t: () => window.turnTheme(), g: () => { location.hash = "#/"; }, n: () => { location.hash = "#/start"; },
    ...(here.run && {
      "/": () => { location.hash = at(here.run, "search"); }, o: () => { location.hash = at(here.run); }, l: () => { location.hash = at(here.run, "label"); },
      "[": () => { location.hash = at(here.run, order[Math.max(0, now - 1)]); },
      "]": () => { location.hash = at(here.run, order[Math.min(order.length - 1, now + 1)]); },
    }),
  }[event.key];
  if (to) { event.preventDefault(); to(); }
}

fill(rail, h("a", { href: "#/", class: "brand" }, mark(), h("span", {}, "wolfspider")), places, ofRun,
  h("div", { class: "rail-foot" },
    h("button", { type: "button", class: "plain", title: "Light or dark (t)", "aria-label": "Light or dark", on: { click: () => window.turnTheme() } }, icon("theme")),
    h("button", { type: "button", class: "plain", title: "Keys (?)", "aria-label": "Keys", on: { click: help } }, icon("why"))));
const lost = h("p", { class: "lost", hidden: true });
document.querySelector(".shell").prepend(lost);
setInterval(() => {
  const away = live && !live.connected;
  lost.hidden = !away && !live?.odd;
  say(lost, away ? "The dashboard does not answer; the crawl goes on without it. Trying again." : live?.odd);
}, 1000);
addEventListener("hashchange", show);
addEventListener("keydown", pressed);
get("/api/workers").then((told) => { fleet = told.at !== null; if (fleet) drawRail(where()); }, () => {});
show();
