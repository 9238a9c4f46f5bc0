// Numbers, times and names as people read them.

const whole = new Intl.NumberFormat("en-GB");

export const none = "–";
export const int = (n) => Number.isFinite(n) ? whole.format(Math.round(n)) : none;
export const plural = (n, one, many = `${one}s`) => `${int(n)} ${Math.round(n) === 1 ? one : many}`;
export const known = (n) => n !== null && n !== undefined && Number.isFinite(n);

export function percent(share, places = 1) {
  return known(share) ? `${(100 * share).toFixed(places)} %` : none;
}

export function decimal(n, places = 1) {
  return known(n) ? n.toFixed(places) : none;
}

// A number of any size, in three digits that say something.
export function figure(n) {
  return !known(n) ? none : Number.isInteger(n) || Math.abs(n) >= 100 ? int(n) : String(Number(n.toPrecision(Math.abs(n) < .1 ? 2 : 3)));
}

export function span(seconds) {
  if (!known(seconds)) return none;
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min${s < 600 && s % 60 ? ` ${s % 60} s` : ""}`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor(s % 86400 / 3600)} h`;
}

// An estimate, as coarse as it is.
export function coarse(seconds) {
  return !known(seconds) ? none : seconds > 50 ? span(60 * Math.max(1, Math.round(seconds / 60))) : seconds > 10 ? `${10 * Math.ceil(seconds / 10)} s` : "seconds";
}

// A budget that means none, as that of a watch, is 0.
export const bounded = (budget) => budget < 1e9 ? budget ?? 0 : 0;

// Times come as seconds since 1970, or as ISO text.
export function seconds(time) {
  return typeof time === "number" ? time : time ? Date.parse(time) / 1000 : NaN;
}

// What time it is in the run on screen: ours, unless its web has a time of its own.
const ours = () => Date.now() / 1000;
let told = { now: 0, at: 0, speed: 1 }; // a moment there, the same one here, and the seconds there in one of ours
export function keepTime(now, speed) {
  told = known(now) ? { now, at: ours(), speed: speed ?? 1 } : { now: 0, at: 0, speed: 1 };
}
export const present = () => told.now + (ours() - told.at) * told.speed;
export const oursOf = (span) => span / (told.speed || 1); // how long it takes here

export function ago(time, now = present()) {
  const at = seconds(time);
  if (!Number.isFinite(at)) return none;
  const past = now - at;
  return past < 2 ? "just now" : `${span(past)} ago`;
}

export function clock(time, now = present()) {
  const at = seconds(time);
  if (!Number.isFinite(at)) return none;
  const date = new Date(1000 * at), today = new Date(1000 * now).toDateString() === date.toDateString();
  const hour = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return today ? hour : `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${hour}`;
}

export const words = (name) => String(name ?? "").replaceAll("_", " ").replaceAll("-", " ");

export function hostOf(url) {
  try { return new URL(url).host; } catch { return String(url ?? ""); }
}

// What a run looks for, in a line: words, or the pages it is to find the like of.
export function wanted(text, liked, name) {
  const pages = liked ?? (/^https?:/.test(text ?? "") ? text.split(", ") : []);
  if (text && !/^https?:/.test(text)) return text;
  return pages.length ? `Pages like ${short(pages[0])}${pages.length > 1 ? ` and ${int(pages.length - 1)} more` : ""}` : name;
}

// An address without what every address has.
export const short = (url) => String(url ?? "").replace(/^https?:\/\//, "");
