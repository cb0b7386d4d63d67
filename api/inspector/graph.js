/**
 * The graph of what a session knows, drawn over its turns. Each item is one button; arrows go from one to the
 * next in time or to the nearest above or below, Enter opens it.
 */

import { count, make, several } from "./dom.js";
import { barb, draw, EDGES, edgeSample, glyph, glyphSample, nameOf, signOf, worded } from "./glyphs.js";
import { arrange, HEAD, wires } from "./timeline.js";

const TICK = 74, CROWD = 60;
const pen = document.createElement("canvas").getContext("2d");

export class Graph {
  /** @param {HTMLElement} holder @param {HTMLElement} legend @param {{open: (id: string) => void, tell: (node: any) => void}} heard */
  constructor(holder, legend, { open, tell }) {
    Object.assign(this, { holder, legend, open, tell, chosen: "", near: "" });
    holder.addEventListener("keydown", (event) => this.pressed(event));
    holder.addEventListener("click", (event) => { const id = idOf(event.target); if (id) this.open(id); });
    for (const over of ["focusin", "pointerover"]) {
      holder.addEventListener(over, (event) => this.look(this.places?.get(idOf(event.target))));
    }
    for (const away of ["focusout", "pointerleave"]) holder.addEventListener(away, () => { this.near = ""; this.light("near", ""); });
  }

  /** @param {{nodes: any[], edges: any[]}} known @param {number} last turn */
  show(known, last) {
    this.known = known;
    this.last = last;
    const style = getComputedStyle(this.holder);
    if (pen) pen.font = `550 12px ${style.fontFamily}`;
    const measure = (/** @type {string} */ text) => (pen ? pen.measureText(text).width : 7 * text.length);
    const plan = arrange(known.nodes, { room: (this.holder.clientWidth || 900) - 2, last, measure });
    this.places = plan.places;
    this.wires = wires(known.edges, plan.places);
    const size = { width: plan.width, height: plan.height };
    /** @type {Map<string, any[]>} */
    this.lines = new Map();
    const lines = draw("g", {}, ...this.wires.drawn.map((/** @type {any} */ wire) => this.line(wire)));
    const items = draw("g", {}, ...[...plan.places.values()].map(item));
    this.sheet = draw("svg", { class: this.wires.drawn.length > CROWD ? "drawing crowd" : "drawing", ...size, role: "group", "aria-label": "Items, oldest first in each lane" }, backs(plan), lines, items);
    const names = plan.lanes.map((lane) => make("div.lane", { style: { top: `${lane.top}px`, width: `${plan.width}px` } }, make("span", {}, `${lane.name} · ${count(lane.count)}`)));
    const sheet = make("div.graph-sheet", { style: { width: `${plan.width}px`, height: `${plan.height}px` } }, this.sheet, names, axis(plan));
    this.holder.replaceChildren(sheet);
    this.explain();
    this.mark(this.chosen);
    const first = this.holder.querySelector(".item");
    if (first && !this.holder.querySelector(".item[tabindex='0']")) first.setAttribute("tabindex", "0");
  }

  /** Show one as chosen, with its edges. @param {string} id */
  mark(id) {
    this.chosen = id;
    for (const one of this.holder.querySelectorAll(".item")) {
      const own = one.getAttribute("data-id") === id;
      one.setAttribute("aria-pressed", String(own));
      if (own) this.stop(one);
    }
    this.light("on", id);
    this.sheet?.classList.toggle("chosen", this.lines?.has(id) ?? false);
  }

  /** What is pointed at, in words and by its edges. @param {any} place */
  look(place) {
    if (!place || place.id === this.near) return;
    this.near = place.id;
    this.light("near", place.id);
    this.tell(place.node);
  }

  /** @param {string} name of a class @param {string} id */
  light(name, id) {
    for (const line of this.holder.querySelectorAll(`.wire.${name}`)) line.classList.remove(name);
    for (const line of this.lines?.get(id) ?? []) line.classList.add(name);
  }

  /** @param {any} wire */
  line(wire) {
    const made = draw("g", { class: "wire" }, draw("path", { class: `edge e-${wire.edge}`, d: wire.path }), barb(wire.edge, wire.x, wire.y, wire.down));
    for (const id of [wire.source, wire.target]) this.lines.set(id, [...(this.lines.get(id) ?? []), made]);
    return made;
  }

  /** @param {string} id */
  focus(id) {
    /** @type {any} */ (this.holder.querySelector(`.item[data-id="${CSS.escape(id)}"]`))?.focus();
  }

  /** One stop of the tab key. @param {any} element */
  stop(element) {
    for (const other of this.holder.querySelectorAll(".item[tabindex='0']")) other.setAttribute("tabindex", "-1");
    element.setAttribute("tabindex", "0");
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const id = idOf(event.target);
    const here = this.places?.get(id);
    if (!here) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.open(id);
      return;
    }
    const next = neighbour(event.key, here, [...this.places.values()]);
    if (next === undefined) return;
    event.preventDefault();
    const element = next && this.holder.querySelector(`.item[data-id="${CSS.escape(next.id)}"]`);
    if (!element) return;
    this.stop(element);
    element.focus();
    element.querySelector(".step")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Only signs that occur are explained. */
  explain() {
    const signs = new Set(), edges = new Set(this.wires.drawn.map((/** @type {any} */ wire) => wire.edge));
    for (const { node, steps } of this.places.values()) for (const step of steps) signs.add(signOf(node, step.versions.at(-1)));
    if ([...this.places.values()].some((place) => place.node.versions.some((/** @type {any} */ v) => v.marked))) signs.add("needs_revalidation");
    this.legend.replaceChildren(
      ...[...signs].map((sign) => make("span.key", {}, glyphSample(sign), nameOf(sign))),
      ...Object.entries(EDGES).filter(([name]) => edges.has(name)).map(([name, words]) => make("span.key", {}, edgeSample(name), words)));
  }
}

/** @param {any} target */
const idOf = (target) => target?.closest?.(".item")?.getAttribute("data-id") ?? "";

/** `undefined` where the key is none of ours. @param {string} key @param {any} here @param {any[]} all */
function neighbour(key, here, all) {
  const lane = all.filter((one) => one.node.kind === here.node.kind).sort((one, other) => one.x - other.x || one.y - other.y);
  const at = lane.indexOf(here);
  if (key === "ArrowRight") return lane[at + 1] ?? null;
  if (key === "ArrowLeft") return lane[at - 1] ?? null;
  if (key === "Home") return lane[0];
  if (key === "End") return lane.at(-1);
  if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
  const far = (/** @type {any} */ one) => Math.abs(one.y - here.y) * 3 + Math.abs(one.x - here.x);
  return all.filter((one) => (key === "ArrowUp" ? one.y < here.y - 4 : one.y > here.y + 4)).sort((one, other) => far(one) - far(other))[0] ?? null;
}

/** The item in words, as a screen reader gets it. @param {any} node */
export function described(node) {
  const state = [node.kind === "evidence" && node.status === "proposed" ? "proposed by the extractor" : worded(node.status), node.marked ? "needs revalidation" : ""];
  const changes = node.versions.length > 1 ? ` ${several(node.version, "version")}: ${node.versions.map((/** @type {any} */ v) => `turn ${v.turn} ${worded(v.what)}`).join(", ")}.` : "";
  return `${node.id}, ${node.kind}, ${state.filter(Boolean).join(", ")}, turn ${node.turn}.${changes} ${node.text}`;
}

/** @param {any} place */
function item(place) {
  const { node, steps, y } = place;
  const made = draw("g", { class: "item", role: "button", tabindex: -1, "data-id": node.id, "aria-pressed": "false", "aria-label": described(node) },
    draw("rect", { class: "hit", x: place.x - 12, y: place.label ? y - 31 : y - 12, rx: 8,
      width: Math.max(24, place.end - place.x + 24, place.wide + 8), height: place.label ? 43 : 24 }));
  steps.forEach((/** @type {any} */ step, /** @type {number} */ index) => {
    const to = steps[index + 1]?.x ?? place.end, version = step.versions.at(-1);
    if (to <= step.x) return;
    const state = node.kind === "hypothesis" ? version.status : "made";
    if (version.marked) made.append(draw("path", { class: "life doubt", d: `M${step.x} ${y}H${to}` }));
    made.append(draw("path", { class: `life l-${state}`, d: `M${step.x} ${y}H${to}` }));
  });
  for (const step of steps) {
    const version = step.versions.at(-1), sign = signOf(node, version);
    const mark = draw("g", { class: "step" }, glyph(sign, { x: step.x, y }));
    if (version.marked && version.what !== "needs_revalidation") {
      const badge = glyph("needs_revalidation", { x: step.x + 7, y: y - 7 });
      badge.setAttribute("transform", `translate(${step.x + 8} ${y - 8}) scale(0.62)`);
      mark.append(badge);
    }
    if (step.versions.length > 1) mark.append(draw("text", { class: "times", x: step.x + 8, y: y + 14 }, `×${step.versions.length}`));
    made.append(mark);
  }
  if (place.label) {
    // A box of its own cuts off whatever the words would draw outside of it.
    made.append(draw("svg", { class: "words", x: place.x - 8, y: y - 32, width: place.wide + 10, height: 19, overflow: "hidden" },
      draw("text", { x: 0, y: 14, "unicode-bidi": "isolate" }, place.label)));
  }
  return made;
}

/** Lanes and turns behind the items. @param {any} plan */
function backs(plan) {
  const lanes = plan.lanes.map((/** @type {any} */ lane, /** @type {number} */ index) =>
    draw("rect", { class: index % 2 ? "band odd" : "band", x: 0, y: lane.top, width: plan.width, height: lane.height }));
  const lines = ticks(plan).map((turn) => draw("path", { class: "grid", d: `M${plan.x(turn)} ${HEAD}V${plan.height}` }));
  return draw("g", {}, ...lanes, ...lines);
}

/** @param {any} plan */
function axis(plan) {
  return make("div.turns", { style: { width: `${plan.width}px`, height: `${HEAD}px` }, "aria-hidden": "true" },
    ticks(plan).map((turn) => make("span", { style: { left: `${plan.x(turn)}px` } }, turn ? count(turn) : "turn 0")));
}

/** @param {any} plan @returns {number[]} */
function ticks({ per, last }) {
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000].find((one) => one * per >= TICK) ?? 20_000;
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step);
}
