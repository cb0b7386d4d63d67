/**
 * Runs in the isolated world of a tab's documents, behind `dom.js`: notes what changes between `begin` and
 * `end`, texts that come and go among it. A new document notes from the moment on when it has been parsed.
 */

const MOST_PLACES = 500;
const MOST_LISTED = 50;
const MOST_TEXTS = 20;
const SHORT = 200;
const LONG = 2000;
/** A longer text that comes and goes is a part of the page rather than a message. */
const MESSAGE = 500;
/** What laying out the page to read its texts may take between `begin` and `end`, and again in `end`. */
const MOST_MS = 400;
const SILENT = new Set(["script", "style", "link", "template", "meta", "noscript", "title", "head"]);
const TELLING = ["class", "style", "hidden", "open", "disabled", "checked", "value", "src", "href", "aria-hidden",
  "aria-expanded", "aria-selected", "aria-checked", "aria-pressed", "aria-invalid", "aria-current", "aria-busy"];

const innerText = getterOf(HTMLElement.prototype, "innerText");
const isConnected = getterOf(Node.prototype, "isConnected");
const attachShadowHost = getterOf(ShadowRoot.prototype, "host");

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

/** @param {Element} element @returns {string} what people can read in it now */
function shownText(element) {
  if (!isConnected.call(element) || !isShown(element)) return "";
  const text = element instanceof HTMLElement ? innerText.call(element) : textContent.call(element);
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
  return parent instanceof ShadowRoot ? attachShadowHost.call(parent) : parent;
}

/** @param {Element} element @returns {string | null} what a field holds; of a secret only how long it is */
function fieldText(element) {
  if (element instanceof HTMLSelectElement) {
    return [...selectedNow.call(element)].map((option) => plain(textContent.call(option))).join(", ");
  }
  if (element instanceof HTMLTextAreaElement) return areaNow.call(element);
  if (!(element instanceof HTMLInputElement)) return null;
  const type = typeNow.call(element);
  if (type === "checkbox" || type === "radio") return checkedNow.call(element) ? "checked" : "unchecked";
  const value = valueNow.call(element);
  return type === "password" ? "•".repeat(value.length) : value;
}

const changes = {
  on: false,
  /** @type {Map<Element, {kind: string, path: string, text: string, chars: number}>} */
  places: new Map(),
  /** @type {Map<Element, Set<string>>} messages that were seen, by where */
  seen: new Map(),
  more: 0,
  left: MOST_MS,
  changedAt: 0,
  /** @type {WeakMap<Element, string>} */
  held: new WeakMap(),
  /** @type {WeakSet<Node>} */
  watched: new WeakSet(),
  observer: new MutationObserver((records) => changes.note(records)),

  /** @param {Node} root */
  watch(root) {
    if (this.watched.has(root)) return;
    this.watched.add(root);
    this.observer.observe(root, {
      childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: TELLING,
    });
  },

  /** @param {Document | Element | ShadowRoot} root */
  watchShadows(root) {
    const all = root instanceof Document ? Document.prototype.querySelectorAll
      : root instanceof ShadowRoot ? DocumentFragment.prototype.querySelectorAll : querySelectorAll;
    let left = 20000;
    for (const element of all.call(root, "*")) {
      if (left-- <= 0) return;
      const shadow = openShadowRoot.call(element);
      if (!shadow) continue;
      this.watch(shadow);
      this.watchShadows(shadow);
    }
  },

  begin() {
    this.observer.takeRecords();
    this.places.clear();
    this.seen.clear();
    this.more = 0;
    this.left = MOST_MS;
    this.changedAt = performance.now();
    this.watch(document);
    this.watchShadows(document);
    this.on = true;
    return true;
  },

  /** @param {MutationRecord[]} records */
  note(records) {
    if (!this.on) return;
    for (const record of records) {
      const target = record.target;
      const element = target instanceof ShadowRoot ? attachShadowHost.call(target)
        : nodeType.call(target) === ELEMENT_NODE ? /** @type {Element} */ (target) : parentOf(target);
      if (!element || nodeType.call(element) !== ELEMENT_NODE || SILENT.has(localName.call(element))) continue;
      if (record.type === "attributes") this.place(element, "attribute");
      else if (record.type === "characterData") this.place(element, "text");
      else this.children(element, record);
    }
  },

  /** @param {Element} element @param {MutationRecord} record */
  children(element, record) {
    for (const node of record.removedNodes) {
      const type = nodeType.call(node);
      const text = type === ELEMENT_NODE || type === TEXT_NODE ? plain(textContent.call(node)) : "";
      if (type === ELEMENT_NODE && !SILENT.has(localName.call(node))) this.gone(node, element, text);
      else if (type === TEXT_NODE && text && !record.addedNodes.length) this.place(element, "text");
    }
    for (const node of record.addedNodes) {
      const type = nodeType.call(node);
      if (type === TEXT_NODE && plain(textContent.call(node))) this.place(element, "text");
      if (type !== ELEMENT_NODE || SILENT.has(localName.call(node))) continue;
      const shadow = openShadowRoot.call(node);
      if (shadow) this.watch(shadow);
      this.place(/** @type {Element} */ (node), "added");
    }
  },

  /** @param {any} element @param {Element} parent @param {string} text */
  gone(element, parent, text) {
    const known = this.places.get(element);
    if (known && known.kind === "added") {
      this.places.delete(element); // it came and went: its text is in `seen`
    } else if (text && this.room()) {
      const path = `${pathOfNow(parent)} > ${localName.call(element)}`.slice(0, SHORT);
      this.places.set(element, { kind: "removed", path, text: text.slice(0, LONG), chars: text.length });
    }
    if (text) this.changedAt = performance.now();
  },

  /** @param {Element} element @param {string} kind */
  place(element, kind) {
    const known = this.places.get(element);
    if (!known) {
      if (!this.room()) return;
      this.places.set(element, { kind, path: pathOfNow(element), text: "", chars: 0 });
    } else if (known.kind === "value") {
      return;
    } else if (known.kind === "attribute") {
      known.kind = kind;
    }
    if (kind !== "attribute") this.changedAt = performance.now();
    if (this.left <= 0 || textContent.call(element).length > 20 * MESSAGE) return;
    const text = this.read(element);
    if (!text || text.length > MESSAGE) return;
    const texts = this.seen.get(element) ?? new Set();
    if (texts.size < MOST_TEXTS) texts.add(text);
    this.seen.set(element, texts);
  },

  /** What a field holds changes without a mutation. @param {Event} event */
  field(event) {
    const element = event.composedPath()[0];
    if (!this.on || !(element instanceof Element) || !this.room()) return;
    const text = fieldText(element);
    // A field that is left says once more what it holds.
    if (text === null || this.held.get(element) === text) return;
    this.held.set(element, text);
    this.changedAt = performance.now();
    this.places.set(element, { kind: "value", path: pathOfNow(element), text: text.slice(0, LONG), chars: text.length });
  },

  /** As `shownText`, by the clock. @param {Element} element */
  read(element) {
    const began = performance.now();
    const text = shownText(element);
    this.left -= performance.now() - began;
    return text;
  },

  room() {
    if (this.places.size < MOST_PLACES) return true;
    this.more++;
    return false;
  },

  /** @param {Element} element whether a place around it is in the list already */
  within(element) {
    for (let at = parentOf(element); at; at = parentOf(at)) {
      const place = this.places.get(at);
      if (place && place.kind !== "attribute") return true;
    }
    return false;
  },

  end() {
    this.note(this.observer.takeRecords());
    this.on = false;
    this.left = MOST_MS;
    const body = bodyOf.call(document);
    const now = body instanceof HTMLElement ? plain(innerText.call(body)) : "";
    const found = [];
    for (const [element, place] of this.places) {
      const connected = isConnected.call(element);
      if (place.kind === "removed") {
        // What stands elsewhere now was replaced or moved.
        if (!connected && !now.includes(place.text)) found.push(place);
        continue;
      }
      if (place.kind === "value") {
        if (connected) found.push(place);
        continue;
      }
      if (!connected || this.within(element)) continue;
      // Out of time, hidden text may stand in it.
      const text = this.left > 0 ? this.read(element) : plain(textContent.call(element));
      if (!text && place.kind === "added") continue;
      found.push({ ...place, path: pathOfNow(element), text: text.slice(0, LONG), chars: text.length });
    }
    found.sort((a, b) => rank(b) - rank(a));
    const listed = found.slice(0, MOST_LISTED);
    const largest = listed.length ? { ...listed[0] } : null;
    for (const place of listed) place.text = place.text.slice(0, SHORT);
    const transient = this.transient(now);
    const more = this.more + found.length - listed.length;
    return { changed: listed, largest, more, transient };
  },

  /** @param {string} now what can be read @returns {string[]} messages that cannot be read any more */
  transient(now) {
    const out = new Set();
    for (const [element, texts] of this.seen) {
      const left = shownText(element);
      for (const text of texts) {
        if (!left.includes(text) && !now.includes(text)) out.add(text.slice(0, MESSAGE).toWellFormed());
      }
    }
    const all = [...out];
    return all.filter((text) => !all.some((other) => other !== text && other.includes(text))).slice(0, MOST_LISTED);
  },
};

/** What people read first: texts before attributes. @param {{kind: string, chars: number}} place */
const rank = (place) => place.chars + (place.kind === "attribute" ? -1e6 : 0);

if (window === window.top && !Object.hasOwn(globalThis, "__pagefoldChanges")) {
  Object.defineProperty(globalThis, "__pagefoldChanges", { value: changes });
  for (const name of ["input", "change"]) addEventListener(name, (event) => changes.field(event), true);
  if (getterOf(Document.prototype, "readyState").call(document) === "loading") {
    addEventListener("DOMContentLoaded", () => changes.begin(), { once: true });
  }
}
