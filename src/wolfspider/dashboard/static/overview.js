// The first screen of a run: is it working, is what it finds good, what should I do next; and what all that rests on.

import { ask, command, governing, restart } from "./actions.js";
import { get, of } from "./api.js";
import { bar, plots, setBar, spark } from "./charts.js";
import { button, calm, fill, h, say } from "./dom.js";
import { ago, bounded, clock, coarse, decimal, figure, int, known, none, percent, plural, present, span, wanted, words } from "./format.js";
import { at } from "./routes.js";
import { HOST_HEADS, deed, failureLine, hostRow, pageLine } from "./rows.js";

const SHOWN = 6; // pages of a list, hosts and errors
const STATES = {
  fetching: ["good", "Fetching"], waiting: ["warn", "Waiting"], idle: ["warn", "Idle"], paused: ["warn", "Paused"], finishing: ["good", "Finishing"],
  ended: ["off", "Ended"], starting: ["good", "Starting"], preparing: ["good", "Preparing"], silent: ["warn", "Silent"], unbegun: ["off", "Not begun"],
  watching: ["good", "Watching"], failed: ["bad", "Failed"], killed: ["bad", "Killed"], damaged: ["bad", "Damaged"],
};

export function pill(state, title) {
  const [kind, text] = STATES[state] ?? ["off", words(state) || "Unknown"];
  return h("span", { class: `pill ${kind}`, title }, h("span", { class: "dot", "aria-hidden": "true" }), text);
}

// The state of now: frames bring the gauge earlier than the whole run. A watch with nothing under way does its work.
export function stateOf(run) {
  const state = run.running && STATES[run.gauge?.state] && run.gauge.state !== "ended" && run.state !== "silent" ? run.gauge.state : run.state;
  return run.watch && state === "idle" ? "watching" : state;
}

// How long it has been so: no state is shown without its age.
const age = (run) => known(run.since) ? run.running ? `for ${span(present() - run.since)}` : ago(run.since) : "";
const GOES_ON = "The run is going on."; // the state beside it says more

export function header(live, extra) {
  const run = live.run, govern = governing(live);
  const state = h("div", { class: "state-line" });
  const draw = () => {
    const now = live.run;
    fill(state, pill(stateOf(now)), h("span", { class: "state-text" }, [age(now), now.reason_text !== GOES_ON && now.reason_text].filter(Boolean).join(" · ")));
    govern.draw();
  };
  draw();
  const what = wanted(run.topic || run.description, run.liked, run.name);
  return {
    element: h("header", { class: "head" }, h("div", { class: "head-text" },
      h("p", { class: "eyebrow" }, h("a", { href: "#/" }, "Runs"), " / ", run.name),
      h("h1", { class: "clamp", title: what }, what), state), extra ?? govern.element),
    draw,
  };
}

// A tile: a name, a number that opens what is behind it, and a few words.
function tile(name, href) {
  const value = h("a", { class: "tile-value", href }, none), note = h("span", { class: "tile-note" });
  return { element: h("div", { class: "tile" }, h("span", { class: "tile-name" }, name), value, note), set: (number, text) => { say(value, number); say(note, text ?? ""); } };
}

function offer(live, action) {
  const run = live.name, to = (place, text) => h("a", { class: "button small", href: at(run, place) }, text);
  switch (action?.kind) {
    case "resume": return button(action.pages ? `Resume with ${int(action.pages)}` : "Resume", async () => { if (await restart(run, action.pages)) live.look(); }, { class: "button small primary" });
    case "command": return button(words(action.verb), () => command(run, action.verb, action.words ?? []), { class: "button small primary cap" });
    case "label": return to("label", "Label ten pages");
    case "report": return to("report", "Open the report");
    case "failures": return h("a", { class: "button small", href: at(run, "pages", { kind: "failed" }) }, "Show them");
    case "said": return button("What it said", () => said(run), { class: "button small" });
    case "seeds": case "topic": case "limits": case "scope": return to(`steer`, { seeds: "Add starting points", topic: "Change the topic", limits: "Move the limit", scope: "Change the scope" }[action.kind]);
    default: return null;
  }
}

// A line in the plots was chosen: what was done there, and its undo.
function showDeed(run, one, place) {
  ask(`Deed ${place}`, (close) => h("div", { class: "stack" }, h("ol", { class: "deeds one" }, deed(run, one, place, () => close(null))),
    !one.undo && h("p", { class: "muted" }, "Nothing takes this back."), h("div", { class: "row end" }, button("Close", () => close(null), { autofocus: true }))));
}

// A figure of the strategy was chosen: the values it had, the newest first, each where it began.
function showFigure(name, points) {
  const turns = points.filter(([, value], place) => !place || value !== points[place - 1][1]).reverse(), shown = turns.slice(0, 200);
  ask(words(name), (close) => h("div", { class: "stack" }, h("p", { class: "muted" }, `As the strategy reports it: ${plural(turns.length, "value")} so far${shown.length < turns.length ? `, the newest ${int(shown.length)} of them` : ""}.`),
    h("div", { class: "said" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "from download"), h("th", { class: "n", scope: "col" }, "value"))),
      h("tbody", {}, shown.map(([downloads, value]) => h("tr", {}, h("td", {}, int(downloads)), h("td", { class: "n" }, figure(value))))))),
    h("div", { class: "row end" }, button("Close", () => close(null), { autofocus: true }))));
}

async function said(run) {
  const { said: text } = await get(`${of(run)}/said`).catch((problem) => ({ said: problem.message }));
  ask("What its process said last", (close) => h("div", { class: "stack" }, h("pre", { class: "said" }, text || "Nothing."), h("div", { class: "row end" }, button("Close", () => close(null)))));
}

export function open(box, { run, live, go }) {
  const head = header(live);
  let drawn = []; // deeds that are lines in the plots
  const works = h("p", { class: "answer" }), spent = h("a", { class: "big", href: at(run, "pages", { kind: "all" }) }), ofAll = h("span", { class: "big-note" });
  const progress = bar(0, "Budget spent"), pace = h("dl", { class: "facts" });
  const good = h("p", { class: "answer" }), relevant = h("a", { class: "big", href: at(run, "pages", { kind: "accepted" }) }), share = h("span", { class: "big-note" });
  const curve = h("div", { class: "spark-box" }), outlook = h("dl", { class: "facts" });
  const next = h("ul", { class: "advice" });
  const tiles = {
    queue: tile("Queue", at(run, "queue")), flight: tile("Under way", at(run, "queue")), hosts: tile("Hosts", at(run, "hosts")),
    resting: tile("Hosts at rest", at(run, "hosts", { sort: "waiting" })), rejected: tile("Not relevant", at(run, "pages", { kind: "rejected" })), failed: tile("Failed", at(run, "pages", { kind: "failed" })),
  };
  const drawing = plots("run", "Plots: harvest rate, pages found and queue, over downloads", () => go(at(run, "pages", { kind: "accepted" })), (place) => drawn[place] && showDeed(run, drawn[place], place + 1));
  const deeds = h("ol", { class: "deeds", "aria-label": "Deeds, as numbered in the plots" });
  const lists = { accepted: h("ul", { class: "pages-list" }), rejected: h("ul", { class: "pages-list" }) };
  const hosts = h("tbody"), note = h("p", { class: "note" }), errors = h("ul", { class: "failures" });
  const reports = h("dl", { class: "facts wide-facts" }), sparks = h("div", { class: "sparks" }), reportCard = h("section", { class: "card", hidden: true }, h("h2", {}, "What the strategy reports"), reports, sparks);

  const section = (title, link, ...rest) => h("section", { class: "card" }, h("div", { class: "card-head" }, h("h2", {}, title), link), ...rest);
  const all = (place, params, text = "All") => h("a", { class: "quiet", href: at(run, place, params) }, text);
  fill(box, head.element,
    h("div", { class: "answers" },
      h("section", { class: "card answer-card" }, h("h2", { class: "question" }, "Is it working?"), works, h("p", { class: "big-line" }, spent, ofAll), progress, pace),
      h("section", { class: "card answer-card" }, h("h2", { class: "question" }, "Is what it finds good?"), good, h("p", { class: "big-line" }, relevant, share), curve, outlook),
      h("section", { class: "card answer-card" }, h("h2", { class: "question" }, "What should I do next?"), next)),
    h("div", { class: "tiles" }, Object.values(tiles).map((each) => each.element)),
    h("section", { class: "card plots-card" }, drawing.element, deeds),
    h("div", { class: "two" }, section("Newest accepted", all("pages", { kind: "accepted" }), lists.accepted), section("Newest rejected", all("pages", { kind: "rejected" }), lists.rejected)),
    h("div", { class: "two wide-left" },
      section("Hosts", all("hosts"), h("div", { class: "scroll" }, h("table", { class: "hosts-table" }, h("thead", {}, h("tr", {}, HOST_HEADS.map(([, name], place) => h("th", { class: place ? "n" : "", scope: "col" }, name)))), hosts)), note),
      section("Errors", all("pages", { kind: "failed" }), errors)),
    reportCard);

  // Made once, then only their texts change: a focus on one of them stays.
  const facts = (list, pairs) => {
    if (list.children.length !== pairs.length) fill(list, pairs.map(([name, , href]) => h("div", {}, h("dt", {}, name), h("dd", {}, href ? h("a", { href }) : h("span")))));
    pairs.forEach(([name, value, , more], place) => {
      const shown = list.children[place].lastChild.firstChild;
      say(list.children[place].firstChild, name);
      say(shown, value);
      if (more !== undefined) shown.title = more;
    });
  };

  const behind = {}; // what the lists below have in all: a number and its list are of one moment
  const sum = (counts) => Object.values(counts ?? {}).reduce((all, each) => all + each, 0);
  const gauge = () => {
    const now = live.run, g = now.gauge ?? {}, status = now.status ?? {};
    const downloads = g.downloads ?? status.downloads ?? 0, budget = bounded(g.budget || now.limits?.find((one) => one.name === "pages")?.value);
    const found = g.relevant ?? status.relevant ?? 0, pages = g.pages ?? status.pages ?? 0, state = stateOf(now);
    head.draw();
    const working = { fetching: "Yes, it is fetching.", waiting: "It waits for hosts to rest.", idle: "It has nothing under way.", watching: "Yes: it looks again when news may be there.", unbegun: "It has not begun.", damaged: "No: it cannot be read.", paused: "It is paused.", finishing: "It is finishing.", ended: "It has ended.", killed: "No: it was killed.", failed: "No: an error ended it.", silent: "It does not report.", preparing: "It is getting ready.", starting: "It is starting." };
    say(works, working[state] ?? "");
    say(spent, int(downloads));
    say(ofAll, budget ? ` of ${int(budget)} downloads` : " downloads");
    setBar(progress, budget ? downloads / budget : 0);
    facts(pace, [["downloads/s", now.running ? decimal(g.rate_minute) : none, at(run, "pages", { kind: "all" })], ["to go, about", now.running && budget ? coarse(g.left) : none, at(run, "steer")], ["began", clock(status.started)]]);
    const rate = downloads ? found / downloads : null;
    say(relevant, int(found));
    say(share, ` relevant of ${plural(pages, "page")}`);
    say(good, goodness(found, downloads, g));
    facts(outlook, [["harvest rate", percent(rate), at(run, "pages", { kind: "accepted" })], ["last 100 → next", known(g.lately) ? `${int(g.lately)}${known(g.coming) ? ` → ${int(g.coming)}` : ""}` : none, at(run, "pages", { kind: "accepted" }),
      known(g.coming) ? `Of the next 100 downloads probably about ${int(g.coming)} are relevant (${int(g.coming_low)} to ${int(g.coming_high)})` : ""],
      ["left to find", known(g.unfound) ? `${int(g.unfound)} (${int(g.unfound_low)}–${int(g.unfound_high)})` : "unknown", at(run, "report")]]);
    tiles.queue.set(known(g.frontier) ? int(g.frontier) : none, "links wait");
    const waits = sum(g.waiting);
    tiles.flight.set(int(g.in_flight ?? 0), waits ? `${int(waits)} more wait` : "requests");
    tiles.hosts.set(int(behind.hosts), `${int(behind.withPages)} with pages`);
    tiles.resting.set(int(now.running ? g.hosts_resting ?? 0 : 0), now.running && g.hosts_resting && g.better_host ? "the best one rests" : now.running && known(g.hosts_ready) ? `${int(g.hosts_ready)} may be asked` : "");
    tiles.rejected.set(int(Math.max(0, pages - found)), percent(pages ? (pages - found) / pages : null, 0));
    tiles.failed.set(int(behind.failed ?? sum(status.failures)), "visits");
  };

  const rest = () => {
    const now = live.run;
    gauge();
    fill(next, (now.advice?.length ? now.advice : [{ text: "Nothing needs you now." }]).map((one) => h("li", {}, h("span", {}, one.text), offer(live, one.action))));
    const curves = Object.keys(live.series?.strategy ?? {});
    const told = Object.entries(now.report ?? {}).filter(([name, value]) => name !== "frontier" && !curves.includes(name) && ["number", "string", "boolean"].includes(typeof value)).slice(0, 12);
    reportCard.hidden = told.length === 0 && !sparks.children.length;
    facts(reports, told.map(([name, value]) => [words(name), typeof value === "number" ? figure(value) : String(value)]));
  };

  let figures = []; // of the strategy: a name, and its values by downloads
  const drawFigures = calm(sparks, () => fill(sparks, figures.map(([name, points]) => {
    const values = points.map(([, value]) => value);
    return h("figure", {}, h("figcaption", {}, h("span", { class: "muted" }, words(name)), button(figure(values.at(-1)), () => showFigure(name, points), { class: "figure-value", title: "Its values so far" })),
      spark(values, { low: Math.min(0, ...values), label: `${words(name)} over downloads` }));
  })));

  const series = () => {
    const s = live.series;
    if (!s) return;
    fill(curve, spark((s.window ?? []).slice(-400), { label: "Harvest rate over the last 100 downloads" }));
    const told = Object.entries(s.strategy ?? {}).map(([name, values]) => [name, values.map((value, place) => [s.downloads[place], value]).filter(([, value]) => value !== null)]).filter(([, points]) => points.length > 1).slice(0, 8);
    figures = told;
    drawFigures();
    rest();
    const marks = drawn = (s.marks ?? []).filter((one) => !one.problem).slice(-40);
    drawing.draw({ downloads: s.downloads, window: s.window, cumulative: s.cumulative, relevant: s.relevant, frontier: s.frontier, chance: s.chance, deeds: marks.map((one) => one.downloads) });
    fill(deeds, marks.slice(-6).map((one, place) => deed(run, one, marks.length - Math.min(6, marks.length) + place + 1)));
    deeds.hidden = marks.length === 0;
  };

  const kept = { accepted: [], rejected: [] };
  const drawLists = Object.fromEntries(Object.keys(kept).map((kind) => [kind, calm(lists[kind], () => fill(lists[kind],
    kept[kind].length ? kept[kind].map((page) => pageLine(run, page)) : h("li", { class: "empty" }, kind === "accepted" ? "No page was found relevant yet." : "No page was rejected yet.")))]));
  let asked = 0;
  const look = async () => {
    if (document.hidden || Date.now() - asked < 1800) return;
    asked = Date.now();
    try {
      for (const kind of Object.keys(kept)) {
        kept[kind] = (await get(`${of(run)}/pages`, { kind, limit: SHOWN })).pages;
        drawLists[kind]();
      }
      const [ofHosts, ofErrors] = await Promise.all([get(`${of(run)}/hosts`, { limit: SHOWN }), get(`${of(run)}/failures`)]);
      fill(hosts, ofHosts.hosts.slice(0, SHOWN).map((one) => hostRow(run, one, false)));
      say(note, ofHosts.note ?? "");
      const { failures } = ofErrors;
      Object.assign(behind, { hosts: ofHosts.all, withPages: ofHosts.with_pages, failed: failures.reduce((all, one) => all + one.count, 0) });
      gauge();
      fill(errors, failures.length ? failures.slice(0, 4).map((one) => failureLine(run, one)) : h("li", { class: "empty" }, "No visit has failed."));
    } catch { /* asked again soon */ }
  };

  rest();
  look();
  const off = live.on((what) => {
    if (what === "gauge") gauge();
    if (what === "run") { rest(); look(); }
    if (what === "page" || what === "obeyed") look();
    if (what === "series") series();
  });
  const unwatch = live.watchCurves(), ticking = setInterval(() => head.draw(), 1000);
  return { destroy: () => { off(); unwatch(); clearInterval(ticking); drawing.destroy(); } };
}

function goodness(found, downloads, g) {
  if (downloads < 20) return "Too early to say.";
  if (!found) return "Not yet: no page is relevant so far.";
  const of = downloads / found, share = `One of ${decimal(of, of < 10 ? 1 : 0)} downloads is relevant.`, lately = g.lately / 100 * of;
  if (!known(g.lately) || downloads < 150) return share;
  return lately > 1.25 ? "Better and better: more than before." : lately < .6 ? "It finds less than before." : share;
}
