// Why an address of a run stands where it stands, and what its page says, as text.

import { rule, thumbs } from "./actions.js";
import { get, of } from "./api.js";
import { button, fill, h, outside } from "./dom.js";
import { clock, decimal, hostOf, int, none, short, words } from "./format.js";
import { at } from "./routes.js";
import { score } from "./rows.js";

const flat = (value) => {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "number") return Number.isInteger(value) ? int(value) : decimal(value, 3);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(flat).filter(Boolean).slice(0, 30).join(", ");
  if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${words(name)} ${flat(each)}`).slice(0, 30).join(", ");
  return String(value);
};

const pairs = (entries) => h("dl", { class: "pairs" }, entries.map(([name, value]) => [name, value instanceof Node ? value : flat(value)]).filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

export function open(box, { run, params }) {
  const url = params.url ?? "", body = h("div", { class: "view" }, h("p", { class: "muted" }, "Looking."));
  fill(box, h("header", { class: "head" }, h("div", { class: "head-text" }, h("p", { class: "eyebrow" }, h("a", { href: at(run, "pages") }, "Pages"), " / why"), h("h1", { class: "clamp" }, short(url)), h("p", { class: "muted" }, outside(url, "Open the page itself")))), body);
  get(`${of(run)}/explain`, { url }).then((told) => show(body, run, url, told.found, told.lines ?? [], box.querySelector("h1"))).catch((problem) => fill(body, h("p", { class: "callout bad" }, problem.message)));
}

function show(body, run, url, told, lines, head) {
  const page = told.page, host = told.host?.name ?? hostOf(url);
  if (page?.title) head.textContent = page.title;
  const visits = (told.visits ?? []).map((visit) => pairs([
    ["found on", visit.source && h("a", { href: at(run, "explain", { url: visit.source }) }, short(visit.source))], ["by the words", visit.anchor], ["agent", visit.agent], ["why", visit.words], ["what it was worth", visit.words ? null : visit.note],
    ["when", visit.outcome?.at && clock(visit.outcome.at)], ["seconds", visit.outcome?.seconds], ["attempts", visit.outcome?.attempts], ["failure", visit.outcome && [visit.outcome.failure, visit.outcome.detail, visit.outcome.meaning].filter(Boolean).join(": ")],
  ]));
  const text = h("div", { class: "page-body" }), verdict = h("p", { class: "verdict" });
  fill(body,
    h("div", { class: "row" }, page && score({ ...page, failure: null }), h("span", { class: "tag" }, told.state), page && thumbs(run, page.asked ?? url, page.label, page.title),
      button("Exclude this host", () => rule(run, "exclude", host), { class: "button small" }), h("a", { class: "button small", href: at(run, "pages", { host, kind: "all" }) }, "Pages of this host")),
    h("div", { class: "two" },
      h("section", { class: "card" }, h("h2", {}, "The verdict"), page && verdict, page ? pairs([["score", page.score], ["relevant", page.relevant], ["label of a person", page.label], ...Object.entries(page.evidence ?? {}).filter(([name]) => name !== "label").map(([name, value]) => [words(name), value])]) : h("p", { class: "muted" }, "There is no page to judge.")),
      h("section", { class: "card" }, h("h2", {}, "The rules"), pairs([["state", told.state], ["robots.txt", told.robots], ["scope", told.scope?.rule], ["traps", told.trap], ["budget", told.budget], ["waiting", told.waiting], ["host rests until", told.host?.rests_until && clock(told.host.rests_until)], ["near it", told.near?.length ? h("ul", {}, told.near.map((near) => h("li", {}, h("a", { href: at(run, "explain", { url: near }) }, short(near))))) : null]]))),
    visits.length > 0 && h("section", { class: "card stack" }, h("h2", {}, "How it was found"), visits),
    page && h("section", { class: "card" }, h("h2", {}, "What it says"), pairs([["title", page.title], ["address", page.final_url], ["fetched", page.fetched && clock(page.fetched)], ["words", page.words], ["links", page.links], ["type", page.type]]), text),
    lines.length > 0 && h("details", { class: "card", open: !page }, h("summary", {}, "All of it, in the words of wolfspider explain"), h("ul", { class: "told" }, lines.map((line) => h("li", {}, line)))));
  if (page) get(`${of(run)}/page`, { url }).then((one) => { text.textContent = one.text ?? ""; verdict.textContent = one.why ?? ""; }).catch(() => { text.textContent = none; });
}
