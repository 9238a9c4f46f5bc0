// Sliders and fields, generated from what is known of a parameter: its kind, its bounds, its sentence.

import { fresh, h } from "./dom.js";
import { ago, words } from "./format.js";

const STEPS = 200;

const shown = (value) => typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value ?? "");

// A slider only helps where both ends are near enough that each place on it means something.
function slides(param) {
  const { low, high, kind } = param;
  if (!["int", "float"].includes(kind) || low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return false;
  return kind === "float" ? high - low <= 1000 : high - low <= 500;
}

// One control; `moved` gets the new value when the person lets go. `set` shows a value that came from elsewhere.
export function control(param, moved, tools) {
  const id = fresh(`param-${param.name}`), help = h("span", { class: "help", id: `${id}-help` }, param.help ?? ""), who = h("span", { class: "control-who" });
  const described = { id, "aria-describedby": `${id}-help`, disabled: tools?.fixed && !param.live };
  let input, slider = null, busy = false;
  const send = (value) => { if (String(value) !== input.dataset.was) { input.dataset.was = String(value); moved(value); } };
  if (param.kind === "bool") {
    input = h("input", { type: "checkbox", ...described, checked: Boolean(param.value), on: { change: () => send(input.checked ? "true" : "false") } });
  } else if (param.kind === "str" && param.choices?.length) {
    input = h("select", { ...described, on: { change: () => send(input.value) } }, param.choices.map((each) => h("option", { value: each }, each)));
  } else if (["int", "float"].includes(param.kind) && !param.choices?.length) {
    input = h("input", { type: "number", ...described, min: param.low, max: param.high, step: param.kind === "int" ? 1 : "any", on: { change: () => { if (input.value !== "" && input.reportValidity()) send(input.value); } } });
    if (slides(param)) {
      const step = param.kind === "int" ? 1 : Number(((param.high - param.low) / STEPS).toPrecision(2));
      slider = h("input", {
        type: "range", min: param.low, max: param.high, step, "aria-label": words(param.name), disabled: described.disabled,
        on: { input: () => { busy = true; input.value = shown(Number(slider.value)); }, change: () => { busy = false; send(slider.value); } },
      });
    }
  } else {
    input = h("input", { type: "text", ...described, on: { change: () => send(input.value.trim()) } });
  }
  const set = (now) => {
    if (busy || document.activeElement === input) return;
    const value = shown(now.value);
    input.dataset.was = param.kind === "bool" ? String(Boolean(now.value)) : value;
    if (param.kind === "bool") input.checked = Boolean(now.value);
    else input.value = value;
    if (slider) slider.value = String(now.value);
    who.textContent = tools?.quiet ? "" : [now.set_by && now.set_by !== "default" && `set by: ${now.set_by}`, now.set_at && ago(now.set_at), String(now.default) !== String(now.value) && now.default !== undefined && `default ${shown(now.default)}`, tools?.fixed && !param.live && "fixed while it runs"].filter(Boolean).join(" · ");
  };
  set(param);
  const element = h("div", { class: "control", data: { param: param.name } }, h("div", { class: "control-top" }, h("label", { for: id }, words(param.name)), input), slider, help, who);
  return { element, set, value: () => param.kind === "bool" ? input.checked : input.value };
}
