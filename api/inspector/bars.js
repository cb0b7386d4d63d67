/**
 * Turns as bars: above the line what the context holds, below it what was taken out, and the budget.
 */

import { at, count, make, percent, roam } from "./dom.js";

const ABOVE = 0.64, LEAST_WIDTH = 14, MOST_WIDTH = 44;
const KINDS = ["truncated", "compressed", "evicted"];
const NAMES = { reused: "Reused", added: "New or changed", truncated: "Truncated", compressed: "Compressed", evicted: "Evicted" };

/** As the session counts them: by the agent's messages. What stands before the first is turn 0. @param {any[]} turns @param {number} index */
export const turnNumber = (turns, index) => index + (turns[0].kinds.includes("assistant") ? 1 : 0);

/** @param {any[]} turns */
export function drawBars(turns) {
  const budget = Math.max(...turns.map((turn) => turn.budget_chars));
  const tall = 1.16 * Math.max(budget, ...turns.map((turn) => turn.cost_chars));
  const out = (/** @type {any} */ turn) => turn.truncated + turn.compressed + turn.evicted;
  const deep = Math.max(1, ...turns.map(out));
  const room = at("chart").clientWidth || 900;
  const width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, room / turns.length));
  const plot = make("div.plot", { style: { width: `${Math.max(room - 2, width * turns.length)}px` } });
  const zero = 100 * ABOVE;
  plot.append(make("div.axis.zero", { style: { top: `${zero}%` } }), make("div.axis.deep", {}, make("span", {}, `taken out, up to ${count(deep)}`)));
  plot.append(make("div.axis.limit", { style: { top: `${zero * (1 - budget / tall)}%` } }, make("span", {}, `budget ${count(budget)}`)));
  turns.forEach((turn, index) => plot.append(bar(turn, index, { first: turnNumber(turns, 0), width, tall, deep, zero, choose: () => choose(index) })));
  const choose = (/** @type {number} */ index) => {
    for (const one of plot.querySelectorAll(".bar")) one.setAttribute("aria-pressed", String(one.getAttribute("data-turn") === String(index)));
    at("turn-detail").textContent = sentence(turns[index], turnNumber(turns, index));
  };
  roam(plot, ".bar");
  at("chart").replaceChildren(plot);
  at("turn-legend").replaceChildren(...Object.entries(NAMES).map(([kind, name]) => make("span.key", {}, make(`span.swatch.${kind}`), name)),
    make("span.key", {}, make("span.swatch.limit"), "Budget"));
  at("turn-detail").textContent = "Point at a bar, or go through them with Tab and the arrow keys.";
}

/** @param {any} turn @param {number} index @param {any} scale */
function bar(turn, index, { first, width, tall, deep, zero, choose }) {
  const pieces = [];
  const kept = Math.min(turn.reused, turn.cost_chars);
  let top = zero;
  for (const [kind, size] of [["reused", kept], ["added", turn.cost_chars - kept]]) {
    const high = (zero * Number(size)) / tall;
    top -= high;
    if (high > 0) pieces.push(make(`i.${kind}`, { style: { top: `${top}%`, height: `${high}%` } }));
  }
  top = zero + 1;
  for (const kind of KINDS) {
    const high = ((98 - zero) * turn[kind]) / deep;
    if (high > 0) pieces.push(make(`i.${kind}`, { style: { top: `${top}%`, height: `max(2px, ${high}%)` } }));
    top += high;
  }
  return make("button.bar", {
    type: "button", tabIndex: index ? -1 : 0, "data-turn": index, "aria-label": sentence(turn, index + first), "aria-pressed": "false",
    style: { left: `${index * width}px`, width: `${width}px` }, onclick: choose, onfocus: choose, onpointerenter: choose,
  }, pieces);
}

/** @param {any} turn @param {number} number */
function sentence(turn, number) {
  const messages = turn.first === turn.last ? `message ${turn.first}` : `messages ${turn.first} to ${turn.last}`;
  const taken = KINDS.filter((kind) => turn[kind]).map((kind) => `${kind} ${count(turn[kind])}`);
  return `Turn ${number} (${messages}): added ${count(turn.added)}, ${taken.length ? taken.join(", ") : "nothing taken out"}, reused ${count(turn.reused)}. ` +
    `Context ${count(turn.cost_chars)} of ${count(turn.budget_chars)} characters (${percent(turn.cost_chars, turn.budget_chars)}).`;
}
