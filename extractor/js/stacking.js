/**
 * Paint order (CSS 2, appendix E): which of two things lies in front. Worked out only for what overlaps.
 *
 * A path has three numbers for each stacking context from the root on (phase, z-index, place in the walk)
 * and three for the thing itself; paths compare like words.
 */

/**
 * @typedef {object} Context
 * @property {number[]} path
 * @property {Context | null} real the nearest one that holds all its descendants
 */

const OWN_GROUND = 1;
const BELOW = 2;
const BLOCK = 3;
const FLOAT = 4;
const INLINE = 5;
const PLACED = 6;
const ABOVE = 7;
const TOP_LAYER = 9;

/** @type {Context} */
const ROOT = { path: [], real: null };

/** @param {Level} level @returns {Context} what its content paints into */
function contextOf(level) {
  const chain = [];
  let at = /** @type {Level | null} */ (level);
  for (; at && !at.context; at = at.above) chain.push(at);
  let context = at ? at.context : ROOT;
  for (let i = chain.length - 1; i >= 0; i--) {
    context = chain[i].context = contextInside(chain[i], /** @type {Context} */ (context));
  }
  return /** @type {Context} */ (context);
}

/** @param {Level} level @param {Context} around @returns {Context} */
function contextInside(level, around) {
  const step = stepOf(level);
  if (!step) return around;
  const [phase, z, real] = step;
  const base = phase === FLOAT || phase === INLINE ? around : (around.real ?? ROOT);
  const path = [...(phase === TOP_LAYER ? ROOT : base).path, phase, z, level.order];
  const context = { path, real: /** @type {Context | null} */ (null) };
  context.real = real ? context : (around.real ?? null);
  return context;
}

/** @param {Level} level @returns {[number, number, boolean] | null} phase, z-index, holds all */
function stepOf(level) {
  const { style, display, position, original } = level;
  if (display === "contents") return null;
  if (isTopLayer(original)) return [TOP_LAYER, 0, true];
  const item = /flex|grid/.test(level.above?.display ?? "");
  const index = style.zIndex;
  const whole = position === "fixed" || position === "sticky" || isolates(level);
  if (position !== "static" || (item && index !== "auto")) {
    const z = index === "auto" ? 0 : Number(index);
    return [z < 0 ? BELOW : z > 0 ? ABOVE : PLACED, z, whole || index !== "auto"];
  }
  if (whole) return [PLACED, 0, true];
  if (item || display.startsWith("inline-")) return [INLINE, 0, false];
  return style.float === "none" ? null : [FLOAT, 0, false];
}

/** @param {Element} element */
const isTopLayer = (element) =>
  (localName.call(element) === "dialog" && matches.call(element, ":modal")) ||
  (hasAttribute.call(element, "popover") && matches.call(element, ":popover-open"));

/** @param {Level} level @returns {boolean} a stacking context by itself */
function isolates({ style, display, flat }) {
  if (!flat && (style.opacity !== "1" || style.filter !== "none" || style.maskImage !== "none" || style.clipPath !== "none")) {
    return true;
  }
  if (style.mixBlendMode !== "normal" || style.isolation === "isolate" || style.backdropFilter !== "none") return true;
  if (/paint|layout|strict|content/.test(style.contain)) return true;
  if (/opacity|transform|filter|z-index|clip-path|mask/.test(style.willChange)) return true;
  if (isInline(display)) return false;
  return (!flat && style.transform !== "none") || style.perspective !== "none" || style.rotate !== "none" ||
    style.scale !== "none" || style.translate !== "none" || style.transformStyle === "preserve-3d";
}

/** @param {Run} run @returns {number[]} */
const textPath = (run) => [...contextOf(run.level).path, INLINE, 0, run.level.order + 0.5];

/** @param {Level} level @returns {number[]} path of its background, or of the picture that it is */
function groundPath(level) {
  const inside = contextOf(level);
  const around = level.above ? contextOf(level.above) : ROOT;
  if (inside !== around) return [...inside.path, OWN_GROUND, 0, level.order];
  const inline = level.display === "inline" || PICTURES.has(level.tag);
  return [...inside.path, inline ? INLINE : BLOCK, 0, level.order];
}

/** @param {number[]} a @param {number[]} b @returns {number} negative when `a` is painted first */
function comparePaths(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}
