/**
 * The graph of what a session knows, drawn over its turns. Each item is one button; arrows go from one to the
 * next in time or to the nearest above or below, Enter opens it.
 */

import { count, make } from "./dom.js";
import { axis, backs, edge, item, words } from "./drawing.js";
import { draw, EDGES, edgeSample, glyphSample, nameOf, signOf } from "./glyphs.js";
import { arrange, wires } from "./timeline.js";

const CROWD = 60;
const pen = document.createElement("canvas").getContext("2d");

export class Graph {
  /** @param {HTMLElement} holder @param {HTMLElement} legend @param {{open: (id: string) => void, tell: (node: any) => void}} heard */
  constructor(holder, legend, { open, tell }) {
    Object.assign(this, { holder, legend, open, tell, chosen: "", near: "", lit: {} });
    holder.addEventListener("keydown", (event) => this.pressed(event));
    holder.addEventListener("click", (event) => { const id = idOf(event.target); if (id) this.open(id); });
    for (const over of ["focusin", "pointerover"]) {
      holder.addEventListener(over, (event) => this.look(this.places?.get(idOf(event.target))));
    }
    for (const away of ["focusout", "pointerleave"]) holder.addEventListener(away, () => { this.near = ""; this.light("near", ""); });
  }

  /** @param {{nodes: any[], edges: any[]}} known @param {number} last turn */
  show(known, last) {
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
    this.items = new Map([...plan.places.values()].map((place) => [place.id, item(place)]));
    const items = draw("g", {}, ...this.items.values());
    this.sheet = draw("svg", { class: this.wires.drawn.length > CROWD ? "drawing crowd" : "drawing", ...size, role: "group", "aria-label": "Items, oldest first in each lane" }, backs(plan), lines, items);
    const names = plan.lanes.map((lane) => make("div.lane", { style: { top: `${lane.top}px`, width: `${plan.width}px` } }, make("span", {}, `${lane.name} · ${count(lane.count)}`)));
    const sheet = make("div.graph-sheet", { style: { width: `${plan.width}px`, height: `${plan.height}px` } }, this.sheet,
      make("div.over", { "aria-hidden": "true" }, [...plan.places.values()].flatMap(words)), names, axis(plan));
    this.holder.replaceChildren(sheet);
    this.explain();
    this.stop([...this.items.values()][0]);
    this.mark(this.chosen);
  }

  /** Show one as chosen, with its edges. @param {string} id */
  mark(id) {
    this.items?.get(this.chosen)?.setAttribute("aria-pressed", "false");
    this.chosen = id;
    const element = this.items?.get(id);
    if (element) {
      element.setAttribute("aria-pressed", "true");
      this.stop(element);
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
    for (const line of this.lit[name] ?? []) line.classList.remove(name);
    this.lit[name] = this.lines?.get(id) ?? [];
    for (const line of this.lit[name]) line.classList.add(name);
  }

  /** @param {any} wire */
  line(wire) {
    const made = edge(wire);
    for (const id of [wire.source, wire.target]) this.lines.set(id, [...(this.lines.get(id) ?? []), made]);
    return made;
  }

  /** @param {string} id */
  focus(id) {
    this.items?.get(id)?.focus();
  }

  /** One stop of the tab key. @param {any} element */
  stop(element) {
    this.stopped?.setAttribute("tabindex", "-1");
    this.stopped = element;
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
    const element = this.items.get(next?.id);
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
