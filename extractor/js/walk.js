/**
 * The walk: once over the composed tree, original and inert copy side by side. It leaves out what can never
 * be seen, annotates what only a browser knows, and collects what can be judged at the end alone.
 *
 * The files beside this one stand before it in one function scope; `driver.js` comes after it.
 */

/**
 * @typedef {object} Options
 * @property {Record<string, any>} rules the parsed `nesting.json`
 * @property {number} maxNodes
 * @property {number} maxAttributes of one element: finding one takes a look at all before it
 * @property {number} maxChars of the result
 * @property {string} frameKey prefix of the keys of frames
 * @property {boolean} scripts whether scripts may run in the page
 * @property {boolean} [places] whether every element that is shown says where: a picture is taken, too
 * @property {Reach | null} [reach] how far a very large page is read; as a whole where there is none
 */

class Capture {
  /** @param {Options} options */
  constructor(options) {
    this.rules = rulesOf(options.rules);
    this.maxNodes = options.maxNodes;
    this.maxAttributes = options.maxAttributes;
    this.frameKey = options.frameKey;
    this.scripts = options.scripts;
    this.places = options.places === true;
    /** @type {Element[]} */
    this.frames = [];
    /** @type {Record<string, number>} */
    this.dropped = {};
    this.record = { lazy: 0 };
    this.nodes = 0;
    /** nodes past the cap */
    this.truncated = 0;
    /** attributes past the cap */
    this.attributes = 0;
    this.deep = 0;
    this.slotted = new Set();
    /** @type {Level[]} */
    this.stack = [];
    /** @type {Run[]} text and atoms that are visible as far as is known */
    this.runs = [];
    /** @type {Level[]} elements with text of their own */
    this.holders = [];
    /** @type {Level[]} elements that paint a box */
    this.painters = [];
    this.hints = readHints();
    findTraits();
    const scroller = scrollingElementOf.call(document) ?? pageRoot();
    this.size = [scrollWidthOf.call(scroller), scrollHeightOf.call(scroller)];
  }

  /** @param {string} tag @param {number} chars */
  drop(tag, chars) {
    this.dropped[tag] = (this.dropped[tag] ?? 0) + chars;
  }

  /** @returns {Element} the annotated copy of the body */
  run() {
    const body = bodyOf.call(document) ?? pageRoot();
    const copy = this.copied(body);
    const holder = make("div");
    appendChild.call(holder, copy);
    const top = levelOf(body, copy, localName.call(body), null, 0);
    top.name = "body";
    top.paint = paintOf(top, canvasPaint());
    if (top.painter) this.painters.push(top);
    top.bits = bitsInside(this.rules, 0, "body", top.tag);
    if (!checkVisibility.call(body) && top.display !== "contents") top.mode = "collapsed";
    top.copy = keepAttributes(this, copy);
    fill(this, top);
    this.stack.push(top);
    while (this.stack.length) this.step(this.stack[this.stack.length - 1]);
    this.beforeOverlaps();
    judgeOverlaps(this);
    markRuns(this);
    const done = /** @type {Element} */ (firstChild.call(holder));
    return localName.call(done) === "body" ? done : rename(done, "body", localName.call(done));
  }

  /** @param {Node} node @returns {Node} its copy, with all that is read of it without being chosen */
  copied(node) {
    return importNode.call(inert, node, true);
  }

  /** @param {Level} _level @returns {boolean} whether its children were chosen, and are in its pairs */
  fills(_level) {
    return false;
  }

  /** What there is to do once all was walked, and before boxes are held against each other. */
  beforeOverlaps() {}

  /** @param {Level} level */
  step(level) {
    let { next: original, nextCopy: copy } = level;
    if (level.pairs) [original, copy] = level.pairs[level.at++] ?? [null, null];
    else if (original) {
      level.next = nextSibling.call(original);
      level.nextCopy = level.next ? nextSibling.call(copy) : null;
    }
    if (!original) {
      this.close(level);
      this.stack.pop();
      return;
    }
    if (this.nodes >= this.maxNodes) {
      this.truncated += 1 + nodesIn(original);
      remove(copy);
      return;
    }
    this.nodes++;
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
    if (!WORD.test(dataOf.call(original))) return;
    if (TABLE_FRAME.has(level.name)) wrapInCell(copy, level.name);
    if (level.name === "select" || level.name === "optgroup") return;
    if (level.foldText) {
      const shell = make("span", { "data-pf-c": level.foldText });
      replace(copy, shell);
      appendChild.call(shell, copy);
    } else if (!level.mode) judgeText(this, level, original, copy);
  }

  /** @param {Level} above @param {Element} original @param {Element} copy */
  element(above, original, copy) {
    const tag = localName.call(original);
    if (NEVER.has(tag) || (tag === "noscript" && this.scripts)) {
      if (tag === "colgroup" && above.tag === "table") noteColumns(above, original);
      return leaveOut(this, original, copy, tag);
    }
    if (tag === "meta" && !hasAttribute.call(original, "itemprop")) return remove(copy);
    const level = levelOf(original, copy, tag, above, this.nodes);
    if (namespaceURI.call(original) !== XHTML) return settleForeign(this, level);
    if (above.name === "select" || above.name === "optgroup") {
      // Choices of a closed list have no box; they are one click away and part of the control.
      level.shown = false;
      return tag === "option" && level.display === "none" ? hide(this, level, "display") : this.place(level);
    }
    const reason = this.judge(level);
    if (reason) hide(this, level, reason);
    else this.place(level);
  }

  /** @param {Level} level @returns {string} why nothing inside can be seen; its mode is set otherwise */
  judge(level) {
    const { original, display, position, tag, above } = level;
    level.shown = checkVisibility.call(original);
    if (level.mode === "collapsed") {
      return display === "none" && !collapsedKind(original) ? "display" : "";
    }
    if (!level.shown && display !== "contents") {
      level.fold = (display !== "none" && above?.foldText) || collapsedKind(original);
      if (!level.fold) return display === "none" ? "display" : "content_visibility";
    } else if (!level.shown && above?.foldText) level.fold = above.foldText;
    else if (!level.mode && getAttribute.call(original, "hidden") === "until-found") level.fold = "until_found";
    if (level.fold) {
      level.mode = "collapsed";
      return "";
    }
    level.paint = paintOf(level, level.paint);
    if (level.mode) return "";
    const reason = level.paint === above?.paint ? "" : boxReason(level);
    if (reason === "sr_only") level.mode = level.label = reason;
    else if (reason) {
      level.fold = collapsedKind(original) || (this.scripts && isRevealed(original) ? "reveal" : "");
      if (!level.fold) return reason;
      level.mode = "collapsed";
    } else if (level.paint.flow !== above?.paint.flow && isEmpty(level.paint.flow)) {
      level.fold = collapsedKind(original);
      if (level.fold) level.mode = "collapsed";
    }
    if (hasColumns && CELLS.has(tag)) {
      const column = columnOf(level);
      if (column?.gone) return "visibility";
      if (column) layColumn(level, column.ground);
    }
    if (level.painter && level.style.visibility === "visible") this.painters.push(level);
    if ((position === "absolute" || position === "fixed") && level.style.visibility === "visible") {
      paintRings(this, level);
      if (tag === "dialog" && isTopLayer(original) && matches.call(original, ":modal")) paintBackdrop(this, level);
    }
    return "";
  }

  /** @param {Level} level */
  place(level) {
    const { original, tag } = level;
    const above = /** @type {Level} */ (level.above);
    const typeset = typesetOf(original);
    if (typeset !== undefined) return putAtom(level, typeset);
    if (settleAtom(this, level)) return;
    const name = nameFor(this.rules, original, tag, above.bits, above.name);
    const copy = (level.copy = keepAttributes(this, level.copy));
    resolveAddress(original, copy, tag);
    if (tag === "option") flag(copy, "selected", optionSelected.call(original));
    annotate(level, this.places);
    if (tag === "li") numberItem(level);
    const sides = !level.mode && level.shown ? mayGenerate(this.hints, level) : 0;
    if (sides) generate(this, level, sides);
    if (TABLE_FRAME.has(above.name) && !this.rules.tableParts.has(name)) {
      if (!firstChild.call(original) && !shadowOf(original)) return remove(copy);
      wrapInCell(copy, above.name);
    }
    if (above.bits & IN_P && this.rules.closers.has(name)) this.closeParagraphs();
    if (this.rules.empty.has(name)) {
      clear(copy);
      if (name !== tag) rename(copy, name, tag);
      return;
    }
    level.name = name;
    level.rename = name === tag ? "" : name;
    level.bits = bitsInside(this.rules, above.bits, name, tag);
    // Closed details hide all but their summary.
    level.foldText = tag === "details" && !hasAttribute.call(original, "open") ? "details" : "";
    fill(this, level);
    this.stack.push(level);
  }

  closeParagraphs() {
    for (const level of this.stack) if (level.name === "p") level.rename = "div";
  }

  /** @param {Level} level */
  close(level) {
    level.last = this.nodes;
    if (level.after) level.after.order = level.after.last = this.nodes + 0.75;
    if (level.light && level.light.size) reportUnslotted(this, level);
    if (level.rename && !level.unwrapped) {
      level.copy = rename(level.copy, level.rename, level.tag.startsWith("pf-") ? "" : level.tag);
    }
  }
}
