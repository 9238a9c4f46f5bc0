// One run as it stands: read once, then kept up to date by frames. Views listen; they never ask twice for the same.

import { Frames, get, of } from "./api.js";
import { keepTime } from "./format.js";

const PACE = 2500; // milliseconds between two looks at the curves
const REST = 8000; // and between two looks at everything else

export class Live {
  constructor(name) {
    this.name = name;
    this.run = null;
    this.series = null;
    this.connected = true;
    this.odd = ""; // what keeps the server from telling what happens
    this.trouble = "";
    this.ears = new Set();
    this.drawn = -1; // downloads that the curves know
    this.frames = new Frames(name);
    this.frames.on("gauge", (fields) => {
      if (!this.run) return;
      this.run.gauge = { ...this.run.gauge, ...fields };
      this.tell("gauge");
    });
    this.frames.on("page", (page) => this.tell("page", page));
    this.frames.on("obeyed", () => { this.look(); this.drawn = -1; this.curves(); this.tell("obeyed"); });
    this.frames.on("running", () => this.look());
    this.frames.on("ended", () => { this.look(); this.drawn = -1; this.curves(); this.tell("page"); });
    this.frames.on("trouble", ({ problem }) => { this.odd = problem ?? ""; });
    this.frames.on("state", (good) => { this.connected = good; this.tell("state"); if (good) this.look(); });
    this.clocks = [setInterval(() => this.curves(), PACE), setInterval(() => this.look(), REST)];
    this.ready = this.look();
  }

  on(ear) {
    this.ears.add(ear);
    return () => this.ears.delete(ear);
  }

  tell(what, more) {
    for (const ear of this.ears) ear(what, more);
  }

  async look() {
    if (document.hidden && this.run) return;
    try {
      const run = await get(of(this.name));
      if (this.run && (run.gauge?.at ?? 0) < (this.run.gauge?.at ?? 0)) run.gauge = this.run.gauge;
      this.run = run;
      keepTime(run.now, run.speed);
      this.trouble = "";
      this.tell("run");
    } catch (problem) {
      this.trouble = problem.message;
      this.missing = problem.status === 404;
      this.tell("trouble");
    }
  }

  async curves(now = false) {
    const downloads = this.run?.gauge?.downloads ?? 0;
    if (!now && (this.asking || !this.wanted || document.hidden || downloads === this.drawn)) return;
    this.asking = true;
    try {
      this.series = await get(`${of(this.name)}/series`);
      this.drawn = downloads;
      this.tell("series");
    } catch { /* asked again soon */ } finally {
      this.asking = false;
    }
  }

  // The curves are read only while someone looks at them.
  watchCurves() {
    this.wanted = true;
    if (this.series) this.tell("series");
    this.curves(true);
    return () => { this.wanted = false; };
  }

  close() {
    this.frames.close();
    this.clocks.forEach(clearInterval);
    this.ears.clear();
    keepTime();
  }
}
