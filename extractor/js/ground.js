/**
 * Contrast: text that cannot be told from its real ground, which is what is painted below it there.
 */

/**
 * @param {Run} run
 * @param {Rect[]} lines
 * @param {Cover[]} under everything near that is painted before it
 * @returns {boolean} whether it shows nowhere
 */
function isFaint(run, lines, under) {
  const { paint, style } = run.level;
  if (!canBeFaint(run.level) || hasShadowGround(run.level)) return false;
  const colour = colourOf(style.webkitTextFillColor);
  if (!colour) return false;
  const sorted = under.sort((a, b) => comparePaths(pathOf(a), pathOf(b)));
  for (const point of pointsIn(lines)) {
    const ground = groundAt(point, run, sorted);
    if (!ground || contrastOnGround(colour, ground, paint) >= LEAST_CONTRAST) return false;
  }
  return lines.length > 0;
}

/** Whether a shadow inside a box around the text colours its ground. @param {Level} level */
function hasShadowGround(level) {
  for (let at = /** @type {Level | null} */ (level); at; at = at.above) {
    if (at.style.boxShadow.includes("inset")) return true;
    if (at === level.paint.provider) return false;
  }
  return false;
}

/** @param {Level} level @returns {boolean} whether its letters have nothing but their colour to show them */
function canBeFaint({ style, paint }) {
  if (paint.clipText || paint.blended) return false;
  return style.textShadow === "none" && !px(style.webkitTextStrokeWidth) && style.mixBlendMode === "normal";
}

/**
 * @param {[number, number]} point
 * @param {Run} run
 * @param {Cover[]} sorted in paint order
 * @returns {Colour | null} null when it is not known
 */
function groundAt(point, run, sorted) {
  let ground = run.level.paint.canvas;
  for (const cover of sorted) {
    const meeting = isAround(cover.level, run.level) ? cover : meetingOf(cover, run);
    if (!meeting || !holds(point, meeting.box)) continue;
    if (cover.colour === null) ground = null;
    else if (cover.colour[3] > 0.99 && cover.solid > 0.99) ground = cover.colour;
    else if (ground) ground = blend([...cover.colour.slice(0, 3), cover.solid], ground);
  }
  return ground;
}

/** @param {Colour} colour @param {Colour} ground @param {Paint} paint @returns {number} */
function contrastOnGround(colour, ground, paint) {
  const shown = blend([...colour.slice(0, 3), colour[3] * Math.min(1, paint.opacity)], ground);
  if (!paint.filter) return contrastOf(shown, ground);
  const below = filtered(ground, paint.groundFilter);
  return contrastOf(blend([...filtered(colour, paint.filter).slice(0, 3), colour[3]], below), below);
}

/** A colour through the filters that can take all contrast away. */
function filtered(/** @type {Colour} */ colour, /** @type {string} */ filter) {
  let [r, g, b] = colour;
  for (const [, name, value] of filter.matchAll(/(brightness|contrast|invert)\(([\d.e-]+)\)/g)) {
    const amount = Number(value);
    const change = (/** @type {number} */ c) => {
      if (name === "brightness") return Math.min(255, c * amount);
      if (name === "contrast") return Math.min(255, Math.max(0, (c - 127.5) * amount + 127.5));
      return c + (255 - 2 * c) * amount;
    };
    [r, g, b] = [change(r), change(g), change(b)];
  }
  return [r, g, b, colour[3]];
}
