/**
 * What the oracle does inside a page: find a text, bring it into view as a person could, change its ink,
 * and tell whether anything moved. It knows nothing of why text may be hidden.
 *
 * Installed before the page's own scripts, in every frame.
 */
(() => {
  const attach = Element.prototype.attachShadow;
  /** Closed roots are opened to the oracle; what is painted stays the same. */
  Element.prototype.attachShadow = function (/** @type {ShadowRootInit} */ init) {
    return attach.call(this, { ...init, mode: "open" });
  };

  /** @param {Node} root @returns {Generator<Node>} every node below, shadow trees included */
  function* nodesOf(root) {
    const stack = [root];
    while (stack.length) {
      const node = /** @type {Node} */ (stack.pop());
      yield node;
      stack.push(...[...node.childNodes].reverse());
      const shadow = /** @type {Element} */ (node).shadowRoot;
      if (shadow) stack.push(shadow);
    }
  }

  const flat = (/** @type {string} */ text) => text.replace(/\s+/g, " ").trim();

  /** @param {string} words @returns {Text | null} the text node that is these words, or starts with them and a colon */
  function find(words) {
    const found = [];
    for (const node of nodesOf(document)) {
      if (!(node instanceof Text) || /^(?:script|style)$/i.test(node.parentElement?.localName ?? "")) continue;
      const data = flat(node.data);
      if (data === words || data.startsWith(`${words}:`)) found.push(node);
    }
    if (found.length > 1) throw new Error(`more than one text: ${words}`);
    return found[0] ?? null;
  }

  /** @param {Node} node @returns {Node | null} what it stands in as painted */
  function above(node) {
    const slot = /** @type {Text} */ (node).assignedSlot;
    if (slot) return slot;
    return node instanceof ShadowRoot ? node.host : node.parentNode;
  }

  /** @param {Element} element @returns {[boolean, boolean]} whether a person can scroll it, across and down */
  function movable(element) {
    let style = getComputedStyle(element);
    let allowed = /^(?:auto|scroll)$/;
    if (element === document.scrollingElement) {
      if (window.frameElement?.getAttribute("scrolling") === "no") return [false, false];
      if (style.overflow === "visible" && document.body) style = getComputedStyle(document.body);
      allowed = /^(?:auto|scroll|visible)$/;
    } else if (element === document.body && getComputedStyle(document.documentElement).overflow === "visible") {
      return [false, false];
    }
    return [allowed.test(style.overflowX), allowed.test(style.overflowY)];
  }

  /** @param {Node} node @param {DOMRect | null} inner a place inside a frame element @returns {DOMRect} */
  function boxOf(node, inner) {
    if (node instanceof Element) {
      const box = node.getBoundingClientRect();
      if (!inner) return box;
      const { x, y, width, height } = inner;
      return new DOMRect(box.x + node.clientLeft + x, box.y + node.clientTop + y, width, height);
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  }

  /** @param {string} place @param {[number, number]} box @param {[number, number]} view starts and sizes @returns {number} */
  function distance(place, [start, size], [from, room]) {
    if (place === "start" || size > room) return start - from;
    if (place === "end") return start + size - from - room;
    return start + size / 2 - from - room / 2;
  }

  /**
   * Scroll everything that a person can scroll, from the inside out, so that the text stands where wanted.
   *
   * @param {Node} node a text, or the element of a frame that holds it
   * @param {"middle" | "start" | "end"} place
   * @param {DOMRect | null} inner
   * @returns {string} where all scrollers stand now
   */
  function bring(node, place, inner) {
    for (let round = 0; round < 3; round++) {
      for (let up = above(node); up; up = above(up)) {
        if (!(up instanceof Element)) continue;
        const [across, down] = movable(up);
        if (!across && !down) continue;
        const box = boxOf(node, inner);
        const own = up.getBoundingClientRect();
        const view = up === document.scrollingElement
          ? [0, 0, innerWidth, innerHeight]
          : [own.x + up.clientLeft, own.y + up.clientTop, up.clientWidth, up.clientHeight];
        const left = across ? distance(place, [box.x, box.width], [view[0], view[2]]) : 0;
        const top = down ? distance(place, [box.y, box.height], [view[1], view[3]]) : 0;
        up.scrollBy({ left, top, behavior: "instant" });
      }
    }
    const offsets = [];
    for (let up = above(node); up; up = above(up)) {
      if (up instanceof Element) offsets.push(up.scrollLeft, up.scrollTop);
    }
    return offsets.join();
  }

  /**
   * Text in a drawing is left out: nothing follows its width, which is measured at a scale of its own.
   *
   * @param {Text | null} node
   * @returns {string} where every box of the page stands
   */
  function layout(node) {
    const drawn = (/** @type {Node | null} */ other) => other instanceof SVGTextContentElement;
    const boxes = node && !drawn(node.parentNode) ? [boxOf(node, null)] : [];
    for (const other of nodesOf(document)) {
      if (other instanceof Element && !drawn(other)) boxes.push(other.getBoundingClientRect());
    }
    return boxes.map((b) => [b.x, b.y, b.width, b.height].map((n) => n.toFixed(2)).join()).join(";");
  }

  /** @param {Text} node @returns {string} what it was: every glyph becomes a blank as wide as itself */
  function blank(node) {
    const before = node.data;
    node.data = before.replace(/\S/gu, "\u00a0");
    return before;
  }

  /** Animations stand at their end, or at their start where they have none. */
  function still() {
    for (const animation of document.getAnimations()) {
      try {
        animation.finish();
      } catch {
        animation.cancel();
      }
    }
  }

  /** Two frames painted, and what waits for being in view has had its turn. @returns {Promise<void>} */
  const painted = async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))));
    still();
  };

  Object.assign(window, { __oracle: { find, bring, boxOf, layout, blank, still, painted } });
})();
