// News of watched sites: what is new today, by site and forager, how late, at which hours, and who has gone quiet.

import { get, of } from "./api.js";
import { fill, h, outside } from "./dom.js";
import { ago, clock, int, none, plural, present, short, span, words } from "./format.js";
import { header } from "./overview.js";
import { at } from "./routes.js";

const SHOWN = 24, MOST = 1000; // reports of the view, and of a list behind a number

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
    href ? h("a", { class: "cut", href: href(name) }, name || "the crawl") : h("span", { class: "cut" }, name || "the crawl"), h("span", { class: "n" }, int(count)), h("span", { class: "mini" }, h("span", { vars: { "--share": String(count / most) } })))))
    : h("p", { class: "muted" }, "Nothing today."));
}

// A number of this view, with the list behind it.
function tile(name, href, value, note) {
  return h("div", { class: "tile" }, h("span", { class: "tile-name" }, name), h("a", { class: "tile-value", href }, value), h("span", { class: "tile-note" }, note));
}

const DAY = 86400, ALERT = "alert";
const LISTS = {
  today: ["News today", (one) => present() - one.at < DAY && one.kind !== ALERT],
  late: ["News today, the latest first", (one) => present() - one.at < DAY && one.kind !== ALERT && one.timed],
  new: ["New pages", (one) => one.kind === "new"],
  all: ["All that was reported", () => true],
};

function report(run, one) {
  const late = one.late !== null && one.late !== undefined ? one.to_the_day ? "dated to the day" : `${span(one.late)} late` : "";
  return h("li", {}, h("a", { class: "page-title cut", href: at(run, "explain", { url: one.url }) }, one.title || one.text || short(one.url)), h("span", { class: "muted nowrap", title: clock(one.at) }, ago(one.at)),
    h("span", { class: "page-where cut" }, outside(one.url, one.host || short(one.url)), one.agent && ` · ${one.agent}`, late && ` · ${late}`), h("span", { class: "tag" }, words(one.kind)));
}

export function open(box, { run, live, params }) {
  const head = header(live), body = h("div", { class: "view" }), list = LISTS[params.show], narrowed = list || params.site || params.agent !== undefined || params.show === "quiet";
  fill(box, head.element, body);
  const fits = (one) => (!list || list[1](one)) && (!params.site || one.host === params.site) && (params.agent === undefined || one.agent === params.agent);
  const title = [list?.[0] ?? "What is new", params.site && `at ${params.site}`, params.agent !== undefined && `by ${params.agent || "the crawl"}`].filter(Boolean).join(", ");
  const sites = (all) => h("section", { class: "card" }, h("h2", {}, params.show === "quiet" ? "Sites gone quiet" : "Sites"), h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "site"), h("th", { class: "n", scope: "col" }, "new pages"), h("th", { class: "n", scope: "col" }, "last news"), h("th", { class: "n", scope: "col" }, "looks since"))),
    h("tbody", {}, all.map((one) => h("tr", {}, h("td", { class: "grow" }, h("a", { class: "cut strong", href: at(run, "pages", { host: one.host, kind: "all" }) }, one.host), one.silent && h("span", { class: "page-where" }, "gone quiet")), h("td", { class: "n" }, h("a", { href: at(run, "news", { show: "new", site: one.host }) }, int(one.told))), h("td", { class: "n nowrap" }, one.last ? ago(one.last) : none), h("td", { class: "n" }, int(one.looks_since))))))));
  const behind = (news) => {
    const found = (news.reports ?? []).filter(fits);
    if (params.show === "late") found.sort((a, b) => b.late - a.late);
    return fill(body, h("p", {}, h("a", { href: at(run, "news") }, "All news of this watch")), params.show === "quiet" ? sites((news.sites ?? []).filter((one) => one.silent))
      : h("section", { class: "card" }, h("h2", {}, `${title}: ${int(found.length)}`), news.reports.length === MOST && h("p", { class: "note" }, `Of the newest ${int(MOST)} reports.`), h("ul", { class: "fresh-items" }, found.length ? found.map((one) => report(run, one)) : h("li", { class: "empty" }, "There is none."))));
  };
  const draw = (news) => narrowed ? behind(news) : fill(body,
    h("div", { class: "tiles three" },
      tile("News today", at(run, "news", { show: "today" }), int(news.today), h("a", { href: at(run, "news", { show: "all" }) }, plural(Object.values(news.counts ?? {}).reduce((sum, each) => sum + each, 0), "report") + " in all")),
      tile("How late, half of them", at(run, "news", { show: "late" }), news.late?.median === null || news.late?.median === undefined ? none : span(news.late.median), news.late?.of ? `latest ${span(news.late.most)}, of ${int(news.late.of)}` : "not known yet"),
      tile("Sites gone quiet", at(run, "news", { show: "quiet" }), int((news.sites ?? []).filter((one) => one.silent).length), `of ${int(news.sites?.length ?? 0)}`)),
    h("div", { class: "two wide-left" },
      h("section", { class: "card" }, h("h2", {}, "What is new"), h("ul", { class: "fresh-items" }, news.reports?.length ? news.reports.slice(0, SHOWN).map((one) => report(run, one)) : h("li", { class: "empty" }, "Nothing was reported yet."))),
      h("div", { class: "view" }, shares("Today, by site", news.by_site, (site) => at(run, "news", { show: "today", site })), Object.keys(news.by_forager ?? {}).length > 1 && shares("Today, by forager", news.by_forager, (agent) => at(run, "news", { show: "today", agent: agent || undefined })),
        h("section", { class: "card stack" }, h("h2", {}, "Hours of the day"), hours(news.hours?.length === 24 ? news.hours : Array(24).fill(0), "News by the hour they were published in"),
          news.learned_hours?.length === 48 && [hours(news.learned_hours.slice(0, 24), "How busy it expects each hour to be: working days"), hours(news.learned_hours.slice(24), "And at weekends")]))),
    sites(news.sites ?? []));
  let stopped = false;
  const look = async () => {
    if (stopped) return;
    try { draw(await get(`${of(run)}/news`, { limit: narrowed ? MOST : SHOWN })); } catch (problem) { fill(body, h("p", { class: "callout bad" }, problem.message)); }
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
