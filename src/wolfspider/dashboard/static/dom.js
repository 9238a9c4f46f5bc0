// Elements made of text nodes and attributes. Text of pages only ever becomes text: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

function put(element, props) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "vars") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "indeterminate") element[name] = value;
    else if (name === "href") element.setAttribute("href", inside(value));
    else element.setAttribute(name, value === true ? "" : value);
  }
}

// Only places inside the dashboard; addresses of pages go through `outside`.
function inside(href) {
  const text = String(href);
  return text.startsWith("#") || text.startsWith("/") && !text.startsWith("//") ? text : "#/";
}

function add(element, kids) {
  for (const kid of kids.flat(Infinity)) {
    if (kid === null || kid === undefined || kid === false) continue;
    element.append(kid instanceof Node ? kid : document.createTextNode(String(kid)));
  }
}

export function h(tag, props, ...kids) {
  const element = document.createElement(tag);
  put(element, props);
  add(element, kids);
  return element;
}

export function svg(tag, props, ...kids) {
  const element = document.createElementNS(SVG, tag);
  put(element, props);
  add(element, kids);
  return element;
}

// New children, only if they differ in what they say; so that a pointer or a focus on an old one is not lost for nothing.
export function fill(element, ...kids) {
  const fresh = document.createDocumentFragment();
  add(fresh, kids);
  const old = element.childNodes, now = fresh.childNodes;
  if (old.length === now.length && [...now].every((node, place) => node.isEqualNode(old[place]))) return;
  element.replaceChildren(fresh);
}

export function say(element, text) {
  const told = String(text ?? "");
  if (element.textContent !== told) element.textContent = told;
}

// A link to a page of the web, if that is one; anything else stays text.
export function outside(url, ...kids) {
  let good = false;
  try { good = ["http:", "https:"].includes(new URL(url).protocol); } catch { /* no address */ }
  if (!good) return h("span", {}, ...kids);
  const link = h("a", { class: "outside", rel: "noreferrer noopener nofollow", target: "_blank" }, ...kids);
  link.setAttribute("href", url);
  return link;
}

export function button(text, act, props) {
  return h("button", { type: "button", class: "button", ...props, on: { click: act } }, text);
}

let made = 0;
export const fresh = (stem) => `${stem}-${++made}`;

// A labelled field: the label, the control, and a sentence about it.
export function field(label, control, help) {
  control.id ||= fresh("field");
  const note = help && h("span", { class: "help", id: `${control.id}-help` }, help);
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, note);
}

// A list that changes does not change under a pointer or a focus: what came meanwhile is drawn when they are gone.
export function calm(element, draw) {
  let waits = false;
  const busy = () => element.matches(":hover") && matchMedia("(hover: hover)").matches || element.contains(document.activeElement);
  const later = () => requestAnimationFrame(() => { if (waits && !busy()) { waits = false; draw(); } });
  element.addEventListener("pointerleave", later);
  element.addEventListener("focusout", later);
  return (now = false) => {
    waits = !now && busy();
    if (!waits) draw();
  };
}
