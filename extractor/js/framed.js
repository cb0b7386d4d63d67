/**
 * Frames of other origins: where they show their documents, and whether a point in one can be hit. Behind
 * `controls.js`; each such document lists its own controls.
 */

const framed = {
  /** Where a frame shows its document, and what of that is in view. @param {Element} frame */
  shows(frame) {
    const box = getBoundingClientRect.call(frame);
    const [x, y] = shiftOf(frame);
    const [insetX, insetY] = insetOf(frame);
    const [left, top, right, bottom] = controls.view;
    const [startX, startY] = [box.left + x + insetX, box.top + y + insetY];
    return [Math.max(left, startX) - startX, Math.max(top, startY) - startY,
      Math.min(right, box.right + x) - startX, Math.min(bottom, box.bottom + y) - startY];
  },

  /** A point of a frame's document in this one. @param {Element} frame @param {number} x @param {number} y */
  through(frame, x, y) {
    if (!connected.call(frame) || !viewOf(frame)) return { state: "stale" };
    const box = getBoundingClientRect.call(frame);
    const [insetX, insetY] = insetOf(frame);
    const [pointX, pointY] = [box.left + insetX + x, box.top + insetY + y];
    const hit = getRootNode.call(frame).elementFromPoint(pointX, pointY);
    const [shiftX, shiftY] = shiftOf(frame);
    if (hit === frame) return { state: "ok", x: pointX + shiftX, y: pointY + shiftY };
    if (!hit) return { state: "hidden" };
    return { state: "covered", cover: `${localName.call(hit)} "${line(textIn(hit), 60)}"` };
  },
};
