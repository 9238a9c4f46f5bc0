// The only way to the server: JSON over fetch, and frames as they come (server-sent events).

export class Trouble extends Error {
  constructor(text, status) {
    super(text);
    this.status = status;
  }
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Trouble("The dashboard's server does not answer. A crawl that runs goes on without it.", 0);
  }
  let told = null;
  try { told = await answer.json(); } catch { /* no JSON: the status says enough */ }
  if (answer.ok) return told;
  const text = answer.status === 401 || answer.status === 403
    ? "This browser is not let in. Open the address, with its token, that `wolfspider dashboard` printed."
    : told?.problem ?? told?.detail ?? `The server answered ${answer.status}.`;
  throw new Trouble(String(text), answer.status);
}

export const query = (values) => {
  const given = Object.entries(values ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

export const get = (path, values) => ask(path + query(values), {});
export const post = (path, body) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) });

export const of = (run) => `/api/runs/${encodeURIComponent(run)}`;

const KINDS = ["hello", "gauge", "page", "obeyed", "running", "ended", "trouble"];

const AGAIN = 2000; // milliseconds until a stream that was refused is asked for again

// Frames about one run; `state` tells whether they come. A browser connects again by itself after a broken stream, but not
// after a refusal, which a run gets that is not there yet.
export class Frames {
  constructor(run) {
    this.run = run;
    this.ears = new Map([...KINDS, "state"].map((kind) => [kind, new Set()]));
    this.open();
  }

  open() {
    const source = new EventSource(`/api/events${query({ run: this.run })}`);
    this.source = source;
    source.onopen = () => this.tell("state", true);
    source.onerror = () => {
      this.tell("state", false);
      if (source.readyState === EventSource.CLOSED) this.again = setTimeout(() => this.open(), AGAIN);
    };
    for (const kind of KINDS) {
      source.addEventListener(kind, (frame) => {
        try { this.tell(kind, JSON.parse(frame.data)); } catch { /* a frame that is cut off is passed over */ }
      });
    }
  }

  tell(kind, what) {
    for (const ear of this.ears.get(kind)) ear(what);
  }

  on(kind, ear) {
    this.ears.get(kind)?.add(ear);
    return () => this.ears.get(kind)?.delete(ear);
  }

  close() {
    clearTimeout(this.again);
    this.source.close();
  }
}
