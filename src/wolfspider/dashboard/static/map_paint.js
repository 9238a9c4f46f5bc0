// Draws the map on a canvas, in as much detail as there is room for: pixels from afar, dots, then discs with names.

export const SHOWN = 60; // agents, those that moved last
const STAMP = 400; // device pixels of a plot beyond which it is drawn each time
const LIT = 128, PIXELS = 7; // device pixels of a dot up to which it is written as pixels

export function palette(element) {
  const style = getComputedStyle(element), of = (name) => style.getPropertyValue(`--${name}`).trim();
  const wheel = ["s1", "s4", "s3", "s6", "s5", "s7", "s8"].map(of);
  return { ink: of("ink"), muted: of("muted"), line: of("line"), strong: of("strong-line"), paper: of("sunken") || of("paper"), panel: of("panel"), accent: of("accent"), lit: of("s2") || of("warn"), good: of("good"), wheel };
}

// A colour of the style sheet as one number of an image's pixels.
function pixel(colour, alpha, probe) {
  probe.clearRect(0, 0, 1, 1);
  probe.globalAlpha = alpha;
  probe.fillStyle = colour;
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue, opacity] = probe.getImageData(0, 0, 1, 1).data;
  return new Uint32Array(new Uint8ClampedArray([red, green, blue, opacity]).buffer)[0];
}

export class MapPaint {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.data = data;
    this.pen = canvas.getContext("2d");
    this.dots = document.createElement("canvas");
    this.view = { scale: 1, x: 0, y: 0 }; // device pixels of a step, and the step in the middle
    this.probe = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
    this.recolour();
  }

  recolour() {
    this.colours = palette(this.canvas);
    const { muted, lit, line } = this.colours;
    this.shades = [0.3, 0.45, 0.65].map((alpha) => pixel(muted, alpha, this.probe));
    this.litPixel = pixel(lit, 1, this.probe);
    this.dimPixel = pixel(line, 0.9, this.probe);
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas, ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.max(1, Math.round(clientWidth * ratio)), height = Math.max(1, Math.round(clientHeight * ratio));
    if (this.canvas.width === width && this.canvas.height === height) return false;
    [this.canvas.width, this.canvas.height, this.ratio] = [width, height, ratio];
    [this.dots.width, this.dots.height] = [width, height];
    this.image = null;
    return true;
  }

  fit() {
    const box = this.data.bounds;
    if (!box) return;
    const width = box.right - box.left, height = box.bottom - box.top;
    const scale = 0.94 * Math.min(this.canvas.width / width, this.canvas.height / height);
    Object.assign(this.view, { scale: Math.min(scale, 3), x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 });
    this.least = Math.min(scale, 3) / 3;
  }

  zoom(factor, px, py) {
    const [x, y] = this.step(px, py), { view } = this;
    view.scale = Math.min(8, Math.max(this.least ?? 0.001, view.scale * factor));
    const [nowX, nowY] = this.step(px, py);
    view.x += x - nowX;
    view.y += y - nowY;
  }

  pan(dx, dy) {
    const box = this.data.bounds ?? { left: 0, right: 0, top: 0, bottom: 0 }, { view } = this;
    view.x = Math.min(box.right, Math.max(box.left, view.x - dx / view.scale));
    view.y = Math.min(box.bottom, Math.max(box.top, view.y - dy / view.scale));
  }

  // Device pixels -> steps, and back.
  step(px, py) {
    return [(px - this.canvas.width / 2) / this.view.scale + this.view.x, (py - this.canvas.height / 2) / this.view.scale + this.view.y];
  }

  place(page) {
    const { view, canvas, data } = this;
    return [(data.x[page] - view.x) * view.scale + canvas.width / 2, (data.y[page] - view.y) * view.scale + canvas.height / 2];
  }

  // `marked`: {page, host, agent, territory (Map page -> times), path, moves (agent -> [x, y])}
  draw(marked) {
    const { pen, canvas, colours, data, view } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    const cell = data.unit * view.scale, size = Math.max(1, cell * 0.62);
    this.drawPlots(marked, cell);
    if (size <= PIXELS) this.drawPixels(Math.max(1, Math.round(size)), marked);
    else this.drawDiscs(size / 2, marked);
    this.drawNames(cell);
    if (marked.path) this.drawPath(marked.path);
    this.drawAgents(marked);
    if (marked.page >= 0) this.drawMark(marked.page, Math.max(6 * this.ratio, size));
    if (marked.cross) this.drawCross();
  }

  drawPlots(marked, cell) {
    const { pen, canvas, colours, data, view } = this, { unit } = data, stamps = new Map();
    for (const plot of data.plots) {
      const side = plot.side * cell, own = plot.host === marked.host;
      if (side < 5 * this.ratio && !own) continue;
      const x = (plot.x * unit - view.x) * view.scale + canvas.width / 2, y = (plot.y * unit - view.y) * view.scale + canvas.height / 2;
      if (x > canvas.width || y > canvas.height || x + side < 0 || y + side < 0) continue;
      if (own || side > STAMP) this.ring(pen, x + side / 2, y + side / 2, side, own ? colours.accent : colours.line, own ? 2 : 1);
      else {
        if (!stamps.has(plot.side)) stamps.set(plot.side, this.stamp(side));
        pen.drawImage(stamps.get(plot.side), Math.round(x), Math.round(y));
      }
    }
  }

  ring(pen, x, y, side, rim, wide) {
    pen.beginPath();
    pen.arc(x, y, Math.max(2, side * 0.492), 0, 7);
    pen.fillStyle = this.colours.panel;
    pen.fill();
    pen.lineWidth = wide * this.ratio;
    pen.strokeStyle = rim;
    pen.stroke();
  }

  // A plot of this size, drawn once in a frame and then printed: there may be thousands, of few sizes.
  stamp(side) {
    const made = Object.assign(document.createElement("canvas"), { width: Math.ceil(side) + 1, height: Math.ceil(side) + 1 });
    this.ring(made.getContext("2d"), side / 2, side / 2, side, side > 24 * this.ratio ? this.colours.line : this.colours.panel, 1);
    return made;
  }

  drawPixels(size, marked) {
    const { pen, dots, canvas, data, view, shades, litPixel, dimPixel } = this;
    const width = canvas.width, height = canvas.height, flat = dots.getContext("2d");
    this.image ??= flat.createImageData(width, height);
    const ink = this.wide?.length === width * height && this.image.data.buffer === this.wide.buffer ? this.wide : (this.wide = new Uint32Array(this.image.data.buffer));
    ink.fill(0);
    const { x, y, light, size: count } = data, own = marked.territory;
    for (let pass = 0; pass < 2; pass += 1) {
      for (let page = 0; page < count; page += 1) {
        const lit = light[page] >= LIT;
        if (lit !== (pass === 1)) continue;
        const px = Math.round((x[page] - view.x) * view.scale + width / 2 - size / 2), py = Math.round((y[page] - view.y) * view.scale + height / 2 - size / 2);
        if (px < 0 || py < 0 || px + size > width || py + size > height) continue;
        const colour = own && !own.has(page) ? dimPixel : lit ? litPixel : shades[light[page] > 30 ? 2 : light[page] > 10 ? 1 : 0];
        for (let row = 0, at = py * width + px; row < size; row += 1, at += width) for (let dx = 0; dx < size; dx += 1) ink[at + dx] = colour;
      }
    }
    flat.putImageData(this.image, 0, 0);
    pen.drawImage(dots, 0, 0);
  }

  drawDiscs(radius, marked) {
    const { pen, canvas, data, colours } = this, own = marked.territory;
    for (const lit of [false, true]) {
      for (let page = 0; page < data.size; page += 1) {
        if (data.isLit(page) !== lit) continue;
        const [px, py] = this.place(page);
        if (px < -radius || py < -radius || px > canvas.width + radius || py > canvas.height + radius) continue;
        const foreign = own && !own.has(page);
        pen.globalAlpha = foreign ? 0.25 : lit ? 1 : 0.35 + 0.6 * data.score(page);
        pen.fillStyle = lit && !foreign ? colours.lit : colours.muted;
        pen.beginPath();
        pen.arc(px, py, Math.min(radius, 11 * this.ratio) * (lit ? 1 : 0.8), 0, 7);
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
  }

  // Names of hosts, each once, at its largest plot, as far as there is room.
  drawNames(cell) {
    const { pen, canvas, data, view, colours } = this, size = 12 * this.ratio;
    pen.font = `600 ${size}px ${getComputedStyle(canvas).fontFamily}`;
    pen.textAlign = "center";
    const plots = data.plots.filter((plot) => plot.side * cell > 64 * this.ratio).sort((a, b) => b.side - a.side).slice(0, 60), taken = [], named = new Set();
    for (const plot of plots) {
      const name = data.hosts[plot.host].name, side = plot.side * cell;
      const middle = ((plot.x + plot.side / 2) * data.unit - view.x) * view.scale + canvas.width / 2, y = (plot.y * data.unit - view.y) * view.scale + canvas.height / 2 + size * 1.1;
      const wide = pen.measureText(name).width + size, edge = wide / 2 + 4;
      const x = middle > 0 && middle < canvas.width ? Math.max(edge, Math.min(canvas.width - edge, middle)) : middle; // not cut off at an edge
      if (named.has(plot.host) || wide > Math.max(1.35 * side, 140 * this.ratio) || x + wide / 2 < 0 || x - wide / 2 > canvas.width || y < 0 || y - size > canvas.height) continue;
      if (taken.some((one) => Math.abs(one.x - x) < (one.wide + wide) / 2 && Math.abs(one.y - y) < 1.5 * size)) continue;
      taken.push({ x, y, wide });
      named.add(plot.host);
      pen.globalAlpha = 0.86;
      pen.fillStyle = colours.panel;
      pen.beginPath();
      pen.roundRect(x - wide / 2, y - size * 1.05, wide, size * 1.5, size * 0.5);
      pen.fill();
      pen.globalAlpha = 1;
      pen.fillStyle = colours.ink;
      pen.fillText(name, x, y);
    }
  }

  drawPath(path) {
    const { pen, colours } = this;
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 1.2 * this.ratio;
    pen.globalAlpha = 0.55;
    pen.beginPath();
    path.forEach((page, place) => { const [px, py] = this.place(page); if (place) pen.lineTo(px, py); else pen.moveTo(px, py); });
    pen.stroke();
    pen.globalAlpha = 1;
  }

  drawAgents(marked) {
    const { pen, data, colours, view, canvas } = this, many = data.agents.length > 1;
    for (const [place, agent] of data.agents.entries()) {
      if (place >= SHOWN && marked.agent !== agent.name) continue;
      const trail = agent.trail.filter((page) => page < data.size).slice(many ? -12 : -4), last = trail.at(-1);
      if (last === undefined) continue;
      const named = marked.agent === agent.name, colour = many ? colours.wheel[agent.number % colours.wheel.length] : colours.accent;
      const moved = marked.moves?.get(agent.name), to = this.place(last);
      const at = moved ? [(moved[0] - view.x) * view.scale + canvas.width / 2, (moved[1] - view.y) * view.scale + canvas.height / 2] : to;
      pen.strokeStyle = pen.fillStyle = colour;
      if (named || (place < 40 && marked.agent === null)) {
        pen.lineWidth = (named ? 2 : 1.4) * this.ratio;
        for (let step = 1; step < trail.length; step += 1) {
          const [fromX, fromY] = this.place(trail[step - 1]), [toX, toY] = step === trail.length - 1 ? at : this.place(trail[step]);
          pen.globalAlpha = 0.1 + 0.5 * (step / trail.length);
          pen.beginPath();
          pen.moveTo(fromX, fromY);
          pen.lineTo(toX, toY);
          pen.stroke();
        }
      }
      pen.globalAlpha = marked.agent !== null && !named ? 0.3 : 1;
      this.spider(at[0], at[1], Math.max((named ? 8 : data.agents.length > 20 ? 4 : 5.5) * this.ratio, Math.min(14 * this.ratio, data.unit * view.scale * 0.45)));
    }
    pen.globalAlpha = 1;
  }

  // A small spider: a body and eight legs.
  spider(x, y, size) {
    const { pen } = this;
    pen.lineWidth = Math.max(1, size / 5);
    pen.beginPath();
    for (const side of [-1, 1]) for (const leg of [-0.9, -0.3, 0.3, 0.9]) {
      pen.moveTo(x, y);
      pen.quadraticCurveTo(x + side * size * 0.7, y + (leg - 0.35) * size, x + side * size * 1.15, y + leg * size * 1.25);
    }
    pen.stroke();
    pen.beginPath();
    pen.arc(x, y, size * 0.46, 0, 7);
    pen.fill();
    pen.strokeStyle = this.colours.panel;
    pen.stroke();
  }

  drawMark(page, radius) {
    const { pen, colours } = this, [px, py] = this.place(page);
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 2 * this.ratio;
    pen.beginPath();
    pen.arc(px, py, radius, 0, 7);
    pen.stroke();
  }

  drawCross() {
    const { pen, canvas, colours } = this, x = canvas.width / 2, y = canvas.height / 2, size = 9 * this.ratio;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1.5 * this.ratio;
    pen.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      pen.moveTo(x + dx * size * 0.35, y + dy * size * 0.35);
      pen.lineTo(x + dx * size, y + dy * size);
    }
    pen.stroke();
  }
}
