/**
 * Parts that were on the page and went again while it was scrolled or opened: rows of a list that draws only
 * those in view, panels of tabs. Their annotated copies are kept at the time, and put back into the document.
 */

/**
 * @typedef {object} List rows by key, in order
 * @property {Element} root the scroller, or the list itself
 * @property {boolean} scrolls whether `root` is a scroller with the list inside
 * @property {string[]} order
 * @property {Map<string, {copy: Element, text: string, top: number}>} rows
 *
 * @typedef {object} Panel
 * @property {Element} panel
 * @property {Element} anchor after which it stands when it is gone
 * @property {Element} copy
 * @property {string} text
 * @property {string} kind
 */

/** @type {{lists: List[], panels: Panel[]}} survives the script being installed again */
const memory = /** @type {any} */ (globalThis).__pagefoldKept ?? { lists: [], panels: [] };
Object.defineProperty(globalThis, "__pagefoldKept", { value: memory, configurable: true });

const INDEXES = ["aria-rowindex", "aria-posinset", "data-index", "data-i", "data-item-index", "data-row-index",
  "data-rowindex", "data-idx", "data-virtual-index", "data-known-index"];
const NAMES = ["data-key", "data-id", "data-row-key", "data-item-id", "data-testid", "id"];
const MOST_ROWS = 5000;

/** @param {Element} element @returns {string} */
const plainText = (element) => textContent.call(element).replace(/\s+/g, " ").trim();

/** @param {Element} row @returns {string} a number or name that stays with it, as `attribute=value` */
function nameOfRow(row) {
  let element = row;
  for (let depth = 0; element && depth < 3; depth++) {
    for (const name of INDEXES) {
      const value = getAttribute.call(element, name);
      if (value && /^\d+$/.test(value)) return `${name}=${value}`;
    }
    element = childCountOf.call(element) === 1 ? firstElementChild.call(element) : null;
  }
  for (const name of NAMES) {
    const value = getAttribute.call(row, name);
    // A row element that is used again may keep its name while its text changes.
    if (value) return `${name}=${value} ${plainText(row)}`;
  }
  return "";
}

/** @param {List} list @returns {Element | null} */
const elementOf = (list) => (list.scrolls ? listIn(list.root) : list.root);

/** Children that show something, from top to bottom. @param {Element} container @returns {[Element, DOMRect][]} */
function rowsIn(container) {
  /** @type {[Element, DOMRect][]} */
  const rows = [];
  for (let row = firstElementChild.call(container); row && rows.length < 1000; row = nextElementSibling.call(row)) {
    const box = getBoundingClientRect.call(row);
    if (box.height > 0 && WORD.test(textContent.call(row))) rows.push([row, box]);
  }
  return rows.sort((a, b) => a[1].top - b[1].top);
}

/** @param {List} list @returns {Map<Element, string>} rows that are drawn now, with their keys */
function keysNow(list) {
  const keys = new Map();
  const container = elementOf(list);
  if (!container) return keys;
  const shift = list.scrolls ? scrollTopOf.call(list.root) - getBoundingClientRect.call(list.root).top : scrollY;
  for (const [row, box] of rowsIn(container)) {
    const text = plainText(row);
    const top = box.top + shift;
    const key = nameOfRow(row) || placeOf(list, text, top, box.height);
    keys.set(row, key);
    const known = list.rows.get(key);
    if (known) known.top = top;
  }
  return keys;
}

/** Rows without a name are told apart by their text and place. */
function placeOf(/** @type {List} */ list, /** @type {string} */ text, /** @type {number} */ top, /** @type {number} */ height) {
  for (let again = 0; ; again++) {
    const key = `text=${text} #${again}`;
    const known = list.rows.get(key);
    if (!known || Math.abs(known.top - top) < height / 2) return key;
  }
}

/** Copies only the parts that it is given, and marks copies of chosen elements with a name. */
class PartCapture extends Capture {
  /**
   * @param {Options} options
   * @param {Map<Element, string>} marks
   * @param {Set<Element> | null} parts nothing outside of them is walked; `null` for the whole page
   */
  constructor(options, marks, parts) {
    super(options);
    // What a control opens may have changed since the last look.
    controlled.clear();
    this.marks = marks;
    this.parts = parts;
    this.above = new Set();
    for (const part of parts ?? []) {
      for (let node = part; node; node = parentNode.call(node) ?? /** @type {any} */ (node).host) this.above.add(node);
    }
  }

  element(above, original, copy) {
    const inside = !this.parts || above.inPart || this.above.has(original);
    return inside ? super.element(above, original, copy) : remove(copy);
  }

  place(level) {
    level.inPart = level.above?.inPart || this.parts?.has(level.original);
    super.place(level);
    const mark = this.marks.get(level.original);
    if (mark !== undefined && !level.unwrapped) setAttribute.call(level.copy, "data-pf-mark", mark);
  }
}

/** @param {Element} body @returns {Map<string, Element>} marked copies by their mark, marks taken off */
function marked(body) {
  const found = new Map();
  for (const copy of querySelectorAll.call(body, "[data-pf-mark]")) {
    found.set(getAttribute.call(copy, "data-pf-mark"), copy);
    removeAttribute.call(copy, "data-pf-mark");
  }
  return found;
}

/** Copy the rows of a list that are drawn now. @param {List} list @param {Options} options */
function keepRows(list, options) {
  const container = elementOf(list);
  if (!container || list.order.length > MOST_ROWS) return;
  const keys = keysNow(list);
  const fresh = new Map();
  for (const [row, key] of keys) if (list.rows.get(key)?.text !== plainText(row)) fresh.set(row, key);
  if (fresh.size) {
    const copies = marked(new PartCapture(options, fresh, new Set(fresh.keys())).run());
    for (const [row, key] of fresh) {
      const copy = copies.get(key);
      if (copy) list.rows.set(key, { copy, text: plainText(row), top: topOf(list, row) });
    }
  }
  weave(list.order, [...keys.values()].filter((key) => list.rows.has(key)));
}

/** @param {List} list @param {Element} row */
const topOf = (list, row) =>
  getBoundingClientRect.call(row).top +
  (list.scrolls ? scrollTopOf.call(list.root) - getBoundingClientRect.call(list.root).top : scrollY);

/** Put what is new in a window on a list at its place among what is known. @param {string[]} order @param {string[]} seen */
function weave(order, seen) {
  const known = new Map(order.map((key, at) => [key, at]));
  const first = seen.find((key) => known.has(key));
  let at = first === undefined ? order.length : /** @type {number} */ (known.get(first));
  let shift = 0;
  for (const key of seen) {
    const place = known.get(key);
    if (place !== undefined) at = place + shift + 1;
    else {
      order.splice(at++, 0, key);
      shift++;
    }
  }
}

/** @param {Options} options @returns {Capture} one that marks where kept parts belong, if there are any */
function captureOf(options) {
  if (!memory.lists.length && !memory.panels.length) return boundedOf(options) ?? new Capture(options);
  const marks = new Map();
  memory.lists.forEach((list, number) => {
    const container = elementOf(list);
    if (!container) return;
    marks.set(container, `list ${number}`);
    for (const [row, key] of keysNow(list)) marks.set(row, `row ${number} ${key}`);
  });
  memory.panels.forEach((panel, number) => {
    if (isGone(panel) && !marks.has(panel.anchor)) marks.set(panel.anchor, `panel ${number}`);
  });
  return new PartCapture(options, marks, null);
}

/** @param {Panel} panel */
const isGone = (panel) =>
  !Object.getOwnPropertyDescriptor(Node.prototype, "isConnected")?.get?.call(panel.panel) ||
  !plainText(panel.panel).includes(panel.text);

/** Put what was kept into the document. @param {Element} body */
function putBack(body) {
  if (!memory.lists.length && !memory.panels.length) return;
  const copies = marked(body);
  memory.lists.forEach((list, number) => putRows(list, number, copies));
  const anchors = new Map();
  memory.panels.forEach((panel, number) => {
    const own = copies.get(`panel ${number}`);
    if (own) anchors.set(panel.anchor, own);
    const anchor = anchors.get(panel.anchor);
    if (!anchor || !isGone(panel) || !parentNode.call(anchor)) return;
    const holder = make("div", { "data-pf-c": panel.kind });
    appendChild.call(holder, importNode.call(inert, panel.copy, true));
    insertBefore.call(parentNode.call(anchor), holder, nextSibling.call(anchor));
    anchors.set(panel.anchor, holder);
  });
}

/** @param {List} list @param {number} number @param {Map<string, Element>} copies */
function putRows(list, number, copies) {
  const container = copies.get(`list ${number}`);
  if (!container) return;
  const present = list.order.map((key) => copies.get(`row ${number} ${key}`)).find(Boolean);
  const before = make("span");
  if (present && parentNode.call(present)) insertBefore.call(parentNode.call(present), before, present);
  else appendChild.call(container, before);
  for (const key of inOrder(list.order)) {
    const now = copies.get(`row ${number} ${key}`);
    const row = now ?? importNode.call(inert, list.rows.get(key)?.copy, true);
    insertBefore.call(parentNode.call(before), row, before);
  }
  remove(before);
  const scroller = closest.call(container, "[data-pf-more]");
  const more = scroller ? getAttribute.call(scroller, "data-pf-more") : "";
  const [pixels, counts] = (more ?? "").split(" ");
  if (!counts) return;
  const total = Math.max(Number(counts.split("/")[1]), list.order.length);
  setAttribute.call(scroller, "data-pf-more", `${pixels} ${list.order.length}/${total}`);
}

/** @param {string[]} order @returns {string[]} by number, where every row has one */
function inOrder(order) {
  const numbers = order.map((key) => Number(/^(?:aria|data)-[\w-]+=(\d+)$/.exec(key)?.[1] ?? NaN));
  if (numbers.some(Number.isNaN)) return order;
  return order.map((key, at) => ({ key, number: numbers[at] })).sort((a, b) => a.number - b.number).map((row) => row.key);
}
