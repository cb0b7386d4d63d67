/**
 * What boxes out of the flow paint besides a background: thick borders, outlines, shadows, glass that blurs what
 * lies below, and the backdrop of a modal dialog. Each becomes a painter of its own.
 */

const THICK = 8;
const SHADOWS = /(\b[a-z]+\([^()]*\)) (-?[\d.]+)px (-?[\d.]+)px ([\d.]+)px (-?[\d.]+)px( inset)?/g;

/** @param {Capture} capture @param {Level} level with `position: absolute` or `fixed`, and visible */
function paintRings(capture, level) {
  const { style } = level;
  const add = (/** @type {Rect} */ rect, /** @type {Colour | null} */ colour, picture = "none") => {
    if (isEmpty(rect) || (picture === "none" && (!colour || colour[3] === 0))) return;
    const { left, top, right, bottom } = rect;
    capture.painters.push({
      ...level, tag: "::ring", rect: new DOMRect(left, top, right - left, bottom - top), cover: null, context: null,
      painter: { colour, picture },
    });
  };
  const border = px(style.borderTopWidth);
  if (border >= THICK && style.borderTopStyle === "solid" && isEven(style)) {
    addRing(add, boxOf(level), grown(boxOf(level), -border), colourOf(style.borderTopColor));
  }
  if (style.outlineStyle === "solid") {
    const [width, offset] = [px(style.outlineWidth), px(style.outlineOffset)];
    const inner = grown(boxOf(level), offset);
    if (width >= THICK) addRing(add, grown(inner, width), inner, colourOf(style.outlineColor));
  }
  if (style.boxShadow !== "none") addShadows(add, level, border);
  const glass = style.backdropFilter;
  if (glass !== "none" && filterOpacity(glass) < 0.1) add(boxOf(level), null, "glass");
}

/** @param {CSSStyleDeclaration} style @returns {boolean} whether its border is the same on all sides */
const isEven = (style) => !/ /.test(style.borderWidth) && !/\) /.test(style.borderColor);

/** @param {Rect} rect @param {number} by @returns {Rect} */
const grown = (rect, by) => ({ left: rect.left - by, top: rect.top - by, right: rect.right + by, bottom: rect.bottom + by });

/** What lies between two boxes, in four parts. */
function addRing(/** @type {(rect: Rect, colour: Colour | null) => void} */ add, /** @type {Rect} */ outer, /** @type {Rect} */ inner, colour) {
  if (inner.right <= inner.left || inner.bottom <= inner.top) {
    const line = inner.right <= inner.left ? inner.left : inner.top;
    if (line >= outer.left || line >= outer.top) return add(outer, colour);
  }
  add({ ...outer, bottom: Math.min(outer.bottom, inner.top) }, colour);
  add({ ...outer, top: Math.max(outer.top, inner.bottom) }, colour);
  add({ ...outer, right: Math.min(outer.right, inner.left) }, colour);
  add({ ...outer, left: Math.max(outer.left, inner.right) }, colour);
}

/** @param {(rect: Rect, colour: Colour | null) => void} add @param {Level} level @param {number} border */
function addShadows(add, level, border) {
  const box = boxOf(level);
  for (const [, name, ...rest] of level.style.boxShadow.matchAll(SHADOWS)) {
    const [x, y, blur, spread] = rest.slice(0, 4).map(Number);
    const inset = Boolean(rest[4]);
    const moved = { left: x, right: x, top: y, bottom: y };
    const shift = (/** @type {Rect} */ { left, right, top, bottom }) =>
      ({ left: left + moved.left, right: right + moved.right, top: top + moved.top, bottom: bottom + moved.bottom });
    const size = spread - blur;
    if (inset ? size < THICK : Math.max(Math.abs(x), Math.abs(y)) + size < THICK) continue;
    if (inset) addRing(add, grown(box, -border), shift(grown(box, -border - size)), colourOf(name));
    else addAround(add, shift(grown(box, size)), box, colourOf(name));
  }
}

/** What of a shadow lies outside of the box that throws it. */
function addAround(/** @type {(rect: Rect, colour: Colour | null) => void} */ add, /** @type {Rect} */ shadow, /** @type {Rect} */ box, colour) {
  add({ ...shadow, bottom: Math.min(shadow.bottom, box.top) }, colour);
  add({ ...shadow, top: Math.max(shadow.top, box.bottom) }, colour);
  add({ ...shadow, right: Math.min(shadow.right, box.left) }, colour);
  add({ ...shadow, left: Math.max(shadow.left, box.right) }, colour);
}

/** @param {Capture} capture @param {Level} level a modal dialog: what it puts before all of the page */
function paintBackdrop(capture, level) {
  const style = getComputedStyle(level.original, "::backdrop");
  const colour = colourOf(style.backgroundColor);
  if (!colour || colour[3] === 0 || style.display === "none") return;
  const flow = viewportFlow();
  const paint = { ...level.paint, flow, opacity: Number(style.opacity) };
  const rect = new DOMRect(0, 0, innerWidth, innerHeight);
  capture.painters.push({
    ...level, style, paint, rect, tag: "::backdrop", position: "fixed", order: level.order - 0.5, last: level.order - 0.5,
    flat: false, cover: null, context: null, painter: { colour, picture: "none" },
  });
}
