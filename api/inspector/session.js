/**
 * Session view: turns of a session of the service, or of a history that is pasted; its archive; validation.
 */

import { call, json, worded } from "./api.js";
import { drawBars, turnNumber } from "./bars.js";
import { at, count, make, number, say, several } from "./dom.js";
import { showKnown, start as startKnown } from "./knowledge.js";
import { Rows } from "./rows.js";
import { choose } from "./sessions.js";

const PAGE = 4_000;
/** Of a line that was found: characters before what was looked for, and most in all. */
const BEFORE = 24, MOST = 600;
let session = "";
let sought = "";
/** @type {any[]} */
let turns = [];
/** @type {Rows} */
let turnRows;
/** @type {Rows} */
let lines;

export function start() {
  const sized = (/** @type {string} */ name, small = false) => ({ name, width: "minmax(50px, 1fr)", end: true, small, cell: (/** @type {any} */ row) => count(row[name.toLowerCase()]) });
  turnRows = new Rows(at("turn-rows"), "Turns", [
    { name: "Turn", width: "34px", cell: (row) => String(turnNumber(turns, turns.indexOf(row))) },
    { name: "Holds", width: "minmax(90px, 1.4fr)", small: true, cell: (row) => row.kinds.join(", ") },
    sized("Added"), sized("Truncated"), sized("Compressed", true), sized("Evicted"), sized("Reused", true),
    { name: "Context", width: "minmax(50px, 1fr)", end: true, cell: (row) => count(row.cost_chars) },
  ], "No turns.");
  lines = new Rows(at("archive-lines"), "Lines found", [
    { name: "No.", width: "36px", tight: "1fr", cell: (row) => String(row.seq) },
    { name: "Line", width: "52px", end: true, small: true, cell: (row) => count(row.line) },
    { name: "Text", width: "minmax(80px, 1fr)", below: true, cell: (row) => around(row.text, sought) },
    { name: "", width: "80px", cell: (row) => make("button", { type: "button", "aria-label": `Show the original of message ${row.seq}`, onclick: () => original(row.ref) }, "Original") },
  ], "Nothing found.");
  startKnown();
  on("session-form", () => open(at("session-id").value.trim()));
  on("history-form", compact);
  on("archive-form", search);
  at("validate").addEventListener("click", () => guarded(validate));
  at("turn-table").addEventListener("toggle", () => { if (at("turn-table").open) turnRows.show(turns); });
  let width = innerWidth;
  addEventListener("resize", () => { if (turns.length && innerWidth !== width) { width = innerWidth; drawBars(turns); } });
}

/** @param {string} form @param {() => Promise<void>} work */
function on(form, work) {
  at(form).addEventListener("submit", (/** @type {Event} */ event) => { event.preventDefault(); guarded(work); });
}

/** @param {() => Promise<void>} work */
async function guarded(work) {
  try {
    await work();
  } catch (error) {
    say("session-status", worded(error), "wrong");
  }
}

/** @param {string} id */
export const openSession = (id) => { if (id !== session) guarded(() => open(id)); };

/** @param {string} id */
async function open(id) {
  say("session-status", "Replaying the session…", "busy");
  const path = `/v1/sessions/${encodeURIComponent(id)}`;
  const [shown, told] = await Promise.all([json(path), json(`${path}/turns`)]);
  session = id;
  turns = told.turns;
  at("session-id").value = id;
  history.replaceState(null, "", `#session/${id}`);
  choose(id);
  at("session-found").hidden = false;
  at("findings").hidden = true;
  at("original").hidden = true;
  at("archive-lines").replaceChildren();
  say("archive-status", "");
  at("session-name").textContent = id;
  const sum = (/** @type {string} */ name) => turns.reduce((total, turn) => total + turn[name], 0);
  at("session-numbers").replaceChildren(number(turns.length, "turns"), number(sum("added"), "added"), number(shown.cost_chars, "in the context"),
    number(shown.budget_chars, "budget"), number(sum("truncated") + sum("compressed") + sum("evicted"), "taken out"));
  if (turns.length) drawBars(turns);
  else at("chart").replaceChildren(make("p.empty", {}, "Nothing was appended yet."));
  if (at("turn-table").open) turnRows.show(turns);
  showKnown(id, turns.filter((turn) => turn.kinds.includes("assistant")).length);
  say("session-status", `${several(turns.length, "turn")} under the policy ${shown.policy}; version ${shown.version}.`);
}

/** @returns {any[]} */
function pasted() {
  let messages;
  try {
    messages = JSON.parse(at("history").value);
  } catch (error) {
    throw new Error(`The history is no JSON: ${/** @type {Error} */ (error).message}`);
  }
  const found = Array.isArray(messages) ? messages : messages?.messages ?? messages?.input;
  if (!Array.isArray(found) || !found.length) throw new Error("Give a list of messages, or an object with a list as “messages”.");
  return found;
}

async function compact() {
  const messages = pasted();
  say("session-status", `Appending ${several(messages.length, "message")}…`, "busy");
  const format = at("history-format").value;
  // Formats are profiles too: what cannot be read is refused here, and there is no session yet.
  await json("/v1/validate", { method: "POST", body: { profile: format, messages } });
  const { id } = await json("/v1/sessions", { method: "POST", body: { budget_chars: Number(at("history-budget").value) || 30_000 } });
  try {
    await json(`/v1/sessions/${id}/messages`, { method: "POST", body: { format, messages } });
  } catch (error) {
    await call(`/v1/sessions/${id}`, { method: "DELETE" });
    throw error;
  }
  await open(id);
}

async function validate() {
  const { valid, findings } = await json("/v1/validate", { method: "POST", body: { profile: at("profile").value, messages: pasted() } });
  at("findings").hidden = false;
  const list = findings.slice(0, 200).map((/** @type {any} */ finding) => make("li", {},
    make("div.row", {}, make(`span.chip.${finding.severity}`, {}, finding.severity), make("span.mono", {}, finding.rule), `message ${finding.index}`),
    make("span", {}, finding.mend)));
  at("findings-list").replaceChildren(findings.length ? make("ul.findings", {}, list) : make("p.note", {}, "Nothing to mend."));
  say("session-status", valid ? `Valid for ${at("profile").value}.` : `${at("profile").value} will refuse it: ${several(findings.length, "finding")}.`, valid ? "" : "wrong");
}

async function search() {
  say("archive-status", "Searching…", "busy");
  sought = at("keyword").value;
  try {
    const wanted = new URLSearchParams({ keyword: sought, limit: "1000" });
    const found = await json(`/v1/sessions/${session}/archive?${wanted}`);
    lines.show(found.lines);
    say("archive-status", `${several(found.lines.length, "line")} in ${several(found.refs.length, "original")}${found.more ? ", and more" : ""}.`);
  } catch (error) {
    say("archive-status", worded(error), "wrong");
  }
}

/** A line from where the word stands on: lines of what was archived can be long. @param {string} text @param {string} word */
function around(text, word) {
  const found = text.toLowerCase().indexOf(word.toLowerCase());
  const place = Math.max(0, found);
  const first = place > 2 * BEFORE ? place - BEFORE : 0;
  const end = found < 0 ? 0 : place + word.length;
  return make("span.mono", { title: text.slice(first, first + MOST) }, first ? "…" : "", text.slice(first, place), make("mark", {}, text.slice(place, end)), text.slice(end, first + MOST));
}

/** @param {string} ref */
async function original(ref) {
  try {
    const part = await json(`/v1/sessions/${session}/archive/${encodeURIComponent(ref)}?count=${PAGE}`);
    at("original").hidden = false;
    at("original-title").textContent = `Original ${ref}: ${count(part.count)} of ${count(part.total)} characters`;
    at("original-text").textContent = part.text;
    at("original-text").focus();
  } catch (error) {
    say("archive-status", worded(error), "wrong");
  }
}
