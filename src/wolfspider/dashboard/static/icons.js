// Small line drawings, 20 by 20, in the colour of the text around them.

import { svg } from "./dom.js";

const PATHS = {
  runs: "M3 5h14M3 10h14M3 15h9",
  start: "M10 4v12M4 10h12",
  compare: "M3 16 8 9l3 3 6-8M3 4v12h14",
  overview: "M3 11a7 7 0 0 1 14 0M10 11l3-4M3 15h14",
  pages: "M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 10h5M7.5 13h5",
  hosts: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  queue: "M3 5h9M3 10h9M3 15h9M15 4.500v11M12.800 13.200 15 15.500l2.200-2.300",
  map: "M6 5a1.7 1.7 0 1 0 .01 0M14.500 8a1.700 1.700 0 1 0 .01 0M8.500 13.500a1.700 1.700 0 1 0 .01 0M7.500 7.200l5.500 2M7 8.200l1.200 5.200M13.200 10.800l-3.400 3",
  steer: "M4 6h6M14 6h2M4 14h2M10 14h6M12 4v4M8 12v4",
  label: "M6 9v7H3V9zM6 9l3.500-6c1.500 0 2 1 1.700 2.300L10.700 8H16c1 0 1.500.8 1.300 1.700l-1.200 5c-.2.800-.8 1.300-1.600 1.300H6",
  search: "M9 3.500a5.500 5.500 0 1 0 .01 0M13 13l4 4",
  news: "M3 4.500h11v11H4.500A1.500 1.500 0 0 1 3 14zM14 7.500h3V14a1.500 1.500 0 0 1-3 0M6 8h5M6 11h5",
  spider: "M10 8.500a3.200 3.800 0 1 0 .01 0M10 4.500a2 2 0 1 0 .01 0M8 8 4 5.500 2.500 8M7 11H3.500L2 14M12 8l4-2.500L17.500 8M13 11h3.500l1.500 3",
  report: "M5 2.500h10v15H5zM8 13v-2M10 13V8.500M12 13v-3.500",
  up: "M10 16V5M5.500 9 10 4.500 14.500 9",
  down: "M10 4v11M5.500 11l4.500 4.500 4.500-4.500",
  pause: "M7 4.500v11M13 4.500v11",
  play: "M6.500 4v12l9-6z",
  stop: "M5.500 5.500h9v9h-9z",
  finish: "M5 17V3.500h9l-2 3 2 3H5",
  undo: "M7 4.500 3.500 8 7 11.500M3.500 8H12a4 4 0 0 1 0 8H8",
  theme: "M10 3a7 7 0 1 0 .01 0M10 3v14a7 7 0 0 0 0-14",
  close: "M5 5l10 10M15 5 5 15",
  right: "M8 5l5 5-5 5",
  out: "M11 4h5v5M16 4l-7 7M14 12v4H4V6h4",
  ban: "M10 3a7 7 0 1 0 .01 0M5 5l10 10",
  why: "M10 3a7 7 0 1 0 .01 0M8 8a2 2 0 1 1 2.600 1.900c-.5.200-.6.500-.6 1.100M10 13.800h.01",
  more: "M5 10h.01M10 10h.01M15 10h.01",
};

export function icon(name) {
  const drawing = svg("path", { d: PATHS[name] ?? "" });
  return svg("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false" }, drawing);
}

export function mark() {
  const legs = svg("path", {
    class: "mark-legs",
    d: "M13 14 7 10 4 13M12 17H6l-3 4M13 20l-5 3-1 5M14 12 10 6 7 5M19 14l6-4 3 3M20 17h6l3 4M19 20l5 3 1 5M18 12l4-6 3-1",
  });
  const body = svg("ellipse", { cx: 16, cy: 19, rx: 4.6, ry: 5.6 }), head = svg("circle", { cx: 16, cy: 11.5, r: 3 });
  return svg("svg", { class: "mark", viewBox: "0 0 32 32", "aria-hidden": "true" }, legs, body, head);
}
