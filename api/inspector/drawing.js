/**
 * The parts of the graph: items with their signs, their words, lanes, turns and edges.
 */

import { count, make, several } from "./dom.js";
import { barb, draw, glyph, signOf, worded } from "./glyphs.js";
import { HEAD, oneLine } from "./timeline.js";

const TICK = 74, CHANGES = 8, SAID = 300;

/** The item in words, as a screen reader gets it. @param {any} node */
export function described(node) {
  const state = [node.kind === "evidence" && node.status === "proposed" ? "proposed by the extractor" : worded(node.status), node.marked ? "needs revalidation" : ""];
  const told = node.versions.slice(-CHANGES).map((/** @type {any} */ v) => `turn ${v.turn} ${worded(v.what)}`).join(", ");
  const changes = node.version > 1 ? ` ${several(node.version, "version")}${node.version > CHANGES ? ", the newest" : ""}: ${told}.` : "";
  const said = oneLine(node.text.slice(0, 2 * SAID));
  // What is drawn comes first: who speaks to the browser says what is to be seen.
  return `${node.id} ${said.length > SAID ? `${said.slice(0, SAID)}…` : said} (${node.kind}, ${state.filter(Boolean).join(", ")}, turn ${node.turn}).${changes}`;
}

/** @param {any} place */
export function item(place) {
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
    made.append(mark);
  }
  return made;
}

/** What stands beside the signs; it lets the pointer through to them. @param {any} place */
export function words(place) {
  const { id, steps, label, wide, y, skipped } = place;
  const many = steps.map((/** @type {any} */ step, /** @type {number} */ index) => {
    const here = step.versions.length + (index ? 0 : skipped);
    return here > 1 && make("span.times", { style: { left: `${step.x + 8}px`, top: `${y + 3}px` } }, `×${count(here)}`);
  });
  if (!label) return many;
  const style = { left: `${place.x - 8}px`, top: `${y - 32}px`, width: `${wide + 4}px` };
  return [make("span.words", { style }, id, label.length > id.length ? [" ", make("bdi", {}, label.slice(id.length).trim())] : null), ...many];
}

/** @param {any} wire */
export const edge = (wire) => draw("g", { class: "wire" }, draw("path", { class: `edge e-${wire.edge}`, d: wire.path }), barb(wire.edge, wire.x, wire.y, wire.down));

/** Lanes and turns behind the items. @param {any} plan */
export function backs(plan) {
  const lanes = plan.lanes.map((/** @type {any} */ lane, /** @type {number} */ index) =>
    draw("rect", { class: index % 2 ? "band odd" : "band", x: 0, y: lane.top, width: plan.width, height: lane.height }));
  const lines = ticks(plan).map((turn) => draw("path", { class: "grid", d: `M${plan.x(turn)} ${HEAD}V${plan.height}` }));
  return draw("g", {}, ...lanes, ...lines);
}

/** @param {any} plan */
export function axis(plan) {
  return make("div.turns", { style: { width: `${plan.width}px`, height: `${HEAD}px` }, "aria-hidden": "true" },
    ticks(plan).map((turn) => make("span", { style: { left: `${plan.x(turn)}px` } }, turn ? count(turn) : "turn 0")));
}

/** @param {any} plan @returns {number[]} */
function ticks({ per, last }) {
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000].find((one) => one * per >= TICK) ?? 20_000;
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step);
}
