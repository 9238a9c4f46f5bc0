// News of watched sites: what is new today, by site and forager, how late, at which hours, and who has gone quiet.

import { get, of } from "./api.js";
import { fill, h, outside } from "./dom.js";
import { ago, clock, int, none, plural, short, span, words } from "./format.js";
import { header } from "./overview.js";
import { at } from "./routes.js";

const SHOWN = 24;

function hours(values, title) {
  const most = Math.max(...values, 1e-9);
  const told = values.map((value, hour) => `${hour} h: ${Number.isInteger(value) ? value : value.toFixed(2)}`).join(", ");
  return h("figure", {}, h("figcaption", { class: "help" }, title),
    h("div", { class: "hours", role: "img", "aria-label": `${title}. ${told}` }, values.map((value, hour) => h("i", { vars: { "--share": String(value / most) }, title: `${hour}:00, ${Number.isInteger(value) ? int(value) : value.toFixed(2)}` }))),
    h("div", { class: "hour-names", "aria-hidden": "true" }, ["0", "6", "12", "18", "24 UTC"].map((each) => h("span", {}, each))));
}

const counted = (table) => Object.entries(table ?? {}).sort(([, a], [, b]) => b - a).slice(0, 10);

function shares(title, table, href) {
  const rows = counted(table), most = Math.max(...rows.map(([, count]) => count), 1);
  return h("section", { class: "card" }, h("h2", {}, title), rows.length ? h("ul", { class: "share-list" }, rows.map(([name, count]) => h("li", {},
    href ? h("a", { class: "cut", href: href(name) }, name) : h("span", { class: "cut" }, name || "the crawl"), h("span", { class: "n" }, int(count)), h("span", { class: "mini" }, h("span", { vars: { "--share": String(count / most) } })))))
    : h("p", { class: "muted" }, "Nothing today."));
}

function report(run, one) {
  const late = one.late !== null && one.late !== undefined ? one.to_the_day ? "today" : `${span(one.late)} late` : "";
  return h("li", {}, h("a", { class: "page-title cut", href: at(run, "explain", { url: one.url }) }, one.title || one.text || short(one.url)), h("span", { class: "muted nowrap", title: clock(one.at) }, ago(one.at)),
    h("span", { class: "page-where cut" }, outside(one.url, one.host || short(one.url)), one.agent && ` · ${one.agent}`, late && ` · ${late}`), h("span", { class: "tag" }, words(one.kind)));
}

export function open(box, { run, live }) {
  const head = header(live), body = h("div", { class: "view" });
  fill(box, head.element, body);
  const draw = (news) => fill(body,
    h("div", { class: "tiles three" },
      h("div", { class: "tile" }, h("span", { class: "tile-name" }, "New today"), h("span", { class: "tile-value" }, int(news.today)), h("span", { class: "tile-note" }, plural(Object.values(news.counts ?? {}).reduce((sum, each) => sum + each, 0), "report") + " in all")),
      h("div", { class: "tile" }, h("span", { class: "tile-name" }, "How late, half of them"), h("span", { class: "tile-value" }, news.late?.median === null || news.late?.median === undefined ? none : span(news.late.median)), h("span", { class: "tile-note" }, news.late?.of ? `latest ${span(news.late.most)}, of ${int(news.late.of)}` : "not known yet")),
      h("div", { class: "tile" }, h("span", { class: "tile-name" }, "Sites gone quiet"), h("span", { class: "tile-value" }, int((news.sites ?? []).filter((one) => one.silent).length)), h("span", { class: "tile-note" }, `of ${int(news.sites?.length ?? 0)}`))),
    h("div", { class: "two wide-left" },
      h("section", { class: "card" }, h("h2", {}, "What is new"), h("ul", { class: "fresh-items" }, news.reports?.length ? news.reports.slice(0, SHOWN).map((one) => report(run, one)) : h("li", { class: "empty" }, "Nothing was reported yet."))),
      h("div", { class: "view" }, shares("Today, by site", news.by_site, (host) => at(run, "pages", { host, kind: "all" })), Object.keys(news.by_forager ?? {}).length > 1 && shares("Today, by forager", news.by_forager),
        h("section", { class: "card stack" }, h("h2", {}, "Hours of the day"), hours(news.hours?.length === 24 ? news.hours : Array(24).fill(0), "News by the hour they were published in"),
          news.learned_hours?.length === 48 && [hours(news.learned_hours.slice(0, 24), "How busy it expects each hour to be: working days"), hours(news.learned_hours.slice(24), "And at weekends")]))),
    h("section", { class: "card" }, h("h2", {}, "Sites"), h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "site"), h("th", { class: "n", scope: "col" }, "told"), h("th", { class: "n", scope: "col" }, "last news"), h("th", { class: "n", scope: "col" }, "looks since"))),
      h("tbody", {}, (news.sites ?? []).map((one) => h("tr", {}, h("td", { class: "grow" }, h("a", { class: "cut strong", href: at(run, "pages", { host: one.host, kind: "all" }) }, one.host), one.silent && h("span", { class: "page-where" }, "gone quiet")), h("td", { class: "n" }, int(one.told)), h("td", { class: "n nowrap" }, one.last ? ago(one.last) : none), h("td", { class: "n" }, int(one.looks_since)))))))));
  let stopped = false;
  const look = async () => {
    if (stopped) return;
    try { draw(await get(`${of(run)}/news`, { limit: SHOWN })); } catch (problem) { fill(body, h("p", { class: "callout bad" }, problem.message)); }
  };
  if (live.run.watch) look();
  else fill(body, h("section", { class: "card welcome" }, h("h2", {}, "This run hunts; it does not watch."), h("p", {}, "News are told of runs that watch sites and come back to them: start one by wolfspider watch, with --dashboard to see it here.")));
  let asked = Date.now();
  const off = live.on((what) => {
    if (what === "run" || what === "gauge") head.draw();
    if (live.run.watch && (what === "page" || what === "run") && Date.now() - asked > 4000) { asked = Date.now(); look(); }
  });
  return { destroy: () => { stopped = true; off(); } };
}
