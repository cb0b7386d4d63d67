/**
 * Elements that stand for themselves: form controls with their live state, pictures, media, maths; and the
 * attributes and addresses that a reader or an actor needs.
 */

const KEPT = new Set(
  ("id class role href src alt title lang dir type name value placeholder for colspan rowspan headers " +
    "scope datetime open checked selected disabled multiple readonly required start reversed action " +
    "method rel itemprop itemtype itemscope content property cite label abbr contenteditable").split(" "),
);
const LAZY = ["data-src", "data-original", "data-lazy-src", "data-lazy", "data-url"];
const STAND_IN = /placeholder|blank|spacer|loading|lazy|1x1|transparent|pixel/i;
const ADDRESSES = new Map([
  ["a", ["href", getterOf(HTMLAnchorElement.prototype, "href")]],
  ["area", ["href", getterOf(HTMLAreaElement.prototype, "href")]],
  ["form", ["action", getterOf(HTMLFormElement.prototype, "action")]],
  ["blockquote", ["cite", getterOf(HTMLQuoteElement.prototype, "cite")]],
  ["q", ["cite", getterOf(HTMLQuoteElement.prototype, "cite")]],
  ["link", ["href", getterOf(HTMLLinkElement.prototype, "href")]],
]);

const inputType = getterOf(HTMLInputElement.prototype, "type");
const inputValue = getterOf(HTMLInputElement.prototype, "value");
const inputChecked = getterOf(HTMLInputElement.prototype, "checked");
const areaValue = getterOf(HTMLTextAreaElement.prototype, "value");
const optionSelected = getterOf(HTMLOptionElement.prototype, "selected");
const currentSrc = getterOf(HTMLImageElement.prototype, "currentSrc");

/** Longest value of an attribute that is kept for selectors alone: data of the page's own. */
const MOST_DATA = 80;

/**
 * Drop what neither a reader nor an actor needs.
 *
 * @param {Capture} capture
 * @param {Element} copy
 * @returns {Element} the copy, or the one that had to take its place
 */
function keepAttributes(capture, copy) {
  if (!hasAttributes.call(copy)) return copy;
  const names = getAttributeNames.call(copy);
  if (names.length > capture.maxAttributes) {
    capture.attributes += names.length - capture.maxAttributes;
    return keepAttributes(capture, slimmed(copy, names.slice(0, capture.maxAttributes)));
  }
  for (const name of names) {
    if (KEPT.has(name) || name.startsWith("aria-")) continue;
    const own = name.startsWith("data-") && !name.startsWith("data-pf-");
    if (!own || getAttribute.call(copy, name).length > MOST_DATA) removeAttribute.call(copy, name);
  }
  return copy;
}

/**
 * @param {Element} original
 * @param {Element} copy
 * @param {string} tag
 */
function resolveAddress(original, copy, tag) {
  const rule = ADDRESSES.get(tag);
  if (rule === undefined || !hasAttribute.call(original, rule[0])) return;
  const url = rule[1].call(original);
  if (/^\s*(javascript|vbscript):/i.test(url)) removeAttribute.call(copy, rule[0]);
  else setAttribute.call(copy, rule[0], shortData(url));
}

/** @param {string} url @returns {string} a long `data:` address as its type and size */
function shortData(url) {
  if (url.length < 256 || !url.startsWith("data:")) return url;
  return `${url.slice(0, url.search(/[;,]/))};size=${url.length},`;
}

/** @param {Element} element @param {string} url @returns {string} */
function absolute(element, url) {
  try {
    return shortData(new URL(url, baseURI.call(element)).href);
  } catch {
    return "";
  }
}

/**
 * @param {Element} original
 * @param {Element} copy
 * @param {{lazy: number}} record
 */
function keepImage(original, copy, record) {
  const isImage = original instanceof HTMLImageElement;
  let source = isImage ? currentSrc.call(original) || imageSrc.call(original) : "";
  const lazy = LAZY.map((name) => getAttribute.call(original, name)).find(Boolean);
  const set = getAttribute.call(original, "data-srcset") ?? "";
  const later = lazy ?? set.trim().split(/[\s,]/)[0];
  if (later && (!source || source.startsWith("data:") || STAND_IN.test(source))) {
    source = absolute(original, later);
    record.lazy++;
  }
  if (source) setAttribute.call(copy, "src", absolute(original, source));
  else removeAttribute.call(copy, "src");
}

/**
 * Live state as attributes. Passwords and hidden fields never leave the page.
 *
 * @param {Element} original
 * @param {Element} copy
 * @returns {boolean} whether the control may stay
 */
function keepInput(original, copy) {
  const type = inputType.call(original);
  if (type === "hidden") return false;
  const value = inputValue.call(original);
  if (type === "password" || value === "" || type === "file") removeAttribute.call(copy, "value");
  else setAttribute.call(copy, "value", value);
  flag(copy, "checked", inputChecked.call(original));
  return true;
}

/** @param {Element} copy @param {string} name @param {boolean} on */
function flag(copy, name, on) {
  if (on) setAttribute.call(copy, name, "");
  else removeAttribute.call(copy, name);
}

/** @param {Element} original @param {Element} copy */
function keepTextarea(original, copy) {
  clear(copy);
  const value = areaValue.call(original);
  // A parser drops the first line feed in a textarea.
  const text = /^[\r\n]/.test(value) ? `\n${value}` : value;
  if (text) appendChild.call(copy, createTextNode.call(inert, text));
}

/** @param {Element} element @param {string} selector @returns {string} */
function textsOf(element, selector) {
  return [...querySelectorAll.call(element, selector)]
    .map((node) => textContent.call(node).replace(/\s+/g, " ").trim())
    .filter(Boolean)
    .join(" ");
}

/** @param {Element} element @returns {string} */
const labelOf = (element) =>
  getAttribute.call(element, "aria-label") ?? getAttribute.call(element, "title") ?? "";

/** @param {string} tag @param {string} label @param {Record<string, string>} more @param {string} text */
function stand(tag, label, more, text) {
  const attributes = { "data-pf-tag": tag, role: "img", ...more };
  if (label) attributes["aria-label"] = label;
  return make("span", attributes, text);
}

/** @param {Element} media @param {string} tag @returns {Element} */
function mediaOf(media, tag) {
  const named = [media, ...querySelectorAll.call(media, "source")];
  const source = named.map((node) => getAttribute.call(node, "src")).find(Boolean);
  const src = source && tag !== "canvas" ? absolute(media, source) : "";
  return stand(tag, labelOf(media), src ? { src } : {}, "");
}

/** @param {Element} math @returns {Element} one copy of the formula, with its TeX */
function formulaOf(math) {
  const note = querySelector.call(math, 'annotation[encoding*="tex" i]');
  const tex = note ? textContent.call(note).trim() : (getAttribute.call(math, "alttext") ?? "");
  let text = "";
  for (const leaf of querySelectorAll.call(math, "mi, mn, mo, ms, mtext")) text += textContent.call(leaf);
  const shown = text.replace(/\s+/g, " ").trim() || tex || textContent.call(math).trim();
  return make("span", { "data-pf-tag": "math", ...(tex ? { "data-pf-tex": tex } : {}) }, shown);
}

/** A formula that a script has typeset: the MathML in it stands for all of it. */
const TYPESET = ".katex, mjx-container, .MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_CHTML";

/**
 * @param {Element} element
 * @returns {Element | null | undefined} undefined when it is no formula; null when another copy stands for it
 */
function typesetOf(element) {
  if (!hasAttribute.call(element, "class") && localName.call(element) !== "mjx-container") return undefined;
  if (!matches.call(element, TYPESET)) return undefined;
  const math = querySelector.call(element, "math");
  if (math) return formulaOf(math);
  let next = element;
  for (let i = 0; i < 3 && next; i++) {
    next = nextElementSibling.call(next);
    if (next && /^math\/tex/.test(getAttribute.call(next, "type") ?? "")) return null;
  }
  return undefined;
}
