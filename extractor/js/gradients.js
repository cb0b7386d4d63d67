/**
 * Gradients that run straight across or down a box: which colour lies at a place of it.
 */

const STRAIGHT = /^linear-gradient\((?:(0|90|180|270)deg, |to (top|right|bottom|left), )?(.*)\)$/;
const STOP = /^(\w+\([^()]*\))(?: (-?[\d.]+)(%|px))?$/;
const SIDES = new Map([["top", 0], ["right", 90], ["bottom", 180], ["left", 270]]);

/**
 * @param {string} picture a computed `background-image`
 * @param {Rect} box that it fills
 * @param {[number, number]} point in the box
 * @returns {Colour | null} opaque; null when it cannot be told
 */
function gradientAt(picture, box, [x, y]) {
  const [, degrees, side, inside] = STRAIGHT.exec(picture) ?? [];
  if (inside === undefined) return null;
  const angle = side ? SIDES.get(side) : Number(degrees ?? 180);
  const across = angle === 90 || angle === 270;
  const length = across ? box.right - box.left : box.bottom - box.top;
  const from = across ? x - box.left : y - box.top;
  const at = angle === 90 || angle === 180 ? from : length - from;
  const stops = stopsOf(inside, length);
  if (!stops) return null;
  const next = stops.findIndex((stop) => stop.at > at);
  if (next === 0) return stops[0].colour;
  if (next < 0) return stops[stops.length - 1].colour;
  const [a, b] = [stops[next - 1], stops[next]];
  const share = (at - a.at) / (b.at - a.at);
  return a.colour.map((channel, i) => channel + (b.colour[i] - channel) * share);
}

/** @param {string} inside @param {number} length @returns {{colour: Colour, at: number}[] | null} in order, all opaque */
function stopsOf(inside, length) {
  const stops = [];
  const parts = inside.split(/, (?=\w+\()/);
  for (const [i, part] of parts.entries()) {
    const [, name, number, unit] = STOP.exec(part) ?? [];
    const colour = name ? colourOf(name) : null;
    const edge = i === 0 ? 0 : i === parts.length - 1 ? length : NaN;
    const at = number === undefined ? edge : unit === "px" ? Number(number) : (Number(number) / 100) * length;
    if (!colour || colour[3] < 0.99 || Number.isNaN(at)) return null;
    stops.push({ colour, at: Math.max(at, stops.at(-1)?.at ?? -Infinity) });
  }
  return stops.length > 1 ? stops : null;
}

/** @param {Level} level @returns {boolean} whether one straight gradient fills all of its box */
const isFilledStraight = ({ style, painter }) =>
  painter !== null && STRAIGHT.test(painter.picture) && style.backgroundSize === "auto" &&
  style.backgroundPosition === "0% 0%" && style.borderTopWidth === "0px" && style.borderLeftWidth === "0px";
