// Inside the frame: numbers come in, plots are drawn. The words on the plots are all in this file.
(() => {
  const grid = document.getElementById("grid"), made = new Map();
  const NAMES = {
    harvest: ["Harvest rate", ""],
    found: ["Found against downloads", "relevant pages"],
    queue: ["Queue", "links that wait to be followed"],
    compared: ["Relevant pages found", "of each run"],
    rates: ["Harvest rate", "over all downloads so far"],
  };
  let last = null;

  function part(name, wide) {
    if (!made.has(name)) {
      const section = document.createElement("section"), head = document.createElement("h2"), note = document.createElement("p"), plot = document.createElement("div");
      section.className = wide ? "wide" : "";
      [head.textContent, note.textContent] = NAMES[name];
      plot.className = "plot";
      section.append(head, note, plot);
      grid.append(section);
      made.set(name, { head, note, plot });
    }
    return made.get(name);
  }

  const small = () => innerWidth < 700;

  function layout(colours, more) {
    const axis = { gridcolor: colours.line, linecolor: colours.line, zeroline: false, tickfont: { color: colours.muted, size: 11 }, fixedrange: true, automargin: true };
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: "Inter, system-ui, sans-serif", size: 12, color: colours.ink },
      margin: { l: 44, r: 18, t: 22, b: 30 }, showlegend: false, hovermode: "x unified", hoverlabel: { bgcolor: colours.panel, bordercolor: colours.line, font: { color: colours.ink, size: 12 } },
      xaxis: { ...axis, rangemode: "nonnegative", showgrid: false, ticks: "outside", ticklen: 4, tickcolor: colours.line, nticks: small() ? 5 : 8, tickformat: "~s", hoverformat: ",d", ...more.xaxis },
      yaxis: { ...axis, rangemode: "tozero", nticks: 5, ...more.yaxis },
      shapes: more.shapes ?? [], annotations: more.annotations ?? [],
    };
  }

  // Whole things that are few are counted one by one; of none there is a scale nevertheless.
  const counted = (values, more) => {
    const most = values.reduce((high, value) => Math.max(high, value ?? 0), 0);
    return { tickformat: "~s", hoverformat: ",.0f", ...(most < 4 && { range: [0, 4], dtick: 1 }), ...more };
  };

  const line = (x, y, name, colour, more = {}) =>
    ({ x, y, name, mode: "lines", line: { color: colour, width: 2, ...more.line }, connectgaps: false, ...more.rest });

  // Each deed of a person is a line with its number, which opens what it was. Of lines that lie close together only the
  // newest has its number: others would be written over it.
  function marks(given, far, colours) {
    const near = far * (small() ? .07 : .045), numbered = new Set();
    given.reduceRight((next, x, place) => next - x < near ? next : numbered.add(place) && x, Infinity);
    return {
      shapes: given.map((x) => ({ type: "line", x0: x, x1: x, yref: "paper", y0: 0, y1: 1, line: { color: colours.muted, width: 1, dash: "dot" } })),
      annotations: given.map((x, place) => ({ x, yref: "paper", y: 1, yanchor: "bottom", text: String(place + 1), showarrow: false, captureevents: true, name: String(place), borderpad: 3, font: { size: 11, color: colours.ink } }))
        .filter((_, place) => numbered.has(place)),
    };
  }

  // The names of the curves stand above the plot, in their colours, instead of a legend.
  function named(name, before, curves, colours) {
    const { note } = part(name);
    note.style.color = colours.muted;
    note.replaceChildren(before, ...curves.flatMap(([text, colour]) => {
      const swatch = document.createElement("i"), word = document.createElement("span");
      swatch.style.background = colour;
      word.textContent = text;
      return [swatch, word];
    }));
  }

  function draw(name, traces, more, colours, wide) {
    const { head, note, plot } = part(name, wide);
    head.style.color = colours.ink;
    note.style.color = colours.muted;
    Plotly.react(plot, traces, layout(colours, more), { displayModeBar: false, responsive: true });
    if (!plot.dataset.heard) {
      plot.dataset.heard = "1";
      plot.on("plotly_clickannotation", (event) => parent.postMessage({ say: "deed", place: Number(event.annotation?.name) }, "*"));
      plot.on("plotly_click", (event) => parent.postMessage({ say: "pick", chart: name, at: Number(event.points?.[0]?.x) }, "*"));
    }
  }

  function run({ colours, downloads: x, window: now, cumulative, relevant, frontier, chance, deeds }) {
    const [s1, s2, s3, s4] = colours.series, far = x[x.length - 1] ?? 0, drawn = marks(deeds ?? [], far, colours);
    const harvest = [line(x, now, "last 100", s2, { line: { width: 1.5 } }), line(x, cumulative, "all", s1)];
    const chanceName = chance ? [["chance, 95 % interval", s4]] : [];
    if (chance) {
      harvest.unshift({ x: [0, far, far, 0], y: [chance.low, chance.low, chance.high, chance.high], fill: "toself", fillcolor: s4, opacity: .18, line: { width: 0 }, hoverinfo: "skip", mode: "lines" },
        line([0, far], [chance.rate, chance.rate], "chance", s4, { line: { dash: "dash", width: 1.5 } }));
    }
    named("harvest", "relevant of all downloads:", [["last 100", s2], ["so far", s1], ...chanceName], colours);
    const xaxis = far < 10 ? { range: [0, 10], dtick: 5 } : {}, rated = relevant.some((each) => each > 0) || chance;
    draw("harvest", harvest, { ...drawn, xaxis, yaxis: { tickformat: ",.0%", hoverformat: ".1%", ...(!rated && { range: [0, 1] }) } }, colours);
    const found = [line(x, relevant, "relevant pages", s1, { rest: { fill: "tozeroy", fillcolor: `${s1}22` } })];
    named("found", "relevant pages:", [["found", s1], ...chanceName], colours);
    if (chance) {
      found.push({ x: [0, far, far], y: [0, far * chance.low, far * chance.high], fill: "toself", fillcolor: s4, opacity: .18, line: { width: 0 }, hoverinfo: "skip", mode: "lines" },
        line([0, far], [0, far * chance.rate], "chance", s4, { line: { dash: "dash", width: 1.5 } }));
    }
    draw("found", found, { ...drawn, xaxis, yaxis: counted(chance ? [...relevant, far * chance.high] : relevant) }, colours);
    const queued = frontier.some((each) => each !== null);
    part("queue", true).note.textContent = queued ? "links that wait to be followed" : "this strategy keeps no queue that could be counted";
    draw("queue", [line(x, frontier, "waiting links", s3, { rest: { fill: "tozeroy", fillcolor: `${s3}1c` } })], { ...drawn, annotations: [], xaxis, yaxis: counted(frontier, { nticks: 3 }) }, colours, true);
  }

  function compare({ colours, runs, overTime }) {
    grid.className = "compare";
    const xaxis = overTime ? { tickformat: "~s", ticksuffix: " s" } : {};
    const lines = (column) => runs.map((each, place) => line(overTime ? each.at : each.downloads, each[column], String(place + 1), colours.series[place % colours.series.length], { line: { dash: ["solid", "dash", "dot", "dashdot"][Math.floor(place / colours.series.length) % 4] } }));
    draw("compared", lines("relevant"), { xaxis, yaxis: { tickformat: "~s" } }, colours);
    draw("rates", lines("cumulative"), { xaxis, yaxis: { tickformat: ",.0%", hoverformat: ".1%" } }, colours);
  }

  function now() {
    if (!last || !window.Plotly) return;
    document.documentElement.style.colorScheme = "normal";
    (last.kind === "compare" ? compare : run)(last);
    parent.postMessage({ say: "drawn" }, "*");
  }

  addEventListener("message", (event) => {
    if (event.source !== parent || !event.data?.kind) return;
    last = event.data;
    now();
  });
  document.addEventListener("DOMContentLoaded", () => {
    const library = document.getElementById("library");
    library.addEventListener("load", now);
    parent.postMessage({ say: "ready" }, "*");
  });
})();
