/**
 * What a browser knows of an element and Python cannot: labels, display, white space and box.
 */

/** @param {Level} level @param {boolean} places whether small elements say where they are, too */
function annotate(level, places) {
  const { original, copy, tag, display, style, position, fold } = level;
  if (fold) setAttribute.call(copy, "data-pf-c", fold);
  const labels = labelsOf(level);
  if (labels) setAttribute.call(copy, "data-pf-l", labels);
  if (tag === "option" || tag === "optgroup") return;
  const inline = display.startsWith("inline");
  if (inline === BLOCKS.has(tag) && !(tag === "slot" && display === "contents") && display !== "none") {
    setAttribute.call(copy, "data-pf-d", display.includes(" ") ? display.split(" ")[0] : display);
  }
  const space = style.whiteSpaceCollapse;
  const keeps = space !== "collapse" && KEEPS_SPACE.test(space);
  const before = (level.above !== null && level.above.pre) || PRESERVED.has(tag);
  if (keeps !== before) setAttribute.call(copy, "data-pf-pre", keeps ? "1" : "0");
  level.pre = keeps;
  if (!level.shown) return;
  const more = level.shut ? moreIn(original, style.overflow) : "";
  if (more) setAttribute.call(copy, "data-pf-more", more);
  if (position === "fixed" || position === "sticky") setAttribute.call(copy, "data-pf-pos", position);
  const large = !inline && (firstElementChild.call(original) || shadowOf(original));
  if (large || places) {
    setAttribute.call(copy, large ? "data-pf-box" : "data-pf-at", documentBox(level));
  }
}

/** @param {Level} level @returns {string} x, y, width and height from the top left corner of the document */
function documentBox(level) {
  const box = boxOf(level);
  const { x, y } = level.paint.flow;
  const [left, top] = [Math.round(box.left + x), Math.round(box.top + y)];
  return `${left},${top},${Math.round(box.width)},${Math.round(box.height)}`;
}

/** @param {Level} level of a frame @returns {string} as `documentBox`, what its border and padding leave */
function insideBox(level) {
  const { style } = level;
  const edge = (/** @type {string} */ side) =>
    (parseFloat(style.getPropertyValue(`border-${side}-width`)) || 0) + (parseFloat(style.getPropertyValue(`padding-${side}`)) || 0);
  const [left, top, right, bottom] = ["left", "top", "right", "bottom"].map(edge);
  const [x, y, width, height] = documentBox(level).split(",").map(Number);
  return [x + left, y + top, width - left - right, height - top - bottom].map(Math.round).join(",");
}

/** @param {Level} level @returns {string} */
function labelsOf({ original, label }) {
  if (!hasAttributes.call(original)) return label;
  const labels = label ? [label] : [];
  if (getAttribute.call(original, "aria-hidden") === "true") labels.push("aria_hidden");
  if (hasAttribute.call(original, "inert")) labels.push("inert");
  return labels.join(" ");
}
