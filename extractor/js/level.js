/**
 * A level of the walk: one element of the composed tree, with what was read of it.
 */

/**
 * @typedef {object} Level
 * @property {Element} original
 * @property {Element} copy where its children stand
 * @property {Level | null} above
 * @property {CSSStyleDeclaration} style
 * @property {string} display
 * @property {string} position
 * @property {boolean} shut its overflow does not show
 * @property {DOMRect | null} rect its box, once it was asked for
 * @property {Paint} paint what it hands down
 * @property {boolean} flat it has no transform, filter, clip-path or mask, and full opacity, as far as was asked
 * @property {number} order place in the walk
 * @property {number} last place of its last descendant
 * @property {Context | null} context what it paints into, once it was asked for
 * @property {Background | null} painter what it paints behind its content
 * @property {Cover | null} cover the same with its box, once it was asked for
 * @property {string} mode "" | "collapsed" | "sr_only"
 * @property {string} fold kind of collapsed content that starts here
 * @property {string} label
 * @property {boolean} shown whether it has a box that is rendered
 * @property {string | null} own why none of its text can be seen, by its style alone; null until asked
 * @property {Run[]} runs its own text
 * @property {string} fill computed colour of its letters, once it was asked for
 * @property {number | null} number of its last list item
 * @property {boolean} skipped whether items before the next one were not read
 * @property {Level | null} after the box of its `::after`, which is painted last
 * @property {Node | null} next original child to come, when children are siblings
 * @property {Node | null} nextCopy
 * @property {[Node, Node][] | null} pairs children to come, when a slot or shadow root sets them
 * @property {number} at
 * @property {string} name
 * @property {string} tag
 * @property {string} rename final name, when it differs
 * @property {number} bits
 * @property {string} foldText kind of collapsed content in direct text
 * @property {boolean} shadow inside a shadow tree
 * @property {Map<Node, Node> | null} light children of a host that no slot has taken yet
 * @property {number} depth
 * @property {boolean} unwrapped
 * @property {boolean} pre white space is preserved
 */

/**
 * @typedef {object} Background
 * @property {Colour | null} colour null where it is not one colour
 * @property {string} picture a computed `background-image`, or the name of an element that is a picture
 */

/**
 * @typedef {object} Run a text node that is shown, as far as its own place and style tell
 * @property {Node | null} node null for the box of an atom
 * @property {Node} copy
 * @property {Level} level
 * @property {Rect} box that surely holds it
 * @property {boolean} doubtful its ground is like it, or is not known
 * @property {string} reason
 * @property {boolean} rest what is cut off of a text of which a part shows
 */

/** Inline boxes take no transform, and their overflow always shows. */
const isInline = (/** @type {string} */ display) => display === "inline" || display === "contents";

/**
 * @param {Element} original
 * @param {Element} copy
 * @param {string} tag
 * @param {Level | null} above
 * @param {number} order
 * @returns {Level}
 */
function levelOf(original, copy, tag, above, order) {
  const style = getComputedStyle(original);
  const display = style.display;
  return {
    original, copy, above, style, display,
    position: style.position,
    shut: !isInline(display) && (style.overflow !== "visible" || containsPaint(style)),
    rect: null, flat: false,
    paint: /** @type {Paint} */ (above?.paint),
    order, last: order, context: null, painter: null, cover: null,
    mode: above ? above.mode : "",
    fold: "", label: "", shown: true, own: null, runs: [], fill: "", number: null, skipped: false, after: null,
    next: null, nextCopy: null, pairs: null, at: 0,
    name: tag, tag, rename: "", bits: above ? above.bits : 0,
    foldText: "", shadow: false, light: null,
    depth: above ? above.depth + (above.unwrapped ? 0 : 1) : 2,
    unwrapped: false, pre: above ? above.pre : false,
  };
}

/** @param {Level} level @returns {DOMRect} */
const boxOf = (level) => (level.rect ??= getBoundingClientRect.call(level.original));
