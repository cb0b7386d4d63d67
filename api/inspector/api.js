/**
 * Calls of this service. The key lives in this tab alone: in memory, and in its session storage.
 */

const NAME = "pagefold-key";
let key = "";
try {
  key = sessionStorage.getItem(NAME) ?? "";
} catch {
  // Storage may be shut; then the key lasts until the page is left.
}

export const hasKey = () => key !== "";

/** @param {string} value empty to forget it */
export function useKey(value) {
  key = value.trim();
  try {
    if (key) sessionStorage.setItem(NAME, key);
    else sessionStorage.removeItem(NAME);
  } catch {
    // As above.
  }
}

/** A refusal or failure, as the service words it. */
export class Refused extends Error {
  /** @param {number} status @param {any} problem */
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `The service answered ${status}.`);
    this.status = status;
    this.code = problem.code ?? "";
    this.field = problem.field ?? "";
  }
}

/**
 * @param {string} path
 * @param {{method?: string, body?: any, signal?: AbortSignal, accept?: string}} [how]
 * @returns {Promise<Response>}
 */
export async function call(path, { method = "GET", body, signal, accept } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (key) headers["X-Pagefold-Key"] = key;
  if (accept) headers.Accept = accept;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const sent = body === undefined ? undefined : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: sent, signal, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") throw error;
    throw new Refused(0, { detail: "The service does not answer." });
  }
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    if (answer.status === 401) document.dispatchEvent(new CustomEvent("key-wanted"));
    throw new Refused(answer.status, problem);
  }
  return answer;
}

/** @param {string} path @param {any} [how] */
export const json = async (path, how) => (await call(path, how)).json();

/**
 * Server-sent events through fetch, which can carry a key.
 * @param {string} path @param {any} how @param {(event: string, data: any) => void} heard
 */
export async function events(path, how, heard) {
  const answer = await call(path, { ...how, accept: "text/event-stream" });
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => {
        const colon = line.indexOf(": ");
        return [line.slice(0, colon), line.slice(colon + 2)];
      }));
      if (fields.has("data")) heard(fields.get("event") ?? "message", JSON.parse(fields.get("data")));
    }
  }
}

/** @param {any} error */
export const isAbort = (error) => error?.name === "AbortError";

/** @param {any} error */
export const worded = (error) =>
  error instanceof Refused && error.code ? `${error.message} (${error.code})` : String(error?.message ?? error);
