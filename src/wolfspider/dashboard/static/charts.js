// The frame that draws the plots. It has no origin, no access to this page and no network but its own library, and is
// sent numbers only: which curves, where they go, and how they are coloured. Names and texts stay here.

import { h, svg } from "./dom.js";

const COLOURS = ["--s1", "--s2", "--s3", "--s4", "--s5", "--s6", "--s7", "--s8"];

function colours() {
  const style = getComputedStyle(document.documentElement);
  const one = (name) => style.getPropertyValue(name).trim();
  return { ink: one("--ink"), muted: one("--muted"), line: one("--line"), panel: one("--panel"), series: COLOURS.map(one) };
}

// `kind` says which pictures: "run" or "compare". `onPick` gets the downloads of a point that was clicked, `onDeed` the
// place of a line that was.
export function plots(kind, title, onPick, onDeed) {
  const frame = h("iframe", { class: `plots plots-${kind}`, title, tabindex: "-1", sandbox: "allow-scripts", src: "/plots/", loading: "eager" });
  let ready = false, last = null;
  const send = () => {
    if (ready && last) frame.contentWindow?.postMessage({ kind, colours: colours(), still: matchMedia("(prefers-reduced-motion: reduce)").matches, ...last }, "*");
  };
  const hear = (event) => {
    if (event.source !== frame.contentWindow) return;
    if (event.data?.say === "ready") { ready = true; frame.dataset.ready = "1"; send(); }
    if (event.data?.say === "drawn") frame.dataset.drawn = "1";
    if (event.data?.say === "pick" && Number.isFinite(event.data.at)) onPick?.(event.data.at, event.data.chart);
    if (event.data?.say === "deed" && Number.isInteger(event.data.place)) onDeed?.(event.data.place);
  };
  addEventListener("message", hear);
  addEventListener("themechange", send);
  return {
    element: frame,
    draw: (numbers) => { last = numbers; send(); },
    destroy: () => { removeEventListener("message", hear); removeEventListener("themechange", send); },
  };
}

// A small curve without axes, drawn at once and without the library.
export function spark(values, { low = 0, high = null, label = "" } = {}) {
  const width = 240, height = 48, given = values.filter((value) => value !== null && Number.isFinite(value));
  const box = svg("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  if (given.length < 2) return box;
  const top = high ?? Math.max(...given, low + 1e-9);
  const points = given.map((value, place) => {
    const x = width * place / (given.length - 1), y = height - 2 - (height - 4) * (value - low) / (top - low || 1);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  box.append(svg("path", { class: "spark-area", d: `M0 ${height}L${points.join("L")}L${width} ${height}Z` }),
    svg("path", { class: "spark-line", d: `M${points.join("L")}`, "vector-effect": "non-scaling-stroke" }));
  return box;
}

export const bar = (share, label) => {
  const box = h("div", { class: "bar", role: "progressbar", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": "100" }, h("span"));
  setBar(box, share);
  return box;
};

export function setBar(box, share) {
  const part = Math.max(0, Math.min(1, share || 0));
  box.setAttribute("aria-valuenow", String(Math.round(100 * part)));
  box.firstChild.style.setProperty("--share", String(part));
}
