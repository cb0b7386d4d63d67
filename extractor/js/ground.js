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
  const ink = colourOf(inkOf(style));
  const colour = ink && blendedInk(run.level, ink);
  if (!colour || !canBeFaint(run.level)) return false;
  const sorted = under.sort((a, b) => comparePaths(pathOf(a), pathOf(b)));
  for (const point of pointsIn(lines)) {
    const ground = groundAt(point, run, sorted);
    if (!ground || contrastOnGround(colour, ground, paint) >= LEAST_CONTRAST) return false;
  }
  return lines.length > 0 && !hasOtherGround(run, lines, colour) && !liesInShadow(lines, colour);
}

/** Whether something that has no box of its own colours the ground around the text. */
function hasOtherGround(/** @type {Run} */ { level }, /** @type {Rect[]} */ lines, /** @type {Colour} */ ink) {
  for (let at = /** @type {Level | null} */ (level); at; at = at.above) {
    const { style } = at;
    if (style.boxShadow.includes("inset") && !isAlikeInset(style.boxShadow, ink)) return true;
    if (style.borderImageSource !== "none" || liesOnBorder(at, lines)) return true;
    if (at.tag === "table" && hasColumnGround(at.original)) return true;
    if (hasOtherLine(at) || hasGeneratedGround(at.original)) return true;
    if (at === level.paint.provider) return false;
  }
  return false;
}

/** @type {{box: Rect, colour: Colour | null}[] | null} shadows that boxes throw on others, once they were asked for */
let thrown = null;

/** Whether text may be seen for the shadow of a box near it. @param {Rect[]} lines @param {Colour} ink */
function liesInShadow(lines, ink) {
  thrown ??= shadowsThrown();
  return thrown.some(({ box, colour }) =>
    colour !== null && colour[3] > 0.2 && contrastOf(colour, ink) >= LEAST_CONTRAST && lines.some((line) => overlap(line, box)));
}

const THROWN = /(\b[a-z]+\([^()]*\)) (-?[\d.]+)px (-?[\d.]+)px ([\d.]+)px (-?[\d.]+)px(?! inset)/g;

/** Shadows that reach far enough to hold a line. */
function shadowsThrown() {
  const found = [];
  for (const element of Document.prototype.querySelectorAll.call(document, "body *")) {
    const shadow = getComputedStyle(element).boxShadow;
    if (shadow === "none") continue;
    for (const [, colour, ...sizes] of shadow.matchAll(THROWN)) {
      const [x, y, , spread] = sizes.map(Number);
      if (Math.max(Math.abs(x), Math.abs(y)) + spread < 10) continue;
      const { left, right, top, bottom } = getBoundingClientRect.call(element);
      const box = { left: left + x - spread, right: right + x + spread, top: top + y - spread, bottom: bottom + y + spread };
      found.push({ box, colour: colourOf(colour) });
    }
  }
  return found;
}

/** @param {string} shadow @param {Colour} ink */
function isAlikeInset(shadow, ink) {
  const colour = insetColour(shadow);
  return colour !== null && contrastOf(colour, ink) < LEAST_CONTRAST;
}

/** The colour of a shadow that fills its whole box from within. @param {string} shadow @returns {Colour | null} */
function insetColour(shadow) {
  const [, name, blur, spread] = /^(\w+\([^)]*\)) 0px 0px ([\d.]+)px ([\d.]+)px inset$/.exec(shadow) ?? [];
  const colour = name ? colourOf(name) : null;
  return colour !== null && px(blur) === 0 && px(spread) > 40 && colour[3] > 0.99 ? colour : null;
}

/** @param {Level} level @param {Rect[]} lines @returns {boolean} whether text reaches into its thick border */
function liesOnBorder(level, lines) {
  const [top, right, bottom, left] = ["Top", "Right", "Bottom", "Left"]
    .map((side) => px(/** @type {any} */ (level.style)[`border${side}Width`]));
  if (Math.max(top, right, bottom, left) < 8) return false;
  const box = boxOf(level);
  const inner = { left: box.left + left, top: box.top + top, right: box.right - right, bottom: box.bottom - bottom };
  return lines.some((line) => overlap(line, box) && !within(line, inner));
}

/** @param {Element} table @returns {boolean} */
function hasColumnGround(table) {
  return [...querySelectorAll.call(table, "col, colgroup")]
    .some((column) => colourOf(getComputedStyle(column).backgroundColor)?.[3] !== 0);
}

/** @param {Level} level @returns {boolean} whether its first line or letter is painted in another way */
function hasOtherLine({ original, style, display }) {
  if (isInline(display)) return false;
  return ["::first-line", "::first-letter"].some((pseudo) => {
    const other = getComputedStyle(original, pseudo);
    return other.color !== style.color || (other.backgroundColor !== CLEAR && other.backgroundColor !== style.backgroundColor);
  });
}

/** @param {Element} element @returns {boolean} whether a generated box out of the flow paints something */
function hasGeneratedGround(element) {
  return ["::before", "::after"].some((pseudo) => {
    const style = getComputedStyle(element, pseudo);
    if (style.content === "none" || style.content === "normal" || style.position === "static") return false;
    return style.backgroundImage !== "none" || colourOf(style.backgroundColor)?.[3] !== 0;
  });
}

/** @param {Level} level @returns {boolean} whether its letters have nothing but their colour to show them */
function canBeFaint({ style, paint }) {
  if (paint.clipText || paint.blended) return false;
  const fill = colourOf(inkOf(style));
  const plain = (/** @type {Colour | null} */ colour) =>
    colour !== null && (colour[3] < 0.05 || (fill !== null && fill[3] > 0.05 && contrastOf(colour, fill) < LEAST_CONTRAST));
  if (px(style.webkitTextStrokeWidth) && !plain(colourOf(style.webkitTextStrokeColor))) return false;
  return style.textShadow === "none" || nearShadows(style.textShadow).map(colourOf).every(plain);
}

/** Colours of the shadows that are not thrown off the page. @param {string} shadows computed */
const nearShadows = (shadows) =>
  [...shadows.matchAll(SHADOW)].filter(([, , x]) => px(x) > -FAR_SHADOW).map(([, colour]) => colour);

const SHADOW = /(\b[a-z]+\([^()]*\)) (-?[\d.e+-]+px) /g;
const FAR_SHADOW = 3000;

/**
 * Whether the ground of a box lies behind a text in it: that of a line not behind blocks in it, and that of a
 * table not behind its caption.
 *
 * @param {Level} outer
 * @param {Level} inner
 */
function reaches(outer, inner) {
  if (outer.display !== "inline" && outer.tag !== "table") return true;
  for (let at = /** @type {Level | null} */ (inner); at && at !== outer; at = at.above) {
    if (outer.display === "inline" && !isInline(at.display)) return at.display.startsWith("inline");
    if (at.display === "table-caption" && at.above === outer) return false;
  }
  return true;
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
    const around = isAround(cover.level, run.level);
    if (around && !reaches(cover.level, run.level)) continue;
    const meeting = around ? cover : meetingOf(cover, run);
    const place = around ? broughtIn(point, cover.level, run.level) : point;
    if (!meeting || !holds(place, meeting.box)) continue;
    if (cover.colour === null) ground = shadeAt(cover, place);
    else if (cover.colour[3] > 0.99 && cover.solid > 0.99) ground = cover.colour;
    else if (ground) ground = blend([...cover.colour.slice(0, 3), cover.solid], ground);
  }
  return ground;
}

/**
 * Where a point of a text stands once scrollers have brought it into view: what lies around them does not
 * move with it.
 *
 * @param {[number, number]} point
 * @param {Level} outer
 * @param {Level} inner
 * @returns {[number, number]}
 */
function broughtIn(point, outer, inner) {
  let [x, y] = point;
  const last = outer.paint.flow.clipper === outer ? flowAround(outer).scroller : outer.paint.flow.scroller;
  for (let at = inner.paint.flow.scroller; at && at !== last; at = at.above) {
    x = Math.min(Math.max(x, at.box.left + 1), at.box.right - 1);
    y = Math.min(Math.max(y, at.box.top + 1), at.box.bottom - 1);
  }
  return [x, y];
}

/** What a box of more colours than one shows at a place. @param {Cover} cover @param {[number, number]} point */
function shadeAt({ level, solid }, point) {
  if (!level.painter || solid < 0.99 || !isFilledStraight(level)) return null;
  return gradientAt(level.painter.picture, boxOf(level), point);
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
