/**
 * Verdicts: why a person cannot see a box or a run of text.
 *
 * Where a new hiding trick goes:
 *   `flow.js`, `shapes.js`   it cuts or moves a region (overflow, clip-path, masks, off the document)
 *   `paint.js`, `space.js`   it is handed down by an ancestor (opacity, transforms, filters, backgrounds)
 *   `ownReason` below        the style of the element that holds the text tells alone
 *   `placeReason` below      it shows in where the text lies
 *   `occlusion.js`, `ground.js`   it takes another box to tell (covered, contrast); `rings.js`, `columns.js` and
 *                            `generated.js` make boxes of what has none of its own
 *   `drawings.js`            it stands in a drawing
 *   `rare.js`                few pages have it, and it would cost every element a read to find out
 *   `boxReason` below        no descendant can undo it, or it is the pattern of a label for screen readers
 *   `collapsed.js`, `rules.js`   a person can open it, or scroll to it, after all
 */

/** Text of which an ellipsis stands for the rest may lose this much and is still whole. */
const MOST_CUT = 200;
/** Letters that a box cuts off without a sign. */
const FEW_CUT = 30;
const TINY = 2;

/**
 * What holds for all inside a box, whatever is in it.
 *
 * @param {Level} level
 * @returns {string} a reason, `sr_only`, or ""
 */
function boxReason(level) {
  if (level.paint.opacity < 0.1) {
    if (!isAboutToShow(level.original)) return "opacity";
    level.paint.opacity = 1;
  }
  return isScreenReaderShape(level) ? "sr_only" : "";
}

/** The shapes in which pages put labels for screen readers: cut down to a pixel, or clipped away whole. */
function isScreenReaderShape(/** @type {Level} */ level) {
  const { style, shut, original, position, tag } = level;
  if (tag === "iframe") return false;
  const out = position === "absolute" || position === "fixed";
  const clip = out ? style.clip : "auto";
  const clipPath = style.clipPath;
  if (!shut && clip === "auto" && clipPath === "none") return false;
  const box = boxOf(level);
  const width = shut ? clientWidthOf.call(original) : box.width;
  const height = shut ? clientHeightOf.call(original) : box.height;
  if (width + height === 0) return false;
  const small = width <= TINY && height <= TINY;
  if (shut && small && (out || (width === 1 && height === 1))) return width > 0 && height > 0;
  if (clip !== "auto") {
    const left = clipRect(clip, box);
    const pixel = left && (left.right - left.left <= 1 || left.bottom - left.top <= 1);
    return Boolean(pixel) && (width <= TINY || height <= TINY);
  }
  if (clipPath === "none" || !small || !out) return false;
  const left = clipPathRect(clipPath, box);
  return left !== null && isEmpty(left);
}

/** @param {Level} level @returns {string} why none of its own text can be seen, wherever it lies */
function ownReason(level) {
  const { style, paint } = level;
  if (style.visibility !== "visible") return "visibility";
  if (style.contentVisibility === "hidden") return "content_visibility";
  if (style.webkitTextSecurity !== "none") return "display";
  if (paint.scale < 0.001) return "transform";
  if (px(style.fontSize) * paint.scale <= TINY) {
    return paint.scale < 0.1 ? "transform" : "font_size";
  }
  level.fill = inkOf(style);
  const colour = colourOf(level.fill);
  if (!colour || colour[3] >= 0.05) return "";
  if (!paint.clipText) return canBeFaint(level) ? "contrast" : "";
  return paint.ink && paint.ground && !paint.lifted && contrastOf(paint.ink, paint.ground) < LEAST_CONTRAST
    ? "contrast" : "";
}

/** What letters are drawn with: their filling, or their outline alone. @param {CSSStyleDeclaration} style */
function inkOf(style) {
  const strike = rare.struck ? strikeOf(style) : "";
  if (strike) return strike;
  const fill = style.webkitTextFillColor;
  const hollow = colourOf(fill)?.[3] === 0 && px(style.webkitTextStrokeWidth) > 0;
  return hollow ? style.webkitTextStrokeColor : fill;
}

/**
 * @param {Level} level
 * @param {Node} node
 * @param {Rect} box
 * @returns {boolean} whether its ground is like its letters, or not known
 */
function isDoubtful(level, node, box) {
  const { paint, fill } = level;
  if (paint.ground === null) return paint.lifted || (paint.provider !== null && isFilledStraight(paint.provider));
  if (rare.blended && level.style.mixBlendMode !== "normal") return true;
  const { provider } = paint;
  if (paint.filter || (provider && !reaches(provider, level))) return true;
  // Its own box says nothing of lines that run over.
  const place = provider === level && !isInline(level.display) && box === boxOf(level) ? textBox(node) : box;
  if (provider && !within(place, boxOf(provider))) return true;
  const colour = colourOf(fill);
  if (colour && paint.opacity < 0.3) {
    return contrastOf(blend([...colour.slice(0, 3), colour[3] * paint.opacity], paint.ground), paint.ground) < LEAST_CONTRAST;
  }
  return colour !== null && isAlike(fill, colour, paint.ground);
}

/**
 * Judge one text node by where it lies.
 *
 * @param {Level} level what styles it
 * @param {Node} node
 * @returns {{reason: string, box: Rect, cut: number}} `cut` is where the part that shows ends (negative: where
 *   it begins), 0 when it is all one
 */
function placeReason(level, node) {
  const { paint, style } = level;
  const { flow } = paint;
  const indent = Math.abs(px(style.textIndent)) > 99;
  let box = boxOf(level);
  const rough = indent || (flow.tight && level.display !== "inline");
  const exact = rough || box.width < 3 || box.height < 3;
  if (exact) box = textBox(node);
  if (box.width < 0.1 || box.height < 0.1) return { reason: flatReason(level, box), box, cut: 0 };
  if (box.height <= TINY) return { reason: paint.scale < 0.1 ? "transform" : "font_size", box, cut: 0 };
  if (within(box, flow)) return { reason: "", box, cut: 0 };
  if (!exact) box = textBox(node);
  if (!shows(box, flow)) return { reason: outsideReason(level, box, indent), box, cut: 0 };
  return flow.tight ? cutReason(level, node, box, indent) : { reason: "", box, cut: 0 };
}

/** @param {Level} level @param {Rect} box @param {boolean} indent @returns {string} */
function outsideReason({ paint }, box, indent) {
  if (indent) return "text_indent";
  const { flow, shiftX, shiftY } = paint;
  if (flow.why !== "offscreen" || (!shiftX && !shiftY)) return flow.why;
  const back = {
    left: box.left - shiftX, right: box.right - shiftX, top: box.top - shiftY, bottom: box.bottom - shiftY,
  };
  return shows(back, flow) ? "transform" : flow.why;
}

/** A text that lies partly outside of its region: line by line, then letter by letter. */
function cutReason(/** @type {Level} */ level, /** @type {Node} */ node, /** @type {Rect} */ box, indent) {
  const { flow } = level.paint;
  const lines = lineBoxes(node);
  const seen = lines.filter((line) => shows(line, flow));
  if (!seen.length) return { reason: outsideReason(level, box, indent), box, cut: 0 };
  const whole = { reason: "", box, cut: 0 };
  if (seen.length === lines.length && lines.every((line) => line.right - flow.right < 20)) return whole;
  const data = dataOf.call(node);
  const { length } = data;
  const sees = (/** @type {number} */ at) => {
    const letter = Math.max(0, data.slice(at, at + 40).search(WORD));
    return shows(charBox(node, at + letter, Math.min(length, at + letter + 1)), flow);
  };
  const first = turningPoint(length, (at) => sees(at));
  const last = length - turningPoint(length, (at) => sees(length - 1 - at));
  const [front, back] = [first, length - last];
  const most = hasEllipsis(level) ? MOST_CUT : FEW_CUT;
  if (Math.max(front, back) <= most || last <= first) return whole;
  return { reason: flow.why, box, cut: back >= front ? last : -first };
}

/** The first place that passes, for a test that fails before it and passes after. */
function turningPoint(/** @type {number} */ length, /** @type {(at: number) => boolean} */ passes) {
  if (passes(0)) return 0;
  let [low, high] = [0, length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (passes(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Whether an ellipsis tells a reader that there is more. */
function hasEllipsis(/** @type {Level} */ { style, paint }) {
  const cutter = paint.flow.clipper?.style ?? style;
  return style.textOverflow === "ellipsis" || cutter.textOverflow === "ellipsis" ||
    cutter.webkitLineClamp !== "none";
}

/** Text without a box: a turn or a zero scale leaves none; neither does white space that collapses. */
function flatReason(/** @type {Level} */ level, /** @type {Rect} */ box) {
  if (box.right - box.left > 0 || box.bottom - box.top > 0) return "transform";
  for (let at = /** @type {Level | null} */ (level); at; at = at.above) {
    const { transform, scale, rotate } = at.style;
    if (transform !== "none" || scale !== "none" || rotate !== "none") return "transform";
  }
  return "";
}
