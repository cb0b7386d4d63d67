/**
 * Boxes that paint and stand in parts of the page that are not read, as far as they lie where text was read: they may
 * cover it, or be what it lies on. Which elements can paint is asked of the style sheets, and where they lie of
 * those alone.
 */

/**
 * @typedef {object} Gap neighbours that are not read
 * @property {Level} level where they stand
 * @property {Element | null} marker
 * @property {Node[]} nodes
 * @property {number} order of the first of them in the walk
 * @property {number} count most elements that may be in them
 * @property {number} chars
 */

/**
 * @typedef {object} Suspects
 * @property {boolean} all whether any element may paint: a sheet cannot be read, or not understood
 * @property {string[]} boxes selectors of what may have a background
 * @property {string[]} rings of what may paint outside of its own box
 * @property {string[]} generated of what may have generated boxes out of the flow
 */

const PAINTING = /background|border|backdrop|animation|\ball\s*:|content-?|appearance/i;
const RINGING = /shadow|outline/i;
const PLACING = /\bposition\s*:\s*(?!static|relative)|\ball\s*:/i;
const GENERATED = /::?(?:before|after)\b/;
/** What may paint by the browser's own sheet, or by an attribute. */
const OWN_PAINT = "img, video, canvas, iframe, frame, svg, object, embed, picture, button, input, select, textarea, " +
  "dialog, mark, progress, meter, hr, marquee, [popover], [bgcolor], [background], [style]";
const OWN_RINGS = '[style*="shadow" i], [style*="outline" i]';
const assignedSlotOf = getterOf(Element.prototype, "assignedSlot");
const shadowHostOf = getterOf(ShadowRoot.prototype, "host");
const SHADOW_NODE = 11;
const { getAnimations } = Document.prototype;
const effectTarget = getterOf(KeyframeEffect.prototype, "target");
const effectOf = getterOf(Animation.prototype, "effect");

/** @type {Set<Element>} hosts of shadow roots, as far as the search for closed ones has met them */
const hosts = new Set();

/** @returns {Suspects} */
function suspectPainters() {
  const found = { all: false, boxes: [OWN_PAINT], rings: [OWN_RINGS], generated: /** @type {string[]} */ ([]) };
  const queue = [...Document.prototype.__lookupGetter__("styleSheets").call(document),
    ...Document.prototype.__lookupGetter__("adoptedStyleSheets").call(document)].map((sheet) => ({ holder: sheet, parent: "" }));
  let rules = 0;
  for (let at = 0; at < queue.length; at++) {
    let list;
    try {
      list = queue[at].holder.cssRules;
    } catch {
      return { ...found, all: true }; // another origin's
    }
    for (const rule of list ?? []) {
      // A rule that is bound to a part of the page names its elements in another way.
      if (++rules > MOST_RULES || rule.constructor.name === "CSSScopeRule") return { ...found, all: true };
      const parent = suspectRule(rule, queue[at].parent, found);
      if (rule.styleSheet) queue.push({ holder: rule.styleSheet, parent: "" });
      else if (rule.cssRules?.length) queue.push({ holder: rule, parent });
    }
  }
  return found;
}

/** @param {any} rule @param {string} parent selector of the rule around it @param {Suspects} found @returns {string} its selector */
function suspectRule(rule, parent, found) {
  if (!rule.style || rule.type === 7 || rule.type === 8) return parent;
  const own = rule.selectorText;
  const selector = own === undefined ? parent : parent ? own.replaceAll("&", `:is(${parent})`) : own;
  if (!selector) return parent;
  const text = rule.style.cssText;
  if (GENERATED.test(selector) && PLACING.test(text)) found.generated.push(elementOnly(selector));
  if (PAINTING.test(text) || selector.includes("::")) found.boxes.push(elementOnly(selector));
  if (RINGING.test(text)) found.rings.push(elementOnly(selector));
  return selector;
}

const BOX = /::(?:[\w-]+)(?:\((?:[^()]|\([^()]*\))*\))?(?::[\w-]+)*|:(?:before|after|first-line|first-letter)\b/g;
/** A colon in a string, which is none of the selector's. */
const QUOTED = /=\s*(?:"[^"]*:[^"]*"|'[^']*:[^']*')/;

/** A selector of the elements themselves, not of boxes that they generate; of all where that cannot be told. */
const elementOnly = (/** @type {string} */ selector) => (QUOTED.test(selector) ? "*" : selector.replace(BOX, ":is(*)"));

/** @param {string[]} selectors @param {boolean} all @returns {Set<Element>} what they name in the document */
function namedBy(selectors, all) {
  const found = new Set();
  const query = Document.prototype.querySelectorAll;
  if (all) return new Set(query.call(document, "body *"));
  try {
    for (const element of query.call(document, selectors.join(", "))) found.add(element);
  } catch {
    for (const selector of selectors) {
      try {
        for (const element of query.call(document, selector)) found.add(element);
      } catch {
        return namedBy([], true); // not a selector of elements that can be asked for
      }
    }
  }
  return found;
}

/** The element around one in the tree that is painted. @param {Element} element @returns {Element | null} */
const aroundOf = (element) => {
  const parent = assignedSlotOf.call(element) ?? parentNode.call(element);
  if (!parent) return null;
  const type = nodeType.call(parent);
  return type === ELEMENT_NODE ? parent : type === SHADOW_NODE ? (shadowHostOf.call(parent) ?? null) : null;
};

/** Where text was read, and where the boxes that scroll it stand. */
class Places {
  /** @param {Run[]} runs */
  constructor(runs) {
    this.grid = new Grid();
    const scrollers = new Set();
    for (const { box, level } of runs) {
      this.grid.add(/** @type {any} */ ({ box, met: 0 }));
      const { scroller } = level.paint.flow;
      if (scroller && !scrollers.has(scroller)) this.grid.add(/** @type {any} */ ({ box: scroller.box, met: 0 }));
      scrollers.add(scroller);
    }
  }

  /** @param {Rect} rect @returns {boolean} whether it meets any, or stands before all of the window */
  meet(rect) {
    if (rect.left <= 1 && rect.top <= 1 && rect.right >= innerWidth - 20 && rect.bottom >= innerHeight - 20) return true;
    const [left, right, top, bottom] = cellsOf(rect);
    if ((right - left + 1) * (bottom - top + 1) > 4096) return true;
    return this.grid.near(rect).length > 0 || this.grid.meetings > MOST_MEETINGS;
  }
}

/** How far a box may paint outside of itself. @param {Element} element @returns {number} pixels */
function reachOf(element) {
  const { boxShadow, outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(element);
  let reach = outlineStyle === "solid" ? Math.abs(px(outlineWidth)) + Math.abs(px(outlineOffset)) : 0;
  if (boxShadow === "none") return reach;
  for (const [length] of boxShadow.matchAll(/-?[\d.]+px/g)) reach += Math.abs(px(length));
  return reach;
}

/** Whether it generates a box out of the flow. @param {Element} element */
const placesGenerated = (element) =>
  ["::before", "::after"].some((side) => {
    const { content, position } = getComputedStyle(element, side);
    return content !== "none" && (position === "absolute" || position === "fixed");
  });

/**
 * @param {Places} places
 * @returns {Set<Element>} elements, read or not, that may paint where text was read
 */
function paintersNear(places) {
  const { all, boxes, rings, generated } = suspectPainters();
  const found = new Set();
  const candidates = namedBy([...boxes, ...rings], all);
  const ringed = namedBy(rings, all);
  for (const { effect } of getAnimations.call(document).map((animation) => ({ effect: effectOf.call(animation) }))) {
    const target = effect instanceof KeyframeEffect ? effectTarget.call(effect) : null;
    if (target) candidates.add(target);
  }
  for (const element of inShadow()) {
    candidates.add(element);
    ringed.add(element);
  }
  for (const element of candidates) {
    // A column paints behind cells, which are not in it.
    if (/^col(group)?$/.test(localName.call(element))) {
      for (const cell of querySelectorAll.call(closest.call(element, "table") ?? element, "td, th")) candidates.add(cell);
    }
    const box = getBoundingClientRect.call(element);
    const empty = box.width < 1 || box.height < 1;
    if (!empty && places.meet(box)) found.add(element);
    else if (ringed.has(element) && checkVisibility.call(element) && places.meet(grown(box, reachOf(element)))) found.add(element);
  }
  // What a modal dialog puts before the page is larger than the dialog.
  for (const dialog of Document.prototype.querySelectorAll.call(document, "dialog:modal")) found.add(dialog);
  let asks = MOST_ASKED;
  for (const element of namedBy(generated, all)) if ((!all || asks-- > 0) && placesGenerated(element)) found.add(element);
  return found;
}

/** @returns {Set<Element>} all in shadow roots, their hosts, and what these hold */
function inShadow() {
  const found = new Set();
  for (const host of hosts) {
    const root = shadowOf(host);
    if (!root) continue;
    found.add(host);
    for (const element of DocumentFragment.prototype.querySelectorAll.call(root, "*")) {
      found.add(element);
      if (shadowOf(element)) hosts.add(element); // which is then looked at, too
    }
    for (let child = firstElementChild.call(host); child; child = nextElementSibling.call(child)) found.add(child);
  }
  return found;
}

/**
 * Judge the boxes of what was not read that lie where text was, so that they are known when overlaps are judged.
 *
 * @param {Capture} capture
 * @param {Gap[]} gaps
 */
function probeGaps(capture, gaps) {
  /** @type {Map<Node, Gap>} */
  const gapOf = new Map();
  for (const gap of gaps) for (const node of gap.nodes) gapOf.set(node, gap);
  /** @type {Map<Element, Level | null>} */
  const levels = new Map();
  const steps = new Map();
  const chains = [];
  for (const element of paintersNear(new Places(capture.runs))) {
    const chain = [element];
    let at = element;
    while (!gapOf.has(at)) {
      at = /** @type {any} */ (aroundOf(at));
      if (!at) break;
      chain.push(at);
    }
    if (at) chains.push(chain.reverse());
  }
  chains.sort((a, b) => (compareDocumentPosition.call(a[a.length - 1], b[b.length - 1]) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  for (const chain of chains) {
    const gap = /** @type {Gap} */ (gapOf.get(chain[0]));
    let above = /** @type {Level | null} */ (gap.level);
    for (const element of chain) {
      let level = levels.get(element);
      if (level === undefined) {
        const step = Math.min((steps.get(gap) ?? 0) + 1, gap.count);
        steps.set(gap, step);
        level = probe(capture, element, /** @type {Level} */ (above), gap.order + step);
        levels.set(element, level);
      }
      if (!level) break;
      above = level;
    }
    for (let level = above; level && level !== gap.level; level = level.above) {
      level.last = Math.max(level.last, gap.order + (steps.get(gap) ?? 0));
    }
  }
}

/**
 * Judge one element as the walk would, with no copy of it.
 *
 * @param {Capture} capture
 * @param {Element} original
 * @param {Level} above
 * @param {number} order
 * @returns {Level | null} null when nothing inside paints
 */
function probe(capture, original, above, order) {
  const tag = localName.call(original);
  if (NEVER.has(tag) || tag === "noscript" || above.tag === "select") return null;
  const aside = make("i");
  const level = levelOf(original, aside, tag, above, order);
  if (namespaceURI.call(original) !== XHTML) {
    if (tag === "svg" && !level.mode && checkVisibility.call(original)) {
      level.painter = { colour: null, picture: tag };
      capture.painters.push(level);
    }
    return null;
  }
  if (capture.judge(level)) return null;
  if (tag === "table") for (const group of querySelectorAll.call(original, "colgroup")) noteColumns(level, group);
  level.foldText = tag === "details" && !hasAttribute.call(original, "open") ? "details" : "";
  if (!level.mode && ATOMS.has(tag)) {
    const { length } = capture.runs;
    judgeAtom(capture, level, aside);
    capture.runs.length = length;
  }
  const sides = !level.mode && level.shown ? mayGenerate(capture.hints, level) : 0;
  if (sides) generate(capture, level, sides);
  return level;
}
