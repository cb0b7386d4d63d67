/**
 * What an element hands down to its children: everything of an ancestor that can hide or change text. Facts
 * only; nothing here touches the copy.
 */

/**
 * @typedef {object} Paint
 * @property {number} opacity product of opacities
 * @property {number} scale product of scales
 * @property {boolean} turned not parallel to the axes: its box says little of where it paints
 * @property {boolean} deep inside a three-dimensional space
 * @property {boolean} away its back is turned to the reader
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
    opacity: 1, scale: 1, turned: false, deep: false, away: false, shiftX: 0, shiftY: 0,
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
  if (window !== window.parent) return frameGround();
  const scheme = getComputedStyle(root).colorScheme;
  // The canvas of Chromium's dark scheme.
  return /^(only )?dark( only)?$/.test(scheme) ? [18, 18, 18, 1] : [255, 255, 255, 1];
}

/** What a clear frame lies on; unknown where the page around is another origin's. @returns {Colour | null} */
function frameGround() {
  let frame = null;
  try {
    frame = window.frameElement;
  } catch {
    return null;
  }
  for (let at = frame; at && nodeType.call(at) === ELEMENT_NODE; at = parentNode.call(at)) {
    const style = getComputedStyle(at);
    const colour = colourOf(style.backgroundColor);
    if (style.backgroundImage !== "none" || (colour && colour[3] > 0 && colour[3] < 0.99)) return null;
    if (colour && colour[3] > 0.99) return colour;
    if (style.position === "absolute" || style.position === "fixed") return null;
  }
  return frame ? [255, 255, 255, 1] : null;
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
  const plain = flat && opacity === "1" && !placed && !level.shut && !above.deep;
  if (plain && backgroundImage === "none" && backgroundColor === CLEAR) return above;
  const paint = { ...above };
  if (!plain) {
    paint.opacity *= Number(opacity) * filterOpacity(filter);
    if (placed || !flat || opacity !== "1") paint.raised = true;
    if (placed) place(paint, level);
    if (transform !== "none" || above.deep) turn(paint, style, transform);
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

/** A skew past this draws text out into a line. */
const FLAT = 1e4;

/** A transform: how small, how far, and which side of it is seen. */
function turn(/** @type {Paint} */ paint, /** @type {CSSStyleDeclaration} */ style, /** @type {string} */ transform) {
  const m = (/\(([^)]*)\)/.exec(transform)?.[1] ?? "").split(",").map(Number);
  const spatial = m.length === 16;
  if (spatial) {
    paint.scale *= Math.sqrt(Math.abs(m[0] * m[5] - m[1] * m[4]));
    if (m[10] < 0) paint.away = !paint.away;
    paint.deep = true;
  } else if (m.length === 6) paint.scale *= Math.sqrt(Math.abs(m[0] * m[3] - m[1] * m[2]));
  if (paint.away && style.backfaceVisibility === "hidden") paint.scale = 0;
  if (transform === "none") return;
  const [b, c] = spatial ? [m[1], m[4]] : [m[1], m[2]];
  if (Math.abs(b) > FLAT || Math.abs(c) > FLAT) paint.scale = 0;
  if (Math.abs(b) > 0.01 || Math.abs(c) > 0.01) paint.turned = true;
  paint.shiftX += spatial ? m[12] : m[4];
  paint.shiftY += spatial ? m[13] : m[5];
  paint.lifted = true;
  if (style.transformStyle === "flat" && !paint.away) paint.deep = spatial;
}

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
