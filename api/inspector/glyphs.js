/**
 * Signs of the graph: each state has a shape of its own, so that none is told by its colour alone.
 */

/** @param {string} tag @param {Record<string, any>} [attributes] @param {...any} children @returns {any} */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== "") element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

const RING = "M7 0A7 7 0 1 1-7 0A7 7 0 1 1 7 0Z", DISC = "M5 0A5 5 0 1 1-5 0A5 5 0 1 1 5 0Z";
const DIAMOND = "M0-8.5L8.5 0 0 8.5-8.5 0Z", SQUARE = "M-6.5-6.5H6.5V6.5H-6.5Z";
/** What it is called, its outline, whether it is filled, and what is drawn in it. @type {Record<string, [string, string, boolean, string]>} */
const SIGNS = {
  proposed: ["Proposed", RING, false, ""],
  active: ["Suspected (active)", RING, false, "M2.6 0A2.6 2.6 0 1 1-2.6 0A2.6 2.6 0 1 1 2.6 0Z"],
  provisionally_rejected: ["Provisionally rejected", RING, false, "M-4.6 4.6L4.6-4.6"],
  rejected: ["Rejected", RING, true, "M-3-3L3 3M3-3L-3 3"],
  confirmed: ["Confirmed", RING, true, "M-3.4 0.2L-1 2.8 3.6-2.6"],
  reopened: ["Reopened", RING, true, "M2.4-2.6A3.5 3.5 0 1 0 3.5 0.6M3.2-4.6L2.6-2.2 0.2-2.8"],
  needs_revalidation: ["Needs revalidation", DIAMOND, true, "M0-4.4V0.8M0 3.6V3.7"],
  revalidated: ["Revalidated", DIAMOND, false, "M-3 0.2L-0.8 2.4 3.2-2.2"],
  made: ["Decision", SQUARE, true, ""],
  claimed: ["Sentence of a summary", "M-6.5-5.5H6.5V5.5H-6.5Z", false, "M-3.5-2H3.5M-3.5 2H1"],
  noted: ["Noted", DISC, true, ""],
  offered: ["Proposed by the extractor", DISC, false, ""],
  many: ["Several changes", RING, false, "M-3 0V0.1M0 0V0.1M3 0V0.1"],
};

/** Evidence that nobody noted has a sign of its own. @param {any} node @param {any} version */
export const signOf = (node, version) => (node.kind === "evidence" && version.what === "proposed" ? "offered" : version.what in SIGNS ? version.what : "many");
/** @param {string} sign */
export const nameOf = (sign) => SIGNS[sign][0];
/** @param {string} what a status or change */
export const worded = (what) => what.replaceAll("_", " ");

/** @param {string} sign @param {{x: number, y: number}} [at] */
export function glyph(sign, { x, y } = { x: 0, y: 0 }) {
  const [, outline, filled, inner] = SIGNS[sign];
  const made = draw("g", { class: `glyph g-${sign}${filled ? " filled" : ""}`, transform: `translate(${x} ${y})` }, draw("path", { d: outline, class: "outline" }));
  if (inner) made.append(draw("path", { d: inner, class: "inner" }));
  return made;
}

/** What an edge ends in; it points up, or down. @param {string} edge @param {number} x @param {number} y @param {boolean} down */
export function barb(edge, x, y, down) {
  const shape = { supports: "M0 0L-4-8H4Z", contradicts: "M-5.5-1H5.5M-5.5-5H5.5", depends_on: "M3.2-3.2A3.2 3.2 0 1 1-3.2-3.2A3.2 3.2 0 1 1 3.2-3.2Z", led_to: "M-4.5-6L0-0.5 4.5-6" };
  return draw("path", { d: shape[/** @type {keyof typeof shape} */ (edge)], class: `barb e-${edge}`, transform: `translate(${x} ${y})${down ? "" : " scale(1 -1)"}` });
}

export const EDGES = { supports: "Supports", contradicts: "Contradicts", depends_on: "Depends on", led_to: "Brought about" };

/** @param {string} sign */
export const glyphSample = (sign) => draw("svg", { class: "sample", width: 20, height: 20, viewBox: "-10 -10 20 20", "aria-hidden": "true" }, glyph(sign));
/** @param {string} edge */
export const edgeSample = (edge) => draw("svg", { class: "sample", width: 20, height: 26, viewBox: "-10 -18 20 26", "aria-hidden": "true" },
  draw("path", { class: `edge e-${edge}`, d: "M0-17V4" }), barb(edge, 0, 7, true));
