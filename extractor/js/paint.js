/**
 * What an element hands down to its children: everything of an ancestor that can hide or change text. Facts
 * only; nothing here touches the copy.
 */

/**
 * @typedef {object} Paint
 * @property {number} opacity product of opacities
 * @property {number} scale product of scales
 * @property {boolean} turned not parallel to the axes: its box says little of where it paints
 * @property {Space | null} space of a three-dimensional box around
 * @property {number} shiftX sum of translations
 * @property {number} shiftY
 * @property {Colour | null} ground background colour behind text; null where it is not one colour
 * @property {Colour | null} canvas what the whole page is painted on
 * @property {Level | null} provider the element that paints `ground`; null for the canvas
 * @property {boolean} lifted out of the flow since `ground`, so that other boxes may lie between
 * @property {boolean} clipText a background is painted through the text
 * @property {Colour | null} ink that background, where it is one colour
 * @property {boolean} blended composed with what lies below in some other way
 * @property {string} filter filters that change the text
 * @property {string} groundFilter those of them that change `ground` too
 * @property {boolean} raised inside something that may paint over what comes before it
 * @property {boolean} sunk below the flow (a negative `z-index`), so that ancestors may cover it
 * @property {Level | null} stuck the sticky box around
 * @property {Flow} flow
 * @property {Flow} absolute of descendants with `position: absolute`
 * @property {Flow} fixed of descendants with `position: fixed`
 */

/** @returns {Paint} what the document hands down */
function canvasPaint() {
  const flow = documentFlow();
  const canvas = canvasColour();
  return {
    opacity: 1, scale: 1, turned: false, space: null, shiftX: 0, shiftY: 0,
    ground: canvas, canvas, provider: null, lifted: false, clipText: false, blended: false, filter: "", groundFilter: "",
    raised: false, sunk: false, stuck: null, ink: null, flow, absolute: flow, fixed: viewportFlow(),
  };
}

/** @returns {Colour | null} what the page is painted on */
function canvasColour() {
  const root = pageRoot();
  for (const element of [root, bodyOf.call(document)]) {
    if (!element) continue;
    const style = getComputedStyle(element);
    if (style.backgroundImage !== "none") return null;
    const colour = colourOf(style.backgroundColor);
    if (colour === null || colour[3] > 0.99) return colour;
  }
  if (window !== window.parent) return frameGround(isDark(root));
  return isDark(root) ? DARK_CANVAS : WHITE_CANVAS;
}

/** @type {Colour} */
const WHITE_CANVAS = [255, 255, 255, 1];
/** Of Chromium's dark scheme. @type {Colour} */
const DARK_CANVAS = [18, 18, 18, 1];

/** @param {Element} element @returns {boolean} whether its scheme is dark */
const isDark = (element) => /^(only )?dark( only)?$/.test(getComputedStyle(element).colorScheme);

/**
 * What a clear frame lies on; a frame of another scheme than its place is not clear.
 *
 * @param {boolean} dark whether the frame's own scheme is
 * @returns {Colour | null} null where it is not known: the page around is another origin's
 */
function frameGround(dark) {
  let frame = null;
  try {
    frame = window.frameElement;
  } catch {
    return null;
  }
  if (frame && isDark(frame) !== dark) return dark ? DARK_CANVAS : WHITE_CANVAS;
  for (let at = frame; at && nodeType.call(at) === ELEMENT_NODE; at = parentNode.call(at)) {
    const style = getComputedStyle(at);
    const colour = colourOf(style.backgroundColor);
    if (style.backgroundImage !== "none" || (colour && colour[3] > 0 && colour[3] < 0.99)) return null;
    if (colour && colour[3] > 0.99) return colour;
    if (style.position === "absolute" || style.position === "fixed") return null;
  }
  return frame ? (dark ? DARK_CANVAS : WHITE_CANVAS) : null;
}

/** A letter that is smeared over so many pixels leaves no trace. */
const MOST_BLUR = 30;

/** @param {string} filter @returns {number} */
function filterOpacity(filter) {
  let product = 1;
  if (Number(/blur\(([\d.]+)px/.exec(filter)?.[1] ?? 0) >= MOST_BLUR) return 0;
  for (const [, value] of filter.matchAll(/opacity\(([\d.e-]+)\)/g)) product *= Number(value);
  return product;
}

/**
 * @param {Level} level
 * @param {Paint} above
 * @returns {Paint} `above` itself where the element changes nothing, which is most often
 */
function paintOf(level, above) {
  const { style, position } = level;
  const transform = isInline(level.display) ? "none" : style.transform;
  const { opacity, filter, clipPath, maskImage, backgroundImage, backgroundColor } = style;
  const flat = transform === "none" && filter === "none" && clipPath === "none" && maskImage === "none";
  const placed = position !== "static";
  const plain = flat && opacity === "1" && !placed && !level.shut && !above.space;
  if (plain && backgroundImage === "none" && backgroundColor === CLEAR) return above;
  const paint = { ...above };
  if (!plain) {
    paint.opacity *= Number(opacity) * filterOpacity(filter);
    if (placed || !flat || opacity !== "1") paint.raised = true;
    if (placed) place(paint, level);
    if (transform !== "none" || above.space) turn(paint, level, transform);
    if (filter !== "none") paint.filter += filter;
    cut(paint, level, clipPath, maskImage);
    const holds = transform !== "none" || filter !== "none" || holdsFixed(style);
    if (holds) paint.fixed = paint.flow;
    if (holds || placed) paint.absolute = paint.flow;
  }
  layGround(paint, level, backgroundImage, backgroundColor);
  return paint;
}

/** Out of the flow: another containing block, and perhaps another ground. */
function place(/** @type {Paint} */ paint, /** @type {Level} */ level) {
  const { style, position } = level;
  if (position === "absolute") paint.flow = paint.absolute;
  else if (position === "fixed") paint.flow = paint.fixed;
  else if (position === "sticky") paint.stuck = level;
  if (position !== "relative" || style.left !== "auto" || style.top !== "auto") paint.lifted = true;
  if (px(style.zIndex) < 0) paint.sunk = paint.lifted = true;
}

/** Whether an element contains what is fixed, for a rarer reason than a transform or filter. */
const holdsFixed = (/** @type {CSSStyleDeclaration} */ style) =>
  style.perspective !== "none" || /transform|filter|perspective/.test(style.willChange) ||
  /paint|layout|strict|content/.test(style.contain);

/** Everything that cuts: shapes and masks cut all descendants, overflow what it contains. */
function cut(/** @type {Paint} */ paint, /** @type {Level} */ level, clipPath, maskImage) {
  const { style, position } = level;
  const shapes = [];
  if (clipPath !== "none") shapes.push(clipPathRect(clipPath, boxOf(level)));
  if ((position === "absolute" || position === "fixed") && style.clip !== "auto") {
    shapes.push(clipRect(style.clip, boxOf(level)));
  }
  if (maskImage !== "none" && masksAll(style)) shapes.push(NOTHING);
  for (const rect of shapes) {
    if (!rect) continue;
    for (const name of /** @type {const} */ (["flow", "absolute", "fixed"])) {
      paint[name] = cutBy(paint[name], rect, level, "clip");
    }
  }
  if (level.shut && !isViewport(level)) paint.flow = insideOf(paint.flow, level);
}

/** Whether an element's overflow is the viewport's. */
function isViewport(/** @type {Level} */ level) {
  return level.above === null && getComputedStyle(pageRoot()).overflow === "visible";
}

/** What the text inside is painted on. */
function layGround(/** @type {Paint} */ paint, /** @type {Level} */ level, picture, behind) {
  const colour = colourOf(behind);
  if (picture === "none" && colour?.[3] === 0) return;
  if (level.style.backgroundClip.includes("text")) {
    paint.clipText = true;
    paint.ink = oneColour(picture, colour);
    return;
  }
  level.painter = { colour, picture };
  const single = oneColour(picture, colour);
  if (picture !== "none" && !single) {
    paint.ground = null;
    paint.lifted = false;
    paint.provider = level;
  } else if (single) {
    paint.ground = single;
    paint.provider = level;
    paint.lifted = false;
    paint.groundFilter = paint.filter;
  } else if (colour === null) paint.ground = null;
  else if (colour[3] > 0 && paint.ground) {
    paint.ground = blend(colour, paint.ground);
    paint.provider = level;
  }
}
