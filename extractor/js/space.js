/**
 * Transforms: how small, how far, and which side of a box is seen. Turns of boxes in one three-dimensional space
 * add up before they are laid flat, and may cancel out.
 */

/**
 * @typedef {object} Space
 * @property {DOMMatrix} turns of all boxes of it so far
 * @property {number} scale of what the space stands in
 */

/** A skew past this draws text out into a line. */
const FLAT = 1e4;

/** @param {Paint} paint to change @param {Level} level @param {string} transform computed */
function turn(paint, level, transform) {
  const { style } = level;
  const numbers = (/\(([^)]*)\)/.exec(transform)?.[1] ?? "").split(",").map(Number);
  const deep = numbers.length === 16;
  if (deep || paint.space || style.transformStyle === "preserve-3d") turnInSpace(paint, level, transform);
  else if (numbers.length === 6) {
    paint.scale *= Math.sqrt(Math.abs(numbers[0] * numbers[3] - numbers[1] * numbers[2]));
  }
  if (transform === "none") return;
  const [b, c] = deep ? [numbers[1], numbers[4]] : [numbers[1], numbers[2]];
  if (Math.abs(b) > FLAT || Math.abs(c) > FLAT) paint.scale = 0;
  if (Math.abs(b) > 0.01 || Math.abs(c) > 0.01) paint.turned = true;
  paint.shiftX += deep ? numbers[12] : numbers[4];
  paint.shiftY += deep ? numbers[13] : numbers[5];
  paint.lifted = true;
}

/** @param {Paint} paint @param {Level} level @param {string} transform */
function turnInSpace(paint, level, transform) {
  const { style, above } = level;
  const { turns, scale } = paint.space ?? { turns: new DOMMatrix(), scale: paint.scale };
  const own = transform === "none" ? turns : turns.multiply(new DOMMatrix(transform));
  const side = Math.abs(own.m11 * own.m22 - own.m12 * own.m21);
  if (transform !== "none") paint.scale = scale * Math.sqrt(side);
  const depth = above ? px(above.style.perspective) : 0;
  if (depth && isBehind(own, depth, level)) paint.scale = 0;
  if (style.backfaceVisibility === "hidden" && side > 0 && own.inverse().m33 < 0) paint.scale = 0;
  paint.space = style.transformStyle === "preserve-3d" ? { turns: own, scale } : null;
}

/** Whether all of a box lies behind the eye. @param {DOMMatrix} turns @param {number} depth @param {Level} level */
function isBehind(turns, depth, { original }) {
  const reach = Math.abs(turns.m13) * clientWidthOf.call(original) + Math.abs(turns.m23) * clientHeightOf.call(original);
  return turns.m43 - reach >= depth;
}
