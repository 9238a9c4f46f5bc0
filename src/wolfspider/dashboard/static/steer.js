// Steer a crawl while it runs: every control shows what holds now, who set it, and can be taken back.

import { command, effect, govern, governing, history, rule } from "./actions.js";
import { control } from "./controls.js";
import { button, calm, field, fill, h, say } from "./dom.js";
import { header } from "./overview.js";
import { deed } from "./rows.js";

const MAIN = ["pages", "slots", "delay", "hurry", "until", "chance", "probes"]; // limits that most people move
const VERBS = ["pause", "resume", "finish", "stop"];

export function open(box, { run, live }) {
  const head = header(live, h("span")), again = governing(live), made = new Map();
  const params = h("div"), limits = h("div"), others = h("div"), rules = h("ul", { class: "rules" }), deeds = h("ol", { class: "stack" }), verbs = h("div", { class: "verbs" }), rest = h("p", { class: "help" }), rested = h("div", { class: "stack" }, again.element, rest);
  const topic = h("input", { type: "text", value: live.run.topic ?? "", autocomplete: "off" });
  const seeds = h("textarea", { placeholder: "https://example.org/", spellcheck: "false" });
  const pattern = h("input", { type: "text", placeholder: "example.org, or a part of its addresses", autocomplete: "off", spellcheck: "false" });
  const form = (act, ...parts) => h("form", { on: { submit: (event) => { event.preventDefault(); act(); } } }, ...parts);

  const setTopic = () => topic.value.trim() && command(run, "topic", [topic.value.trim()]);
  const addSeeds = async () => {
    const urls = seeds.value.split(/\s+/).filter(Boolean);
    if (urls.length && await command(run, "seeds", urls)) seeds.value = "";
  };
  const setRule = async (verb) => {
    const text = pattern.value.trim();
    if (text && await rule(run, verb, text)) { pattern.value = ""; live.look(); }
  };
  // Two columns of their own, so that nothing moves from one to the other when a list grows.
  const card = (title, ...rest) => h("section", { class: "card" }, h("h2", {}, title), ...rest);
  fill(box, head.element, h("div", { class: "steer" },
    h("div", { class: "view" },
      card("The crawl", verbs, rested),
      card("What it looks for", form(setTopic, field("Topic words", topic, "The judge reads pages by these from now on; pages you like stay liked."), h("div", { class: "row end" }, h("button", { class: "button" }, "Change the topic")))),
      card("Budget and pace", limits, h("details", { class: "control" }, h("summary", {}, "More limits"), others)),
      card("Starting points", form(addSeeds, field("Addresses", seeds, "One a line; they are asked soon."), h("div", { class: "row end" }, h("button", { class: "button" }, "Add them"))))),
    h("div", { class: "view" },
      card(`Parameters of ${live.run.strategy}`, live.run.strategy_help && h("p", { class: "help use" }, live.run.strategy_help), params),
      card("Scope", form(() => setRule("exclude"), field("Host or pattern", pattern, "You see what it removes before anything is done, and can take it back."), h("div", { class: "row end" }, button("Let in", () => setRule("include")), h("button", { class: "button", id: "exclude" }, "Exclude"))), rules),
      card("What was done", deeds))));

  const controls = (place, list, verb) => {
    for (const one of list ?? []) {
      const key = `${verb} ${one.name}`;
      if (!made.has(key)) {
        made.set(key, control(one, (value) => command(run, verb, [`${one.name}=${value}`]).then((done) => { if (!done) live.look(); }), { fixed: true }));
        place.append(made.get(key).element);
      } else made.get(key).set(one);
    }
    if (!list?.length && !place.children.length) fill(place, h("p", { class: "muted" }, "It has none."));
  };
  const draw = () => {
    const now = live.run, paused = now.gauge?.state === "paused";
    head.draw();
    again.draw();
    controls(params, now.params, "set");
    controls(limits, now.limits?.filter((one) => MAIN.includes(one.name)), "limit");
    controls(others, now.limits?.filter((one) => !MAIN.includes(one.name)), "limit");
    fill(rules, (now.scope ?? []).map((one) => h("li", {}, h("span", { class: "tag" }, one.allowed ? "in" : "out"), h("code", { class: "cut", title: one.rule }, one.rule), h("span", { class: "muted cut" }, one.set_by))));
    fill(verbs, now.running
      ? VERBS.map((verb) => h("div", { class: "verb" }, button(verb[0].toUpperCase() + verb.slice(1), () => govern(run, verb), { data: { verb }, disabled: verb === "pause" && paused || verb === "resume" && !paused }), h("span", {}, effect(verb))))
      : null);
    rested.hidden = now.running;
    say(rest, again.element.childElementCount ? "Nobody runs it now. Its process is started again, and goes on as if nothing had happened." : "It is over: what it has found stays, and it cannot be resumed.");
  };
  let known = [];
  const drawDeeds = calm(deeds, () => fill(deeds, known.length ? known.map((one) => deed(run, one, 0, look)) : h("li", { class: "muted" }, "Nobody has changed anything.")));
  const look = async () => {
    try {
      const told = await history(run);
      known = [...told.commands].sort((a, b) => b.at - a.at).slice(0, 30);
      drawDeeds(true);
    } catch { /* asked again at the next deed */ }
  };
  draw();
  look();
  const off = live.on((what) => {
    if (what === "run") draw();
    if (what === "gauge") head.draw();
    if (what === "obeyed") look();
  });
  return { destroy: off };
}
