/**
 * What the driver may do to the page when it was asked to: scroll, and open what is closed. It stands in the
 * isolated world under one name of its own, behind the files of the capture.
 */

/** A step moves most of a window, so that two windows overlap. */
const STEP_SHARE = 0.8;
const MOST_SCROLLERS = 8;
const MOST_CANDIDATES = 300;
/** Rows that must go before a list counts as one that draws only those in view. */
const VANISHED = 3;

const scrollTo = Element.prototype.scrollTo;
const isConnectedOf = getterOf(Node.prototype, "isConnected");

/** Two frames, or a moment where frames do not come. */
const frames = () =>
  new Promise((done) => {
    setTimeout(done, 250);
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));
  });

/** Until nothing has changed for `quietMs`, at most `capMs`. */
async function quiet(/** @type {number} */ quietMs, /** @type {number} */ capMs) {
  await frames();
  const started = performance.now();
  let changed = started;
  const observer = new MutationObserver(() => (changed = performance.now()));
  observer.observe(document, { childList: true, characterData: true, subtree: true });
  while (performance.now() - changed < quietMs && performance.now() - started < capMs) {
    await new Promise((done) => setTimeout(done, 20));
  }
  observer.disconnect();
}

const scrolling = {
  /** @type {Element[]} the document's own first */
  targets: [],
  /** @type {Map<Element, Map<Element, string>>} rows of possible lists at the last look */
  before: new Map(),
  /** @type {Map<Element, List>} */
  lists: new Map(),

  /** @returns {number} how many things can be scrolled */
  begin() {
    const page = scrollingElementOf.call(document) ?? pageRoot();
    const inner = [];
    for (const element of querySelectorAll.call(bodyOf.call(document) ?? page, "*")) {
      if (element === page || !childCountOf.call(element)) continue;
      if (scrollHeightOf.call(element) - clientHeightOf.call(element) <= A_LINE) continue;
      const style = getComputedStyle(element);
      if (!/auto|scroll|overlay/.test(style.overflowY) || !checkVisibility.call(element)) continue;
      const box = getBoundingClientRect.call(element);
      if (box.width >= 100 && box.height >= 60) inner.push({ element, area: box.width * box.height });
    }
    inner.sort((a, b) => b.area - a.area);
    this.targets = [page, ...inner.slice(0, MOST_SCROLLERS).map((item) => item.element)];
    return this.targets.length;
  },

  /** Look before the first step. @param {number} number @param {Options} options */
  look(number, options) {
    const target = this.targets[number];
    if (number > 0 && rowsOf(target)) this.track(target, true);
    this.before = this.rowsNow(target, number);
    for (const list of this.lists.values()) keepRows(list, options);
  },

  /** @param {Element} root @param {boolean} scrolls */
  track(root, scrolls) {
    if (this.lists.has(root)) return;
    const list = { root, scrolls, order: [], rows: new Map() };
    this.lists.set(root, list);
    memory.lists.push(list);
  },

  /** @param {Element} target @param {number} number */
  rowsNow(target, number) {
    const found = new Map();
    const all = number > 0 ? [listIn(target)] : querySelectorAll.call(target, "*");
    for (const element of all) {
      if (!element || childCountOf.call(element) < 3) continue;
      const probe = { root: element, scrolls: false, order: [], rows: new Map() };
      found.set(element, keysNow(probe));
      if (found.size >= MOST_CANDIDATES) break;
    }
    return found;
  },

  /**
   * @param {number} number @param {Options} options
   * @returns {Promise<{end: boolean, height: number, nodes: number, again: boolean}>} `again`: rows went, so
   *   the list is scrolled once more from its beginning, and its rows are kept
   */
  async step(number, options) {
    const target = this.targets[number];
    if (!isConnectedOf.call(target)) return { end: true, height: 0, nodes: 0, again: false };
    const page = number === 0;
    const top = scrollTopOf.call(target);
    const client = page ? innerHeight : clientHeightOf.call(target);
    scrollTo.call(target, { top: top + client * STEP_SHARE, behavior: "instant" });
    await quiet(60, 1500);
    const again = this.vanished(target, number);
    if (again) {
      scrollTo.call(target, { top: 0, behavior: "instant" });
      await quiet(60, 1500);
    }
    for (const list of this.lists.values()) if (isConnectedOf.call(list.root)) keepRows(list, options);
    this.before = this.rowsNow(target, number);
    return { ...this.state(number), again };
  },

  /** @param {number} number */
  state(number) {
    const target = this.targets[number];
    const client = number === 0 ? innerHeight : clientHeightOf.call(target);
    const height = scrollHeightOf.call(target);
    return {
      end: scrollTopOf.call(target) + client >= height - 2,
      height,
      nodes: querySelectorAll.call(pageRoot(), "*").length,
    };
  },

  /** @param {Element} target @param {number} number @returns {boolean} whether a list turned out to drop rows */
  vanished(target, number) {
    let found = false;
    for (const [container, rows] of this.before) {
      const root = number > 0 ? target : container;
      if (this.isTracked(root)) continue;
      const now = number > 0 ? listIn(target) : container;
      if (!now || !isConnectedOf.call(now)) continue;
      const keys = new Set(keysNow({ root: now, scrolls: false, order: [], rows: new Map() }).values());
      let gone = 0;
      for (const key of rows.values()) if (!keys.has(key)) gone++;
      if (gone < VANISHED && gone * 2 < rows.size) continue;
      this.track(root, number > 0);
      found = true;
    }
    return found;
  },

  /** A list inside a row of a list is a part of that row. @param {Element} root */
  isTracked(root) {
    for (const known of this.lists.keys()) if (known === root || contains.call(known, root)) return true;
    return false;
  },

  /** Back to where the page began. */
  async rest() {
    for (const target of this.targets) scrollTo.call(target, { top: 0, behavior: "instant" });
    await quiet(60, 1000);
    return memory.lists.reduce((sum, list) => sum + list.order.length, 0);
  },
};
