/**
 * What people can read in an element now, what a field holds, and where it stands. Behind `dom.js`, for
 * `changes.js`.
 */

const SHORT = 200;

const innerText = getterOf(HTMLElement.prototype, "innerText");
const isConnected = getterOf(Node.prototype, "isConnected");
const attachShadowHost = getterOf(ShadowRoot.prototype, "host");
const frameDocumentNow = getterOf(HTMLIFrameElement.prototype, "contentDocument");
const DOCUMENT = 9;
const FRAGMENT = 11;

const selectedNow = getterOf(HTMLSelectElement.prototype, "selectedOptions");
const areaNow = getterOf(HTMLTextAreaElement.prototype, "value");
const typeNow = getterOf(HTMLInputElement.prototype, "type");
const valueNow = getterOf(HTMLInputElement.prototype, "value");
const checkedNow = getterOf(HTMLInputElement.prototype, "checked");

/** @param {string} text */
const plain = (text) => text.replace(/\s+/g, " ").trim();

/** @param {Element} element */
const isShown = (element) =>
  checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });

/** By name: what stands in a frame is of another realm's classes. @param {Element} element @param {string} [tag] */
const isHtml = (element, tag) => namespaceURI.call(element) === XHTML && (!tag || localName.call(element) === tag);

/** @param {any} target of an event, which may be a window */
function isElement(target) {
  try {
    return nodeType.call(target) === ELEMENT_NODE;
  } catch {
    return false;
  }
}

/** @param {Node} root @returns {Element | null} whose shadow it is, if it is one */
function hostNow(root) {
  try {
    return attachShadowHost.call(root);
  } catch {
    return null; // a fragment of no element
  }
}

/** @param {Element} element @returns {string} what people can read in it now */
function shownText(element) {
  if (!isConnected.call(element) || !isShown(element)) return "";
  const text = isHtml(element) ? innerText.call(element) : textContent.call(element);
  return plain(text ?? "");
}

/** @param {Element} element @returns {string} tag, id and class names, a few levels up */
function pathOfNow(element) {
  const steps = [];
  for (let at = element; at && nodeType.call(at) === ELEMENT_NODE && steps.length < 4; at = parentOf(at)) {
    const id = getAttribute.call(at, "id");
    const names = (getAttribute.call(at, "class") ?? "").split(/\s+/).filter(Boolean).slice(0, 2);
    steps.unshift(localName.call(at) + (id ? `#${id}` : names.map((name) => `.${name}`).join("")));
    if (id) break;
  }
  return steps.join(" > ").slice(0, SHORT);
}

/** @param {Node} node @returns {any} its parent, through shadow roots */
function parentOf(node) {
  const parent = parentNode.call(node);
  return parent && nodeType.call(parent) === FRAGMENT ? hostNow(parent) ?? parent : parent;
}

/** @param {Element} element @returns {string | null} what a field holds; of a secret only how long it is */
function fieldText(element) {
  if (isHtml(element, "select")) {
    return [...selectedNow.call(element)].map((option) => plain(textContent.call(option))).join(", ");
  }
  if (isHtml(element, "textarea")) return areaNow.call(element);
  if (!isHtml(element, "input")) return null;
  const type = typeNow.call(element);
  if (type === "checkbox" || type === "radio") return checkedNow.call(element) ? "checked" : "unchecked";
  const value = valueNow.call(element);
  return type === "password" ? "•".repeat(value.length) : value;
}

/** @returns {string} what people can read on the page now */
function visibleNow() {
  const body = bodyOf.call(document);
  return body && isHtml(body) ? plain(innerText.call(body)) : "";
}

/** A clock or a counter ticks on, and is no message each time. @param {string} text */
const timeless = (text) => text.replace(/\d+/g, "0");
