/**
 * `clip-path`, `clip` and `mask`: what region of a box they leave.
 */

/**
 * @param {string} value one coordinate of a basic shape
 * @param {number} size what a percentage is of
 * @returns {number} NaN when it cannot be told
 */
function lengthOf(value, size) {
  if (/^-?[\d.]+(e-?\d+)?(px)?$/.test(value)) return parseFloat(value);
  if (/^-?[\d.]+%$/.test(value)) return (parseFloat(value) / 100) * size;
  return NaN;
}

/** @param {number[][]} points @param {DOMRect} box @returns {Rect} the box around them */
function around(points, box) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return {
    left: box.left + Math.min(...xs), right: box.left + Math.max(...xs),
    top: box.top + Math.min(...ys), bottom: box.top + Math.max(...ys),
  };
}

const NOTHING = { left: 0, top: 0, right: 0, bottom: 0 };

/** @param {number[][]} points @returns {number} twice the area */
const areaOf = (points) =>
  Math.abs(points.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length];
    return sum + x * nextY - nextX * y;
  }, 0));

/** @param {string} inside @param {DOMRect} box @returns {Rect} */
function insetRect(inside, box) {
  const edges = inside.split(" round ")[0].trim().split(/\s+/);
  const [top, right = top, bottom = top, left = right] = edges;
  return {
    left: box.left + lengthOf(left, box.width), right: box.right - lengthOf(right, box.width),
    top: box.top + lengthOf(top, box.height), bottom: box.bottom - lengthOf(bottom, box.height),
  };
}

/** @param {string} shape @param {string} inside @param {DOMRect} box @returns {Rect} */
function roundRect(shape, inside, box) {
  const [radii, at = "50% 50%"] = inside.split(/\s*\bat\s+/);
  const [first, second = first] = radii.trim().split(/\s+/);
  const mean = Math.hypot(box.width, box.height) / Math.SQRT2;
  const rx = lengthOf(first, shape === "circle" ? mean : box.width);
  const ry = shape === "circle" ? rx : lengthOf(second, box.height);
  if (rx < 0.5 || ry < 0.5) return NOTHING;
  const [x, y = "50%"] = at.trim().split(/\s+/);
  const [cx, cy] = [lengthOf(x, box.width), lengthOf(y, box.height)];
  return around([[cx - rx, cy - ry], [cx + rx, cy + ry]], box);
}

/** @param {string} inside @param {DOMRect} box @returns {Rect} */
function polygonRect(inside, box) {
  const corners = inside.replace(/^(nonzero|evenodd)\s*,/, "").split(",").map((point) => {
    const [x, y] = point.trim().split(/\s+/);
    return [lengthOf(x, box.width), lengthOf(y ?? "", box.height)];
  });
  return areaOf(corners) < 2 ? NOTHING : around(corners, box);
}

/** A path of straight lines and curves: the box around all its numbers. */
function pathRect(/** @type {string} */ inside, /** @type {DOMRect} */ box) {
  const data = /["'](.*)["']/.exec(inside)?.[1] ?? "";
  if (/[^MLHVZCQSTmz\s,.\d+eE-]/.test(data) || /[HV]/.test(data)) return null;
  const numbers = (data.match(/-?[\d.]+(?:e-?\d+)?/gi) ?? []).map(Number);
  const corners = [];
  for (let i = 0; i + 1 < numbers.length; i += 2) corners.push([numbers[i], numbers[i + 1]]);
  if (corners.length < 3 || (!/[CQST]/.test(data) && areaOf(corners) < 2)) return NOTHING;
  return around(corners, box);
}

/**
 * @param {string} value a computed `clip-path` other than `none`
 * @param {DOMRect} box
 * @returns {Rect | null} the region that is left (empty when it hides all); null when it cannot be told
 */
function clipPathRect(value, box) {
  if (value.startsWith("url(")) return isEmptyReference(value) ? NOTHING : null;
  const [, shape, inside] = /^([a-z-]+)\((.*)\)/.exec(value) ?? [];
  let rect = null;
  if (shape === "inset") rect = insetRect(inside, box);
  else if (shape === "circle" || shape === "ellipse") rect = roundRect(shape, inside, box);
  else if (shape === "polygon") rect = polygonRect(inside, box);
  else if (shape === "path") rect = pathRect(inside, box);
  if (!rect || Object.values(rect).some(Number.isNaN)) return null;
  return rect;
}

/** @param {string} value `url("#id")` @returns {boolean} whether it names something with nothing in it */
function isEmptyReference(value) {
  const id = /^url\("?#([^")]+)"?\)/.exec(value)?.[1];
  const target = id && Document.prototype.getElementById.call(document, id);
  return Boolean(target) && !firstElementChild.call(/** @type {Element} */ (target));
}

/** @param {string} value a computed `clip` @param {DOMRect} box @returns {Rect | null} */
function clipRect(value, box) {
  const edges = /^rect\((.*)\)$/.exec(value)?.[1].split(/[\s,]+/);
  if (edges?.length !== 4) return null;
  const [top, right, bottom, left] = edges;
  const at = (/** @type {string} */ edge, /** @type {number} */ from, /** @type {number} */ auto) =>
    edge === "auto" ? auto : from + px(edge);
  return {
    left: at(left, box.left, box.left), right: at(right, box.left, box.right),
    top: at(top, box.top, box.top), bottom: at(bottom, box.top, box.bottom),
  };
}

/** Whether a mask that is not repeated lies beside the box. */
function isMaskAway(/** @type {CSSStyleDeclaration} */ style, /** @type {DOMRect} */ box) {
  if (style.maskRepeat !== "no-repeat" || style.maskImage.split("gradient(").length !== 2) return false;
  const [width, height] = style.maskSize.split(" ");
  const [x, y = "50%"] = style.maskPosition.split(" ");
  const isOff = (/** @type {string} */ at, /** @type {string} */ size, /** @type {number} */ room) => {
    const length = lengthOf(size ?? "", room);
    const start = at.endsWith("%") ? lengthOf(at, room - length) : lengthOf(at, room);
    return start >= room || start + length <= 0;
  };
  return isOff(x, width, box.width) || isOff(y, height ?? width, box.height);
}

/** Whether two masks alike let nothing through, since each takes the other away. */
function isMaskUndone(/** @type {CSSStyleDeclaration} */ { maskImage, maskComposite, maskSize, maskPosition }) {
  if (!/^exclude(, exclude)?$/.test(maskComposite)) return false;
  const isTwice = (/** @type {string} */ value) => {
    const half = (value.length - 2) / 2;
    return value.slice(0, half) === value.slice(half + 2);
  };
  const colours = gradientColours(maskImage);
  return colours !== null && colours.every((colour) => colour[3] > 0.99) && isTwice(maskImage) &&
    (!maskSize.includes(",") || isTwice(maskSize)) && (!maskPosition.includes(",") || isTwice(maskPosition));
}

/** @param {CSSStyleDeclaration} style @param {DOMRect} box @returns {boolean} whether the mask lets nothing through */
function masksAll(style, box) {
  const mask = style.maskImage;
  if (mask === "none") return false;
  if (isMaskAway(style, box) || isMaskUndone(style)) return true;
  if (mask.startsWith("url(")) return isEmptyReference(mask);
  if (/^0(px|%)?( 0(px|%)?)?$/.test(style.maskSize)) return true;
  const colours = gradientColours(mask);
  const luminance = style.maskMode === "luminance";
  return colours !== null && colours.length > 0 &&
    colours.every((c) => c[3] * (luminance ? luminanceOf(c) : 1) < 0.05);
}
