/**
 * Colours: reading computed values, laying one over another, and how well one shows on another.
 */

/** @typedef {number[]} Colour red, green, blue (0 to 255) and alpha */

const CLEAR = "rgba(0, 0, 0, 0)";
/** Below this contrast (WCAG 2) nobody can tell text from its ground. */
const LEAST_CONTRAST = 1.2;

/** @param {string} value @returns {number} */
const px = (value) => parseFloat(value) || 0;

/** @type {Map<string, Colour | null>} */
const colours = new Map();

/** @type {OffscreenCanvasRenderingContext2D | null} */
let palette = null;

/**
 * @param {string} value a computed colour
 * @returns {Colour | null} null when it is none
 */
function colourOf(value) {
  let colour = colours.get(value);
  if (colour !== undefined) return colour;
  const parts = /^rgba?\(([^)]*)\)$/.exec(value);
  const numbers = parts ? parts[1].split(/[\s,/]+/).map(Number) : [];
  if (numbers.length === 3) numbers.push(1);
  colour = numbers.length === 4 && numbers.every(Number.isFinite) ? numbers : painted(value);
  colours.set(value, colour);
  return colour;
}

/** A colour of any other colour space, as the browser paints it. @param {string} value @returns {Colour | null} */
function painted(value) {
  if (!/^[a-z-]+\(/.test(value)) return null;
  palette ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!palette) return null;
  palette.clearRect(0, 0, 1, 1);
  palette.fillStyle = CLEAR;
  palette.fillStyle = value;
  palette.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = palette.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}

/** @param {Colour} top @param {Colour} below opaque @returns {Colour} */
function blend(top, below) {
  const alpha = top[3];
  return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha)).concat(1);
}

/** @param {Colour} colour @returns {number} relative luminance */
function luminanceOf(colour) {
  const [r, g, b] = colour.slice(0, 3).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** WCAG 2 contrast ratio. @param {Colour} a @param {Colour} b @returns {number} */
function contrastOf(a, b) {
  const [dark, light] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** @type {WeakMap<Colour, Map<string, boolean>>} by ground, then by text colour */
const alike = new WeakMap();

/** @param {string} name @param {Colour} colour @param {Colour} ground @returns {boolean} */
function isAlike(name, colour, ground) {
  let known = alike.get(ground);
  if (!known) alike.set(ground, (known = new Map()));
  let answer = known.get(name);
  if (answer === undefined) {
    answer = contrastOf(blend(colour, ground), ground) < LEAST_CONTRAST;
    known.set(name, answer);
  }
  return answer;
}

/**
 * @param {string} picture a computed `background-image`
 * @param {Colour | null} colour a computed `background-color`
 * @returns {Colour | null} the opaque colour that both make, when it is one as far as an eye can tell
 */
function oneColour(picture, colour) {
  if (picture === "none") return colour && colour[3] > 0.99 ? colour : null;
  const stops = gradientColours(picture);
  if (!stops?.length || stops.some((stop) => stop[3] < 0.99)) return null;
  return stops.every((stop) => contrastOf(stop, stops[0]) < 1.1) ? stops[0] : null;
}

const COLOURS = /\b(?:rgba?|hsla?|color|oklch|oklab|lab|lch)\([^()]*\)/g;

/**
 * @param {string} picture a computed `background-image` or `mask-image`
 * @returns {Colour[] | null} all colours of its gradients; null when it holds anything else
 */
function gradientColours(picture) {
  if (picture.includes("url(") || !picture.includes("gradient(")) return null;
  const found = (picture.match(COLOURS) ?? []).map(colourOf);
  return found.includes(null) ? null : /** @type {Colour[]} */ (found);
}
