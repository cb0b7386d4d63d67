/**
 * Jobs view: start one, follow its events, look at results, cancel it.
 */

import { call, events, isAbort, json, worded } from "./api.js";
import { at, count, make, number, say, several } from "./dom.js";
import { Rows } from "./rows.js";

const OPEN = new Set(["queued", "running"]);
let current = "";
/** @type {any[]} */
let results = [];
/** @type {AbortController | null} */
let following = null;
/** @type {Rows} */
let rows;
let drawing = false;

export function start() {
  rows = new Rows(at("job-results"), "Results", [
    { name: "State", width: "92px", tight: "1fr", cell: (row) => make(`span.chip.${row.state}`, {}, row.state) },
    { name: "Address", width: "minmax(90px, 1fr)", below: true, cell: (row) => make("span", { title: row.url ?? "" }, (row.url ?? "markup in hand").replace(/^https?:\/\//, "")) },
    { name: "Problem", width: "minmax(60px, 150px)", cell: (row) => make("span.mono", { title: row.problem?.detail ?? "" }, row.problem?.code ?? "–") },
    { name: "Tries", width: "48px", end: true, small: true, cell: (row) => String(row.tries) },
  ], "No page has ended yet.");
  at("job-form").addEventListener("submit", (/** @type {Event} */ event) => { event.preventDefault(); begin(); });
  at("jobs-again").addEventListener("click", list);
  at("job-end").addEventListener("click", cancel);
}

/** The view came up. */
export const shown = () => list();

async function list() {
  try {
    const { jobs } = await json("/v1/jobs?limit=100");
    at("job-list").replaceChildren(...(jobs.length ? jobs.map(pick) : [make("li.note", {}, "There are no jobs.")]));
  } catch (error) {
    say("job-status", worded(error), "wrong");
  }
}

/** @param {any} job */
function pick(job) {
  const ended = job.pages.total - job.pages.waiting;
  return make("li", {}, make("button", { type: "button", "aria-pressed": String(job.id === current), "data-job": job.id, onclick: () => follow(job.id) },
    make("span.mono", {}, job.id.slice(0, 8)), make("span.note", {}, `${count(ended)} of ${several(job.pages.total, "page")}`), make(`span.chip.${job.state}`, {}, job.state)));
}

async function begin() {
  const pages = at("job-urls").value.split("\n").map((/** @type {string} */ line) => line.trim()).filter(Boolean);
  if (!pages.length) return;
  try {
    const job = await json("/v1/jobs", { method: "POST", body: { pages, options: { format: ["markdown"] } } });
    at("job-urls").value = "";
    await follow(job.id);
    await list();
  } catch (error) {
    say("job-status", worded(error), "wrong");
  }
}

/** @param {string} id */
async function follow(id) {
  following?.abort();
  const mine = (following = new AbortController());
  current = id;
  results = [];
  for (const button of at("job-list").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.getAttribute("data-job") === id));
  try {
    const job = await json(`/v1/jobs/${id}`, { signal: mine.signal });
    at("job-found").hidden = false;
    tell(job);
    rows.show([]);
    await earlier(id, mine.signal);
    if (OPEN.has(job.state)) listen(id, mine);
  } catch (error) {
    if (!isAbort(error)) say("job-status", worded(error), "wrong");
  }
}

/** @param {string} id @param {AbortSignal} signal */
async function earlier(id, signal) {
  for (let cursor = ""; ;) {
    const wanted = new URLSearchParams({ content: "false", limit: "1000", ...(cursor && { cursor }) });
    const found = await json(`/v1/jobs/${id}/results?${wanted}`, { signal });
    results.push(...found.results);
    cursor = found.next;
    if (!found.results.length || found.complete) break;
  }
  rows.show(results);
}

/** @param {string} id @param {AbortController} mine */
async function listen(id, mine) {
  const known = new Set(results.map((result) => result.number));
  try {
    await events(`/v1/jobs/${id}/events`, { signal: mine.signal }, (event, data) => {
      if (following !== mine) return;
      if (event === "end") {
        tell(data);
        list();
        return;
      }
      if (!known.has(data.number)) results.push(data);
      known.add(data.number);
      at("job-progress").value = known.size / data.total;
      say("job-status", `${count(known.size)} of ${several(data.total, "page")} ended.`, "busy");
      drawSoon();
    });
  } catch (error) {
    if (!isAbort(error)) say("job-status", worded(error), "wrong");
  }
}

/** Many pages may end at once: one drawing for all of a frame. */
function drawSoon() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; rows.show(results); });
}

/** @param {any} job */
function tell(job) {
  const open = OPEN.has(job.state);
  const { pages } = job;
  at("job-numbers").replaceChildren(number(pages.total, "pages"), number(pages.waiting + pages.running, "to come"), number(pages.done, "done"), number(pages.failed, "failed"), number(pages.cancelled, "cancelled"));
  at("job-progress").value = job.progress;
  at("job-end").hidden = !open;
  const eta = open && job.eta_s !== null ? `, about ${several(Math.ceil(job.eta_s), "second")} to go` : "";
  say("job-status", `Job ${job.id.slice(0, 8)} is ${job.state}${eta}.`, open ? "busy" : "");
}

async function cancel() {
  try {
    const answer = await call(`/v1/jobs/${current}`, { method: "DELETE" });
    if (answer.status === 200) tell(await answer.json());
    await list();
  } catch (error) {
    say("job-status", worded(error), "wrong");
  }
}
