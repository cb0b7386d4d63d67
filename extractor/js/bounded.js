/**
 * The walk over a very large page of which only so much is wanted: the parts of it that are worth most are read, and
 * judged by the same rules as ever; of the others only boxes that may lie before or behind what was read. In place
 * of what was not read stands how much it is.
 */

/**
 * @typedef {object} Reach
 * @property {number} elements a document with no more of them is read as a whole
 * @property {number} room characters of text that are wanted, with what markup costs
 * @property {string} query what the reader is after
 */

class BoundedCapture extends Capture {
  /** @param {Options} options @param {Reach} reach */
  constructor(options, reach) {
    super(options);
    // What is past the cap was taken out of the page before.
    this.maxNodes = Infinity;
    /** elements that were not read, and places in the walk that were kept free for them */
    this.unread = 0;
    this.passed = 0;
    const body = bodyOf.call(document);
    this.shares = new Shares(body, reach);
    /** @type {Map<Node, number>} room of what is read in part */
    this.rooms = new Map([[body, reach.room]]);
    /** @type {Gap[]} */
    this.gaps = [];
  }

  /** @param {Node} node @returns {Node} */
  copied(node) {
    return importNode.call(inert, node, !this.rooms.has(node));
  }

  /** @param {Level} level @returns {boolean} whether its children are chosen here */
  fills(level) {
    const room = this.rooms.get(level.original);
    if (room === undefined) return false;
    const pairs = /** @type {any[]} */ ([]);
    /** @type {Gap | null} */
    let gap = null;
    let read = 0;
    // A row stays a row: where a cell is not read, its place stays.
    const row = level.tag === "tr";
    for (const { node, chars, size, share } of this.shares.among(level.original, room)) {
      if (share === 0 && row && nodeType.call(node) === ELEMENT_NODE) this.rooms.set(node, 0);
      else if (share === 0) {
        if (!gap) pairs.push([null, null, (gap = this.gapIn(level))]);
        gap.nodes.push(node);
        gap.chars += chars;
        continue;
      } else if (share !== WHOLE) this.rooms.set(node, share);
      // White space and scripts between what is not read part nothing.
      if (size > 0) gap = null;
      else if (gap && nodeType.call(node) !== ELEMENT_NODE) continue;
      if (nodeType.call(node) === ELEMENT_NODE) read += 1 + elementsIn(node);
      const copy = this.copied(node);
      appendChild.call(level.copy, copy);
      pairs.push([node, copy]);
    }
    if (this.gaps.at(-1)?.level === level) this.leave(level, elementsIn(level.original) - read);
    level.pairs = pairs;
    level.nextCopy = firstChild.call(level.copy);
    if (level.tag === "pre" || level.tag === "listing") guardLineFeed(level);
    return true;
  }

  /** @param {Level} level with gaps, the last ones so far @param {number} count elements in them */
  leave(level, count) {
    this.unread += count;
    for (let at = this.gaps.length - 1; this.gaps[at]?.level === level; at--) this.gaps[at].count = count;
  }

  /** @param {Level} level @returns {Gap} */
  gapIn(level) {
    const marker = make("pf-left");
    appendChild.call(level.copy, marker);
    const gap = { level, marker, nodes: [], order: 0, count: 0, chars: 0 };
    this.gaps.push(gap);
    return gap;
  }

  /** @param {Level} level */
  step(level) {
    const gap = /** @type {any} */ (level.pairs?.[level.at])?.[2];
    if (!gap) return super.step(level);
    level.at++;
    gap.order = this.nodes;
    this.nodes += gap.count + 1;
    this.passed += gap.count + 1;
    skipItems(level, gap);
    setAttribute.call(gap.marker, "data-pf-left", `${gap.chars} ${gap.nodes.length}`);
    if (TABLE_FRAME.has(level.name)) wrapInCell(gap.marker, level.name);
  }

  beforeOverlaps() {
    if (this.gaps.length) probeGaps(this, this.gaps);
  }

  /** @param {Level} level */
  place(level) {
    super.place(level);
    // After items that were not read, the number of the next one would not be known.
    if (level.tag !== "li" || level.unwrapped || !level.above?.skipped) return;
    level.above.skipped = false;
    if (level.above.number !== null) setAttribute.call(level.copy, "value", String(level.above.number));
  }

  /** @returns {{chars: number, count: number}} what was not read */
  left() {
    return { chars: this.gaps.reduce((total, { chars }) => total + chars, 0), count: this.unread };
  }
}

/** Count the items of a list that are not read. @param {Level} level @param {Gap} gap */
function skipItems(level, { nodes }) {
  if (level.tag !== "ol") return;
  for (const node of nodes) {
    if (nodeType.call(node) === ELEMENT_NODE && localName.call(node) === "li") {
      countItem(level, /** @type {Element} */ (node));
      level.skipped = true;
    }
  }
}

/** @param {Options} options @returns {Capture | null} null where the page is read as a whole */
function boundedOf(options) {
  const { reach } = options;
  const body = bodyOf.call(document);
  if (!reach || !body || localName.call(body) !== "body" || shadowOf(body)) return null;
  return elementsIn(body) > reach.elements ? new BoundedCapture(options, reach) : null;
}
