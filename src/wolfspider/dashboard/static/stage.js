// The two views that draw by themselves, the map and the view of 1997: here they get a place and what they need.

import { fill, h } from "./dom.js";
import { header } from "./overview.js";

const DRAWN = { map: ["./map.js", "stage card"], 1997: ["./spider.js", "stage card tall"] };

export function open(box, { run, name, live, api }) {
  const [file, kind] = DRAWN[name], stage = h("section", { class: kind }), head = header(live);
  fill(box, head.element, stage);
  let drawn = null, gone = false;
  import(file).then((module) => {
    if (gone) return;
    drawn = module.mount(stage, { run, api });
    drawn.update?.(live.run.gauge ?? {});
  }).catch((problem) => fill(stage, h("p", { class: "callout bad" }, problem.message)));
  const off = live.on((what) => {
    if (what === "run" || what === "gauge") { head.draw(); drawn?.update?.(live.run.gauge ?? {}); }
  });
  return { destroy: () => { gone = true; off(); drawn?.destroy?.(); } };
}
