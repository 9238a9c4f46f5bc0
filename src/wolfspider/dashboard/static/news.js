// News of watched sites.

import { get, of } from "./api.js";
import { fill, h } from "./dom.js";
import { header } from "./overview.js";

export function open(box, { run, live }) {
  const head = header(live), body = h("div", { class: "view" });
  fill(box, head.element, body);
  if (!live.run.watch) fill(body, h("p", { class: "callout" }, "This run hunts for pages. News are told of runs that watch sites: wolfspider watch."));
  else get(`${of(run)}/news`).catch((problem) => fill(body, h("p", { class: "callout bad" }, problem.message)));
  const off = live.on((what) => { if (what === "run" || what === "gauge") head.draw(); });
  return { destroy: off };
}
