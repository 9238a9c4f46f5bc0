// A run whose process has just been started and has no folder yet; or one that never came to be.

import { get, of } from "./api.js";
import { fill, h, say } from "./dom.js";
import { pill } from "./overview.js";

export function wait(box, live, done) {
  const state = h("div", { class: "state-line" }, pill("starting")), note = h("pre", { class: "said", hidden: true }), help = h("p", {});
  fill(box, h("header", { class: "head" }, h("div", { class: "head-text" }, h("p", { class: "eyebrow" }, h("a", { href: "#/" }, "Runs"), " / ", live.name), h("h1", {}, live.name), state)), help, note);
  let stopped = false;
  const look = async () => {
    if (stopped) return;
    await live.look();
    if (stopped) return;
    if (live.run) return done();
    const told = await get(`${of(live.name)}/said`).catch((problem) => ({ said: problem.message, running: false }));
    if (!told.running && !live.run) {
      fill(state, pill("failed"));
      say(help, "It could not be begun. This is what was said:");
      note.hidden = false;
      say(note, told.said || live.trouble);
      if (++look.idle > 2) return;
    }
    setTimeout(look, 700);
  };
  look.idle = 0;
  look();
  return { destroy: () => { stopped = true; } };
}
