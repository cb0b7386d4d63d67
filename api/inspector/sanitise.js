/**
 * The one place where markup of a page is read. It is parsed into a document that runs and loads nothing, and
 * told again in elements of ours: names from a list, text as text. No attribute of the page's is carried over
 * but those that say how a table or a list is built, and in which language.
 */

import { count, make } from "./dom.js";

const policy = globalThis.trustedTypes?.createPolicy("pagefold-parse", { createHTML: (/** @type {string} */ text) => text });
const SAME = new Set(("p ul ol li dl dt dd blockquote pre code em strong b i s u sub sup small mark q cite kbd samp var abbr " +
  "time del ins br hr table thead tbody tfoot tr td th caption figure figcaption address ruby rt rp bdi bdo wbr").split(" "));
const BLOCKS = new Set(("div main article section nav header footer aside form fieldset details summary dialog search hgroup menu " +
  "pf-frame pf-fence legend label center").split(" "));
const NEVER = new Set("script style template iframe object embed frame frameset noscript head link meta base svg math canvas audio video pf-url".split(" "));
const KEPT = { ol: ["start", "reversed"], li: ["value"], td: ["colspan", "rowspan"], th: ["colspan", "rowspan", "scope"], bdo: ["dir"] };
const MOST_DEPTH = 200;

/** What has its text already. @type {WeakSet<Node>} */
const shutOnes = new WeakSet();

/** Markup as a document that runs and loads nothing. @param {string} html @returns {Document} */
export function parsed(html) {
  // Its base would be refused, and said so in the console: addresses are told, never followed.
  const plain = html.replace(/<base\b[^>]*>/i, "");
  const source = /** @type {any} */ (policy ? policy.createHTML(plain) : plain);
  return new DOMParser().parseFromString(source, "text/html");
}

/**
 * @param {string | Document} html
 * @param {(fold: {ref: string, items: number, chars: number, region: string, what: string}) => Node} fold
 * @returns {DocumentFragment}
 */
export function told(html, fold) {
  const page = typeof html === "string" ? parsed(html) : html;
  const out = document.createDocumentFragment();
  copyAll(page.body, out, fold, 0);
  return out;
}

/** @param {Node} from @param {Node} to @param {(fold: any) => Node} fold @param {number} depth */
function copyAll(from, to, fold, depth) {
  for (let child = from.firstChild; child; child = child.nextSibling) copy(child, to, fold, depth);
}

/** @param {Node} node @param {Node} to @param {(fold: any) => Node} fold @param {number} depth */
function copy(node, to, fold, depth) {
  if (node.nodeType === Node.TEXT_NODE) {
    to.appendChild(document.createTextNode(/** @type {Text} */ (node).data));
    return;
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  const element = /** @type {Element} */ (node);
  const name = element.localName;
  if (NEVER.has(name)) return;
  if (name === "pf-fold") {
    to.appendChild(fold(foldOf(element)));
    return;
  }
  const made = elementFor(element, name);
  if (made === null || depth > MOST_DEPTH) {
    copyAll(element, to, fold, depth);
    return;
  }
  if (element.hasAttributes()) {
    const lang = element.getAttribute("lang");
    if (lang && /^[a-z0-9-]{2,35}$/i.test(lang)) made.lang = lang;
    if (/^(rtl|ltr|auto)$/.test(element.getAttribute("dir") ?? "")) made.dir = element.getAttribute("dir");
  }
  to.appendChild(made);
  if (!shutOnes.has(made)) copyAll(element, made, fold, depth + 1);
}

/** @param {Element} element @returns {any} */
const foldOf = (element) => ({
  ref: element.getAttribute("ref") ?? "",
  items: Number(element.getAttribute("items") ?? 1) || 1,
  chars: Number(element.getAttribute("chars") ?? 0) || 0,
  region: element.getAttribute("region") ?? "",
  what: element.getAttribute("what") ?? "",
});

/** @param {Element} element @param {string} name @returns {any} null: only what is in it */
function elementFor(element, name) {
  const said = (/** @type {string} */ attribute) => element.getAttribute(attribute) ?? "";
  if (/^h[1-6]$/.test(name)) return make(`h${Math.min(6, Number(name[1]) + 2)}`);
  if (name === "a") return make("span.link", { title: said("href") });
  if (name === "img") return shut(make("span.image", {}, said("alt") ? `Image: ${said("alt")}` : "Image"));
  if (name === "button" || name === "select" || name === "output") return make("span.control");
  if (name === "option") return make("span");
  if (name === "input" || name === "textarea") {
    return shut(make("span.control", {}, said("value") || said("placeholder") || said("type") || element.textContent || "Field"));
  }
  if (BLOCKS.has(name)) return make("div");
  if (!SAME.has(name)) return null;
  const made = document.createElement(name);
  for (const attribute of KEPT[/** @type {keyof KEPT} */ (name)] ?? []) {
    const value = element.getAttribute(attribute);
    if (value !== null && value.length < 12) made.setAttribute(attribute, value);
  }
  return made;
}

/** What has its text already. @param {any} made */
function shut(made) {
  shutOnes.add(made);
  return made;
}

/** @param {{items: number, chars: number}} fold */
export const sizeOf = (fold) => `${count(fold.chars)} characters`;
