// Label as a game of keys: ten pages, those from which the judge would learn most, one after the other.

import { command } from "./actions.js";
import { get, of } from "./api.js";
import { button, fill, h, outside } from "./dom.js";
import { plural, short } from "./format.js";
import { icon } from "./icons.js";
import { header } from "./overview.js";
import { at } from "./routes.js";
import { score } from "./rows.js";

const KEYS = { ArrowRight: "up", y: "up", ArrowLeft: "down", n: "down", " ": "skip", s: "skip", z: "back", Backspace: "back" };

// The words of the topic, marked where they stand in the text.
function marked(text, words) {
  const wanted = new Set((words ?? []).map((word) => word.toLowerCase()));
  return text.split(/([\p{L}\p{N}]+)/u).map((part) => wanted.has(part.toLowerCase()) ? h("mark", {}, part) : part);
}

export function open(box, { run, live }) {
  const head = header(live, h("span")), game = h("div", { class: "game" });
  fill(box, head.element, game);
  let asked = [], given = [], place = 0, busy = false, sent = Promise.resolve();

  const show = () => {
    const one = asked[place];
    const steps = h("div", { class: "steps", role: "img", "aria-label": `${place} of ${asked.length} answered` }, asked.map((_, n) => h("span", { class: `step ${n === place ? "now" : given[n]?.way ?? ""}` })));
    if (!asked.length) return fill(game, h("p", { class: "callout" }, "There is no page to ask about yet. Come back when some have been fetched."));
    if (!one) {
      const told = given.filter((each) => each.way !== "skip").length, right = given.filter((each, n) => each.way !== "skip" && (each.way === "up") === asked[n].relevant).length;
      return fill(game, steps, h("section", { class: "card question-card" }, h("h2", {}, "That was all."),
        h("p", { class: "excerpt" }, told ? `You answered ${plural(told, "page")}; the judge had been right about ${right}. It has learned from each of them.` : "You passed over all of them."),
        h("div", { class: "row" }, button("Ten more", look, { class: "button primary", autofocus: true }), h("a", { class: "button", href: at(run) }, "Back to the run"))));
    }
    const act = (way, text, key, picture) => h("button", { type: "button", class: `button ${way}`, data: { way }, on: { click: () => answer(way) } }, h("span", { class: "row" }, picture && icon(picture), text), h("kbd", {}, key));
    fill(game, steps, h("section", { class: "card question-card", "aria-live": "polite" },
      h("div", { class: "row" }, score(one), h("span", { class: "muted" }, one.why)), h("h2", {}, one.title || "(no title)"), h("p", { class: "muted cut" }, outside(one.url, short(one.url))), h("p", { class: "excerpt" }, marked(one.excerpt ?? "", one.words))),
    h("div", { class: "game-keys" }, act("down", "Off topic", "←", "label"), act("skip", "Skip", "space"), act("up", "On topic", "→", "label")),
    h("p", { class: "muted" }, h("kbd", {}, "z"), " goes back a page, to answer it anew."));
  };
  // What the judge has learned it cannot unlearn: an answer stands until there is another, and they go in one by one.
  const answer = (way) => {
    if (busy) return;
    if (way === "back") {
      place = Math.max(0, place - 1);
      return show();
    }
    const one = asked[place];
    if (!one) return;
    const before = given[place]?.way;
    if (way !== "skip" || !before) given[place] = { way };
    place += 1;
    show();
    if (way !== "skip" && way !== before) sent = sent.then(() => command(run, "label", [one.url, way], { quiet: true }));
  };
  const look = async () => {
    busy = true;
    await sent; // a page that was answered is not asked about again
    fill(game, h("p", { class: "muted" }, "Choosing the pages from which the judge would learn most."));
    try {
      const told = await get(`${of(run)}/questions`);
      [asked, given, place] = [told.questions, [], 0];
      show();
    } catch (problem) { fill(game, h("p", { class: "callout bad" }, problem.message)); }
    busy = false;
  };
  const press = (event) => {
    const way = KEYS[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select") || document.querySelector("dialog[open]")) return;
    if (event.key === " " && event.target.closest("a, button")) return;
    event.preventDefault();
    answer(way);
  };
  document.addEventListener("keydown", press, true);
  look();
  const off = live.on((what) => { if (what === "run" || what === "gauge") head.draw(); });
  return { destroy: () => { off(); document.removeEventListener("keydown", press, true); } };
}
