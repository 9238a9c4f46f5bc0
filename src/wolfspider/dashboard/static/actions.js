// What a person does to a run: a command, its answer, its undo; and the small windows that ask first.

import { get, of, post } from "./api.js";
import { button, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { int, plural } from "./format.js";

export function toast(text, { bad = false, undo = null } = {}) {
  const box = document.getElementById("toasts");
  const gone = () => note.remove();
  const note = h("div", { class: `toast${bad ? " bad" : ""}` }, h("span", {}, text));
  if (undo) note.append(button("Undo", async () => { gone(); await undo(); }, { class: "button small" }));
  note.append(h("button", { type: "button", class: "plain", "aria-label": "Close this note", on: { click: gone } }, icon("close")));
  while (box.children.length > 3) box.firstChild.remove();
  box.append(note);
  setTimeout(gone, bad || undo ? 12000 : 5000);
}

// A window over the page; `make` gets a function that closes it, and gives what is in it.
export function ask(title, make) {
  return new Promise((done) => {
    let answer = null;
    const close = (value) => { answer = value; box.close(); };
    const head = h("h2", { id: "asked" }, title);
    const box = h("dialog", { class: "window", "aria-labelledby": "asked" }, head, make(close));
    box.addEventListener("close", () => { box.remove(); done(answer); });
    document.body.append(box);
    box.showModal();
  });
}

// What came of a command, in words.
function told(verb, words, answer) {
  const text = typeof answer === "string" ? answer : answer?.text ?? answer?.problem ?? "";
  return text.replace(/ Take it back by: .*$/s, "") || `Done: ${verb} ${words.join(" ")}`.trim();
}

// What takes much away is done once the person says that it is meant, whether it does something or takes it back.
async function send(path, body) {
  try {
    return await post(path, body);
  } catch (problem) {
    if (problem.status !== 409 || body.confirm || !problem.message.includes("(confirm)")) throw problem;
    const sure = await ask("Is that meant?", (close) => h("div", { class: "stack" }, h("p", {}, problem.message.replace(/ Say that it is meant \(confirm\)\.?/, "")),
      h("div", { class: "row end" }, button("Leave it", () => close(false)), button("Do it", () => close(true), { class: "button primary" }))));
    return sure ? send(path, { ...body, confirm: true }) : null;
  }
}

export async function undo(run, number) {
  try {
    const back = await send(`${of(run)}/undo`, { number });
    if (!back) return false;
    toast(back.problem || told("undone", [], back.answer), { bad: Boolean(back.problem) });
    return !back.problem;
  } catch (problem) {
    toast(problem.message, { bad: true });
    return false;
  }
}

export async function command(run, verb, words = [], { confirm = false, quiet = false } = {}) {
  try {
    const back = await send(`${of(run)}/commands`, { verb, words, confirm });
    if (!back) return null;
    const refused = back.problem || back.answer?.problem;
    if (refused) toast(String(refused), { bad: true });
    else if (!quiet) toast(told(verb, words, back.answer), { undo: back.undo ? () => undo(run, back.number) : null });
    return refused ? null : back;
  } catch (problem) {
    toast(problem.message, { bad: true });
    return null;
  }
}

// Exclude or include by a rule: first what it would do, then, if the person wants it, the deed.
export async function rule(run, verb, text) {
  let look;
  try {
    look = await post(`${of(run)}/preview`, { verb, words: [text] });
  } catch (problem) {
    toast(problem.message, { bad: true });
    return null;
  }
  const agreed = await ask(verb === "exclude" ? "Exclude this?" : "Let this in?", (close) => {
    const examples = (look.examples ?? []).slice(0, 6).map((each) => h("li", { class: "cut" }, String(each)));
    return h("div", { class: "stack" },
      h("p", {}, h("code", { class: "rule" }, text)),
      h("p", {}, look.text ?? `It removes ${plural(look.removes, "waiting link")}; ${int(look.left)} are left.`),
      examples.length > 0 && h("ul", { class: "examples" }, examples),
      look.needs_confirm && h("p", { class: "callout warn" }, "Little would be left to follow after this."),
      h("div", { class: "row end" },
        button("Leave it", () => close(false)),
        button(verb === "exclude" ? "Exclude" : "Let in", () => close(true), { class: "button primary", autofocus: true })));
  });
  return agreed ? command(run, verb, [text], { confirm: true }) : null;
}

const EFFECTS = {
  pause: ["Pause", "Nothing new is asked for; what is under way comes in. Everything is kept."],
  resume: ["Resume", "It goes on where it is."],
  finish: ["Finish", "What is under way comes in, then it ends for good. Everything is kept; it cannot be resumed."],
  stop: ["Stop", "It ends at once. Everything that came in is kept, and it can be resumed later."],
};

export const effect = (verb) => EFFECTS[verb][1];

export async function govern(run, verb) {
  if (verb === "finish" || verb === "stop") {
    const sure = await ask(`${EFFECTS[verb][0]} this crawl?`, (close) => h("div", { class: "stack" },
      h("p", {}, EFFECTS[verb][1]),
      h("div", { class: "row end" },
        button("Let it run", () => close(false)),
        button(EFFECTS[verb][0], () => close(true), { class: "button primary" }))));
    if (!sure) return null;
    return command(run, verb, [], { confirm: true });
  }
  return command(run, verb);
}

// A run without a process is started again.
export async function restart(run, pages) {
  try {
    await post(`${of(run)}/resume`, pages ? { pages } : {});
    toast("It is being started again.");
    return true;
  } catch (problem) {
    toast(problem.message, { bad: true });
    return false;
  }
}

// The buttons that govern a run, for the state it is in.
export function governing(live) {
  const box = h("div", { class: "row govern" });
  const one = (verb, picture, primary) =>
    h("button", { type: "button", class: `button${primary ? " primary" : ""}`, title: EFFECTS[verb][1], data: { verb }, on: { click: () => govern(live.name, verb) } },
      icon(picture), EFFECTS[verb][0]);
  const draw = () => {
    const run = live.run;
    if (!run) return;
    const state = run.gauge?.state ?? run.state;
    if (!run.running) {
      const over = run.state === "ended" && ["finished", "circling", "stuck"].includes(run.reason);
      const more = run.advice?.find((one) => one.action?.kind === "resume")?.action.pages;
      fill(box, !over && h("button", { type: "button", class: "button primary", data: { verb: "restart" }, on: { click: async () => { if (await restart(live.name, more)) live.look(); } } },
        icon("play"), more ? `Resume with ${int(more)} downloads` : "Resume the run"));
    } else fill(box, state === "paused" ? one("resume", "play", true) : one("pause", "pause"), one("finish", "finish"), one("stop", "stop"));
  };
  draw();
  return { element: box, draw };
}

// Thumbs for a page or a host; the answer of a person shows at once, and is taken back if the server says no.
export function thumbs(run, what, label, name) {
  const box = h("span", { class: "thumbs", role: "group", "aria-label": `Is ${name || what} on topic?` });
  const draw = (value) => fill(box, ["up", "down"].map((way) =>
    h("button", {
      type: "button", class: `thumb ${way}`, "aria-pressed": String(value === way), title: way === "up" ? "On topic" : "Off topic",
      "aria-label": way === "up" ? "On topic" : "Off topic", on: { click: (event) => { event.stopPropagation(); press(way, value); } },
    }, icon("label"))));
  const press = async (way, before) => {
    draw(way);
    if (!await command(run, "label", [what, way])) draw(before);
  };
  draw(label === true || label === "up" ? "up" : label === false || label === "down" ? "down" : "");
  return box;
}

export const history = (run) => get(`${of(run)}/commands`);
