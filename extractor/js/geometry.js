/**
 * Boxes of elements and of text, in viewport coordinates.
 */

/** @typedef {{left: number, top: number, right: number, bottom: number}} Rect */

const MOST_LINES = 12;

/** @type {Range | null} */
let textRange = null;

/** @param {Node} text @returns {Range} */
function rangeOver(text) {
  textRange ??= createRange.call(document);
  const range = /** @type {Range} */ (textRange);
  Range.prototype.selectNodeContents.call(range, text);
  return range;
}

/**
 * Have style and layout computed of all that the browser skips (`content-visibility`, closed `details`,
 * `hidden="until-found"`) in one go. Asked for one part after the other, the whole document is laid out anew
 * each time: quadratic.
 *
 * @param {Node} root a document or shadow root
 */
function layOutAll(root) {
  Range.prototype.getBoundingClientRect.call(rangeOver(root));
}

/** @param {Node} text @returns {DOMRect} */
const textBox = (text) => Range.prototype.getBoundingClientRect.call(rangeOver(text));

/** @param {Node} text @returns {DOMRect[]} one box for each line */
function lineBoxes(text) {
  const boxes = Range.prototype.getClientRects.call(rangeOver(text));
  return Array.from(boxes).filter((box) => box.width > 0 && box.height > 0);
}

/** @param {Node} text @param {number} start @param {number} end @returns {DOMRect} */
function charBox(text, start, end) {
  const range = rangeOver(text);
  Range.prototype.setStart.call(range, text, start);
  Range.prototype.setEnd.call(range, text, end);
  return Range.prototype.getBoundingClientRect.call(range);
}

/** @param {Rect} a @param {Rect} b @returns {boolean} whether they share more than an edge */
const overlap = (a, b) =>
  a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;

/** @param {Rect} inner @param {Rect} outer @returns {boolean} */
const within = (inner, outer) =>
  inner.left >= outer.left - 0.5 && inner.right <= outer.right + 0.5 &&
  inner.top >= outer.top - 0.5 && inner.bottom <= outer.bottom + 0.5;

/** @param {Rect} a @param {Rect} b @returns {Rect} what they share; inside out when nothing */
const meet = (a, b) => ({
  left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
});

/** @param {Rect} rect @returns {boolean} */
const isEmpty = (rect) => rect.right - rect.left < 1 || rect.bottom - rect.top < 1;

/**
 * Whether enough of a line of text lies inside a region to be seen: a sliver of a letter is not text.
 *
 * @param {Rect} line
 * @param {Rect} region
 * @returns {boolean}
 */
function shows(line, region) {
  const width = Math.min(line.right, region.right) - Math.max(line.left, region.left);
  const height = Math.min(line.bottom, region.bottom) - Math.max(line.top, region.top);
  return width >= Math.min(2, line.right - line.left) && height >= Math.min(4, (line.bottom - line.top) / 3);
}

/**
 * Points that stand for a run of text: on its lines, or on some of them when there are many.
 *
 * @param {Rect[]} lines
 * @returns {[number, number][]}
 */
function pointsIn(lines) {
  const step = Math.max(1, Math.ceil(lines.length / MOST_LINES));
  const points = [];
  for (let i = 0; i < lines.length; i += step) {
    const { left, right, top, bottom } = lines[i];
    const inset = Math.min(2, (right - left) / 4);
    for (const x of [left + inset, left + (right - left) * 0.3, left + (right - left) * 0.7, right - inset]) {
      for (const share of [0.35, 0.65]) points.push([x, top + (bottom - top) * share]);
    }
  }
  return /** @type {[number, number][]} */ (points);
}

/** @param {[number, number]} point @param {Rect} rect */
const holds = ([x, y], rect) => x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom;
