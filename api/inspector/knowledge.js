/**
 * What a session knows: the graph, the same as a table, and the item that is looked at.
 */

import { json, worded as failed } from "./api.js";
import { at, make, say, several } from "./dom.js";
import { described } from "./drawing.js";
import { worded } from "./glyphs.js";
import { Graph } from "./graph.js";
import { showItem } from "./item.js";
import { Rows } from "./rows.js";
import { owner } from "./timeline.js";

const NEWEST = 200;
const PLURALS = { hypothesis: "hypotheses", decision: "decisions", sentence: "sentences", evidence: "pieces of evidence", artifact: "originals" };
let session = "", asked = "";
/** @type {{nodes: any[], edges: any[], left_out: Record<string, number>}} */
let known = { nodes: [], edges: [], left_out: {} };
/** @type {Map<string, any>} */
let nodes = new Map();
let last = 1;
/** @type {Graph} */
let graph;
/** @type {Rows} */
let rows;

export function start() {
  graph = new Graph(at("known-graph"), at("known-legend"), { open: (id) => open(id), tell: (node) => { at("known-told").textContent = described(node); } });
  const links = (/** @type {any} */ row) => linked(row.id).map(({ source, edge, target }) => (source === row.id ? `${worded(edge)} ${target}` : `${source} ${worded(edge)} it`)).join(", ");
  rows = new Rows(at("known-rows"), "What the session knows", [
    { name: "Id", width: "58px", cell: (row) => make("button", { type: "button", "aria-label": `Open ${described(row)} Links: ${links(row) || "none"}.`, onclick: () => open(row.id) }, row.id) },
    { name: "Kind", width: "84px", small: true, cell: (row) => row.kind },
    { name: "Turn", width: "44px", end: true, small: true, cell: (row) => String(row.turn) },
    { name: "State", width: "minmax(96px, 0.9fr)", cell: (row) => titled([worded(row.status), row.marked ? "needs revalidation" : ""].filter(Boolean).join(", ")) },
    { name: "Says", width: "minmax(90px, 2fr)", below: true, cell: (row) => titled(row.text) },
    { name: "Changes", width: "minmax(90px, 1.4fr)", small: true, cell: (row) => titled(row.versions.slice(1).map((/** @type {any} */ v) => `${v.turn} ${worded(v.what)}`).join(", ")) },
    { name: "Links", width: "minmax(90px, 1.2fr)", small: true, cell: (row) => titled(links(row)) },
  ], "Nothing was written down.");
  at("known-table").addEventListener("toggle", table);
  at("known-detail").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") graph.focus(asked); });
  let width = innerWidth;
  addEventListener("resize", () => { if (listed().length && innerWidth !== width) { width = innerWidth; graph.show(known, last); } });
}

const titled = (/** @type {string} */ text) => make("bdi", { title: text }, text);
const listed = () => known.nodes.filter((node) => node.kind !== "artifact");
const linked = (/** @type {string} */ id) => known.edges.filter((one) => one.source === id || owner(one.target) === id);
const table = () => { if (at("known-table").open) rows.show(listed()); };

/** @param {string} id of the session @param {number} turns that it had */
export async function showKnown(id, turns) {
  session = id;
  asked = "";
  at("known-body").hidden = true;
  say("known-status", "Reading what it knows…", "busy");
  try {
    const found = await json(`/v1/sessions/${encodeURIComponent(id)}/graph?newest=${NEWEST}`);
    if (session !== id) return;
    known = found;
    nodes = new Map(known.nodes.map((node) => [node.id, node]));
    last = Math.max(1, turns, ...known.nodes.flatMap((node) => node.versions.map((/** @type {any} */ version) => version.turn)));
    at("known-body").hidden = !listed().length;
    at("known-detail").replaceChildren(make("p.note", {}, "Choose an item, and its versions, evidence and originals stand here."));
    graph.chosen = "";
    if (listed().length) graph.show(known, last);
    table();
    at("known-told").textContent = "Point at an item, or go through them with Tab and the arrow keys; Enter opens one.";
    say("known-status", summary());
  } catch (error) {
    if (session === id) say("known-status", failed(error), "wrong");
  }
}

function summary() {
  if (!listed().length) return "It has written down no hypotheses, decisions or evidence.";
  const beyond = Object.entries(known.left_out).map(([kind, many]) => `${several(many, `older ${kind}`, `older ${PLURALS[/** @type {keyof PLURALS} */ (kind)]}`)}`);
  const more = graph.wires.more ? `${several(graph.wires.more, "edge")} not drawn` : "";
  const marked = listed().filter((node) => node.marked).length;
  const missing = [...beyond.map((one) => `${one} not shown`), more].filter(Boolean);
  return `${several(listed().length, "item")}, ${several(marked, "needs", "need")} revalidation.${missing.length ? ` ${missing.join(", ")}.` : ""}`;
}

/** @param {string} id */
async function open(id) {
  const of = session;
  asked = id;
  graph.mark(id);
  const holder = at("known-detail");
  /** @type {any} */
  let item;
  let wrong = "";
  try {
    item = await json(`/v1/sessions/${encodeURIComponent(of)}/items/${encodeURIComponent(id)}`);
  } catch (error) {
    // Where an original is damaged, all that is known of the item but that is still to be seen.
    if (nodes.has(id)) item = { ...nodes.get(id), links: linked(id) };
    wrong = failed(error);
  }
  if (session !== of || asked !== id) return;
  if (!item) {
    holder.replaceChildren(make("p.status.wrong", { role: "alert" }, wrong));
    return;
  }
  const words = (/** @type {string} */ other) => nodes.get(other)?.text ?? "";
  const shown = showItem(holder, item, { session: of, open, words });
  at("known-title").focus({ preventScroll: true });
  holder.scrollTop = 0;
  const box = holder.getBoundingClientRect();
  if (box.top > innerHeight - 160 || box.top < 0) holder.scrollIntoView({ block: "start" });
  await shown;
}
