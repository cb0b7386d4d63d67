/**
 * Flows: what content scrolls with, and the region in which it can come into view at all. A box clips and
 * scrolls only what it is a containing block for, so there are three: in flow, absolute and fixed.
 */

/**
 * @typedef {object} Scroller a box whose content a person can scroll
 * @property {Scroller | null} above
 * @property {Rect} box
 * @property {number} depth
 */

/**
 * @typedef {object} Flow
 * @property {number} left the region, in viewport coordinates as scrolled now
 * @property {number} top
 * @property {number} right
 * @property {number} bottom
 * @property {string} why reason for what lies outside
 * @property {Level | null} clipper the innermost box that cuts
 * @property {boolean} tight whether content of a cutting box is larger than it
 * @property {number} x scroll offset of all scrollers around
 * @property {number} y
 * @property {Scroller | null} scroller
 * @property {boolean} fixed does not move with the document
 */

const FARTHEST = 200_000;
const CUTS = /hidden|clip/;

/** @returns {Flow} the document's own, as far as a person can scroll it */
function documentFlow() {
  const root = pageRoot();
  const scroller = scrollingElementOf.call(document) ?? root;
  const width = clientWidthOf.call(scroller);
  const full = scrollWidthOf.call(scroller);
  const [backwards, upwards] = runsBack(getComputedStyle(root), "block");
  const fixedWidth = isRootCut(root);
  return {
    left: (backwards && !fixedWidth ? width - full : 0) - scrollX,
    right: (backwards || fixedWidth ? width : Math.max(full, width)) - scrollX,
    top: (upwards ? clientHeightOf.call(scroller) - scrollHeightOf.call(scroller) : 0) - scrollY,
    bottom: (isStill(root) ? innerHeight : FARTHEST) - scrollY,
    why: "offscreen", clipper: null, tight: false, x: scrollX, y: scrollY, scroller: null, fixed: false,
  };
}

/**
 * Whether a box scrolls to the left of, or above, where its content starts: by its way of writing, or as a flex
 * box whose items stand the other way round.
 *
 * @param {CSSStyleDeclaration} style
 * @param {string} display
 * @returns {[boolean, boolean]} to the left, upwards
 */
function runsBack(style, display) {
  const rtl = style.direction === "rtl";
  const upright = style.writingMode !== "horizontal-tb";
  const leftward = /-rl$/.test(style.writingMode);
  if (!/flex$/.test(display)) return upright ? [leftward, rtl] : [rtl, false];
  const [row, column] = ["row-reverse", "column-reverse"].map((name) => style.flexDirection === name);
  return upright ? [leftward !== column, rtl !== row] : [rtl !== row, column];
}

/** Whether the document cannot be scrolled sideways: the body's overflow counts where the root has none. */
function isRootCut(/** @type {Element} */ root) {
  const own = getComputedStyle(root).overflowX;
  const body = bodyOf.call(document);
  return CUTS.test(own === "visible" && body ? getComputedStyle(body).overflowX : own);
}

/** What could scroll a page that people cannot: a script, or a link into it. */
const MOVERS = 'script:not([type*="json"]), a[href*="#"]';

/**
 * Whether nothing scrolls this: a frame, or a page in which nothing could change that. (Most pages of their own that
 * do not scroll wait for a script or a dialog.)
 */
function isStill(/** @type {Element} */ root) {
  const own = getComputedStyle(root).overflowY;
  const body = bodyOf.call(document);
  if (!CUTS.test(own === "visible" && body ? getComputedStyle(body).overflowY : own)) return false;
  return window !== window.parent || Document.prototype.querySelector.call(document, MOVERS) === null;
}

/** @returns {Flow} of what is fixed to the viewport */
function viewportFlow() {
  return {
    left: 0, top: 0, right: innerWidth, bottom: innerHeight,
    why: "offscreen", clipper: null, tight: false, x: scrollX, y: scrollY, scroller: null, fixed: true,
  };
}

/** @param {Flow} flow @param {Rect} rect @param {Level} level @param {string} why @returns {Flow} */
function cutBy(flow, rect, level, why) {
  return { ...flow, ...meet(flow, rect), why, clipper: level, tight: true };
}

/**
 * The flow inside a box whose overflow does not show. Where it is cut, the region ends with the box; where
 * it scrolls, the region is all of its content, if the box itself can be seen.
 *
 * @param {Flow} flow
 * @param {Level} level
 * @returns {Flow}
 */
function insideOf(flow, level) {
  const { original, style } = level;
  const box = boxOf(level);
  const scale = offsetWidthOf.call(original) ? box.width / offsetWidthOf.call(original) : 1;
  const [width, height] = [clientWidthOf.call(original), clientHeightOf.call(original)];
  const [full, tall] = [scrollWidthOf.call(original), scrollHeightOf.call(original)];
  const left = box.left + clientLeftOf.call(original) * scale;
  const top = box.top + clientTopOf.call(original) * scale;
  const spare = style.overflowX === "clip" && style.overflowY === "clip" ? px(style.overflowClipMargin) : 0;
  const pane = {
    left: left - spare, top: top - spare,
    right: left + width * scale + spare, bottom: top + height * scale + spare,
  };
  const seen = meet(flow, pane);
  const contained = style.overflow === "visible";
  const [cutX, cutY] = [contained || CUTS.test(style.overflowX), contained || CUTS.test(style.overflowY)];
  const [x, y] = [scrollLeftOf.call(original), scrollTopOf.call(original)];
  const inside = { ...flow, ...seen, clipper: level, x: flow.x + x, y: flow.y + y };
  if (pane.right - pane.left < 1 || pane.bottom - pane.top < 1) return { ...inside, why: "zero_box", tight: true };
  // Another box around cuts all of this one away, and is the one to open.
  if (isEmpty(seen)) return { ...inside, clipper: flow.clipper ?? level, tight: true };
  inside.why = "clip";
  inside.tight = flow.tight || (cutX && full > width + 1) || (cutY && tall > height + 1);
  if (cutX && cutY) return inside;
  const [backwards, upwards] = runsBack(style, level.display);
  if (!cutX) {
    inside.left = left - x * scale - (backwards ? (full - width) * scale : 0);
    inside.right = inside.left + full * scale;
  }
  if (!cutY) {
    inside.top = top - y * scale - (upwards ? (tall - height) * scale : 0);
    inside.bottom = inside.top + tall * scale;
  }
  const above = flow.scroller;
  inside.scroller = { above, box: seen, depth: above ? above.depth + 1 : 1 };
  return inside;
}
