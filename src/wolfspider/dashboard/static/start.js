// Start a crawl: what to look for, where to begin, how, how much; first as a test with a preview, then in earnest.

import { get, of, post } from "./api.js";
import { bar } from "./charts.js";
import { control } from "./controls.js";
import { button, field, fill, h, say } from "./dom.js";
import { int, percent, plural } from "./format.js";
import { at } from "./routes.js";
import { pageLine } from "./rows.js";

const WATCHING = "monitor"; // the preset that watches sites instead of hunting
const addresses = (text) => text.split(/\s+/).map((each) => each.trim()).filter(Boolean);

export function open(box, { go }) {
  const inner = h("div", { class: "start" });
  fill(box, h("header", { class: "head" }, h("div", { class: "head-text" }, h("h1", {}, "Start a crawl"), h("p", { class: "muted" }, "Say what you look for. Try it on a few pages first, then let it hunt."))), inner);
  let watching = null, gone = false;
  get("/api/choices").then((choices) => { if (!gone) build(inner, choices, go, (stop) => { watching?.(); watching = stop; }); })
    .catch((problem) => fill(inner, h("p", { class: "callout bad" }, problem.message)));
  return { destroy: () => { gone = true; watching?.(); } };
}

function build(box, choices, go, watch) {
  const ready = choices.defaults ?? {};
  const topic = h("input", { type: "text", name: "topic", placeholder: "wolf spiders, Lycosidae", autocomplete: "off" });
  const liked = h("textarea", { name: "liked", placeholder: "https://example.org/a-page-you-like", spellcheck: "false" });
  const seeds = h("textarea", { name: "seeds", placeholder: "https://example.org/", spellcheck: "false" });
  const search = h("input", { type: "text", name: "search", value: ready.search ?? "", placeholder: "address of a search service", autocomplete: "off" });
  const contact = h("input", { type: "text", name: "contact", value: ready.contact ?? "", placeholder: "you@example.org", autocomplete: "email" });
  const pages = h("input", { type: "number", name: "pages", min: 1, value: String(ready.pages ?? 500), required: true });
  const strategy = h("select", { name: "strategy" }, choices.strategies.map((each) => h("option", { value: each.name }, each.name)));
  const judge = h("select", { name: "judge" }, choices.judges.map((each) => h("option", { value: each.name }, each.name)));
  const scope = h("select", { name: "scope" }, choices.scopes.map((each) => h("option", { value: each.name }, each.name)));
  const sitemaps = h("textarea", { name: "sitemaps", placeholder: "https://example.org/sitemap.xml", spellcheck: "false" });
  const feeds = h("textarea", { name: "feeds", placeholder: "https://example.org/feed.xml", spellcheck: "false" });
  const learned = h("select", { name: "learned_from" }, h("option", { value: "" }, "nothing: it starts afresh"));
  get("/api/runs").then(({ runs }) => learned.append(...runs.filter((one) => one.pages && !one.test).map((one) => h("option", { value: one.name }, `${one.name} (${one.strategy})`)))).catch(() => {});
  const sentence = h("p", { class: "help" }), judged = h("p", { class: "help" }), scoped = h("p", { class: "help" }), tuning = h("div");
  strategy.value = ready.strategy ?? strategy.value;
  judge.value = ready.judge ?? judge.value;

  let touched = {}, moved = new Set();
  const tune = () => {
    const chosen = choices.strategies.find((each) => each.name === strategy.value);
    touched = {};
    say(sentence, [chosen?.sentence, chosen?.paper && !chosen.paper.startsWith("none") && `From: ${chosen.paper}`].filter(Boolean).join(" "));
    say(judged, choices.judges.find((each) => each.name === judge.value)?.sentence);
    say(scoped, choices.scopes.find((each) => each.name === scope.value)?.sentence);
    fill(tuning, (chosen?.params ?? []).map((param) => control({ ...param, set_by: "" }, (value) => { touched[param.name] = value; }).element));
  };
  const note = (name) => () => { moved.add(name); tune(); };
  strategy.addEventListener("change", note("strategy"));
  judge.addEventListener("change", note("judge"));
  scope.addEventListener("change", tune);
  pages.addEventListener("input", () => moved.add("pages"));
  tune();

  const preset = (name, title, says, checked) => {
    const radio = h("input", { type: "radio", name: "preset", value: name, checked });
    radio.addEventListener("change", () => {
      const settings = choices.presets.find((each) => each.name === name)?.settings ?? {};
      moved = new Set();
      strategy.value = settings.strategy ?? ready.strategy ?? strategy.value;
      pages.value = String(settings.pages ?? ready.pages ?? 500);
      tune();
      if (name === WATCHING) say(sentence, "A watch uses its own strategy for news, unless you choose another here; it stays on the sites you name and goes on until you stop it.");
    });
    return h("label", { class: "preset" }, radio, h("b", {}, title), h("span", {}, says));
  };

  const body = (test) => {
    const chosen = form.querySelector("[name=preset]:checked")?.value;
    const given = {
      topic: topic.value.trim(), liked: addresses(liked.value), seeds: addresses(seeds.value), search: search.value.trim(), contact: contact.value.trim(),
      scope: scope.value, preset: chosen, test, sitemaps: addresses(sitemaps.value), feeds: addresses(feeds.value), learned_from: learned.value,
    };
    if (chosen === WATCHING && !test) given.watch = true;
    if (!chosen || moved.has("strategy")) given.strategy = strategy.value;
    if (!chosen || moved.has("judge")) given.judge = judge.value;
    if (!chosen || moved.has("pages")) given.pages = Number(pages.value);
    if (Object.keys(touched).length) given.set = touched;
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "" && value !== undefined && !(Array.isArray(value) && !value.length)));
  };

  const side = h("div", { class: "stack" }), plan = h("div", { class: "plan", role: "status" });
  const refuse = (problem) => fill(plan, h("p", { class: "callout bad" }, problem.message));
  const check = async () => {
    try {
      const told = await post("/api/runs/check", body(false));
      fill(plan, h("p", { class: "callout good" }, "This can be started."),
        h("p", {}, `${plural(told.pages, "download")} with ${told.strategy}, judged by ${told.judge}, from ${plural(told.starts.length, "starting point")}.`),
        told.remarks.map((each) => h("p", { class: "muted" }, each)),
        h("details", {}, h("summary", {}, "The same at a terminal"), h("code", {}, told.command)));
      return true;
    } catch (problem) { refuse(problem); return false; }
  };
  const begin = async (test) => {
    try {
      const { name } = await post("/api/runs", body(test));
      if (test) { fill(plan); watch(preview(side, name, Number(pages.value), () => begin(false))); }
      else go(at(name));
    } catch (problem) { refuse(problem); plan.scrollIntoView({ block: "nearest" }); }
  };

  const form = h("form", { on: { submit: (event) => { event.preventDefault(); begin(false); } } },
    h("section", { class: "card" }, h("h2", {}, "What do you look for?"), h("div", { class: "fields" },
      h("div", { class: "all" }, field("Topic words", topic, "A few words or phrases that a good page has, separated by commas.")),
      field("Pages you like", liked, "One address a line. The judge and some strategies learn from them."),
      field("Starting points", seeds, "One address a line: where the first links come from."))),
    h("section", { class: "card" }, h("fieldset", {}, h("legend", { class: "as-h2" }, "What is it for?"), h("div", { class: "presets" },
      preset("", "hunt", "relevant pages for few downloads", true),
      choices.presets.map((each) => preset(each.name, each.name, each.sentence.replace(" (--like)", ""), false))))),
    h("section", { class: "card" }, h("h2", {}, "How, and how far?"), h("div", { class: "fields" },
      h("div", {}, field("Strategy", strategy), sentence), h("div", {}, field("Budget, in downloads", pages), h("p", { class: "help" }, "It ends when they are spent; you can give more later.")),
      h("div", {}, field("Scope", scope), scoped), h("div", {}, field("Contact", contact), h("p", { class: "help" }, "Site owners see it with every request, and can write to you.")),
      h("details", { class: "all" }, h("summary", {}, "Sitemaps, feeds, judge, search, and parameters of the strategy"),
        h("div", { class: "fields" }, field("Sitemaps", sitemaps, "One address a line: all pages that they list are starting points."), field("Feeds", feeds, "One address a line: RSS or Atom."),
          h("div", {}, field("Learned from", learned), h("p", { class: "help" }, "What a run of the same strategy has learned is taken over.")), h("div", {}, field("Judge", judge), judged), h("div", {}, field("Search", search), h("p", { class: "help" }, "Starting points from a search service for the topic words."))),
        h("div", { class: "tuning" }, tuning)))));
  fill(side, h("section", { class: "card stack" }, h("h2", {}, "Ready?"), plan,
    button(`Test crawl of ${choices.test_pages} pages`, () => begin(true), { class: "button primary", id: "test-crawl" }),
    button("Check it", check), button("Start it now", () => begin(false), { id: "start-crawl" }),
    h("p", { class: "help" }, "A test crawl takes about a minute and shows what would be kept. Nothing of it gets into the real one.")));
  fill(box, form, h("aside", {}, side));
  topic.focus({ preventScroll: true });
}

// A test crawl as it goes: what was kept and what was not, and then the choice.
function preview(box, name, pages, start) {
  const card = h("section", { class: "card stack preview" }), figures = h("p", { class: "big-line" }), progress = h("div"), verdict = h("p", { class: "muted" });
  const good = h("ul", {}), poor = h("ul", {}), ready = button("Start the real one", start, { class: "button primary", disabled: true });
  fill(card, h("h2", {}, "Test crawl"), figures, progress, verdict, h("h3", {}, "Would be kept"), good, h("h3", {}, "Would not"), poor,
    h("div", { class: "row" }, ready, h("a", { class: "button", href: at(name) }, "Open the test")));
  box.querySelector(".preview")?.remove();
  box.prepend(card);
  let stopped = false, tries = 0;
  const look = async () => {
    if (stopped) return;
    try {
      const run = await get(of(name)), gauge = run.gauge ?? {};
      const downloads = gauge.downloads ?? 0, relevant = gauge.relevant ?? 0, over = !run.running && run.state !== "starting";
      const [kept, left] = await Promise.all(["accepted", "rejected"].map((kind) => get(`${of(name)}/pages`, { kind, limit: 4 })));
      fill(figures, h("a", { class: "big", href: at(name, "pages", { kind: "accepted" }) }, int(relevant)), ` relevant of ${int(downloads)} downloads`);
      fill(progress, bar(downloads / (gauge.budget || 50), "Test"));
      say(verdict, over ? relevant ? `Done: ${percent(relevant / downloads, 0)} of the downloads were relevant, so ${int(pages)} would bring about ${int(pages * relevant / downloads)} if that holds.` : "Done, and nothing was relevant. Look at the rejected pages: do they use other words for the topic?" : run.reason_text ?? "");
      fill(good, kept.pages.length ? kept.pages.map((page) => pageLine(name, page)) : h("li", { class: "empty" }, "Nothing yet."));
      fill(poor, left.pages.length ? left.pages.map((page) => pageLine(name, page)) : h("li", { class: "empty" }, "Nothing yet."));
      ready.disabled = false;
      if (over) return;
    } catch (problem) {
      if (problem.status !== 404 || ++tries > 60) say(verdict, problem.message);
      else {
        const told = await get(`${of(name)}/said`).catch(() => null);
        say(verdict, told && !told.running ? told.said || "It ended before it began." : "It is starting.");
        if (told && !told.running && tries > 3) return;
      }
    }
    setTimeout(look, 1200);
  };
  look();
  return () => { stopped = true; };
}
