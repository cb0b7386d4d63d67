/**
 * The value of a caller's script as text, in the page's own world, where the value is. What cannot be written
 * as JSON is described: elements as their markup, functions as their source, what contains itself as such, what
 * throws when it is read by what it threw. It stops writing when there is enough.
 *
 * @param {any} value @param {number} most characters @returns {{type: string, text: string, cut: boolean}}
 */
(value, most) => {
  const DEEPEST = 100;
  const kind = value === null ? "null" : typeof value;
  /** @type {string[]} */
  const out = [];
  // Properties of an object of its own, and no variables: so it counts as without effect, where that matters.
  const state = { room: most, cut: false };
  const put = (/** @type {string} */ text) => {
    if (text.length > state.room) state.cut = true;
    if (state.room > 0) out.push(text.slice(0, state.room));
    state.room -= text.length;
  };
  const threw = (/** @type {any} */ error) => {
    try {
      return `[threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}]`.slice(0, 200);
    } catch {
      return "[threw]";
    }
  };
  const tried = (/** @type {() => any} */ work) => {
    try {
      return work();
    } catch (error) {
      return threw(error);
    }
  };
  const nodeText = (/** @type {any} */ node) => {
    if (node instanceof Element) return node.outerHTML;
    return node.nodeName === "#document" ? `[document ${/** @type {Document} */ (node).URL}]` : node.textContent;
  };
  /** What a value is for JSON: text for what JSON does not know. @param {any} each */
  const plain = (each) => {
    if (typeof each === "bigint" || typeof each === "symbol" || typeof each === "function") return String(each);
    if (typeof each === "number" && !Number.isFinite(each)) return String(each);
    if (each === null || typeof each !== "object") return each;
    if (each instanceof Node) return nodeText(each);
    if (each instanceof Error) return `${each.name}: ${each.message}`;
    if (each instanceof Window) return "[window]";
    if (each instanceof Map) return Object.fromEntries(each);
    if (each instanceof Set || each instanceof NodeList || each instanceof HTMLCollection) return [...each];
    if (typeof each.toJSON === "function") return each.toJSON();
    return each;
  };
  const isList = (/** @type {any} */ each) =>
    Array.isArray(each) || (ArrayBuffer.isView(each) && !(each instanceof DataView));
  /** @param {any} each @param {any[]} above */
  const write = (each, above) => {
    if (each === undefined) return put("null");
    if (each === null || typeof each !== "object") return put(JSON.stringify(each) ?? "null");
    if (above.includes(each)) return put('"[seen above]"');
    if (above.length >= DEEPEST) { state.cut = true; return put('"[deeper]"'); }
    const list = tried(() => isList(each)) === true;
    const keys = list ? [] : tried(() => Object.keys(each));
    if (typeof keys === "string") return put(JSON.stringify(keys));
    const count = list ? each.length : keys.length;
    const inside = above.concat([each]);
    const close = list ? "]" : "}";
    let written = 0;
    put(list ? "[" : "{");
    for (let at = 0; at < count && state.room > 0; at++) {
      const next = tried(() => plain(list ? each[at] : each[keys[at]]));
      if (!list && next === undefined) continue;
      put(`${written++ ? "," : ""}\n${" ".repeat(inside.length)}${list ? "" : `${JSON.stringify(keys[at])}: `}`);
      write(next, inside);
    }
    put(written ? `\n${" ".repeat(above.length)}${close}` : close);
  };
  if (kind === "undefined") return { type: kind, text: "", cut: false };
  const top = tried(() => plain(value));
  if (typeof top === "string") put(top);
  else write(top, []);
  return { type: kind, text: out.join("").toWellFormed(), cut: state.cut };
}
