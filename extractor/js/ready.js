/**
 * Runs in the isolated world before the page's own scripts: notes when visible text last changed after
 * DOMContentLoaded, so that the wait after `load` starts with knowledge instead of with a pause.
 */
(() => {
  if (window !== window.top) return;
  const LOUD = new Set(["script", "style", "link", "template", "meta", "noscript", "title"]);
  const OFTEN = 20;
  const nodeType = /** @type {any} */ (Object.getOwnPropertyDescriptor(Node.prototype, "nodeType")).get;
  const textContent = /** @type {any} */ (Object.getOwnPropertyDescriptor(Node.prototype, "textContent")).get;
  const parentNode = /** @type {any} */ (Object.getOwnPropertyDescriptor(Node.prototype, "parentNode")).get;
  const localName = /** @type {any} */ (Object.getOwnPropertyDescriptor(Element.prototype, "localName")).get;
  const state = { textChanges: 0, changedAt: 0, appended: 0, prints: 0 };
  /** @type {WeakMap<Node, number>} what keeps changing in one place is no content that arrives */
  const repeats = new WeakMap();

  const isLoud = (/** @type {Node} */ node) => nodeType.call(node) === 1 && LOUD.has(localName.call(node));
  const bearsText = (/** @type {NodeList} */ nodes) => {
    for (const node of nodes) {
      const type = nodeType.call(node);
      if ((type === 3 || type === 1) && !isLoud(node) && /\S/.test(textContent.call(node))) return true;
    }
    return false;
  };
  /** Elements put behind one of their own kind that had text before: a list that goes on. */
  const rowsAppended = (/** @type {MutationRecord} */ record) => {
    const before = record.previousSibling;
    if (!before || nodeType.call(before) !== 1 || !/\S/.test(textContent.call(before))) return 0;
    const name = localName.call(before);
    let rows = 0;
    for (const node of record.addedNodes) if (nodeType.call(node) === 1 && localName.call(node) === name) rows++;
    return rows;
  };
  const note = (/** @type {MutationRecord[]} */ records) => {
    for (const record of records) {
      const element = nodeType.call(record.target) === 1 ? record.target : parentNode.call(record.target);
      if (!element || isLoud(element)) continue;
      const changes =
        record.type === "characterData" || bearsText(record.addedNodes) || bearsText(record.removedNodes);
      if (!changes) continue;
      const count = (repeats.get(element) ?? 0) + 1;
      repeats.set(element, count);
      if (count > OFTEN) continue;
      state.textChanges++;
      state.changedAt = performance.now();
      state.appended += rowsAppended(record);
    }
  };
  addEventListener("beforeprint", () => state.prints++);
  addEventListener("DOMContentLoaded", () => {
    new MutationObserver(note).observe(document, { childList: true, characterData: true, subtree: true });
  });
  Object.defineProperty(globalThis, "__pagefoldReady", { value: state, configurable: true });
})();
