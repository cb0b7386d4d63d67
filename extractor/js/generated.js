/**
 * Generated boxes: the text of `::before` and `::after`, the boxes that they paint, and numbers of list items.
 *
 * Asking every element for its pseudo-elements would cost more than all the rest, so the style sheets say
 * which names can have one.
 */

/**
 * @typedef {object} Hints last compounds of selectors that generate something
 * @property {Map<string, number>} names `.class`, `#id` or `tag`, with the sides that rules of it speak of
 * @property {number} loose sides of which a rule speaks that has no name, or was passed over
 * @property {number} asks how many elements may be asked though no rule names them
 * @property {Map<string, number>} known sides by class attribute
 */

const PSEUDO = /::?(before|after)\b/;
const PSEUDOS = /** @type {const} */ (["before", "after"]);
/** Bits of the two. */
const BOTH = 3;
const MOST_ASKED = 2000;
const MOST_RULES = 20_000;
const MOST_GENERATED = 200;
/** Signs of list items that plain numbering, or a bullet, gives as well. */
const UNSAID = new Set(["none", "disc", "circle", "square", "decimal"]);
const SAYS = /[\p{L}\p{N}]/u;
const PRIVATE = /\p{Co}/u;

/** @returns {Hints} */
function readHints() {
  const hints = { names: new Map(), loose: 0, asks: 0, known: new Map() };
  const sheets = [...Document.prototype.__lookupGetter__("styleSheets").call(document),
    ...Document.prototype.__lookupGetter__("adoptedStyleSheets").call(document)];
  const queue = [];
  for (const sheet of sheets) {
    try {
      queue.push(sheet.cssRules);
    } catch {
      passOver(hints); // another origin's sheet cannot be read
    }
  }
  let rules = 0;
  for (let at = 0; at < queue.length; at++) {
    for (const rule of queue[at]) {
      if (++rules > MOST_RULES) return passOver(hints);
      if (rule.selectorText !== undefined) noteRule(rule, hints);
      if (rule.cssRules?.length) queue.push(rule.cssRules);
      else if (rule.styleSheet) queueSheet(rule.styleSheet, queue, hints);
    }
  }
  return hints;
}

/** Not all rules were read. @param {Hints} hints */
function passOver(hints) {
  hints.asks = MOST_ASKED;
  hints.loose = BOTH;
  return hints;
}

/** An imported sheet. */
function queueSheet(/** @type {CSSStyleSheet} */ sheet, /** @type {CSSRuleList[]} */ queue, /** @type {Hints} */ hints) {
  try {
    queue.push(sheet.cssRules);
  } catch {
    passOver(hints);
  }
}

/** @param {any} rule @param {Hints} hints */
function noteRule(rule, hints) {
  const selectors = rule.selectorText;
  if (selectors.includes(":checked")) noteTicked(rule);
  if (!PSEUDO.test(selectors)) return;
  const { content, position, background, backgroundColor } = rule.style;
  const paints = position === "absolute" || position === "fixed" || background !== "" || backgroundColor !== "";
  if (position.includes("var(")) hints.loose = BOTH;
  if (!paints && !(SAYS.test(content) && !PRIVATE.test(content)) && !/counter|attr/.test(content)) return;
  for (const selector of selectors.split(",")) {
    const found = PSEUDO.exec(selector);
    // Half of an `:is(a, b)::before` says nothing of a side.
    const side = found ? (found[1] === "before" ? 1 : 2) : BOTH;
    const front = (found ? selector.slice(0, found.index) : selector).replace(/:[\w-]+(\([^)]*\))?|\[[^\]]*\]/g, "").trim();
    const compound = /[^\s>+~]*$/.exec(front)?.[0] ?? "";
    const name = /[.#][\w-]+/.exec(compound)?.[0] ?? /^[a-z][\w-]*$/i.exec(compound)?.[0] ?? "";
    if (name) hints.names.set(name, (hints.names.get(name) ?? 0) | side);
    else {
      hints.loose |= side;
      if (SAYS.test(content)) hints.asks = MOST_ASKED;
    }
  }
}

/** @param {Hints} hints @param {Level} level @returns {number} which of its pseudo-elements to ask for, as bits */
function mayGenerate(hints, { original, tag, above }) {
  const { names, loose } = hints;
  if (hints.asks > 0) {
    hints.asks--;
    return BOTH;
  }
  if (names.size === 0) return 0;
  let sides = names.get(tag) ?? 0;
  const named = sides === BOTH ? null : getAttribute.call(original, "class");
  if (named) {
    let known = hints.known.get(named);
    if (known === undefined) {
      known = named.split(/\s+/).reduce((bits, name) => bits | (names.get(`.${name}`) ?? 0), 0);
      hints.known.set(named, known);
    }
    sides |= known;
  }
  const id = sides === BOTH ? null : getAttribute.call(original, "id");
  if (id !== null) sides |= names.get(`#${id}`) ?? 0;
  if (!sides || sides === BOTH) return sides;
  // Sheets of shadow roots were not read.
  return above?.shadow || shadowOf(original) ? BOTH : sides | loose;
}

/** @param {Capture} capture @param {Level} level @param {number} sides bits */
function generate(capture, level, sides) {
  for (const side of PSEUDOS) {
    if (!(sides & (side === "before" ? 1 : 2))) continue;
    const style = getComputedStyle(level.original, `::${side}`);
    const { content } = style;
    if (content === "none" || content === "normal") continue;
    const text = generatedText(content, level.original);
    if (text && style.visibility === "visible" && style.display !== "none" && px(style.fontSize) > TINY) {
      setAttribute.call(level.copy, `data-pf-${side}`, text.slice(0, MOST_GENERATED));
    }
    paintGenerated(capture, level, style, side);
  }
}

/** @param {string} content computed @param {Element} element @returns {string} "" when it says nothing */
function generatedText(content, element) {
  let text = "";
  for (const [, quoted, name] of content.matchAll(/"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)[^)]*\)/g)) {
    text += name ? (getAttribute.call(element, name) ?? "") : quoted.replace(/\\(.)/g, "$1");
  }
  text = text.replace(/\s+/g, " ");
  return SAYS.test(text) && !PRIVATE.test(text) ? text : "";
}

/** A generated box that may lie before or behind text. */
function paintGenerated(/** @type {Capture} */ capture, /** @type {Level} */ level, style, /** @type {string} */ side) {
  const { position } = style;
  if (position !== "absolute" && position !== "fixed") return;
  const picture = style.backgroundImage;
  const colour = colourOf(style.backgroundColor);
  if ((picture === "none" && colour?.[3] === 0) || style.visibility !== "visible") return;
  let holder = /** @type {Level | null} */ (level);
  while (holder && holder.position === "static" && holder.above) holder = holder.above;
  const base = position === "fixed" || !holder ? { left: 0, top: 0 } : boxOf(holder);
  const left = base.left + px(style.left) + (holder && position !== "fixed" ? clientLeftOf.call(holder.original) : 0);
  const top = base.top + px(style.top) + (holder && position !== "fixed" ? clientTopOf.call(holder.original) : 0);
  const rect = new DOMRect(left, top, px(style.width), px(style.height));
  const order = side === "before" ? level.order + 0.25 : Infinity;
  const box = /** @type {Level} */ ({
    ...level, above: level, style, position, display: style.display, tag: `::${side}`, rect, order, last: order,
    flat: false, context: null, cover: null, painter: { colour, picture },
  });
  const flow = position === "fixed" ? level.paint.fixed : level.paint.absolute;
  box.paint = { ...level.paint, flow, opacity: level.paint.opacity * Number(style.opacity) };
  if (side === "after") level.after = box;
  capture.painters.push(box);
}

const ROMAN = /** @type {const} */ ([[1000, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"],
  [50, "l"], [40, "xl"], [10, "x"], [9, "ix"], [5, "v"], [4, "iv"], [1, "i"]]);

/** @param {number} number @returns {string} */
function roman(number) {
  let [left, out] = [number, ""];
  for (const [value, sign] of ROMAN) for (; left >= value; left -= value) out += sign;
  return out;
}

/** @param {number} number @returns {string} */
function letters(number) {
  let [left, out] = [number, ""];
  for (; left > 0; left = Math.floor((left - 1) / 26)) out = String.fromCharCode(97 + ((left - 1) % 26)) + out;
  return out;
}

/** @param {Level} list @param {Element} item of it: the next one that is counted */
function countItem(list, item) {
  const value = parseInt(getAttribute.call(item, "value") ?? "", 10);
  if (Number.isFinite(value)) list.number = value;
  else if (list.number === null) {
    const start = parseInt(getAttribute.call(list.original, "start") ?? "", 10);
    list.number = Number.isFinite(start) ? start : 1;
  } else list.number += hasAttribute.call(list.original, "reversed") ? -1 : 1;
}

/** @param {Level} level a list item: its number or sign, where plain numbering would not give it */
function numberItem(level) {
  const list = /** @type {Level} */ (level.above);
  countItem(list, level.original);
  const type = level.style.listStyleType;
  if (UNSAID.has(type)) return;
  const { number } = list;
  let mark = "";
  if (type.startsWith('"')) mark = type.slice(1, -1).trim();
  else if (number > 0 && number < 4000 && /^(lower|upper)-/.test(type)) {
    if (type.endsWith("roman")) mark = `${roman(number)}.`;
    else if (/(alpha|latin)$/.test(type)) mark = `${letters(number)}.`;
    if (type.startsWith("upper")) mark = mark.toUpperCase();
  }
  if (SAYS.test(mark)) setAttribute.call(level.copy, "data-pf-number", mark);
}
