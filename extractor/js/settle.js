/**
 * Wait until the page is ready, by signs and never by sleeping: resolves with what ended the wait.
 *
 * A page without scripts, or whose visible text is what it was at DOMContentLoaded and that shows no sign
 * of loading, is ready at once. Any other is ready when text and layout were quiet for a while.
 */
(async (/** @type {{quietMs: number, capMs: number, textAtReady: number | null}} */ options) => {
  const of = (/** @type {object} */ prototype, /** @type {string} */ name) =>
    /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name)).get;
  const query = Document.prototype.querySelectorAll;
  const body = of(Document.prototype, "body").call(document);
  const root = of(Document.prototype, "documentElement").call(document);
  const textOf = of(Node.prototype, "textContent");
  const nameOf = of(Element.prototype, "localName");
  const parentOf = of(Node.prototype, "parentNode");
  const LOADING =
    '[aria-busy="true"], .skeleton, [class*="skeleton" i], [class*="spinner" i], [class*="loading" i], ' +
    '[class*="shimmer" i], [class*="placeholder-glow" i], [role="progressbar"]:not([aria-valuenow]), ' +
    '[id*="loading" i]';
  const ROOTS = '#root, #app, #__next, #__nuxt, #main-app, app-root, [data-reactroot], [ng-app]';
  const shown = (/** @type {Element} */ element) => {
    if (!Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true })) {
      return false;
    }
    const box = Element.prototype.getBoundingClientRect.call(element);
    return box.width > 0 && box.height > 0;
  };
  const LONG = 4000;
  const signs = () => {
    const found = [];
    for (const element of query.call(document, LOADING)) {
      if (element === root || element === body) continue;
      if (shown(element) && textOf.call(element).length < LONG) {
        found.push("loading");
        break;
      }
    }
    for (const element of query.call(document, ROOTS)) {
      if (!/\S/.test(textOf.call(element)) && !Element.prototype.querySelector.call(element, "*")) {
        found.push("empty_root");
        break;
      }
    }
    return found;
  };
  const pageText = () => {
    const clone = body ? textOf.call(body) : "";
    return clone.length;
  };
  const scripts = [...query.call(document, "script")].some((script) => {
    const type = Element.prototype.getAttribute.call(script, "type") ?? "";
    return !type || /javascript|module|ecmascript|importmap/i.test(type);
  });
  const pending = signs();
  const length = pageText();
  if (!scripts) return { ended_by: "no_scripts", pending: [] };
  const unchanged = options.textAtReady !== null && options.textAtReady === length;
  if (!pending.length && unchanged && length > 0) return { ended_by: "unchanged", pending: [] };

  const loud = new Set(["script", "style", "link", "template", "meta", "noscript"]);
  const started = performance.now();
  let changed = started;
  /** @type {Map<Node, number>} how often each place changed: what repeats for ever is no content */
  const repeats = new Map();
  const observer = new MutationObserver((records) => {
    for (const record of records) {
      const name = record.target.nodeType === 1 ? nameOf.call(record.target) : "";
      if (loud.has(name)) continue;
      const place = record.target.nodeType === 1 ? record.target : (parentOf.call(record.target) ?? record.target);
      const count = (repeats.get(place) ?? 0) + 1;
      repeats.set(place, count);
      if (count <= 20) changed = performance.now();
    }
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  let height = root ? of(Element.prototype, "scrollHeight").call(root) : 0;
  const wait = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));
  try {
    for (;;) {
      const now = performance.now();
      if (now - started >= options.capMs) return { ended_by: "cap", pending: signs().concat("mutations") };
      const tall = root ? of(Element.prototype, "scrollHeight").call(root) : 0;
      if (tall !== height) {
        height = tall;
        changed = now;
      }
      if (now - changed >= options.quietMs) {
        const left = signs();
        if (!left.length) return { ended_by: "quiet", pending: [] };
      }
      await wait(Math.min(50, options.capMs));
    }
  } finally {
    observer.disconnect();
  }
})
