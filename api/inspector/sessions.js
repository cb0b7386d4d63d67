/**
 * The sessions that there are, to open one of them.
 */

import { json, worded } from "./api.js";
import { at, make, several } from "./dom.js";

const PIECE = 20;
let chosen = "";
let next = "";
/** @type {(id: string) => void} */
let open = () => undefined;

/** @param {(id: string) => void} opening */
export function start(opening) {
  open = opening;
  at("sessions-again").addEventListener("click", () => listSessions());
  at("sessions-more").addEventListener("click", () => listSessions(next));
}

/** From the last one written to on, or what follows a cursor. */
export async function listSessions(cursor = "") {
  const list = at("session-list");
  try {
    const found = await json(`/v1/sessions?${new URLSearchParams({ limit: String(PIECE), ...(cursor && { cursor }) })}`);
    const rows = found.sessions.map(pick);
    if (cursor) list.append(...rows);
    else list.replaceChildren(...(rows.length ? rows : [make("li.note", {}, "There are no sessions yet: paste a history, or let an agent open one.")]));
    next = found.next ?? "";
    at("sessions-more").hidden = !next;
  } catch (error) {
    list.replaceChildren(make("li.note", {}, worded(error)));
    at("sessions-more").hidden = true;
  }
}

/** @param {string} id the one that is shown */
export function choose(id) {
  chosen = id;
  const buttons = [...at("session-list").querySelectorAll("button")];
  for (const button of buttons) button.setAttribute("aria-pressed", String(button.getAttribute("data-session") === id));
  if (!buttons.some((button) => button.getAttribute("data-session") === id)) listSessions();
}

/** @param {any} session */
function pick({ id, version, written_at: written }) {
  const when = written ? new Date(written) : null;
  const today = when?.toDateString() === new Date().toDateString();
  const said = when ? (today ? when.toLocaleTimeString() : when.toLocaleDateString()) : "";
  return make("li", {}, make("button", { type: "button", "aria-pressed": String(id === chosen), "data-session": id, onclick: () => open(id) },
    make("span.mono", { title: id }, id.slice(0, 8)), make("span.note", {}, several(version, "write")), when ? make("time.note", { dateTime: written, title: when.toLocaleString() }, said) : ""));
}
