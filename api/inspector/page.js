/**
 * Page view: reads a page once, then folds it again from the stored snapshot as budget and question change.
 */

import { call, events, isAbort, json, worded } from "./api.js";
import { at, breath, count, make, number, paused, percent, say, several, spaced } from "./dom.js";
import { Picture } from "./picture.js";
import { Rows } from "./rows.js";
import { parsed, told } from "./sanitise.js";

const LEAST = 500, MOST = 100_000, START = 8_000;
/** Most characters of one fold that is opened; what is beyond them is folded in it. */
const UNFOLD = 20_000;
const STAGES = { queued: "Waiting for a browser", navigate: "Loading", settle: "Waiting until it is quiet", clone: "Reading what is visible" };
const RULES = {
  budget: "Budget", main_only: "Not main", excluded: "Excluded", not_included: "Not asked for", collapsed: "Closed", hidden: "Hidden",
  element: "Never shown", not_read: "Not read",
};

let snapshot = "";
/** Whose parts and result are on the screen. */
let shown = "";
let wanted = false;
let folding = false;
/** @type {AbortController | null} */
let asking = null;
/** @type {any[]} */
let ledger = [];
/** @type {Picture} */
let picture;
/** @type {Rows} */
let rows;

/** A stored page by its id, as the address `#page/ID` names it. @param {string} id */
export async function openStored(id) {
  if (id === snapshot) return;
  asking?.abort();
  snapshot = id;
  at("page-found").hidden = true;
  say("page-status", "Opening the stored page…", "busy");
  // Not every page was read with a picture.
  const drawn = await call(`/v1/snapshots/${id}?format=screenshot`).then((answer) => answer.blob(), () => null);
  if (snapshot !== id) return;
  await picture.load(drawn);
  await refold();
}

export function start() {
  picture = new Picture(unfoldByRef);
  rows = new Rows(at("ledger"), "Ledger", [
    { name: "Why", width: "110px", tight: "92px", cell: (row) => make(`span.chip.${row.rule}`, {}, RULES[/** @type {keyof RULES} */ (row.rule)] ?? row.rule) },
    { name: "Reason", width: "minmax(40px, 130px)", tight: "minmax(30px, 1fr)", cell: (row) => row.reason.replaceAll("_", " ") || "–" },
    { name: "Region", width: "minmax(60px, 110px)", small: true, cell: (row) => row.region },
    { name: "Where", width: "minmax(40px, 1fr)", below: true, cell: (row) => make("span.mono", { title: row.path }, lastSteps(row.path)) },
    { name: "Chars", width: "58px", end: true, cell: (row) => count(row.chars) },
    { name: "", width: "68px", cell: (row) => row.ref ? make("button", { type: "button", "aria-label": `Unfold ${row.ref}`, onclick: () => unfoldByRef(row.ref) }, "Unfold") : "" },
  ], "Nothing was taken out.");
  at("page-form").addEventListener("submit", (/** @type {Event} */ event) => { event.preventDefault(); read(); });
  const again = spaced(refold, 120);
  at("budget").addEventListener("input", () => { tellBudget(); again(); });
  at("query").addEventListener("input", paused(refold, 250));
  at("ledger-rule").addEventListener("change", showLedger);
  at("unfold-none").addEventListener("click", refold);
  at("budget").value = String(place(START));
  tellBudget();
}

/** The slider is logarithmic: small budgets are told apart, large ones reached. */
const budgetOf = () => round(LEAST * (MOST / LEAST) ** (Number(at("budget").value) / 1000));
/** @param {number} chars */
const place = (chars) => Math.round((1000 * Math.log(chars / LEAST)) / Math.log(MOST / LEAST));
/** @param {number} value to two figures */
const round = (value) => { const step = 10 ** (Math.floor(Math.log10(value)) - 1); return Math.round(value / step) * step; };
/** @param {string} path */
const lastSteps = (path) => path.split(" > ").filter((step) => !step.startsWith("#text")).slice(-2).join(" › ");

function tellBudget() {
  at("budget-said").textContent = `${count(budgetOf())} chars`;
  at("budget").setAttribute("aria-valuetext", `${count(budgetOf())} characters`);
}

async function read() {
  asking?.abort();
  const mine = (asking = new AbortController());
  const address = at("url").value.trim();
  const url = /^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`;
  at("url").value = url;
  at("read").disabled = true;
  say("page-status", "Asking for the page…", "busy");
  try {
    const page = await readPage({ url, format: ["html", "screenshot"], budget: budgetOf() }, mine.signal);
    snapshot = page.snapshot.id;
    history.replaceState(null, "", `#page/${snapshot}`);
    await picture.load(page.content.screenshot ? png(page.content.screenshot) : null);
    await refold();
  } catch (error) {
    if (!isAbort(error)) say("page-status", worded(error), "wrong");
  } finally {
    at("read").disabled = false;
  }
}

/** @param {any} body @param {AbortSignal} signal @returns {Promise<any>} */
async function readPage(body, signal) {
  /** @type {any} */
  let page = null;
  /** @type {any} */
  let problem = { detail: "The connection was cut off; read it again." };
  await events("/v1/pages", { method: "POST", body, signal }, (event, data) => {
    if (event === "page") page = data;
    else if (event === "problem") problem = data;
    else say("page-status", `${STAGES[/** @type {keyof STAGES} */ (data.stage)] ?? data.stage}…`, "busy");
  });
  if (!page) throw new Error(problem.code ? `${problem.detail} (${problem.code})` : problem.detail);
  return page;
}

/** @param {string} base64 */
function png(base64) {
  return new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type: "image/png" });
}

/**
 * One call at a time: what is asked for meanwhile follows in one, with the newest budget and question. The
 * service cannot leave a fold half done, so calls that nobody waits for would hold up the one that counts.
 */
async function refold() {
  wanted = true;
  if (folding || !snapshot) return;
  folding = true;
  at("result").setAttribute("aria-busy", "true");
  while (wanted) {
    wanted = false;
    const slow = setTimeout(() => say("page-status", "Folding the stored page again…", "busy"), 500);
    await foldOnce().catch(failed);
    clearTimeout(slow);
  }
  folding = false;
  at("result").removeAttribute("aria-busy");
}

async function foldOnce() {
  const mine = (asking = new AbortController()), id = snapshot;
  const asked = new URLSearchParams({ budget: String(budgetOf()), parts: "600" });
  const query = at("query").value.trim();
  if (query) asked.set("query", query);
  const map = await json(`/v1/snapshots/${id}/map?${asked}`, { signal: mine.signal });
  if (snapshot === id) await show(map);
}

/** @param {any} error */
function failed(error) {
  if (isAbort(error)) return;
  // What still stands there is of another page.
  if (shown !== snapshot) at("page-found").hidden = true;
  say("page-status", worded(error), "wrong");
}

/** In pieces, so that no task is long: the page stays in reach between them. @param {any} map */
async function show({ page, parts, left_out: leftOut, cut }) {
  const id = snapshot;
  const { stats } = page;
  shown = snapshot;
  at("page-found").hidden = false;
  const short = page.complete ? "" : ` It was cut short: ${page.incomplete_reason}.`;
  say("page-status", `${page.title || page.final_url} · status ${page.status} · ${several(page.folds.length, "fold")}.${short}`);
  at("warnings").hidden = !page.warnings.length;
  at("warnings-said").textContent = several(page.warnings.length, "warning");
  at("warnings-list").replaceChildren(...page.warnings.map((/** @type {any} */ one) => make("li", {}, make("span.chip", {}, one.code.replaceAll("_", " ")), ` ${one.text}${one.count > 1 ? ` (${count(one.count)} times)` : ""}`)));
  const share = make("div.share", { role: "img", "aria-label": `${percent(stats.kept_chars, stats.visible_chars)} of the visible text is kept` },
    make("i", { style: { width: percent(stats.kept_chars, stats.visible_chars).replace(" ", "") } }), make("i", { style: { flex: "1" } }));
  const arrow = () => make("span.arrow", { "aria-hidden": "true" }, "→");
  at("numbers").replaceChildren(number(stats.raw_chars, "raw"), arrow(), number(stats.visible_chars, "visible"), arrow(), number(stats.kept_chars, "kept"), share,
    number(stats.folded_chars, "folded"), number(stats.hidden_chars, "hidden"), number(stats.output_chars.html, "in the document"));
  await breath();
  const read = parsed(page.content.html);
  await breath();
  if (snapshot !== id) return;
  at("result").replaceChildren(told(read, foldMarker));
  at("result-note").textContent = `About ${count(stats.tokens_estimate.html)} tokens of HTML${stats.markup?.html ? `; markup ${stats.markup.html}` : ""}. Links and pictures are shown, never loaded.`;
  at("unfold-none").hidden = true;
  await breath();
  if (snapshot !== id) return;
  picture.show(parts, leftOut);
  await breath();
  if (snapshot !== id) return;
  ledger = page.ledger;
  const more = cut.ledger ? ` The first ${count(ledger.length)} of ${count(ledger.length + cut.ledger)} entries.` : "";
  at("ledger-note").textContent = `Everything that was taken out, where and why.${more}`;
  const rules = [...new Set(ledger.map((entry) => entry.rule))];
  const chosen = at("ledger-rule").value;
  at("ledger-rule").replaceChildren(make("option", { value: "" }, `All (${count(ledger.length)})`), ...rules.map((rule) =>
    make("option", { value: rule, selected: rule === chosen }, RULES[/** @type {keyof RULES} */ (rule)] ?? rule)));
  showLedger();
}

function showLedger() {
  const rule = at("ledger-rule").value;
  rows.show(rule ? ledger.filter((entry) => entry.rule === rule) : ledger);
}

/** @param {any} fold */
function foldMarker(fold) {
  return make("button.fold", { type: "button", "data-ref": fold.ref, "aria-expanded": "false", onclick: (/** @type {Event} */ event) => unfold(/** @type {HTMLElement} */ (event.currentTarget), fold) },
    make("b", {}, `Folded · ${several(fold.chars, "character")}`), fold.region ? make("span", {}, fold.region) : "", fold.what ? make("span.what", {}, fold.what) : "");
}

/** @param {HTMLElement} marker @param {any} fold */
async function unfold(marker, fold) {
  if (marker.getAttribute("aria-busy")) return;
  marker.setAttribute("aria-busy", "true");
  try {
    const answer = await call(`/v1/snapshots/${snapshot}/folds/${encodeURIComponent(fold.ref)}?format=html&budget=${UNFOLD}`);
    const inside = told(await answer.text(), foldMarker);
    const close = make("button.fold", { type: "button", "aria-expanded": "true", onclick: () => { const back = foldMarker(fold); open.replaceWith(back); back.focus(); } },
      make("b", {}, `Unfolded · ${several(fold.chars, "character")}`), make("span", {}, "Fold again"));
    const open = make("div.unfolded", { "data-unfolded": fold.ref }, close, inside);
    marker.replaceWith(open);
    close.focus({ preventScroll: true });
    open.scrollIntoView({ block: "nearest" });
    at("unfold-none").hidden = false;
  } catch (error) {
    marker.removeAttribute("aria-busy");
    say("page-status", worded(error), "wrong");
  }
}

/** From the picture or the ledger: the marker in the result is pressed. @param {string} ref */
function unfoldByRef(ref) {
  const quoted = CSS.escape(ref);
  const known = at("result").querySelector(`[data-ref="${quoted}"], [data-unfolded="${quoted}"]`);
  if (!known) return;
  known.scrollIntoView({ block: "center" });
  if (known.matches(".fold")) known.click();
}
