/**
 * Covers: everything that paints a box, and what part of it a given run of text meets. Text and box may
 * scroll apart from each other, so their boxes of this moment alone say little.
 */

/**
 * @typedef {object} Cover
 * @property {Level} level
 * @property {Rect} box the part that is painted
 * @property {number} solid from 0 (nothing) to 1 (nothing below shows); NaN until a picture's pixels were read
 * @property {Colour | null} colour null where it is not one colour
 * @property {number} met round of the grid that met it last
 * @property {number[] | null} path in paint order, once it was asked for
 */

const PICTURES = new Set(["img", "video", "canvas", "iframe", "svg", "object", "embed", "picture"]);
const naturalWidthOf = getterOf(HTMLImageElement.prototype, "naturalWidth");
const imageSrc = getterOf(HTMLImageElement.prototype, "src");
const frameDocument = getterOf(HTMLIFrameElement.prototype, "contentDocument");
const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

/** @param {Level} level that paints @returns {Cover} */
function coverOf(level) {
  const { paint, style } = level;
  const { colour, picture } = /** @type {Background} */ (level.painter);
  let box = withoutCorners(boxOf(level), style.borderTopLeftRadius);
  box = meet(box, flowAround(level));
  // The size of a picture that was not loaded is not to be trusted past the box that holds it.
  if (level.tag === "img" && level.above && !naturalWidthOf.call(level.original)) box = meet(box, boxOf(level.above));
  const known = picture === "none" ? colour : oneColour(picture, colour);
  const opaque = PICTURES.has(level.tag) ? NaN : known ? known[3] : solidPicture(picture, colour);
  const unsure = paint.turned || paint.blended || style.mixBlendMode !== "normal";
  const [solid, shade] = unsure ? [0, null] : [opaque * paint.opacity, known];
  return { level, box, solid, colour: shade, met: 0, path: null };
}

/** The part of a box that its round corners surely leave. @param {Rect} box @param {string} radius @returns {Rect} */
function withoutCorners(box, radius) {
  const size = Math.min(box.right - box.left, box.bottom - box.top);
  const inset = Math.min(radius.includes("%") ? (px(radius) / 100) * size : px(radius), size / 2) * 0.3;
  if (inset < 1) return box;
  return { left: box.left + inset, top: box.top + inset, right: box.right - inset, bottom: box.bottom - inset };
}

/** The flow that a box itself stands in; its own overflow cuts only its content, a shape the box too. */
function flowAround(/** @type {Level} */ level) {
  const { flow } = level.paint;
  if (flow.clipper !== level || !level.shut || PICTURES.has(level.tag)) return flow;
  const { above, position } = level;
  if (!above) return flow;
  return position === "absolute" ? above.paint.absolute : position === "fixed" ? above.paint.fixed : above.paint.flow;
}

/** @param {string} picture @param {Colour | null} colour @returns {number} */
function solidPicture(picture, colour) {
  if (colour && colour[3] > 0.94) return colour[3];
  if (picture === "glass") return 1;
  const stops = gradientColours(picture);
  if (stops?.length) return Math.min(...stops.map((stop) => stop[3]));
  return /\.jpe?g\b|^url\("data:image\/jpe?g/i.test(picture) ? 1 : 0;
}

/** @param {Cover} cover @returns {number} how much of what lies below it hides */
function solidOf(cover) {
  if (Number.isNaN(cover.solid)) cover.solid = pictureSolid(cover.level) * cover.level.paint.opacity;
  return cover.solid;
}

/** How much a picture hides of what lies below: drawings what one shape fills, a canvas what its pixels say. */
function pictureSolid(/** @type {Level} */ { original, tag }) {
  if (tag === "svg") return isFilled(original) ? 1 : 0;
  if (tag === "iframe") return isClearFrame(original) ? 0 : 1;
  if (tag !== "canvas" && tag !== "img") return 1;
  if (tag === "img" && !naturalWidthOf.call(original)) return 1; // not loaded: taken for a photograph
  try {
    const small = new OffscreenCanvas(4, 4);
    const context = /** @type {any} */ (small.getContext("2d", { willReadFrequently: true }));
    context.drawImage(original, 0, 0, 4, 4);
    const { data } = context.getImageData(0, 0, 4, 4);
    return Math.min(...Array.from({ length: 16 }, (_, i) => data[i * 4 + 3])) / 255;
  } catch {
    return tag === "img" ? 1 : 0; // another origin's
  }
}

/** Whether a frame of the same origin paints no ground. @param {Element} frame */
function isClearFrame(frame) {
  const inside = frameDocument.call(frame);
  const root = inside && rootOf.call(inside);
  if (!root) return false;
  return [root, bodyOf.call(inside)].every((element) => {
    if (!element) return true;
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    return colourOf(backgroundColor)?.[3] === 0 && backgroundImage === "none";
  });
}

/** @param {Cover} cover @returns {boolean} whether it stands before all of the viewport, wherever one scrolls */
const fillsViewport = ({ level, box }) =>
  level.paint.flow.fixed && box.left <= 1 && box.top <= 1 &&
  box.right >= innerWidth - 20 && box.bottom >= innerHeight - 20;

const documentHeight = () => scrollHeightOf.call(scrollingElementOf.call(document) ?? pageRoot());

/** Whether scrolling the document brings a text out from under a bar. @param {Rect} bar @param {Rect} text */
function canScrollOut(bar, text) {
  const height = text.bottom - text.top;
  const lowest = text.bottom + scrollY;
  const highest = text.top + scrollY - Math.max(0, documentHeight() - innerHeight);
  return lowest > bar.bottom + 3 || (bar.top >= Math.min(height, 20) && highest < bar.top);
}

/** Whether a sticky box has room to move in. @param {Level} level */
function canSlide(level) {
  const around = level.above ? boxOf(level.above) : EVERYWHERE;
  const own = boxOf(level);
  return around.bottom - around.top - (own.bottom - own.top) > own.bottom - own.top;
}

/**
 * @param {Cover} cover
 * @param {Run} run
 * @returns {{box: Rect, moves: boolean, lines: Rect[] | null} | null} the box to set against the run's, whether
 *   scrolling brings the run out from under it, and what to take for the run's lines; null when they never meet
 */
function meetingOf(cover, run) {
  const [front, back] = [cover.level.paint, run.level.paint];
  const [over, under] = [front.flow, back.flow];
  if (over.fixed && !under.fixed) {
    if (fillsViewport(cover)) return { box: EVERYWHERE, moves: false, lines: null };
    return { box: cover.box, moves: canScrollOut(cover.box, run.box), lines: null };
  }
  if (!over.fixed && under.fixed) {
    const tall = documentHeight();
    const whole = cover.box.top + scrollY <= 1 && cover.box.bottom + scrollY >= tall - 1;
    return whole ? { box: cover.box, moves: false, lines: null } : null;
  }
  const moves = front.stuck !== null && front.stuck !== back.stuck && canSlide(front.stuck);
  if (over.scroller === under.scroller) return { box: cover.box, moves, lines: null };
  let [a, b] = [over.scroller, under.scroller];
  let [outerA, outerB] = [a, b];
  while (a !== b) {
    if (!b || (a && a.depth > b.depth)) [outerA, a] = [a, a?.above ?? null];
    else [outerB, b] = [b, b.above];
  }
  const box = outerA && outerA !== a ? meet(cover.box, outerA.box) : cover.box;
  return { box, moves, lines: outerB && outerB !== b ? [outerB.box] : null };
}
