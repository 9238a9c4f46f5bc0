// Lines about pages, hosts, failures and deeds, as several views show them.

import { rule, thumbs, undo } from "./actions.js";
import { h, outside } from "./dom.js";
import { ago, clock, decimal, hostOf, int, none, plural, present, short, words } from "./format.js";
import { icon } from "./icons.js";
import { at } from "./routes.js";

// What a score is, also without its colour.
export function score(page) {
  if (page.failure) return h("span", { class: "score failed", title: "It failed" }, "!");
  const kind = page.relevant ? "good" : "poor";
  return h("span", { class: `score ${kind}`, title: page.relevant ? "Relevant" : "Not relevant" }, decimal(page.score, 2));
}

// The verdict stands in the score already; here is what it rests on.
const reasons = (page) => (page.reasons ?? []).map((each) => each.replace(/^Judged (not )?relevant[:.] ?/, "")).filter(Boolean).join(" · ");

export function pageLine(run, page) {
  const title = page.title || short(page.url), why = reasons(page);
  return h("li", { class: "page-line" },
    score(page),
    h("div", { class: "page-text" },
      h("a", { class: "page-title cut", href: at(run, "explain", { url: page.url }), title }, title),
      h("span", { class: "page-where cut" }, h("span", {}, page.host || hostOf(page.url)), why && h("span", { class: "page-why", title: why }, why))),
    !page.failure && thumbs(run, page.url, page.label, title));
}

export function pageRow(run, page) {
  const title = page.title || short(page.url);
  return h("tr", {},
    h("td", { class: "n" }, score(page)),
    h("td", { class: "grow" },
      h("a", { class: "page-title cut", href: at(run, "explain", { url: page.url }), title }, title),
      h("span", { class: "page-where cut" }, outside(page.url, page.title ? short(page.url) : hostOf(page.url)))),
    h("td", { class: "grow why-cell" }, reasons(page) || none),
    h("td", { class: "n nowrap", title: clock(page.at) }, ago(page.at)),
    h("td", { class: "n" }, !page.failure && thumbs(run, page.url, page.label, title)));
}

export function refusals(refused) {
  const all = Object.entries(refused ?? {});
  return all.map(([reason, count]) => `${int(count)} ${words(reason)}`).join(", ");
}

export const count = (refused) => Object.values(refused ?? {}).reduce((sum, each) => sum + each, 0);

export function hostRow(run, host, full = true) {
  const failed = count(host.refused), share = host.fetched ? host.relevant / host.fetched : 0;
  const until = host.until && host.until > present() ? `until ${clock(host.until)}` : "";
  return h("tr", { class: "host-row" },
    h("td", { class: "grow" },
      h("a", { class: "cut strong", href: at(run, "pages", { host: host.host }), title: host.host }, host.host),
      (host.why || until) && h("span", { class: "page-where cut", title: host.why }, [host.why, until].filter(Boolean).join(", "))),
    h("td", { class: "n", data: { name: "fetched" } }, h("a", { href: at(run, "pages", { host: host.host, kind: "fetched" }) }, int(host.fetched))),
    h("td", { class: "n share-cell", data: { name: "relevant" } },
      h("a", { href: at(run, "pages", { host: host.host, kind: "accepted" }) }, int(host.relevant)),
      h("span", { class: "mini", "aria-hidden": "true" }, h("span", { vars: { "--share": String(share) } }))),
    h("td", { class: "n", data: { name: "failed" } }, failed ? h("a", { href: at(run, "pages", { host: host.host, kind: "failed" }), title: refusals(host.refused) }, int(failed)) : "0"),
    h("td", { class: "n", data: { name: "under way" } }, host.waiting ? h("a", { href: at(run, "queue", { host: host.host }) }, int(host.waiting)) : "0"),
    full && h("td", { class: "n nowrap" }, thumbs(run, host.host, host.label, host.host),
      h("button", { type: "button", class: "thumb", title: "Exclude this host", "aria-label": `Exclude ${host.host}`, on: { click: () => rule(run, "exclude", host.host) } }, icon("ban"))));
}

export const HOST_HEADS = [["host", "host"], ["fetched", "fetched"], ["relevant", "relevant"], ["refused", "failed"], ["waiting", "under way"]];

const sentence = (text) => text && `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

export function failureLine(run, failure) {
  return h("li", { class: "failure" },
    h("a", { class: "failure-count", href: at(run, "pages", { kind: "failed", reason: failure.reason }) }, int(failure.count)),
    h("div", {}, h("strong", {}, failure.reason || words(failure.kind)), h("br"),
      h("span", { class: "muted" }, [sentence(failure.text), failure.what_to_do].filter(Boolean).join(" "))));
}

// A deed: what was done, when and by whom, and its undo.
export function deed(run, one, place, after) {
  const spent = one.downloads === null || one.downloads === undefined ? "" : `at ${plural(one.downloads, "download")}`;
  return h("li", { class: "deed" },
    place > 0 && h("span", { class: "deed-number" }, String(place)),
    h("div", { class: "deed-text" }, h("code", { class: "cut", title: one.text }, one.text),
      h("span", { class: "muted cut" }, [one.problem ? `refused: ${one.problem}` : one.before && `was ${one.before}`, spent, one.who, clock(one.at)].filter(Boolean).join(" · "))),
    one.undo && one.number !== null && h("button", { type: "button", class: "button small", on: { click: async () => { await undo(run, one.number); after?.(); } } }, icon("undo"), "Undo"));
}
