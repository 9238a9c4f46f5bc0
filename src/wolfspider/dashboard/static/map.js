// The territory of a run: pages as dots in the plots of their hosts, relevant ones lit, agents among them.

import { get, of } from "./api.js";
import { button, fill, h, outside, say } from "./dom.js";
import { MapData, many } from "./map_data.js";
import { MapPaint, SHOWN } from "./map_paint.js";
import { at } from "./routes.js";
import { sheet } from "./sheet.js";

const PAUSE = 2000, MOVE = 700; // milliseconds between two questions to the server, and of an agent's move
const KEYS = "Arrow keys move the map, plus and minus zoom, 0 shows all of it. N and P go to the next and the previous relevant page, Enter to the page in the middle, Escape leaves it.";

export function mount(element, { run }) {
  sheet("map.css");
  const data = new MapData(), marked = { page: -1, host: -1, agent: null, territory: null, path: null, moves: null, cross: false };
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const summary = h("p", { id: "map-summary" }, "Loading the map."), tip = h("div", { class: "map-tip", hidden: true }), card = h("section", { class: "map-page", hidden: true, "aria-live": "polite" });
  const canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `Map of the pages of this run. ${KEYS}`, "aria-describedby": "map-summary" });
  const who = h("select", { "aria-label": "Whose territory to show" }), whose = h("div", { class: "map-who", hidden: true }, who);
  const tool = (sign, label, act) => button(sign, act, { class: "button", "aria-label": label, title: label });
  const tools = h("div", { class: "map-tools" },
    tool("+", "Zoom in", () => zoom(1.5)), tool("−", "Zoom out", () => zoom(1 / 1.5)), tool("⤢", "Show the whole map", () => { touched = false; paint.fit(); later(); }));
  const key = h("div", { class: "map-key" }, h("span", { class: "lit" }, h("i"), "relevant"), h("span", {}, h("i"), "not relevant"));
  const ground = h("div", { class: "map-ground" }, canvas, whose, tools, tip, card), foot = h("div", { class: "map-foot" }, summary, key);
  fill(element, h("div", { class: "map" }, ground, foot));

  const paint = new MapPaint(canvas, data);
  let frame = 0, gone = false, asking = false, asked = 0, waits = false, touched = false, timer = 0, from = new Map(), moved = 0, chosen = 0;
  const pointers = new Map();

  const later = () => { if (!frame && !gone) frame = requestAnimationFrame(draw); };

  function draw(now) {
    frame = 0;
    if (!canvas.clientWidth) return;
    if (paint.resize() && !touched) paint.fit();
    const part = still.matches ? 1 : Math.min(1, (now - moved) / MOVE);
    marked.moves = part < 1 ? between(part) : null;
    paint.draw(marked);
    if (part < 1) later();
  }

  // Where agents are on their way from where they were.
  function between(part) {
    const ease = 1 - (1 - part) ** 3, places = new Map();
    for (const agent of data.agents) {
      const last = agent.trail.at(-1), start = from.get(agent.name);
      if (start && last < data.size) places.set(agent.name, [start[0] + (data.x[last] - start[0]) * ease, start[1] + (data.y[last] - start[1]) * ease]);
    }
    return places;
  }

  async function refresh() {
    if (asking || gone) { waits = true; return; }
    asking = true;
    waits = false;
    asked = performance.now();
    try {
      let more = true;
      while (more && !gone) {
        const before = new Map(data.agents.map((agent) => [agent.name, agent.trail.at(-1)])), answer = await get(`${of(run)}/map`, { after: data.next });
        if (gone) return;
        more = data.take(answer);
        if (answer.whole) touched = false;
        from = new Map([...before].filter(([, page]) => page < data.size).map(([name, page]) => [name, [data.x[page], data.y[page]]]));
        moved = performance.now();
        if (!touched) paint.fit();
        later();
      }
      say(summary, data.summary());
      agents();
    } catch (problem) {
      say(summary, problem.message);
    } finally {
      asking = false;
      if (waits) soon();
    }
  }

  function soon() {
    if (timer || gone) return;
    timer = setTimeout(() => { timer = 0; refresh(); }, Math.max(0, asked + PAUSE - performance.now()));
  }

  function agents() {
    whose.hidden = data.agents.length < 2;
    if (whose.hidden || document.activeElement === who) return;
    const told = (agent) => `${agent.name || "the crawl"} (${agent.visits.toLocaleString("en")})`;
    fill(who, h("option", { value: "" }, "All agents"), data.agents.map((agent) => h("option", { value: `@${agent.name}`, selected: agent.name === marked.agent }, told(agent))));
  }

  async function territory(name) {
    marked.agent = name;
    marked.territory = marked.path = null;
    later();
    if (name === null) { card.hidden = true; return; }
    const mine = ++chosen;
    try {
      const found = await get(`${of(run)}/territory`, { agent: name });
      if (mine !== chosen || gone) return;
      marked.territory = new Map(found.pages.map((page, place) => [page, found.times[place]]));
      marked.path = found.path.filter((page) => page < data.size);
      const hosts = new Set(found.pages.map((page) => data.host[page]));
      show(`The territory of ${found.agent || "the crawl"}`, [
        `${many(found.pages.length, "page")} of ${many(hosts.size, "host")}, ${found.relevant.toLocaleString("en")} relevant.`,
        `${many(found.visits, "visit")}${found.whole ? "" : " (the newest)"}, ${many(found.downloads, "download")}. The line shows its last ${many(marked.path.length, "visit")}.`,
      ], []);
      later();
    } catch (problem) { show(name, [problem.message], []); }
  }

  function show(title, lines, links) {
    const shut = h("button", { type: "button", class: "plain map-shut", "aria-label": "Close", on: { click: leave } }, "×");
    fill(card, h("h3", {}, title), lines.map((line) => h("p", {}, line)), links.length ? h("div", { class: "row" }, links) : null, shut);
    card.hidden = false;
  }

  function leave() {
    card.hidden = true;
    chosen += 1;
    marked.page = -1;
    who.value = "";
    territory(null);
    canvas.focus({ preventScroll: true });
  }

  async function choose(page) {
    marked.page = page;
    later();
    if (page < 0) { if (marked.agent === null) card.hidden = true; return; }
    const mine = ++chosen;
    try {
      const found = await get(`${of(run)}/map/page`, { page });
      if (mine !== chosen || gone) return;
      const by = found.agent && data.allAgents > 1 ? `, brought by ${found.agent}` : "";
      const worth = found.score === null ? "" : `, score ${found.score.toFixed(2)}`;
      const links = [h("a", { class: "button small", href: at(run, "explain", { url: found.url }) }, "Why?"), outside(found.url, "Open the page")];
      show(found.title || found.url, [found.host, `${found.relevant ? "Relevant" : "Not relevant"}${worth}${by}`], links);
    } catch (problem) { show("This page", [problem.message], []); }
  }

  function zoom(factor, x = canvas.width / 2, y = canvas.height / 2) {
    touched = true;
    paint.zoom(factor, x, y);
    later();
  }

  const spot = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * paint.ratio, (event.clientY - box.top) * paint.ratio];
  };
  const under = (x, y) => data.nearest(...paint.step(x, y), Math.max(9 * paint.ratio / paint.view.scale, data.unit * 0.5));

  function agentAt(x, y) {
    if (data.agents.length < 2) return null;
    const near = data.agents.slice(0, SHOWN).find((agent) => {
      const last = agent.trail.at(-1);
      if (last === undefined || last >= data.size) return false;
      const [px, py] = paint.place(last);
      return Math.hypot(px - x, py - y) < 9 * paint.ratio;
    });
    return near?.name ?? null;
  }

  function hover(event) {
    const [x, y] = spot(event), plot = data.plotAt(...paint.step(x, y)), page = under(x, y), agent = agentAt(x, y);
    const host = plot === undefined ? -1 : data.plots[plot].host;
    if (host !== marked.host) { marked.host = host; later(); }
    canvas.classList.toggle("over", page >= 0 || agent !== null);
    tip.hidden = host < 0 && agent === null;
    if (tip.hidden) return;
    const known = data.hosts[host], told = known ? `${known.name}: ${known.lit.toLocaleString("en")} of ${known.pages.toLocaleString("en")} pages relevant` : "";
    say(tip, agent === null ? told : `${agent || "the crawl"}: click for its territory`);
    const { clientWidth, clientHeight } = ground, box = canvas.getBoundingClientRect();
    tip.style.left = `${Math.min(event.clientX - box.left + 14, Math.max(0, clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.min(event.clientY - box.top + 16, Math.max(0, clientHeight - tip.offsetHeight - 8))}px`;
  }

  function press(event) {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { at: spot(event), began: spot(event), far: false });
    canvas.classList.add("held");
    tip.hidden = true;
  }

  function drag(event) {
    const held = pointers.get(event.pointerId);
    if (!held) { if (event.pointerType !== "touch") hover(event); return; }
    const now = spot(event), others = [...pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, one]) => one);
    if (others.length) {
      const [other] = others, before = Math.hypot(held.at[0] - other.at[0], held.at[1] - other.at[1]), after = Math.hypot(now[0] - other.at[0], now[1] - other.at[1]);
      if (before > 4) paint.zoom(after / before, (now[0] + other.at[0]) / 2, (now[1] + other.at[1]) / 2);
      held.far = other.far = true;
    } else paint.pan(now[0] - held.at[0], now[1] - held.at[1]);
    touched = true;
    held.far ||= Math.hypot(now[0] - held.began[0], now[1] - held.began[1]) > 5 * paint.ratio;
    held.at = now;
    later();
  }

  function release(event) {
    const held = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (!pointers.size) canvas.classList.remove("held");
    if (!held || held.far || event.type === "pointercancel") return;
    const agent = agentAt(...held.at);
    if (agent !== null) { who.value = `@${agent}`; territory(agent); } else choose(under(...held.at));
  }

  function typed(event) {
    const step = 60 * paint.ratio;
    const acts = {
      ArrowLeft: () => paint.pan(step, 0), ArrowRight: () => paint.pan(-step, 0), ArrowUp: () => paint.pan(0, step), ArrowDown: () => paint.pan(0, -step),
      "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: () => { touched = false; paint.fit(); }, Escape: leave,
      Enter: () => choose(data.nearest(paint.view.x, paint.view.y, Infinity)), n: () => visit(1), p: () => visit(-1),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? null : acts[event.key] ?? acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    touched ||= event.key !== "Escape" && event.key !== "Enter";
    act();
    later();
  }

  function visit(step) {
    const page = data.nextLit(marked.page, step);
    if (page < 0) return;
    Object.assign(paint.view, { x: data.x[page], y: data.y[page], scale: Math.max(paint.view.scale, 0.5) });
    choose(page);
  }

  const wheel = (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...spot(event)); };
  const listen = { pointerdown: press, pointermove: drag, pointerup: release, pointercancel: release, keydown: typed,
    pointerleave: () => { tip.hidden = true; if (marked.host >= 0) { marked.host = -1; later(); } },
    focus: () => { marked.cross = canvas.matches(":focus-visible"); later(); }, blur: () => { marked.cross = false; later(); } };
  for (const [name, act] of Object.entries(listen)) canvas.addEventListener(name, act);
  canvas.addEventListener("wheel", wheel, { passive: false });
  who.addEventListener("change", () => territory(who.value ? who.value.slice(1) : null));
  const sized = new ResizeObserver(later), themed = new MutationObserver(() => { paint.recolour(); later(); });
  sized.observe(canvas);
  themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });

  let seen = null;
  window.wolfspiderMap = { data, paint }; // for those who measure it
  refresh();
  return {
    update(gauge) {
      const now = `${gauge?.downloads} ${gauge?.relevant} ${gauge?.hidden}`;
      if (now !== seen) { seen = now; waits = true; if (!asking) soon(); }
    },
    destroy() {
      gone = true;
      delete window.wolfspiderMap;
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      sized.disconnect();
      themed.disconnect();
    },
  };
}
