// A client of the service for JavaScript: Node 20 or newer and browsers, nothing to install or build.
//
//     import { Pagefold } from "./pagefold.mjs";
//     const service = new Pagefold("http://127.0.0.1:8000");
//     console.log(await service.read("https://example.org/", { budget: 4000 }));
//
// Names and meanings are those of the Python client beside this file. In a browser, the service answers
// pages of its own origin alone.

/**
 * @typedef {object} Problem
 * @property {string} code Stable name of the failure.
 * @property {string} detail A sentence that says what to do.
 * @property {string} [phase] What the service was doing.
 * @property {boolean} [retryable] Whether the same request may succeed later.
 * @property {string} [field] Name of the request field at fault.
 *
 * @typedef {object} Guards
 * @property {string} [key] A repeated key changes nothing twice.
 * @property {number} [version] A session at another version refuses.
 *
 * @typedef {"anthropic" | "openai-chat" | "openai-responses" | "text"} MessageFormat
 * @typedef {Record<string, unknown>} Options Fields of a request; see docs/reference/request.md.
 * @typedef {{id: string, stored: boolean}} SnapshotName
 * @typedef {{ref: string, items: number, chars: number, what: string, region: string, rule: string}} Fold
 * @typedef {{url: string, final_url: string, status: number, title: string, content: Record<string, string>,
 *   folds: Fold[], complete: boolean, snapshot: SnapshotName} & Record<string, unknown>} Page
 * @typedef {{id: string, version: number, budget_chars: number, cost_chars: number} & Record<string, unknown>}
 *   Session
 * @typedef {{step: string, seq: number, ref: string, before: number, after: number, why: string}} Change
 * @typedef {{version: number, appended: number[], changes: Change[]} & Record<string, unknown>} Report
 * @typedef {{messages: object[], system: unknown, tools: object[] | null, stats: Record<string, any>} &
 *   Record<string, unknown>} Context
 * @typedef {{ref: string, start: number, count: number, total: number, text: string}} Expanded
 * @typedef {{line: number, text: string}} Line
 * @typedef {{valid: boolean, findings: object[]}} Verdict
 * @typedef {{id: string, url: string, title: string, opener: string, expires_in_s: number}} Tab
 * @typedef {{ref: string, role: string, name: string, value: string, states: string[]}} Control
 * @typedef {{tab: Tab, page: Page | null, controls: Control[], changes: object | null}} Scan
 * @typedef {{tab: Tab, value: string, transient: string[], meanwhile: string[], new_tabs: Tab[], dialogs: object[],
 *   navigated: string} & Record<string, unknown>} Outcome
 * @typedef {{event: string, id: string, data: any}} StreamEvent
 */

/** Base of all errors: `retryable` says whether the same request may succeed later. */
export class PagefoldError extends Error {
  /** @param {string} message @param {boolean} retryable @param {ErrorOptions} [options] */
  constructor(message, retryable, options) {
    super(message, options);
    this.name = new.target.name;
    this.retryable = retryable;
  }
}

/** Nothing answers at the address, or the connection broke off. */
export class NoAnswer extends PagefoldError {}

/** The service answered with a problem document; `code` is stable. */
export class ProblemError extends PagefoldError {
  /** @param {Problem} problem @param {number} status @param {number | null} retryAfterS */
  constructor(problem, status, retryAfterS) {
    super(`${problem.code}: ${problem.detail}`, problem.retryable ?? false);
    this.code = problem.code;
    this.detail = problem.detail;
    this.status = status;
    this.phase = problem.phase ?? "request";
    this.field = problem.field ?? null;
    this.retryAfterS = retryAfterS;
  }
}

const DEFAULT_WAIT_S = 1;
/** Of these answers the platform allows no body. */
const NO_BODY = new Set([204, 205, 304]);

/** A service. Every method rejects with a `ProblemError` or with `NoAnswer`. */
export class Pagefold {
  #url;
  #headers;
  #timeoutMs;
  #tries;
  #mostWaitS;

  /**
   * @param {string} url Where the service is.
   * @param {{key?: string, timeoutS?: number, tries?: number, mostWaitS?: number}} [options] `tries`
   *   requests at most where all places are taken; a wait over `mostWaitS` is not waited for.
   */
  constructor(url = "http://127.0.0.1:8000", options = {}) {
    const { key, timeoutS = 120, tries = 4, mostWaitS = 30 } = options;
    this.#url = url.replace(/\/$/, "");
    this.#headers = key ? { Authorization: `Bearer ${key}` } : {};
    this.#timeoutMs = timeoutS * 1000;
    this.#tries = tries;
    this.#mostWaitS = mostWaitS;
  }

  /** The page at `url` as text. @param {string} url @param {Options} [options] @returns {Promise<string>} */
  async read(url, options = {}) {
    return (await this.#send("GET", "/read", { query: { url, format: "markdown", ...options } })).text();
  }

  /** The page with all that is known of it. @param {Options} options @returns {Promise<Page>} */
  page(options) {
    return this.#json("POST", "/v1/pages", { body: options });
  }

  /** Stages as they begin, then the page. @param {Options} options @returns {AsyncGenerator<StreamEvent>} */
  pageEvents(options) {
    return this.#follow("POST", "/v1/pages", { body: options });
  }

  /** A stored page once more. @param {string} snapshot @param {Options} [options] @returns {Promise<string>} */
  async again(snapshot, options = {}) {
    const query = { format: "markdown", ...options };
    return (await this.#send("GET", path("v1", "snapshots", snapshot), { query })).text();
  }

  /**
   * What a marker of a stored page stands for.
   * @param {string} snapshot @param {string} ref @param {Options} [options] @returns {Promise<string>}
   */
  async unfold(snapshot, ref, options = {}) {
    const where = path("v1", "snapshots", snapshot, "folds", ref);
    return (await this.#send("GET", where, { query: { format: "markdown", ...options } })).text();
  }

  /** A new session. @param {Options} [options] @returns {Promise<Session>} */
  openSession(options = {}) {
    return this.#json("POST", "/v1/sessions", { body: options });
  }

  /** Sessions, the last one written to first. @param {{cursor?: string, limit?: number}} [part] */
  sessions(part = {}) {
    return this.#json("GET", "/v1/sessions", { query: part });
  }

  /** Version and sizes of a session. @param {string} session @returns {Promise<Session>} */
  session(session) {
    return this.#json("GET", path("v1", "sessions", session));
  }

  /** Delete a session. @param {string} session @returns {Promise<void>} */
  async deleteSession(session) {
    await this.#send("DELETE", path("v1", "sessions", session));
  }

  /**
   * Append messages.
   * @param {string} session @param {object[]} messages
   * @param {Guards & {format?: MessageFormat}} [options] @returns {Promise<Report>}
   */
  append(session, messages, { format = "anthropic", ...given } = {}) {
    const body = { format, messages };
    const where = path("v1", "sessions", session, "messages");
    return this.#json("POST", where, { body, headers: guards(given) });
  }

  /**
   * Fetch a page and append it as a tool's result.
   * @param {string} session @param {Options} page @param {Guards & {format?: MessageFormat}} [options]
   * @returns {Promise<{page: Page | null, report: Report}>}
   */
  appendPage(session, page, { format = "anthropic", ...given } = {}) {
    const where = path("v1", "sessions", session, "pages");
    return this.#json("POST", where, { body: { format, page }, headers: guards(given) });
  }

  /**
   * What to send to the model, with its ETag; `null` when it is still that of `etag`.
   * @param {string} session @param {{format?: MessageFormat, etag?: string}} [options]
   * @returns {Promise<{context: Context, etag: string} | null>}
   */
  async context(session, { format = "anthropic", etag } = {}) {
    const headers = etag ? { "If-None-Match": etag } : {};
    const where = path("v1", "sessions", session, "context");
    const answer = await this.#send("GET", where, { query: { format }, headers });
    if (answer.status === 304) return null;
    return { context: await answer.json(), etag: answer.headers.get("ETag") ?? "" };
  }

  /** What the agent keeps in view. @param {string} session @returns {Promise<{key_info: string}>} */
  keyInfo(session) {
    return this.#json("GET", path("v1", "sessions", session, "key-info"));
  }

  /** Replace it. @param {string} session @param {string} text @param {Guards} [given] */
  putKeyInfo(session, text, given = {}) {
    const where = path("v1", "sessions", session, "key-info");
    return this.#json("PUT", where, { body: { key_info: text }, headers: guards(given) });
  }

  /**
   * What was taken out of a session, or a range of it in characters.
   * @param {string} session @param {string} ref @param {{start?: number, count?: number}} [range]
   * @returns {Promise<Expanded>}
   */
  expand(session, ref, range = {}) {
    return this.#json("GET", path("v1", "sessions", session, "archive", ref), { query: range });
  }

  /**
   * The lines of what was taken out that hold `keyword`.
   * @param {string} session @param {string} ref @param {string} keyword @returns {Promise<Line[]>}
   */
  async grep(session, ref, keyword) {
    const where = path("v1", "sessions", session, "archive", ref);
    return (await this.#json("GET", where, { query: { keyword } })).lines;
  }

  /**
   * The lines of all that was taken out that hold `keyword`.
   * @param {string} session @param {string} keyword @param {{limit?: number}} [options]
   */
  search(session, keyword, options = {}) {
    return this.#json("GET", path("v1", "sessions", session, "archive"), { query: { keyword, ...options } });
  }

  /**
   * What a compaction would do and cost; nothing is done.
   * @param {string} session @param {{target_chars?: number, format?: MessageFormat}} [options]
   */
  plan(session, options = {}) {
    return this.#json("POST", path("v1", "sessions", session, "plan"), { body: options });
  }

  /** Do exactly what a plan says. @param {string} session @param {Record<string, any>} plan */
  apply(session, { id, version, target_chars }) {
    const body = { id, version, target_chars };
    return this.#json("POST", path("v1", "sessions", session, "apply"), { body });
  }

  /** Keep a message, by its number. @param {string} session @param {number} message @param {Guards} [given] */
  pin(session, message, given = {}) {
    const where = path("v1", "sessions", session, "pins", String(message));
    return this.#json("PUT", where, { headers: guards(given) });
  }

  /** No longer keep it. @param {string} session @param {number} message @param {Guards} [given] */
  unpin(session, message, given = {}) {
    const where = path("v1", "sessions", session, "pins", String(message));
    return this.#json("DELETE", where, { headers: guards(given) });
  }

  /** Where every entry stands. @param {string} session @returns {Promise<object[]>} */
  async certificate(session) {
    return (await this.#json("GET", path("v1", "sessions", session, "certificate"))).certificate;
  }

  /** What a provider would refuse. @param {object[]} messages @param {string} [profile] @returns {Promise<Verdict>} */
  validate(messages, profile = "anthropic") {
    return this.#json("POST", "/v1/validate", { body: { profile, messages } });
  }

  /** A whole history compacted at once. @param {object[]} messages @param {Options} [options] */
  compact(messages, options = {}) {
    return this.#json("POST", "/v1/compact", { body: { ...options, messages } });
  }

  /**
   * Read many pages in the background.
   * @param {(string | Options)[]} pages @param {Options} [options]
   * @param {{key?: string, webhook?: object}} [more] A repeated key starts nothing twice.
   */
  startJob(pages, options = {}, { key, webhook } = {}) {
    return this.#json("POST", "/v1/jobs", { body: { pages, options, webhook }, headers: guards({ key }) });
  }

  /** Jobs, newest first. @param {{state?: string, cursor?: string, limit?: number}} [part] */
  jobs(part = {}) {
    return this.#json("GET", "/v1/jobs", { query: part });
  }

  /**
   * Each page as it ends, then the job.
   * @param {string} job @param {{after?: string}} [options] `after` is the last id seen.
   * @returns {AsyncGenerator<StreamEvent>}
   */
  jobEvents(job, { after } = {}) {
    const headers = after ? { "Last-Event-ID": after } : {};
    return this.#follow("GET", path("v1", "jobs", job, "events"), { headers });
  }

  /** How far a job is. @param {string} job */
  job(job) {
    return this.#json("GET", path("v1", "jobs", job));
  }

  /** Results of a job. @param {string} job @param {{cursor?: string, limit?: number}} [part] */
  jobResults(job, part = {}) {
    return this.#json("GET", path("v1", "jobs", job, "results"), { query: part });
  }

  /** Cancel a job, or forget one that has ended. @param {string} job @returns {Promise<void>} */
  async deleteJob(job) {
    await this.#send("DELETE", path("v1", "jobs", job));
  }

  /** Open a page that stays. @param {Options} options @returns {Promise<Tab>} */
  openTab(options) {
    return this.#json("POST", "/v1/tabs", { body: options });
  }

  /** The tabs that are open, oldest first. @returns {Promise<Tab[]>} */
  async tabs() {
    return (await this.#json("GET", "/v1/tabs")).tabs;
  }

  /** Where a tab is. @param {string} tab @returns {Promise<Tab>} */
  tab(tab) {
    return this.#json("GET", path("v1", "tabs", tab));
  }

  /** The page of a tab as it stands. @param {string} tab @param {Options} [options] @returns {Promise<Scan>} */
  scan(tab, options = {}) {
    return this.#json("POST", path("v1", "tabs", tab, "scan"), { body: options });
  }

  /** Click, type, select, press or scroll. @param {string} tab @param {Options} options @returns {Promise<Outcome>} */
  act(tab, options) {
    return this.#json("POST", path("v1", "tabs", tab, "act"), { body: options });
  }

  /** Run a script in a tab. @param {string} tab @param {Options} options @returns {Promise<Outcome>} */
  execute(tab, options) {
    return this.#json("POST", path("v1", "tabs", tab, "execute"), { body: options });
  }

  /** The whole value of a script that was saved. @param {string} ref @returns {Promise<string>} */
  async value(ref) {
    return (await this.#send("GET", path("v1", "tabs", "values", ref))).text();
  }

  /** A PNG of a tab, or a JPEG past `max_bytes`. @param {string} tab @param {Options} [options] @returns {Promise<Uint8Array>} */
  async screenshot(tab, options = {}) {
    const answer = await this.#send("POST", path("v1", "tabs", tab, "screenshot"), { body: options });
    return new Uint8Array(await answer.arrayBuffer());
  }

  /** Close a tab. @param {string} tab @returns {Promise<void>} */
  async closeTab(tab) {
    await this.#send("DELETE", path("v1", "tabs", tab));
  }

  /** Note a fact. @param {string} session @param {Options} evidence @param {Guards} [given] */
  noteEvidence(session, evidence, given = {}) {
    return this.#write(session, "evidence", evidence, given);
  }

  /** Propose a hypothesis. @param {string} session @param {Options} hypothesis @param {Guards} [given] */
  propose(session, hypothesis, given = {}) {
    return this.#write(session, "hypotheses", hypothesis, given);
  }

  /** Write down a decision. @param {string} session @param {Options} decision @param {Guards} [given] */
  decide(session, decision, given = {}) {
    return this.#write(session, "decisions", decision, given);
  }

  /**
   * What the session knows that matters for a question.
   * @param {string} session @param {string} query @param {{budget_chars?: number}} [options]
   */
  recall(session, query, options = {}) {
    return this.#json("POST", path("v1", "sessions", session, "recall"), { body: { query, ...options } });
  }

  /**
   * All items of a kind that the session knows, or the newest of them.
   * @param {string} session
   * @param {"evidence" | "hypotheses" | "decisions" | "constraints" | "actions" | "children"} kind
   * @param {{newest?: number}} [options] @returns {Promise<object[]>}
   */
  async known(session, kind, options = {}) {
    return (await this.#json("GET", path("v1", "sessions", session, kind), { query: options })).items;
  }

  /** One item with all its versions. @param {string} session @param {string} item */
  item(session, item) {
    return this.#json("GET", path("v1", "sessions", session, "items", item));
  }

  /**
   * Change the status of a hypothesis.
   * @param {string} session @param {string} hypothesis @param {Options} change @param {Guards} [given]
   */
  judge(session, hypothesis, change, given = {}) {
    return this.#put(session, ["hypotheses", hypothesis], change, given);
  }

  /**
   * Say that an item still stands.
   * @param {string} session @param {string} item @param {Options} grounds @param {Guards} [given]
   */
  revalidate(session, item, grounds, given = {}) {
    return this.#put(session, ["items", item, "revalidation"], grounds, given);
  }

  /** Open a sub-session. @param {string} session @param {Options} contract @param {Guards} [given] */
  openChild(session, contract, given = {}) {
    return this.#write(session, "children", contract, given);
  }

  /**
   * The result of a sub-session.
   * @param {string} session @param {string} child @param {Options} result @param {Guards} [given]
   */
  handBack(session, child, result, given = {}) {
    return this.#put(session, ["children", child], result, given);
  }

  /**
   * What happened to what the session knows.
   * @param {string} session @param {{after?: number, limit?: number}} [part]
   */
  events(session, part = {}) {
    return this.#json("GET", path("v1", "sessions", session, "events"), { query: part });
  }

  /**
   * Any call that has no method here: the JSON of its answer, or `null` where there is none.
   * @param {string} method @param {string} where
   * @param {{body?: unknown, query?: Options, headers?: Record<string, string>}} [given] @returns {Promise<any>}
   */
  async call(method, where, given = {}) {
    const answer = await this.#send(method, where, given);
    const text = await answer.text();
    return text === "" ? null : read(() => JSON.parse(text), answer);
  }

  #put(session, what, body, given) {
    const where = path("v1", "sessions", session, ...what);
    return this.#json("PUT", where, { body, headers: guards(given) });
  }

  #write(session, what, body, given) {
    const where = path("v1", "sessions", session, what);
    return this.#json("POST", where, { body, headers: guards(given) });
  }

  /** @returns {Promise<any>} */
  async #json(method, where, given = {}) {
    const answer = await this.#send(method, where, given);
    const text = await answer.text();
    return read(() => JSON.parse(text), answer);
  }

  /** @returns {AsyncGenerator<StreamEvent>} */
  async *#follow(method, where, given) {
    const headers = { Accept: "text/event-stream", ...given.headers };
    const answer = await this.#send(method, where, { ...given, headers });
    let event = { event: "message", id: "", data: "" };
    for await (const line of this.#lines(answer)) {
      const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
      if (line !== "") {
        if (name === "data") event.data += (event.data && "\n") + value;
        else if (name === "event" || name === "id") event[name] = value;
        continue;
      }
      if (event.data === "") continue;
      const data = JSON.parse(event.data);
      if (event.event === "problem") throw new ProblemError(data, data.status, null);
      yield { ...event, data };
      event = { event: "message", id: event.id, data: "" };
    }
  }

  /** @param {Response} answer */
  async *#lines(answer) {
    const reader = (answer.body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (let begun = ""; ; ) {
        const { value, done } = await reader.read().catch((error) => {
          throw this.#noAnswer(error);
        });
        if (done) return;
        const lines = (begun + value).split("\n");
        begun = lines.pop() ?? "";
        yield* lines;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  /** @returns {Promise<Response>} */
  async #send(method, where, { query = {}, body, headers = {} } = {}) {
    const url = this.#url + where + search(query);
    const type = body === undefined ? {} : { "Content-Type": "application/json" };
    for (let tried = 1; ; tried++) {
      const answer = await this.#fetch(url, {
        method,
        headers: { ...this.#headers, ...type, ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      if (answer.ok || answer.status === 304) return answer;
      const error = await problemOf(answer);
      const waitS = this.#waitS(error, tried);
      if (waitS === null) throw error;
      await new Promise((wake) => setTimeout(wake, waitS * 1000));
    }
  }

  async #fetch(url, options) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error("timed out")), this.#timeoutMs);
    try {
      const answer = await fetch(url, { ...options, signal: late.signal });
      // A stream may take longer than its beginning.
      const streams = answer.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (streams) return answer;
      const body = NO_BODY.has(answer.status) ? null : await answer.arrayBuffer();
      const { status, headers } = answer;
      return new Response(body, { status, headers });
    } catch (error) {
      throw this.#noAnswer(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #noAnswer(error) {
    const why = error.cause?.message || error.cause?.code || error.message;
    return new NoAnswer(`no answer from ${this.#url} (${why})`, true, { cause: error });
  }

  /** Only what was refused because all places are taken is sent again: nothing was done then. */
  #waitS(error, tried) {
    const refused = error.retryable && (error.status === 429 || error.status === 503);
    const waitS = error.retryAfterS ?? DEFAULT_WAIT_S;
    return refused && tried < this.#tries && waitS <= this.#mostWaitS ? waitS : null;
  }
}

/** What an answer means; what is not from the service is said to be so. */
function read(parse, { status }) {
  try {
    return parse();
  } catch {
    throw new ProblemError(notPagefold(status), status, null);
  }
}

/** @param {number} status @returns {Problem} */
function notPagefold(status) {
  return { code: "not_pagefold", detail: `The answer (${status}) is no problem document.` };
}

/** @param {Response} answer @returns {Promise<ProblemError>} */
async function problemOf(answer) {
  const retryAfterS = seconds(answer.headers.get("Retry-After") ?? "");
  const found = await answer.json().catch(() => null);
  const problem =
    typeof found?.code === "string" && typeof found?.detail === "string"
      ? found
      : notPagefold(answer.status);
  return new ProblemError(problem, answer.status, retryAfterS);
}

/** Something between may send a date. @param {string} after @returns {number | null} */
function seconds(after) {
  if (/^\d+$/.test(after)) return Number(after);
  const at = Date.parse(after);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

/** @param {...string} parts */
function path(...parts) {
  // No escape keeps these in their place.
  const wrong = parts.find((part) => /^\.{0,2}$/.test(part));
  if (wrong !== undefined) throw new TypeError(`no id or ref: "${wrong}"`);
  return `/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

/** @param {Options} query */
function search(query) {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

/** @param {Guards} given */
function guards({ key, version }) {
  return {
    ...(key === undefined ? {} : { "Idempotency-Key": key }),
    ...(version === undefined ? {} : { "If-Match": `"v${version}"` }),
  };
}
