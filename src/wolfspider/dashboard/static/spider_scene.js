// The small animation of 1997, drawn anew: a bulb at the start, a spider after a fly, asleep in the end.

import { say, svg } from "./dom.js";

const SAYS = { start: "A bulb: the search begins.", hunt: "The spider is after the fly: a page is being fetched.", caught: "The spider has the fly: the page is here.", rest: "The spider waits.", asleep: "The spider sleeps: the search is over." };

function legs() {
  const paths = [];
  for (const side of [-1, 1]) for (const [place, rise] of [[-7, -13], [-2, -4], [3, 5], [8, 14]])
    paths.push(svg("path", { class: "leg", d: `M0 ${place} Q${side * 15} ${rise - 8} ${side * 25} ${rise + 3}` }));
  return paths;
}

export function scene() {
  const title = svg("title", {}, SAYS.start);
  const bulb = svg("g", { class: "bulb" },
    svg("path", { class: "rays", d: "M80 22v-12M48 34l-9-9M112 34l9-9M34 64h-13M126 64h13" }),
    svg("path", { class: "glass", d: "M80 32a28 28 0 0 1 17 50c-4 4-6 8-6 13H69c0-5-2-9-6-13a28 28 0 0 1 17-50z" }),
    svg("path", { class: "base", d: "M70 101h20M71 107h18M75 113h10" }));
  const thread = svg("line", { class: "thread", x1: 80, y1: 0, x2: 80, y2: 60 });
  const web = svg("path", { class: "web", d: "M0 0h160M0 0l62 46M160 0L98 46M80 0v44M20 15q60 26 120 0M40 30q40 16 80 0" });
  const fly = svg("g", { class: "fly" },
    svg("ellipse", { class: "wing", cx: -6, cy: -5, rx: 7, ry: 3.4, transform: "rotate(28 -6 -5)" }), svg("ellipse", { class: "wing", cx: 6, cy: -5, rx: 7, ry: 3.4, transform: "rotate(-28 6 -5)" }),
    svg("ellipse", { class: "fly-body", cx: 0, cy: 0, rx: 4, ry: 6 }), svg("circle", { class: "fly-body", cx: 0, cy: -7, r: 2.8 }));
  const body = svg("g", { class: "spider-body" }, ...legs(),
    svg("ellipse", { class: "belly", cx: 0, cy: -7, rx: 11, ry: 14 }), svg("circle", { class: "head", cx: 0, cy: 10, r: 7.5 }),
    svg("g", { class: "eyes" }, svg("circle", { cx: -2.8, cy: 12, r: 1.6 }), svg("circle", { cx: 2.8, cy: 12, r: 1.6 })),
    svg("path", { class: "lids", d: "M-4.6 12h3.4M1.2 12h3.4" }));
  const hanging = svg("g", { class: "hanging" }, thread, svg("g", { transform: "translate(80 66)" }, body));
  const sleep = svg("g", { class: "zzz" }, svg("text", { x: 108, y: 74 }, "z"), svg("text", { x: 119, y: 60 }, "z"), svg("text", { x: 132, y: 44 }, "z"));
  const element = svg("svg", { class: "scene", viewBox: "0 0 160 160", role: "img", data: { state: "start" } }, title, web, bulb, svg("g", { class: "fly-place", transform: "translate(80 138)" }, fly), hanging, sleep);
  return {
    element,
    show(state) {
      if (element.dataset.state === state) return;
      element.dataset.state = state;
      say(title, SAYS[state]);
    },
  };
}
