// The map as the server tells it: columns of numbers that only grow, and the plots that pages lie in.

const LIT = 128, PAIR = 1 << 16;

function column(Kind, text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let place = 0; place < raw.length; place += 1) bytes[place] = raw.charCodeAt(place);
  if (Kind.BYTES_PER_ELEMENT === 2 && new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1)
    for (let place = 0; place < bytes.length; place += 2) [bytes[place], bytes[place + 1]] = [bytes[place + 1], bytes[place]];
  return new Kind(bytes.buffer);
}

const told = (number) => number.toLocaleString("en");
export const many = (number, name) => `${told(number)} ${name}${number === 1 ? "" : "s"}`;

export class MapData {
  constructor() {
    this.clear();
  }

  clear() {
    this.next = "";
    this.size = this.lit = this.leftOut = 0;
    this.unit = 16;
    this.x = new Int16Array(1024);
    this.y = new Int16Array(1024);
    this.light = new Uint8Array(1024);
    this.agent = new Uint16Array(1024);
    this.host = new Int32Array(1024);
    this.plots = [];
    this.hosts = []; // {name, pages, lit, plots}
    this.allAgents = 0;
    this.agents = [];
    this.ground = new Map(); // two by two cells -> plot
    this.bounds = null; // in steps
  }

  // True if there is more to ask for.
  take(answer) {
    if (answer.whole) this.clear();
    this.next = answer.next;
    this.unit = answer.unit;
    this.leftOut = answer.left_out;
    for (const name of answer.hosts) this.hosts.push({ name, pages: 0, lit: 0, plots: [] });
    for (const [x, y, side, host] of answer.plots) this.addPlot({ x, y, side, host });
    const x = column(Int16Array, answer.x);
    this.reserve(this.size + x.length);
    this.x.set(x, this.size);
    this.y.set(column(Int16Array, answer.y), this.size);
    this.light.set(column(Uint8Array, answer.light), this.size);
    if (answer.agent) this.agent.set(column(Uint16Array, answer.agent), this.size);
    for (let page = this.size; page < this.size + x.length; page += 1) this.settle(page);
    this.size += x.length;
    for (const [page, light] of answer.changed) this.shine(page, light);
    this.allAgents = answer.all_agents;
    this.agents = answer.agents;
    return answer.more;
  }

  addPlot(plot) {
    const number = this.plots.length, { unit } = this;
    this.plots.push(plot);
    this.hosts[plot.host]?.plots.push(number);
    for (let x = plot.x >> 1; x < (plot.x + plot.side) >> 1; x += 1)
      for (let y = plot.y >> 1; y < (plot.y + plot.side) >> 1; y += 1) this.ground.set(x * PAIR + y, number);
    const old = this.bounds ?? { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    this.bounds = {
      left: Math.min(old.left, plot.x * unit), top: Math.min(old.top, plot.y * unit),
      right: Math.max(old.right, (plot.x + plot.side) * unit), bottom: Math.max(old.bottom, (plot.y + plot.side) * unit),
    };
  }

  reserve(size) {
    if (size <= this.x.length) return;
    const room = Math.max(size, 2 * this.x.length);
    for (const name of ["x", "y", "light", "agent", "host"]) {
      const wide = new this[name].constructor(room);
      wide.set(this[name]);
      this[name] = wide;
    }
  }

  settle(page) {
    const plot = this.plotAt(this.x[page], this.y[page]), host = plot === undefined ? -1 : this.plots[plot].host;
    this.host[page] = host;
    if (this.isLit(page)) this.lit += 1;
    if (host < 0) return;
    this.hosts[host].pages += 1;
    if (this.isLit(page)) this.hosts[host].lit += 1;
  }

  shine(page, light) {
    if (page >= this.size) return;
    const change = Number(light >= LIT) - Number(this.isLit(page)), host = this.hosts[this.host[page]];
    this.light[page] = light;
    this.lit += change;
    if (host) host.lit += change;
  }

  plotAt(x, y) {
    return this.ground.get((Math.floor(x / this.unit) >> 1) * PAIR + (Math.floor(y / this.unit) >> 1));
  }

  isLit(page) {
    return this.light[page] >= LIT;
  }

  score(page) {
    return (this.light[page] % LIT) / 100;
  }

  // The page nearest to a place, within some distance; -1 if there is none.
  nearest(x, y, within) {
    let best = -1, least = within * within;
    for (let page = 0; page < this.size; page += 1) {
      const dx = this.x[page] - x, dy = this.y[page] - y, far = dx * dx + dy * dy;
      if (far < least) { best = page; least = far; }
    }
    return best;
  }

  // The next lit page in the order in which pages came, or the one before; -1 if none is lit.
  nextLit(page, step) {
    for (let tried = 0, at = page; tried < this.size; tried += 1) {
      at = (at + step + this.size) % this.size;
      if (this.isLit(at)) return at;
    }
    return -1;
  }

  // In words, for those who do not see it.
  summary() {
    if (!this.size) return "No page has come yet.";
    const best = this.hosts.filter((host) => host.lit).sort((a, b) => b.lit - a.lit || b.pages - a.pages).slice(0, 5);
    const named = best.map((host) => `${host.name} (${told(host.lit)} of ${told(host.pages)})`).join(", ");
    const most = best.length ? ` Most of these are at ${named}.` : "";
    const walkers = this.agents.length > 1 ? ` ${many(this.allAgents, "agent")} brought them.` : "";
    const rest = this.leftOut ? ` ${many(this.leftOut, "visit")} came when the map was full.` : "";
    return `${many(this.size, "page")} of ${many(this.hosts.length, "host")}, ${told(this.lit)} relevant.${most}${walkers}${rest}`;
  }
}
