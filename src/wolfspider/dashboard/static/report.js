// The report of a run, as it would be as a file: in a frame in which nothing runs.

import { of } from "./api.js";
import { fill, h } from "./dom.js";
import { header } from "./overview.js";

export function open(box, { run, live }) {
  const address = `${of(run)}/report`, head = header(live);
  fill(box, head.element,
    h("div", { class: "row" }, h("a", { class: "button", href: address, download: `${run}.html` }, "Save it as a file"), h("span", { class: "muted" }, "One page with everything that was found; as it stands now.")),
    h("iframe", { class: "paper", title: "Report", sandbox: "", src: address }));
  const off = live.on((what) => { if (what === "run" || what === "gauge") head.draw(); });
  return { destroy: off };
}
