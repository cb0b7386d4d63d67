/**
 * The value of a caller's script as text, in the page's own world, where the value is. What cannot be written
 * as JSON is described: elements as their markup, functions as their source, cycles as such.
 *
 * @param {any} value @param {number} most characters @returns {{type: string, text: string, cut: boolean}}
 */
(value, most) => {
  const kind = value === null ? "null" : typeof value;
  const seen = new Set();
  const bounded = (/** @type {string} */ text) => ({ text: text.slice(0, most).toWellFormed(), cut: text.length > most });
  const plain = (/** @type {any} */ each) => {
    if (typeof each === "bigint" || typeof each === "symbol" || typeof each === "function") return String(each);
    if (typeof each === "number" && !Number.isFinite(each)) return String(each);
    if (each === null || typeof each !== "object") return each;
    if (each instanceof Element) return each.outerHTML;
    if (each instanceof Node) return each.nodeName === "#document" ? `[document ${document.URL}]` : each.textContent;
    if (each instanceof Error) return `${each.name}: ${each.message}`;
    if (each instanceof Window) return "[window]";
    if (each instanceof Map) return Object.fromEntries(each);
    if (each instanceof Set || each instanceof NodeList || each instanceof HTMLCollection) return [...each];
    return each;
  };
  const replacer = function (/** @type {string} */ key, /** @type {any} */ raw) {
    const each = plain(raw);
    if (each !== null && typeof each === "object") {
      if (seen.has(each)) return "[seen above]";
      seen.add(each);
    }
    return each;
  };
  if (kind === "undefined") return { type: kind, text: "", cut: false };
  const top = plain(value);
  if (typeof top === "string") return { type: kind, ...bounded(top) };
  return { type: kind, ...bounded(JSON.stringify(top, replacer, 1) ?? String(value)) };
}
