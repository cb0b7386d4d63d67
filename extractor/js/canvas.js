/**
 * The canvas: what the whole page lies on.
 */

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
