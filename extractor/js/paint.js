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

/** A letter that is smeared over so many pixels leaves no trace. */
const MOST_BLUR = 30;

/** @param {string} filter @returns {number} */
function filterOpacity(filter) {
  let product = 1;
  if (filter === "none") return product;
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
  if (level.display === "table-caption" && level.above) above = { ...above, ...groundAround(level.above) };
  const transform = isInline(level.display) ? "none" : style.transform;
  const { opacity, filter, clipPath, maskImage, backgroundImage, backgroundColor } = style;
  const flat = transform === "none" && filter === "none" && clipPath === "none" && maskImage === "none" && opacity === "1";
  level.flat = flat;
  const placed = position !== "static";
  const plain = flat && !placed && !level.shut && !above.space;
  if (plain && backgroundImage === "none" && backgroundColor === CLEAR && !hasInset(style)) return above;
  const paint = { ...above };
  if (!plain) {
    paint.opacity *= Number(opacity) * filterOpacity(filter);
    if (placed || !flat) paint.raised = true;
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

/** What a table stands on, which is what its caption stands on. @param {Level} table */
function groundAround({ above }) {
  if (!above) return {};
  const { ground, provider, lifted, groundFilter } = above.paint;
  return { ground, provider, lifted, groundFilter };
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
  if (maskImage !== "none" && masksAll(style, boxOf(level))) shapes.push(NOTHING);
  for (const rect of shapes) {
    if (!rect) continue;
    for (const name of /** @type {const} */ (["flow", "absolute", "fixed"])) {
      paint[name] = cutBy(paint[name], rect, level, "clip");
    }
  }
  if (level.shut && !PICTURES.has(level.tag) && !isViewport(level)) paint.flow = insideOf(paint.flow, level);
}

/** Whether an element's overflow is the viewport's. */
function isViewport(/** @type {Level} */ level) {
  return level.above === null && getComputedStyle(pageRoot()).overflow === "visible";
}

/** Whether a background is one picture no larger than a sign beside the text. @param {CSSStyleDeclaration} style */
function isSmallPicture({ backgroundRepeat, backgroundSize }) {
  const [, width, height] = /^([\d.]+)px ([\d.]+)px$/.exec(backgroundSize) ?? [];
  return backgroundRepeat === "no-repeat" && Number(width) <= 40 && Number(height) <= 40;
}

/** What the text inside is painted on. */
function layGround(/** @type {Paint} */ paint, /** @type {Level} */ level, picture, behind) {
  let colour = colourOf(behind);
  const empty = picture === "none" && colour?.[3] === 0;
  if ((empty && !rare.inset) || level.style.visibility !== "visible") return;
  if (!empty && level.style.backgroundClip.includes("text")) {
    paint.clipText = true;
    paint.ink = oneColour(picture, colour);
    return;
  }
  if (picture !== "none" && isSmallPicture(level.style)) picture = "none";
  const inset = level.style.boxShadow.includes("inset") ? insetColour(level.style.boxShadow) : null;
  if (inset) [picture, colour] = ["none", inset];
  if (picture === "none" && colour?.[3] === 0) return;
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
