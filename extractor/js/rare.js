/**
 * Traits of style that few pages have and that would cost a read for each element to find. They are read only where
 * the page's own style elements or attributes speak of them; sheets that were linked are not searched.
 */

const TRAITS = /** @type {const} */ ({
  contained: [/\bcontain\s*:/i, '[style*="contain:" i]'],
  inset: [/\bbox-shadow\s*:[^;}]*\binset\b/i, '[style*="box-shadow" i][style*="inset" i]'],
  blended: [/\bmix-blend-mode\s*:/i, '[style*="mix-blend-mode" i]'],
  struck: [/line-through/i, '[style*="line-through" i]'],
  replaced: [/\bcontent\s*:\s*url\(/i, '[style*="content:" i]'],
});

/** @type {Record<keyof typeof TRAITS, boolean>} */
const rare = { contained: false, inset: false, blended: false, struck: false, replaced: false };

/** Look for them, once for each capture. */
function findTraits() {
  const query = Document.prototype.querySelector;
  const sheets = [...Document.prototype.querySelectorAll.call(document, "style")].map((sheet) => textContent.call(sheet));
  for (const name of /** @type {(keyof typeof TRAITS)[]} */ (Object.keys(TRAITS))) {
    const [pattern, selector] = TRAITS[name];
    rare[name] = sheets.some((text) => pattern.test(text)) || query.call(document, selector) !== null;
  }
}

/** @param {CSSStyleDeclaration} style @returns {boolean} whether a box paints nothing outside of itself */
const containsPaint = (style) => rare.contained && /paint|strict|content/.test(style.contain);

/** @param {CSSStyleDeclaration} style @returns {boolean} whether a shadow may fill a box from within */
const hasInset = (style) => rare.inset && style.boxShadow.includes("inset");

/** A line drawn through letters that hides all of them: its colour. @param {CSSStyleDeclaration} style @returns {string} */
function strikeOf({ textDecorationLine, textDecorationThickness, textDecorationColor, fontSize }) {
  const whole = textDecorationLine.includes("line-through") && px(textDecorationThickness) > px(fontSize) * 1.5;
  return whole ? textDecorationColor : "";
}

/**
 * The colour in which letters show that are composed with their ground in another way than by lying on it.
 *
 * @param {Level} level
 * @param {Colour} ink
 * @returns {Colour | null} null when it is not known
 */
function blendedInk({ style, paint, above }, ink) {
  const mode = style.mixBlendMode;
  if (mode === "normal") return ink;
  const { ground, provider } = paint;
  if (!ground || ink[3] < 0.99) return null;
  // On the bare canvas there is nothing to be composed with.
  if (!provider) return isBare() ? ink : null;
  if (provider !== above) return null;
  const mix = (/** @type {(a: number, b: number) => number} */ change) =>
    [0, 1, 2].map((i) => 255 * change(ink[i] / 255, ground[i] / 255)).concat(1);
  if (mode === "screen") return mix((a, b) => a + b - a * b);
  if (mode === "multiply") return mix((a, b) => a * b);
  return mode === "difference" ? mix((a, b) => Math.abs(a - b)) : null;
}

/** Whether neither root nor body paint a background. */
const isBare = () => [pageRoot(), bodyOf.call(document)].every((element) => {
  if (!element) return true;
  const { backgroundColor, backgroundImage } = getComputedStyle(element);
  return backgroundColor === CLEAR && backgroundImage === "none";
});
