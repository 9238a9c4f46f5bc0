// The view of 1997: a spider's search, generation by generation, with its counters, its bars and its small animation.

import { command } from "./actions.js";
import { get, of } from "./api.js";
import { control } from "./controls.js";
import { button, fill, h, outside, say } from "./dom.js";
import { decimal, figure, int, none, oursOf, present, short } from "./format.js";
import { sheet } from "./sheet.js";
import { scene } from "./spider_scene.js";

const PAUSE = 1500, CAUGHT = 900; // milliseconds between two questions, and for which a caught fly is shown
const DIALS = ["crossover", "mutation", "fetch_time", "outputs"]; // what the window of 1997 had scroll bars for
const BARS = [["terms", "terms"], ["links_score", "links"], ["fetch_score", "time"]];
const ORIGINS = { local: "local", elsewhere: "elsewhere", leap: "leap" };
const STEPS = { parents: "reading its parents", children: "fetching their children", ranking: "asking for a ranking", leaps: "leaping" };

const clock = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds)), two = (number) => String(number).padStart(2, "0");
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
};

function counter(name) {
  const value = h("dd", {}, none);
  return { element: h("div", { class: "s97-counter" }, h("dt", {}, name), value), set: (text) => say(value, text) };
}

export function mount(element, { run }) {
  sheet("spider.css");
  const drawn = scene(), time = counter("Time"), fetched = counter("Pages fetched"), leaps = counter("From leaps"), number = counter("Generation"), fitness = counter("Fitness"), cooled = counter("Temperature");
  const now = h("span", { class: "s97-url cut" }, none), spent = h("span", { class: "s97-spent" }), meter = h("i"), doing = h("p", { class: "muted s97-doing" });
  const results = h("ol", { class: "s97-results" }), steps = h("div", { class: "s97-steps", role: "group", "aria-label": "Generations" }), dials = h("div", { class: "s97-dials" });
  const earlier = button("‹", () => go(-1), { class: "button small", "aria-label": "The generation before" }), later = button("›", () => go(1), { class: "button small", "aria-label": "The next generation" });
  const newest = button("Newest", () => choose(0), { class: "button small" });
  const head = h("h2", {}, "Results"), legend = h("div", { class: "s97-legend" }, Object.keys(ORIGINS).map((name) => h("span", { class: `s97-origin ${name}` }, name)));
  const other = h("p", { class: "callout", hidden: true });
  fill(element, h("div", { class: "s97" }, other,
    h("div", { class: "s97-top" }, drawn.element, h("div", { class: "s97-panel" },
      h("dl", { class: "s97-counters" }, [time, fetched, leaps, number, fitness, cooled].map((one) => one.element)),
      h("div", { class: "s97-now" }, h("span", { class: "s97-label" }, "Fetching now"), now, h("span", { class: "s97-meter", "aria-hidden": "true" }, meter), spent), doing,
      h("div", { class: "row" }, h("a", { class: "button small", href: "#/start" }, "New search"), button("Back", () => history.back(), { class: "button small" })))),
    dials, h("div", { class: "s97-bar" }, h("div", { class: "row" }, earlier, steps, later, newest), legend), head, results));

  let told = null, wanted = 0, asking = false, waits = false, timer = 0, asked = 0, gone = false, gauge = {}, downloads = -1, caught = 0, dialled = new Map();
  const open = new Map(); // addresses whose links are shown

  async function refresh() {
    if (gone) return;
    if (asking) { waits = true; return; }
    asking = true;
    waits = false;
    asked = performance.now();
    try {
      told = await get(`${of(run)}/spider`, wanted ? { generation: wanted } : {});
      if (!gone) draw();
    } catch (problem) {
      fill(results, h("li", { class: "callout bad" }, problem.message));
    } finally {
      asking = false;
      if (waits) soon();
    }
  }

  const soon = () => { if (!timer && !gone) timer = setTimeout(() => { timer = 0; refresh(); }, Math.max(0, asked + PAUSE - performance.now())); };
  const choose = (generation) => { wanted = generation; refresh(); };
  const go = (step) => { if (told) choose(Math.min(told.newest, Math.max(1, told.generation + step))); };

  function draw() {
    other.hidden = told.is_spider || told.strategy.startsWith("spider");
    say(other, `This view shows searches by generations, as the spider- strategies make them. This run's strategy is ${told.strategy}: its map and its overview tell more.`);
    leaps.set(int(told.leaps));
    number.set(told.generation ? `${int(told.generation)}${told.generation === told.newest ? "" : ` of ${int(told.newest)}`}` : none);
    fitness.set(told.generation ? decimal(told.fitness, 4) : none);
    cooled.element.hidden = told.temperature === null;
    cooled.set(told.temperature === null ? none : decimal(told.temperature, 4));
    say(doing, told.running ? told.step && !told.final ? `For generation ${int(told.newest + 1)} it is ${STEPS[told.step] ?? told.step}.` : "" : told.final ? "The search is over: no better page was found." : "The search stands still.");
    say(head, told.results.length ? `${told.generation === told.newest && told.final ? "Results" : "Results so far"}: ${int(told.results.length)}` : "Results");
    fill(steps, told.generations.slice(-12).map((one) => h("button", { type: "button", class: "s97-step", "aria-pressed": one.number === told.generation ? "true" : "false", title: `fitness ${decimal(one.fitness, 4)}`, on: { click: () => choose(one.number === told.newest ? 0 : one.number) } }, int(one.number))));
    earlier.disabled = told.generation <= (told.generations[0]?.number ?? 1);
    later.disabled = told.generation >= told.newest;
    newest.disabled = !wanted || !told.newest;
    fill(results, told.results.length ? told.results.map(result) : h("li", { class: "empty" }, told.running ? "The first generation is not complete yet." : "There are no results."));
    tick();
  }

  // Scores by terms and links are small: their bars are measured by the best of the generation.
  const longest = (name) => name === "fetch_score" ? 1 : Math.max(1e-9, ...told.results.map((one) => one[name]));

  function result(one, place) {
    const kind = one.origin in ORIGINS ? one.origin : "", links = h("ul", { class: "s97-links", hidden: !open.has(one.url) });
    const more = h("button", { type: "button", class: "s97-more", "aria-expanded": open.has(one.url) ? "true" : "false", on: { click: () => unfold(one, links, more) } }, `${int(one.links)} links`);
    if (open.has(one.url)) list(links, open.get(one.url));
    const bars = BARS.map(([name, label]) => h("div", { class: "s97-score" }, h("span", {}, label), h("span", { class: `s97-track ${kind}`, "aria-hidden": "true" }, h("i", { vars: { "--share": `${100 * Math.min(1, one[name] / longest(name))}%` } })), h("span", { class: "s97-figure" }, figure(one[name]))));
    return h("li", { class: "s97-result" },
      h("div", { class: "s97-page" },
        h("div", { class: `s97-title ${kind}` }, h("span", { class: "s97-place" }, `${place + 1}.`), outside(one.url, one.title), h("span", { class: `s97-origin ${kind}` }, one.origin || "unknown")),
        h("p", { class: `s97-address cut ${kind}` }, short(one.url)),
        h("p", { class: "s97-words" }, one.words.length ? one.words.map((word) => h("span", { class: "tag" }, word)) : h("span", { class: "muted" }, "no keyword matched"), more), links),
      h("div", { class: "s97-bars" }, h("div", { class: "s97-total" }, h("span", {}, "score"), h("b", {}, figure(one.score))), bars));
  }

  const list = (box, found) => fill(box, found.links.map((link) => h("li", {}, outside(link.url, link.text || short(link.url)), h("span", { class: "muted cut" }, short(link.url)))), found.all > found.links.length ? h("li", { class: "muted" }, `and ${int(found.all - found.links.length)} more`) : null);

  async function unfold(one, box, more) {
    if (open.delete(one.url)) { box.hidden = true; more.setAttribute("aria-expanded", "false"); return; }
    try {
      const found = await get(`${of(run)}/spider/links`, { url: one.url });
      open.set(one.url, found);
      list(box, found);
    } catch (problem) { fill(box, h("li", { class: "muted" }, problem.message)); }
    box.hidden = false;
    more.setAttribute("aria-expanded", "true");
  }

  // Every part of a second: the clock, and the time of the page that is fetched beside what it may take.
  function tick() {
    if (!told) return;
    const moment = present(), goes = told.running && !told.final && told.generation === told.newest;
    time.set(told.generation || goes ? clock(told.seconds + (goes && told.at ? Math.max(0, moment - told.at) : 0)) : none);
    fetched.set(int(goes ? Math.max(told.fetched, gauge.downloads ?? 0) : told.fetched));
    const live = told.running && gauge.state !== "ended" && gauge.longest ? { url: gauge.longest, since: gauge.longest_since, allowed: gauge.longest_deadline } : null;
    say(now, live ? short(live.url) : told.running ? "nothing at this moment" : "nothing");
    const took = live ? Math.max(0, oursOf(moment - live.since)) : 0;
    say(spent, live ? `${decimal(took, 1)} s${live.allowed ? ` of ${decimal(live.allowed, 0)} s` : ""}` : "");
    meter.style.setProperty("--share", live?.allowed ? `${Math.min(100, 100 * took / live.allowed)}%` : "0%");
    animate();
  }

  function animate() {
    if (!told) return;
    const over = !told.running || told.final || gauge.state === "ended";
    if (over) drawn.show(told.newest || !told.running ? "asleep" : "start");
    else if (performance.now() < caught) drawn.show("caught");
    else if (!told.newest && !(gauge.downloads > 0)) drawn.show("start");
    else drawn.show(gauge.in_flight > 0 || gauge.longest ? "hunt" : "rest");
  }

  async function controls() {
    try {
      const { params } = await get(of(run));
      if (gone) return;
      const shown = params.filter((param) => DIALS.includes(param.name));
      if (!dialled.size) {
        dialled = new Map(shown.map((param) => [param.name, control(param, (value) => command(run, "set", [`${param.name}=${value}`]), { fixed: true })]));
        fill(dials, [...dialled.values()].map((one) => one.element));
      } else for (const param of shown) dialled.get(param.name)?.set(param);
    } catch { /* the rest of the view needs none of it */ }
  }

  const pulse = setInterval(tick, 250);
  refresh();
  controls();
  return {
    update(fields) {
      gauge = fields ?? {};
      if (gauge.downloads !== downloads) {
        if (downloads >= 0) caught = performance.now() + CAUGHT;
        downloads = gauge.downloads;
        soon();
      }
      tick();
    },
    destroy() {
      gone = true;
      clearInterval(pulse);
      clearTimeout(timer);
    },
  };
}
