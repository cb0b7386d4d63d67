/**
 * Wait until the page is ready, by signs and never by sleeping: resolves with what ended the wait.
 *
 * A page without scripts, or one with some text that has not changed since DOMContentLoaded and that shows no
 * sign of loading, is ready at once. Any other is ready when text and layout were quiet for a while.
 */
(async (/** @type {{quietMs: number, capMs: number, fetching: boolean, step: string, sinceMs: number}} */ options) => {
  const getter = (/** @type {object} */ prototype, /** @type {string} */ name) =>
    /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name)).get;
  const all = Document.prototype.querySelectorAll;
  const one = Document.prototype.querySelector;
  const attribute = Element.prototype.getAttribute;
  const textContent = getter(Node.prototype, "textContent");
  const heightOf = getter(Element.prototype, "scrollHeight");
  const root = getter(Document.prototype, "documentElement").call(document);
  const body = getter(Document.prototype, "body").call(document);
  const state = /** @type {any} */ (globalThis).__pagefoldReady ?? { textChanges: 1, changedAt: 0 };

  const BUSY = '[aria-busy="true"], [role="progressbar"]:not([aria-valuenow])';
  const NAMED = '[class*="skeleton" i], [class*="spinner" i], [class*="shimmer" i], [class*="load" i], [id*="load" i]';
  const NAME = /(?:^|[\s_-])(?:skeleton|spinner|shimmer|loading|loader|is-loading|preloader)(?:$|[\s_-])/i;
  const ROOTS = "#root, #app, #__next, #__nuxt, app-root, [data-reactroot], [ng-app]";
  const WAITING = /^\W*(?:loading|please wait|one moment|just a moment|加载中|読み込み中|загрузка|laden|chargement)/i;
  /** Characters that a page has hardly begun with: its scripts may still be about to write. */
  const HARDLY = 200;
  /** Words that a page with content has, whatever still spins on it. */
  const ENOUGH = 1500;

  const isShown = (/** @type {Element} */ element) => {
    const options = { opacityProperty: true, visibilityProperty: true };
    if (!Element.prototype.checkVisibility.call(element, options)) return false;
    const box = Element.prototype.getBoundingClientRect.call(element);
    return box.width > 0 && box.height > 0;
  };
  const isNamed = (/** @type {Element} */ element) =>
    NAME.test(`${attribute.call(element, "class") ?? ""} ${attribute.call(element, "id") ?? ""}`);
  const spins = () => {
    for (const element of all.call(document, `${BUSY}, ${NAMED}`)) {
      if (element === root || element === body) continue;
      if (!Element.prototype.matches.call(element, BUSY) && !isNamed(element)) continue;
      if (textContent.call(element).trim().length < 60 && isShown(element)) return true;
    }
    return false;
  };
  const tallness = () => (root ? heightOf.call(root) : 0);
  const frame = () =>
    new Promise((done) => {
      setTimeout(done, 250);
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));
    });
  const length = () => (body ? textContent.call(body).length : 0);
  const hardlyBegun = () => length() < 5000 && /** @type {HTMLElement} */ (body)?.innerText.trim().length < HARDLY;
  const signs = () => {
    const found = [];
    if (spins()) found.push("loading");
    for (const element of all.call(document, ROOTS)) {
      if (/\S/.test(textContent.call(element)) || Element.prototype.querySelector.call(element, "*")) continue;
      found.push("empty_root");
      break;
    }
    if (length() < 5000 && body && WAITING.test(/** @type {HTMLElement} */ (body).innerText ?? "")) {
      found.push("waiting_text");
    }
    return found;
  };
  const scripts = [...all.call(document, "script")].some((script) =>
    /^(?:|module|importmap|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i.test(
      (attribute.call(script, "type") ?? "").trim()));

  const refresh = one.call(document, 'meta[http-equiv="refresh" i]');
  const after = refresh ? /^\s*([\d.]+)\s*[;,]\s*\S/.exec(attribute.call(refresh, "content") ?? "") : null;
  if (after && Number(after[1]) <= 1) return { ended_by: "refresh", pending: [] };
  const listens = () => options.step === "script" || (options.step === "act" && document.evaluate(
    "boolean(//@*[starts-with(name(), 'on')]) or boolean(//*[local-name() = 'iframe'])", document, null,
    XPathResult.BOOLEAN_TYPE, null).booleanValue);
  if (!scripts && !listens()) return { ended_by: "no_scripts", pending: [] };
  const first = signs();
  const waits = options.fetching || first.length > 0 || hardlyBegun();
  if (!waits && !state.textChanges) {
    // A page that leaves the window empty may add to itself as soon as it sees that, at its first frame.
    if (tallness() <= innerHeight && !performance.getEntriesByName("first-paint").length) await frame();
    if (!state.textChanges) return { ended_by: "unchanged", pending: [] };
  }

  const started = performance.now() - options.sinceMs;
  // A page that waits for an answer gets one quiet period; one whose text changed is quiet since then.
  let changed = waits ? started : state.changedAt;
  let height = tallness();
  for (;;) {
    const now = performance.now();
    changed = Math.max(changed, state.changedAt);
    const tall = tallness();
    if (tall !== height) {
      height = tall;
      changed = now;
    }
    const quiet = now - changed;
    if (quiet >= options.quietMs) {
      const left = signs();
      if (!left.length) return { ended_by: "quiet", pending: [] };
      if (quiet >= 4 * options.quietMs && length() > ENOUGH) return { ended_by: "quiet", pending: left };
    }
    if (now - started >= options.capMs) return { ended_by: "cap", pending: signs().concat(quiet < options.quietMs ? ["text"] : []) };
    await new Promise((done) => setTimeout(done, 40));
  }
})
