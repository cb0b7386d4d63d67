/**
 * The page's DOM, read through the prototypes' own getters.
 *
 * A page can clobber instance properties (`<input name=childNodes>` in a form, `<img name=body>`), in an
 * isolated world too. So nothing here ever reads a property of a node directly.
 */

/**
 * @param {object} prototype
 * @param {string} name
 * @returns {() => any}
 */
const getterOf = (prototype, name) =>
  /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, name)).get;

const TEXT_NODE = 3;
const ELEMENT_NODE = 1;
const XHTML = "http://www.w3.org/1999/xhtml";

const firstChild = getterOf(Node.prototype, "firstChild");
const lastChild = getterOf(Node.prototype, "lastChild");
const nextSibling = getterOf(Node.prototype, "nextSibling");
const parentNode = getterOf(Node.prototype, "parentNode");
const nodeType = getterOf(Node.prototype, "nodeType");
const textContent = getterOf(Node.prototype, "textContent");
const baseURI = getterOf(Node.prototype, "baseURI");
const dataOf = getterOf(CharacterData.prototype, "data");
const localName = getterOf(Element.prototype, "localName");
const namespaceURI = getterOf(Element.prototype, "namespaceURI");
const firstElementChild = getterOf(Element.prototype, "firstElementChild");
const nextElementSibling = getterOf(Element.prototype, "nextElementSibling");
const previousElementSibling = getterOf(Element.prototype, "previousElementSibling");
const openShadowRoot = getterOf(Element.prototype, "shadowRoot");
const outerHTML = getterOf(Element.prototype, "outerHTML");
const scrollTopOf = getterOf(Element.prototype, "scrollTop");
const scrollLeftOf = getterOf(Element.prototype, "scrollLeft");
const scrollWidthOf = getterOf(Element.prototype, "scrollWidth");
const scrollHeightOf = getterOf(Element.prototype, "scrollHeight");
const clientLeftOf = getterOf(Element.prototype, "clientLeft");
const clientTopOf = getterOf(Element.prototype, "clientTop");
const offsetWidthOf = getterOf(HTMLElement.prototype, "offsetWidth");
const clientWidthOf = getterOf(Element.prototype, "clientWidth");
const clientHeightOf = getterOf(Element.prototype, "clientHeight");

const {
  appendChild, insertBefore, removeChild, replaceChild, compareDocumentPosition, contains,
} = Node.prototype;
const {
  getAttribute, setAttribute, removeAttribute, hasAttribute, hasAttributes, getAttributeNames,
  checkVisibility, getBoundingClientRect, querySelectorAll, querySelector, matches, closest,
} = Element.prototype;
const { createElement, createTextNode, createComment, createRange, importNode } = Document.prototype;
const { getRootNode } = Node.prototype;
const { assignedNodes } = HTMLSlotElement.prototype;

const bodyOf = getterOf(Document.prototype, "body");
const rootOf = getterOf(Document.prototype, "documentElement");
/** The root of the page; a detached one where it has none (yet, or because a script took it away). */
const pageRoot = () => rootOf.call(document) ?? createElement.call(document, "html");
const scrollingElementOf = getterOf(Document.prototype, "scrollingElement");
const inert = getterOf(Document.prototype, "implementation")
  .call(document)
  .createHTMLDocument("");

/**
 * Closed shadow roots by host: the driver finds them, since no script in a page can. All scripts of a world share
 * them.
 */
const closedRoots = /** @type {any} */ (globalThis).__pagefoldClosed ?? new Map();
Object.defineProperty(globalThis, "__pagefoldClosed", { value: closedRoots, configurable: true });

/**
 * @param {Element} element
 * @returns {ShadowRoot | null}
 */
const shadowOf = (element) => openShadowRoot.call(element) ?? closedRoots.get(element) ?? null;

/**
 * @param {string} name
 * @param {Record<string, string>} [attributes]
 * @param {string} [text]
 * @returns {Element} an element of the inert document
 */
function make(name, attributes = {}, text = "") {
  const element = createElement.call(inert, name);
  for (const key of Object.keys(attributes)) setAttribute.call(element, key, attributes[key]);
  if (text) appendChild.call(element, createTextNode.call(inert, text));
  return element;
}

/** @param {Node} node */
function remove(node) {
  const parent = parentNode.call(node);
  if (parent) removeChild.call(parent, node);
}

/**
 * @param {Node} node
 * @param {Node} instead
 */
function replace(node, instead) {
  const parent = parentNode.call(node);
  if (parent) replaceChild.call(parent, instead, node);
}

/** @param {Node} node */
function clear(node) {
  for (let child = firstChild.call(node); child; child = firstChild.call(node)) {
    removeChild.call(node, child);
  }
}

/**
 * Give a copy another name; what it was is kept as `data-pf-tag`.
 *
 * @param {Element} copy
 * @param {string} name
 * @param {string} tag
 * @returns {Element}
 */
function rename(copy, name, tag) {
  const element = createElement.call(inert, name);
  if (tag) setAttribute.call(element, "data-pf-tag", tag);
  for (const key of getAttributeNames.call(copy)) {
    setAttribute.call(element, key, getAttribute.call(copy, key));
  }
  for (let child = firstChild.call(copy); child; child = firstChild.call(copy)) {
    appendChild.call(element, child);
  }
  replace(copy, element);
  return element;
}

/**
 * @param {string} text
 * @returns {number} code points
 */
const pointsOf = (text) =>
  text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
