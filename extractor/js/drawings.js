/**
 * Drawings: their label and text, never their paths; and what of their text nobody can see.
 */

/** What is in these is painted only where something refers to it. */
const DEFINITIONS = "defs, symbol, clipPath, mask, pattern, marker";
const SHAPES = "rect, circle, ellipse, path, polygon, polyline, line, image, use, foreignObject";
const MOST_SHAPES = 200;

/**
 * A drawing as its label and text.
 *
 * @param {Level} level
 * @param {(tag: string, chars: number) => void} drop
 * @returns {Element | null}
 */
function drawingOf({ original: svg, paint }, drop) {
  let paths = 0;
  for (const path of querySelectorAll.call(svg, "path[d]")) paths += getAttribute.call(path, "d").length;
  if (paths) drop("svg", paths);
  const title = textsOf(svg, ":scope > title, :scope > g > title");
  const label = labelOf(svg) || title;
  const shown = [];
  const hidden = [];
  for (const element of querySelectorAll.call(svg, "text, foreignObject")) {
    const text = textContent.call(element).replace(/\s+/g, " ").trim();
    const reason = text ? drawnReason(svg, element, paint) : "";
    if (reason) hidden.push(make("span", { "data-pf-h": reason }, text));
    else if (text) shown.push(text);
  }
  if (!label && !shown.length && !hidden.length) return null;
  const drawing = stand("svg", label, label !== title && title ? { title } : {}, shown.join(" "));
  for (const text of hidden) appendChild.call(drawing, text);
  return drawing;
}

/** @param {Element} svg that has no box @param {string} display @returns {Element | null} its text */
function hiddenDrawing(svg, display) {
  const text = textsOf(svg, "text, foreignObject");
  return text ? make("span", { "data-pf-tag": "svg", "data-pf-h": display === "none" ? "display" : "content_visibility" }, text) : null;
}

/** @param {Element} svg @param {Element} text @param {Paint} paint @returns {string} why a text cannot be seen */
function drawnReason(svg, text, paint) {
  if (!checkVisibility.call(text)) return "display";
  const definition = closest.call(text, DEFINITIONS);
  if (definition) return contains.call(svg, definition) && !isReferredTo(definition, svg) ? "display" : "";
  const style = getComputedStyle(text);
  if (style.visibility !== "visible") return "visibility";
  const letters = localName.call(text) === "text";
  if (letters && (style.fill === "none" || Number(style.fillOpacity) < 0.05) && style.stroke === "none") return "contrast";
  let opacity = 1;
  for (let at = text; at && at !== svg; at = parentNode.call(at)) opacity *= Number(getComputedStyle(at).opacity);
  if (opacity < 0.1) return "opacity";
  const box = getBoundingClientRect.call(text);
  if (letters && !box.width && !box.height) return isScaledAway(text) ? "transform" : "";
  const reason = letters && box.width ? reasonAmong(svg, { text, style, box }, paint) : "";
  if (reason || getComputedStyle(svg).overflow === "visible") return reason;
  return box.width && !overlap(box, getBoundingClientRect.call(svg)) ? "clip" : "";
}

/** @param {Element} definition @param {Element} svg @returns {boolean} whether anything may paint it or a part of it */
function isReferredTo(definition, svg) {
  for (let at = definition; at && at !== svg; at = parentNode.call(at)) {
    const id = getAttribute.call(at, "id");
    if (id && Document.prototype.querySelector.call(document, `[*|href="#${CSS.escape(id)}"]`)) return true;
  }
  // A part of it may be used by itself, or by a style; what is no symbol is left in doubt then.
  return querySelector.call(definition, "[id]") !== null || /^(?:mask|clipPath|pattern|marker)$/.test(localName.call(definition));
}

/** @param {Element} text that has no size @returns {boolean} whether a transform took it */
function isScaledAway(text) {
  const matrix = SVGGraphicsElement.prototype.getCTM.call(text);
  return matrix !== null && Math.abs(matrix.a * matrix.d - matrix.b * matrix.c) < 1e-9;
}

/**
 * What the shapes of the same drawing say of a text.
 *
 * @param {Element} svg
 * @param {{text: Element, style: CSSStyleDeclaration, box: DOMRect}} letters
 * @param {Paint} paint of the element around the drawing
 * @returns {string} `covered`, `contrast` or ""
 */
function reasonAmong(svg, { text, style, box }, paint) {
  const shapes = placesIn(svg);
  if (!shapes) return "";
  let bare = true;
  for (const { shape, place } of shapes) {
    if (!overlap(place, box)) continue;
    bare = false;
    const later = compareDocumentPosition.call(text, shape) & 4;
    if (later && within(box, place) && isSolidShape(shape, svg)) return "covered";
  }
  const ink = colourOf(style.fill);
  const plain = ink !== null && style.stroke === "none" && style.textShadow === "none" && style.mixBlendMode === "normal";
  if (!bare || !plain || !paint.ground || paint.lifted || paint.filter) return "";
  if (paint.provider && !within(box, boxOf(paint.provider))) return "";
  const around = getComputedStyle(svg);
  const clear = around.backgroundImage === "none" && around.backgroundColor === CLEAR && around.filter === "none";
  return clear && around.position === "static" && isAlike(style.fill, ink, paint.ground) ? "contrast" : "";
}

/** @type {WeakMap<Element, {shape: Element, place: DOMRect}[] | null>} */
const places = new WeakMap();

/** @param {Element} svg @returns {{shape: Element, place: DOMRect}[] | null} null when there are too many */
function placesIn(svg) {
  let known = places.get(svg);
  if (known === undefined) {
    const shapes = [...querySelectorAll.call(svg, SHAPES)].filter((shape) => !closest.call(shape, DEFINITIONS));
    known = shapes.length > MOST_SHAPES ? null : shapes.map((shape) => ({ shape, place: getBoundingClientRect.call(shape) }));
    places.set(svg, known);
  }
  return known;
}

/** @param {Element} shape @param {Element} svg @returns {boolean} whether it hides all within its box */
function isSolidShape(shape, svg) {
  if (localName.call(shape) !== "rect") return false;
  const style = getComputedStyle(shape);
  const fill = colourOf(style.fill);
  if (!fill || fill[3] < 0.99 || Number(style.fillOpacity) < 0.99 || px(style.rx) > 9 || style.visibility !== "visible") return false;
  for (let at = shape; at; at = at === svg ? null : parentNode.call(at)) {
    const { opacity, filter, maskImage, clipPath, mixBlendMode, transform } = getComputedStyle(at);
    if (Number(opacity) < 0.99 || filter !== "none" || maskImage !== "none" || clipPath !== "none") return false;
    if (mixBlendMode !== "normal" || (transform !== "none" && !/^matrix\([^,]+, 0, 0, /.test(transform))) return false;
  }
  return true;
}

/** @param {Element} svg @returns {boolean} whether one shape fills all of it */
function isFilled(svg) {
  const box = getBoundingClientRect.call(svg);
  const rects = querySelectorAll.call(svg, "rect");
  for (let i = 0; i < Math.min(rects.length, 20); i++) {
    if (closest.call(rects[i], DEFINITIONS)) continue;
    if (within(box, getBoundingClientRect.call(rects[i])) && isSolidShape(rects[i], svg)) return true;
  }
  return false;
}
