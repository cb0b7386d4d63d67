/**
 * The capture: one walk over the composed tree, original and inert copy side by side, that leaves out what
 * can never be seen, annotates what only a browser knows, and is serialised natively at the end.
 *
 * The files beside this one stand before it in one function scope; `driver.js` comes after it.
 */

/**
 * @typedef {object} Options
 * @property {Record<string, any>} rules the parsed `nesting.json`
 * @property {number} maxNodes
 * @property {string} frameKey prefix of the keys of frames
 * @property {boolean} scripts whether scripts may run in the page
 */

/**
 * @typedef {object} Level an element whose children are being walked
 * @property {Element} original
 * @property {Element} copy where its children stand
 * @property {Node | null} next original child to come, when children are siblings
 * @property {Node | null} nextCopy
 * @property {[Node, Node][] | null} pairs children to come, when a slot or shadow root sets them
 * @property {number} at
 * @property {string} name
 * @property {string} tag
 * @property {string} rename final name, when it differs
 * @property {number} bits
 * @property {CSSStyleDeclaration | null} style
 * @property {Paint} paint
 * @property {string} mode "" | "collapsed" | "sr_only"
 * @property {string | null} textVerdict
 * @property {string} fold kind of collapsed content in direct text
 * @property {boolean} shadow inside a shadow tree
 * @property {Map<Node, Node> | null} light children of a host that no slot has taken yet
 * @property {number} depth
 * @property {boolean} unwrapped
 * @property {boolean} pre white space is preserved
 */

const NEVER = new Set(["script", "style", "template", "link", "base", "noembed", "noframes", "param", "source",
  "track", "col", "colgroup"]);
const BLOCKS = new Set(("address article aside blockquote body center dd details dialog dir div dl dt fieldset " +
  "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu " +
  "nav ol optgroup option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp caption")
  .split(" "));
const PRESERVED = new Set(["pre", "textarea", "listing", "xmp", "plaintext"]);
const KEEPS_SPACE = /^(?:preserve|break-spaces)$/;
const WORD = /\S/;

/** Composed text of what is hidden. @param {Node} root @param {Capture} capture @returns {string} */
function composedText(root, capture) {
  const parts = [];
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    if (typeof node === "string") {
      parts.push(node);
      continue;
    }
    const type = nodeType.call(node);
    if (type === TEXT_NODE) parts.push(dataOf.call(node));
    if (type !== ELEMENT_NODE) continue;
    const tag = localName.call(node);
    if (NEVER.has(tag) || (tag === "noscript" && capture.scripts)) {
      capture.drop(tag, pointsOf(textContent.call(node)));
      continue;
    }
    if (tag === "textarea" || tag === "input" || tag === "iframe") continue;
    const children = [];
    const assigned = tag === "slot" ? assignedNodes.call(node) : [];
    const from = shadowOf(node) ?? node;
    if (assigned.length) children.push(...assigned);
    else for (let c = firstChild.call(from); c; c = nextSibling.call(c)) children.push(c);
    for (const child of children) capture.slotted.add(child);
    if (BLOCKS.has(tag)) stack.push("\n");
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
    if (BLOCKS.has(tag)) stack.push("\n");
  }
  return parts.join("").replace(/\s+/g, " ").trim();
}

class Capture {
  /** @param {Options} options */
  constructor(options) {
    this.rules = rulesOf(options.rules);
    this.maxNodes = options.maxNodes;
    this.frameKey = options.frameKey;
    this.scripts = options.scripts;
    /** @type {Element[]} */
    this.frames = [];
    /** @type {Record<string, number>} */
    this.dropped = {};
    this.record = { lazy: 0 };
    this.nodes = 0;
    this.capped = false;
    this.deep = 0;
    this.jsonLd = [];
    this.slotted = new Set();
    /** @type {Level[]} */
    this.stack = [];
    const scroller = scrollingElementOf.call(document) ?? pageRoot();
    const width = clientWidthOf.call(scroller);
    const backwards = getComputedStyle(pageRoot()).direction === "rtl";
    const scrollable = Element.prototype;
    const full = getterOf(scrollable, "scrollWidth").call(scroller);
    const tall = getterOf(scrollable, "scrollHeight").call(scroller);
    this.size = [full, tall];
    this.limits = { left: backwards ? width - full : 0, top: 0, bottom: 200_000 };
  }

  /** @param {string} tag @param {number} chars */
  drop(tag, chars) {
    this.dropped[tag] = (this.dropped[tag] ?? 0) + chars;
  }

  /** @returns {Element} the annotated copy of the body */
  run() {
    const body = bodyOf.call(document) ?? pageRoot();
    const copy = importNode.call(inert, body, true);
    const holder = make("div");
    appendChild.call(holder, copy);
    const paint = {
      opacity: 1, scale: 1, ground: canvasColour(), provider: pageRoot(), clipText: false,
      fixed: false, loose: false, x: scrollX, y: scrollY,
    };
    const style = getComputedStyle(body);
    const top = this.open(body, copy, "body", localName.call(body), 0, null, style, paintOf(style, paint, body, style.position, false), "");
    keepAttributes(copy);
    if (!checkVisibility.call(body) && style.display !== "contents") top.mode = "collapsed";
    this.fill(top, false);
    this.stack.push(top);
    while (this.stack.length) this.step(this.stack[this.stack.length - 1]);
    const done = /** @type {Element} */ (firstChild.call(holder));
    return localName.call(done) === "body" ? done : rename(done, "body", localName.call(done));
  }

  /** @param {Level} level */
  step(level) {
    let original;
    let copy;
    if (level.pairs) {
      [original, copy] = level.pairs[level.at++] ?? [null, null];
    } else {
      original = level.next;
      copy = level.nextCopy;
      if (original) {
        level.next = nextSibling.call(original);
        level.nextCopy = level.next ? nextSibling.call(copy) : null;
      }
    }
    if (!original) {
      this.close(level);
      this.stack.pop();
      return;
    }
    if (this.capped || ++this.nodes > this.maxNodes) {
      this.capped = true;
      remove(copy);
      return;
    }
    const type = nodeType.call(original);
    if (type === TEXT_NODE) this.text(level, original, copy);
    else if (type === ELEMENT_NODE) this.element(level, original, copy);
    else {
      if (type === 8) this.drop("comment", pointsOf(dataOf.call(original)));
      remove(copy);
    }
  }

  /** @param {Level} level @param {Node} original @param {Node} copy */
  text(level, original, copy) {
    const data = dataOf.call(original);
    if (!WORD.test(data)) return;
    if (TABLE_FRAME.has(level.name)) wrapInCell(copy, level.name);
    if (level.name === "select" || level.name === "optgroup") return;
    if (level.fold) {
      const shell = make("span", { "data-pf-c": level.fold });
      replace(copy, shell);
      appendChild.call(shell, copy);
      return;
    }
    if (level.mode || level.textVerdict || !level.style) return;
    if (level.textVerdict === "") return;
    level.textVerdict = textReason(level.original, original, level.style, level.paint, this.limits);
    if (level.textVerdict) this.hideText(level, level.textVerdict);
  }

  /** @param {Level} level @param {string} reason */
  hideText(level, reason) {
    const kind = collapsedKind(level.original);
    if (level.unwrapped) return;
    setAttribute.call(level.copy, kind ? "data-pf-c" : "data-pf-t", kind || reason);
  }

  /** @param {Level} level @param {Element} original @param {Element} copy */
  element(level, original, copy) {
    const tag = localName.call(original);
    if (NEVER.has(tag) || (tag === "noscript" && this.scripts)) return this.never(original, copy, tag);
    if (tag === "meta" && !hasAttribute.call(original, "itemprop")) return remove(copy);
    if (namespaceURI.call(original) !== XHTML) return this.foreign(level, original, copy, tag);
    const style = getComputedStyle(original);
    let mode = level.mode;
    let fold = "";
    if (level.name === "select" || level.name === "optgroup") {
      // Choices of a closed list have no box; they are one click away and part of the control.
      return this.place(level, original, copy, tag, {
        style, paint: level.paint, mode, fold, label: "", shown: false, position: "static",
      });
    }
    const shown = checkVisibility.call(original);
    if (mode !== "collapsed") {
      if (!shown && style.display !== "contents") {
        const reason = style.display === "none" ? "display" : "content_visibility";
        fold = level.fold || collapsedKind(original);
        if (!fold) return this.hide(level, original, copy, tag, reason);
        mode = "collapsed";
      }
    } else if (style.display === "none" && !collapsedKind(original)) {
      return this.hide(level, original, copy, tag, "display");
    }
    if (!mode && getAttribute.call(original, "hidden") === "until-found") {
      fold = "until_found";
      mode = "collapsed";
    }
    const position = style.position;
    const shut = style.overflow !== "visible";
    const paint =
      mode === "collapsed" ? level.paint : paintOf(style, level.paint, original, position, shut);
    let label = "";
    if (!mode) {
      const reason = boxReason(original, style, paint, position, shut);
      if (reason === "sr_only") {
        label = reason;
        mode = "sr_only";
      } else if (reason) {
        fold = collapsedKind(original);
        if (!fold) return this.hide(level, original, copy, tag, reason);
        mode = "collapsed";
      }
    }
    this.place(level, original, copy, tag, { style, paint, mode, fold, label, shown, position, shut });
  }

  /**
   * @param {Level} level
   * @param {Element} original
   * @param {Element} copy
   * @param {string} tag
   * @param {{style: CSSStyleDeclaration, paint: Paint, mode: string, fold: string, label: string, shown: boolean,
   *   position: string, shut?: boolean}} facts
   */
  place(level, original, copy, tag, facts) {
    const { style, paint, mode, fold } = facts;
    const typeset = typesetOf(original);
    if (typeset !== undefined) return this.settle(level, copy, typeset, fold);
    if (this.atom(level, original, copy, tag, style, mode, fold)) return;
    const name = nameFor(this.rules, original, tag, level.bits, level.name);
    keepAttributes(copy);
    resolveAddress(original, copy, tag);
    if (tag === "option") flag(copy, "selected", optionSelected.call(original));
    if (fold) setAttribute.call(copy, "data-pf-c", fold);
    const pre = this.annotate(original, copy, tag, facts, level.pre);
    if (TABLE_FRAME.has(level.name) && !this.rules.tableParts.has(name)) {
      if (!firstChild.call(copy) && !shadowOf(original)) return remove(copy);
      wrapInCell(copy, level.name);
    }
    if (this.rules.empty.has(name)) {
      clear(copy);
      if (name !== tag) rename(copy, name, tag);
      if (this.rules.closers.has(name)) this.closeParagraphs();
      return;
    }
    const child = this.open(original, copy, name, tag, level.bits, level, style, paint, mode);
    child.pre = pre;
    if (this.rules.closers.has(name)) this.closeParagraphs();
    child.fold = this.foldInside(original, tag);
    this.fill(child, level.shadow);
    this.stack.push(child);
  }

  /** Closed details hide all but their summary. @param {Element} original @param {string} tag */
  foldInside(original, tag) {
    return tag === "details" && !hasAttribute.call(original, "open") ? "details" : "";
  }

  closeParagraphs() {
    for (const level of this.stack) if (level.name === "p") level.rename = "div";
  }

  /** @returns {Level} */
  open(original, copy, name, tag, bits, above, style, paint, mode) {
    return {
      original, copy, next: null, nextCopy: null, pairs: null, at: 0, name, tag,
      rename: name === tag ? "" : name,
      bits: bitsInside(this.rules, bits, name, tag),
      style, paint, mode,
      textVerdict: null, fold: "", shadow: false, light: null,
      depth: above ? above.depth + (above.unwrapped ? 0 : 1) : 2,
      unwrapped: false, pre: false,
    };
  }

  /**
   * Set out the children that are rendered: of the shadow root, of the slot, or its own.
   *
   * @param {Level} level
   * @param {boolean} inShadow
   */
  fill(level, inShadow) {
    const { original, copy, tag } = level;
    const shadow = shadowOf(original);
    level.shadow = inShadow || shadow !== null;
    if (shadow) this.fillHost(level, shadow);
    else if (tag === "slot" && inShadow && this.fillSlot(level)) return this.flatten(level);
    else {
      level.next = firstChild.call(original);
      level.nextCopy = firstChild.call(copy);
      if (tag === "pre" || tag === "listing") this.guardLineFeed(level);
    }
    this.flatten(level);
  }

  /** A parser drops the first line feed in a `pre`: an empty comment stands before it. */
  guardLineFeed(/** @type {Level} */ level) {
    const first = level.nextCopy;
    if (first && nodeType.call(first) === TEXT_NODE && /^[\r\n]/.test(dataOf.call(first))) {
      insertBefore.call(level.copy, createComment.call(inert, ""), first);
    }
  }

  /** @param {Level} level @param {ShadowRoot} shadow */
  fillHost(level, shadow) {
    level.light = new Map();
    let copy = firstChild.call(level.copy);
    for (let child = firstChild.call(level.original); child; child = nextSibling.call(child)) {
      const next = copy && nextSibling.call(copy);
      if (copy) level.light.set(child, copy);
      copy = next;
    }
    for (const child of level.light.values()) remove(child);
    level.pairs = [];
    for (let child = firstChild.call(shadow); child; child = nextSibling.call(child)) {
      const imported = importNode.call(inert, child, true);
      appendChild.call(level.copy, imported);
      level.pairs.push([child, imported]);
    }
    setAttribute.call(level.copy, "data-pf-shadow", closedRoots.has(level.original) ? "closed" : "open");
  }

  /** @param {Level} level @returns {boolean} whether something is assigned to the slot */
  fillSlot(level) {
    const assigned = assignedNodes.call(level.original);
    if (!assigned.length) return false;
    clear(level.copy);
    level.pairs = [];
    for (const node of assigned) {
      const copy = this.takeLight(node);
      if (!copy) continue;
      appendChild.call(level.copy, copy);
      level.pairs.push([node, copy]);
    }
    return true;
  }

  /** @param {Node} node @returns {Node | undefined} */
  takeLight(node) {
    for (let i = this.stack.length - 1; i >= 0; i--) {
      const copy = this.stack[i].light?.get(node);
      if (copy) {
        this.stack[i].light?.delete(node);
        return copy;
      }
    }
    return undefined;
  }

  /** Past the deepest level, children move up beside their parent. @param {Level} level */
  flatten(level) {
    if (level.depth < this.rules.depth) return;
    this.deep++;
    const parent = parentNode.call(level.copy);
    insertBefore.call(parent, createTextNode.call(inert, "\n"), level.copy);
    for (let child = firstChild.call(level.copy); child; child = firstChild.call(level.copy)) {
      insertBefore.call(parent, child, level.copy);
    }
    removeChild.call(parent, level.copy);
    const above = this.stack[this.stack.length - 1];
    level.copy = parent;
    level.unwrapped = true;
    level.name = above.name;
    level.rename = "";
    level.bits = above.bits;
  }

  /** @param {Level} level */
  close(level) {
    if (level.light && level.light.size) this.reportUnslotted(level);
    if (level.rename && !level.unwrapped) {
      rename(level.copy, level.rename, level.tag.startsWith("pf-") ? "" : level.tag);
    }
  }

  /** @param {Level} level */
  reportUnslotted(level) {
    const left = [...level.light.keys()].filter((node) => !this.slotted.has(node));
    const text = left.map((node) => composedText(node, this)).filter(Boolean).join(" ");
    if (text) appendChild.call(level.copy, make("span", { "data-pf-h": "not_slotted" }, text));
  }

  /** @param {Element} original @param {Element} copy @param {string} tag */
  never(original, copy, tag) {
    const type = tag === "script" ? (getAttribute.call(original, "type") ?? "") : "";
    const text = textContent.call(original);
    if (type === "application/ld+json") this.jsonLd.push(text);
    if (/^math\/tex/.test(type) && PLAIN_PLACE.has(localName.call(parentNode.call(copy)))) {
      const tex = text.trim();
      return replace(copy, make("span", { "data-pf-tag": "math", "data-pf-tex": tex }, tex));
    }
    if (tag === "template") this.drop(tag, templateChars(original));
    else if (text || tag === "noscript") this.drop(tag, pointsOf(text));
    remove(copy);
  }

  /** Elements of other vocabularies: drawings and formulas. */
  foreign(level, original, copy, tag) {
    const shown = checkVisibility.call(original) || level.mode === "collapsed";
    if (tag === "svg") {
      const drawing = shown ? drawingOf(original, (name, chars) => this.drop(name, chars)) : null;
      return this.settle(level, copy, drawing, "");
    }
    if (tag === "math") return this.settle(level, copy, shown ? formulaOf(original) : null, "");
    const text = composedText(original, this);
    this.settle(level, copy, text ? make("span", { "data-pf-tag": "span" }, text) : null, "");
  }

  /** Put an atom in the place of a copy. */
  settle(level, copy, atom, fold) {
    if (!atom) return remove(copy);
    if (fold) setAttribute.call(atom, "data-pf-c", fold);
    replace(copy, atom);
    if (TABLE_FRAME.has(level.name)) wrapInCell(atom, level.name);
  }

  /** @returns {boolean} whether the element was an atom, now in its final form */
  atom(level, original, copy, tag, style, mode, fold) {
    const unseen = !mode && style.visibility !== "visible";
    const done = (/** @type {Element | null} */ atom) => {
      if (atom && unseen) setAttribute.call(atom, "data-pf-h", "visibility");
      this.settle(level, copy, atom, fold);
      return true;
    };
    const inPlace = () => {
      keepAttributes(copy);
      if (unseen) setAttribute.call(copy, "data-pf-h", "visibility");
      if (fold) setAttribute.call(copy, "data-pf-c", fold);
      if (TABLE_FRAME.has(level.name)) wrapInCell(copy, level.name);
      return true;
    };
    if (tag === "img") {
      keepImage(original, copy, this.record);
      return inPlace();
    }
    if (tag === "iframe" || tag === "frame") return done(this.frame(original));
    if (tag === "canvas" || tag === "video" || tag === "audio") return done(mediaOf(original, tag));
    if (tag === "input") return keepInput(original, copy) ? inPlace() : done(null);
    if (tag === "textarea") {
      keepTextarea(original, copy);
      return inPlace();
    }
    return false;
  }

  /** @param {Element} original @returns {Element} */
  frame(original) {
    const key = `${this.frameKey}${this.frames.length}`;
    this.frames.push(original);
    const attributes = { "data-pf-key": key };
    const title = getAttribute.call(original, "title");
    if (title) attributes.title = title;
    return make("pf-frame", attributes);
  }

  /** Nothing inside is visible: only its text is kept. */
  hide(level, original, copy, tag, reason) {
    const text = composedText(original, this);
    if (!text) return remove(copy);
    let name = nameFor(this.rules, original, tag, level.bits, level.name);
    const holder = !BLOCKS.has(name) || this.rules.closers.has(name) ? "span" : name;
    name = TABLE_FRAME.has(name) || name === "select" ? "div" : holder;
    if (this.rules.closers.has(name)) name = "span";
    const kept = make(name, { "data-pf-h": reason }, text);
    replace(copy, kept);
    if (TABLE_FRAME.has(level.name) && !CELLS.has(name)) {
      if (!(name === "caption")) wrapInCell(kept, level.name);
    }
  }

  /** @returns {boolean} whether white space is preserved inside */
  annotate(original, copy, tag, { style, paint, label, shown, position, shut }, preAbove) {
    const labels = [];
    if (label) labels.push(label);
    if (hasAttributes.call(original)) {
      if (getAttribute.call(original, "aria-hidden") === "true") labels.push("aria_hidden");
      if (hasAttribute.call(original, "inert")) labels.push("inert");
    }
    if (labels.length) setAttribute.call(copy, "data-pf-l", labels.join(" "));
    const display = style.display;
    const inline = display.startsWith("inline");
    if (tag === "option" || tag === "optgroup") return preAbove;
    const byDefault = !BLOCKS.has(tag);
    if (inline !== byDefault && !(tag === "slot" && display === "contents") && display !== "none") {
      setAttribute.call(copy, "data-pf-d", display.includes(" ") ? display.split(" ")[0] : display);
    }
    const keeps = KEEPS_SPACE.test(style.whiteSpaceCollapse);
    const before = preAbove || PRESERVED.has(tag);
    if (keeps !== before) setAttribute.call(copy, "data-pf-pre", keeps ? "1" : "0");
    if (!shown) return keeps;
    const more = shut ? moreIn(original, style.overflow) : "";
    if (more) setAttribute.call(copy, "data-pf-more", more);
    if (position === "fixed" || position === "sticky") setAttribute.call(copy, "data-pf-pos", position);
    if (!inline && (firstElementChild.call(original) || shadowOf(original))) {
      const box = getBoundingClientRect.call(original);
      const at = [box.left + paint.x, box.top + paint.y, box.width, box.height].map(Math.round);
      setAttribute.call(copy, "data-pf-box", at.join(","));
    }
    return keeps;
  }
}

const PLAIN_PLACE = new Set(["p", "div", "span", "li", "td", "main", "section", "article", "body", "b", "i", "em"]);
const templateContent = getterOf(HTMLTemplateElement.prototype, "content");

/** @param {Element} template @returns {number} */
const templateChars = (template) => pointsOf(textContent.call(templateContent.call(template)) ?? "");

/** @returns {number[] | null} what the page is painted on */
function canvasColour() {
  const root = pageRoot();
  for (const element of [root, bodyOf.call(document)]) {
    if (!element) continue;
    const style = getComputedStyle(element);
    if (style.backgroundImage !== "none") return null;
    const colour = colourOf(style.backgroundColor);
    if (colour === null || colour[3] > 0.99) return colour;
  }
  const scheme = getComputedStyle(root).colorScheme;
  return scheme.includes("dark") ? null : [255, 255, 255, 1];
}
