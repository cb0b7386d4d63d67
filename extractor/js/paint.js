/**
 * What style and layout say of visibility. Facts only: nothing here touches the copy.
 */

/**
 * @typedef {object} Paint what an element hands down to its children
 * @property {number} opacity product of opacities
 * @property {number} scale product of scales
 * @property {number[] | null} ground background colour behind text; null where it is not one colour
 * @property {Element | null} provider the element that paints `ground`
 * @property {boolean} clipText a background is painted through the text
 * @property {boolean} fixed inside a box that does not move with the document
 * @property {boolean} loose inside a box that scrolls on its own
 * @property {number} x scroll offset of all scrollers around
 * @property {number} y
 */

/** @param {string} value @returns {number} */
const px = (value) => parseFloat(value) || 0;

/** @type {Map<string, number[] | null>} */
const colours = new Map();

/**
 * @param {string} value a computed colour
 * @returns {number[] | null} red, green, blue (0 to 255) and alpha; null in a colour space unknown here
 */
function colourOf(value) {
  let colour = colours.get(value);
  if (colour !== undefined) return colour;
  const parts = /^rgba?\(([^)]*)\)$/.exec(value);
  const numbers = parts ? parts[1].split(/[\s,/]+/).map(Number) : [];
  if (numbers.length === 3) numbers.push(1);
  colour = numbers.length === 4 && numbers.every(Number.isFinite) ? numbers : null;
  colours.set(value, colour);
  return colour;
}

/** @param {number[]} top @param {number[]} below @returns {number[]} */
function blend(top, below) {
  const alpha = top[3];
  return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha)).concat(1);
}

/** WCAG 2 contrast ratio. @param {number[]} a @param {number[]} b @returns {number} */
function contrastOf(a, b) {
  const light = [a, b].map((colour) => {
    const [r, g, bl] = colour.slice(0, 3).map((c) => {
      const s = c / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl + 0.05;
  });
  return Math.max(...light) / Math.min(...light);
}

/** @type {WeakMap<number[], Map<string, boolean>>} by ground, then by text colour */
const alike = new WeakMap();

/** @param {string} name @param {number[]} colour @param {number[]} ground @returns {boolean} */
function isAlike(name, colour, ground) {
  let known = alike.get(ground);
  if (!known) alike.set(ground, (known = new Map()));
  let answer = known.get(name);
  if (answer === undefined) {
    answer = contrastOf(blend(colour, ground), ground) < 1.2;
    known.set(name, answer);
  }
  return answer;
}

/** @param {string} filter @returns {number} */
function filterOpacity(filter) {
  if (filter === "none") return 1;
  let product = 1;
  for (const [, value] of filter.matchAll(/opacity\(([\d.e-]+)\)/g)) product *= Number(value);
  return product;
}

/** @param {string} transform a computed `matrix()` or `matrix3d()` @returns {number} */
function scaleOf(transform) {
  const m = (/\(([^)]*)\)/.exec(transform)?.[1] ?? "").split(",").map(Number);
  if (m.length === 6) return Math.sqrt(Math.abs(m[0] * m[3] - m[1] * m[2]));
  if (m.length === 16) return Math.sqrt(Math.abs(m[0] * m[5] - m[1] * m[4]));
  return 1;
}

/** @param {string} value a computed `clip-path` @param {DOMRect} box @returns {boolean} */
function clipsAll(value, box) {
  const [, shape, inside] = /^([a-z-]+)\((.*?)\)/.exec(value) ?? [];
  if (shape === "circle" || shape === "ellipse") return /^0(px|%)?( |$)/.test(inside);
  if (shape === "polygon") return new Set(inside.split(",").map((point) => point.trim())).size < 3;
  if (shape !== "inset") return false;
  const edges = inside.split(" round ")[0].trim().split(/\s+/);
  const [top, right = top, bottom = top, left = right] = edges;
  const cut = (/** @type {string} */ a, /** @type {string} */ b, /** @type {number} */ size) =>
    [a, b].reduce((sum, e) => sum + (e.endsWith("%") ? (px(e) / 100) * size : px(e)), 0) >= size;
  return cut(top, bottom, box.height) || cut(left, right, box.width);
}

/** @param {string} value a computed `clip` @returns {boolean} whether at most one pixel is left */
function clipsRect(value) {
  const [top, right, bottom, left] = (/^rect\((.*)\)$/.exec(value)?.[1] ?? "").split(/[\s,]+/).map(px);
  return value.startsWith("rect") && (right - left <= 1 || bottom - top <= 1);
}

/**
 * Whether an element's box hides all its content: the pattern of labels for screen readers, no opacity,
 * clipped away, or no room at all.
 *
 * @param {Element} element
 * @param {CSSStyleDeclaration} style
 * @param {Paint} paint its own
 * @param {string} position
 * @param {boolean} shut whether its overflow does not show
 * @returns {string} a reason, `sr_only`, or ""
 */
function boxReason(element, style, paint, position, shut) {
  if (paint.opacity < 0.1) return "opacity";
  const out = position === "absolute" || position === "fixed";
  const clipPath = style.clipPath;
  if (!shut && clipPath === "none" && !(out && style.clip !== "auto")) return "";
  const box = getBoundingClientRect.call(element);
  const width = clientWidthOf.call(element);
  const height = clientHeightOf.call(element);
  const clipped = out && style.clip !== "auto" && clipsRect(style.clip);
  if (shut && out && (width === 1 || height === 1) && width <= 2 && height <= 2) return "sr_only";
  if (clipped) return width <= 2 && height <= 2 && width + height > 0 ? "sr_only" : "clip";
  if (clipPath !== "none" && clipsAll(clipPath, box)) {
    return box.width <= 2 && box.height <= 2 && out ? "sr_only" : "clip";
  }
  if (!shut || style.display === "inline") return "";
  const narrow = style.overflowX !== "visible" && width === 0 && box.width < 1;
  const low = style.overflowY !== "visible" && height === 0 && box.height < 1;
  return (narrow || low) && !hasEscape(element, style) ? "zero_box" : "";
}

/** Whether a descendant's box may leave a static clipping box (its containing block is further out). */
function hasEscape(/** @type {Element} */ element, /** @type {CSSStyleDeclaration} */ style) {
  const holdsFixed = style.transform !== "none" || style.filter !== "none";
  if (holdsFixed) return false;
  const holdsAbsolute = style.position !== "static";
  const inside = querySelectorAll.call(element, "*");
  const limit = Math.min(inside.length, 200);
  for (let i = 0; i < limit; i++) {
    const position = getComputedStyle(inside[i]).position;
    if (position === "fixed" || (position === "absolute" && !holdsAbsolute)) {
      const box = getBoundingClientRect.call(inside[i]);
      if (box.width > 1 && box.height > 1) return true;
    }
  }
  return false;
}

const CLEAR = "rgba(0, 0, 0, 0)";

/**
 * @param {CSSStyleDeclaration} style
 * @param {Paint} above
 * @param {Element} element
 * @param {string} position
 * @param {boolean} shut whether its overflow does not show
 * @returns {Paint} `above` itself where the element changes nothing, which is most often
 */
function paintOf(style, above, element, position, shut) {
  const transform = style.transform;
  const lifted = position !== "static" && position !== "relative";
  const own = style.opacity;
  const filter = style.filter;
  const picture = style.backgroundImage;
  const behind = style.backgroundColor;
  const plain = own === "1" && transform === "none" && filter === "none" && picture === "none";
  if (plain && behind === CLEAR && !lifted && !shut) return above;
  const paint = { ...above };
  paint.opacity = above.opacity * Number(own) * filterOpacity(filter);
  if (transform !== "none") paint.scale *= scaleOf(transform);
  if (position === "fixed") paint.fixed = true;
  if (lifted || transform !== "none" || picture !== "none") paint.ground = null;
  if (picture !== "none" && style.backgroundClip.includes("text")) paint.clipText = true;
  const colour = colourOf(behind);
  if (colour === null) paint.ground = null;
  else if (colour[3] > 0.99 && picture === "none") {
    paint.ground = colour;
    paint.provider = element;
  } else if (colour[3] > 0 && paint.ground) paint.ground = blend(colour, paint.ground);
  if (shut) {
    paint.x += scrollLeftOf.call(element);
    paint.y += scrollTopOf.call(element);
    paint.loose = true;
  }
  return paint;
}

/** @type {Range | null} */
let textRange = null;

/** @param {Node} text @returns {DOMRect} */
function textBox(text) {
  textRange ??= createRange.call(document);
  const range = /** @type {Range} */ (textRange);
  Range.prototype.selectNodeContents.call(range, text);
  return Range.prototype.getBoundingClientRect.call(range);
}

/**
 * Why an element's own text cannot be seen, judged where it stands.
 *
 * @param {Element} element what styles the text
 * @param {Node} text
 * @param {CSSStyleDeclaration} style
 * @param {Paint} paint
 * @param {{left: number, top: number, bottom: number}} limits of the scrollable document
 * @returns {string} a reason or ""
 */
function textReason(element, text, style, paint, limits) {
  if (style.visibility !== "visible") return "visibility";
  if (style.contentVisibility === "hidden") return "content_visibility";
  if (px(style.fontSize) * Math.min(paint.scale, 1) <= 2) return paint.scale < 0.1 ? "transform" : "font_size";
  const indent = px(style.textIndent);
  let box = getBoundingClientRect.call(element);
  if (box.width < 1 || box.height < 1 || Math.abs(indent) > 99) box = textBox(text);
  if (box.width < 0.1 || box.height < 0.1) return paint.scale < 1 ? "transform" : flatReason(element, box);
  if (isOutside(box, paint, limits)) return Math.abs(indent) > 99 ? "text_indent" : "offscreen";
  if (Math.abs(indent) > 99 && style.overflowX !== "visible") {
    const own = getBoundingClientRect.call(element);
    if (box.right <= own.left || box.left >= own.right) return "text_indent";
  }
  return isFaint(element, style, paint, box) ? "contrast" : "";
}

/**
 * @param {DOMRect} box in viewport coordinates
 * @param {Paint} paint
 * @param {{left: number, top: number, bottom: number}} limits
 * @returns {boolean} whether no scrolling brings the box into view
 */
function isOutside(box, paint, limits) {
  if (paint.fixed && !paint.loose) {
    const { right, bottom, left, top } = box;
    return right <= 0.5 || bottom <= 0.5 || left >= innerWidth || top >= innerHeight;
  }
  const right = box.right + paint.x;
  const bottom = box.bottom + paint.y;
  if (paint.fixed) return right <= 0.5 || bottom <= 0.5;
  return right <= limits.left + 0.5 || bottom <= limits.top + 0.5 || box.top + paint.y > limits.bottom;
}

/** @param {Element} element @param {DOMRect} box @returns {string} */
function flatReason(element, box) {
  if (box.width === 0 && box.height === 0) {
    // A 3D turn or a zero scale leaves no box; text that collapses to nothing (white space) leaves none too.
    for (let node = element; node && nodeType.call(node) === ELEMENT_NODE; node = parentNode.call(node)) {
      if (getComputedStyle(node).transform !== "none") return "transform";
    }
    return "";
  }
  return "transform";
}

/** @param {Element} element @param {CSSStyleDeclaration} style @param {Paint} paint @param {DOMRect} box */
function isFaint(element, style, paint, box) {
  if (paint.clipText) return false;
  const fill = style.webkitTextFillColor;
  const colour = colourOf(fill);
  if (colour === null) return false;
  const faint =
    colour[3] < 0.05 || (paint.ground !== null && isAlike(fill, colour, paint.ground));
  if (!faint || style.textShadow !== "none" || px(style.webkitTextStrokeWidth) > 0) return false;
  return colour[3] < 0.05 || !liesOnSomething(element, paint.provider, box);
}

const PICTURES = new Set(["img", "video", "canvas", "iframe", "svg", "object", "embed", "picture"]);

/**
 * Whether something other than the known ground may be painted behind a text: then its contrast is unknown.
 *
 * @param {Element} element
 * @param {Element | null} provider
 * @param {DOMRect} box
 */
function liesOnSomething(element, provider, box) {
  for (let node = element; node; node = parentNode.call(node)) {
    if (nodeType.call(node) !== ELEMENT_NODE) break;
    for (const pseudo of ["::before", "::after"]) {
      const style = getComputedStyle(node, pseudo);
      if (style.content === "none" || style.content === "normal") continue;
      if (style.backgroundImage !== "none" || colourOf(style.backgroundColor)?.[3] !== 0) return true;
    }
    if (node === provider) break;
  }
  const around = provider ?? bodyOf.call(document);
  const others = around ? querySelectorAll.call(around, "*") : [];
  if (others.length > 2000) return true;
  for (const other of others) {
    if (contains.call(other, element) || contains.call(element, other)) continue;
    const its = getBoundingClientRect.call(other);
    const apart =
      its.right <= box.left || its.left >= box.right || its.bottom <= box.top || its.top >= box.bottom;
    if (apart) continue;
    if (PICTURES.has(localName.call(other))) return true;
    const style = getComputedStyle(other);
    if (style.backgroundImage !== "none" || colourOf(style.backgroundColor)?.[3] !== 0) return true;
  }
  return false;
}
