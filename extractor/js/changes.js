/**
 * Runs in the isolated world of a tab's documents, behind `appearing.js`: notes what changes between `begin` and
 * `end`, texts that come and go among it. A new document notes from the moment on when it has been parsed.
 * Between `end` and the next `begin` only short texts are noted, the latest of them, for who asks next.
 */

const MOST_PLACES = 500;
const MOST_LISTED = 50;
const MOST_TEXTS = 20;
const LONG = 2000;
/** A longer text that comes and goes is a part of the page rather than a message. */
const MESSAGE = 500;
/** What laying out the page to read its texts may take between `begin` and `end`, and again in `end`. */
const MOST_MS = 400;
/** While no call runs: that for a second of time, and so many elements whose texts are kept. */
const IDLE_MS = 20;
const MOST_IDLE = 100;
const SILENT = new Set(["script", "style", "link", "template", "meta", "noscript", "title", "head"]);
const TELLING = ["class", "style", "hidden", "open", "disabled", "checked", "value", "src", "href", "aria-hidden",
  "aria-expanded", "aria-selected", "aria-checked", "aria-pressed", "aria-invalid", "aria-current", "aria-busy"];

/** @param {Event} event */
const onField = (event) => changes.field(event);
/** @param {Event} event */
const onFrame = (event) => changes.appeared(/** @type {Element} */ (event.composedPath()[0]));

const changes = {
  on: false,
  idle: false,
  idleSince: 0,
  /** @type {string[]} what came and went while no call ran */
  earlier: [],
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
  /** @type {WeakSet<Document>} of frames, that have been parsed */
  entered: new WeakSet(),
  observer: new MutationObserver((records) => changes.note(records)),

  /** @param {Node} root */
  watch(root) {
    if (this.watched.has(root)) return;
    this.watched.add(root);
    this.observer.observe(root, {
      childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: TELLING,
    });
  },

  begin() {
    this.earlier = this.meanwhile();
    this.reset();
    this.idle = false;
    this.left = MOST_MS;
    this.changedAt = performance.now();
    this.watch(document);
    this.watchWithin(document, false);
    this.listen(window);
    this.on = true;
    return true;
  },

  reset() {
    this.observer.takeRecords();
    this.places.clear();
    this.seen.clear();
    this.more = 0;
  },

  /** No call runs from now on: what is noted already has been told. */
  rest() {
    this.reset();
    this.on = this.idle = true;
    this.left = IDLE_MS;
    this.idleSince = performance.now();
    return true;
  },

  /** @returns {string[]} texts that came and went since `rest`; they are told once */
  meanwhile() {
    this.note(this.observer.takeRecords());
    if (!this.seen.size) return [];
    this.left = MOST_MS;
    const found = this.transient(visibleNow());
    this.rest();
    return found;
  },

  /** What lays out the page while no call runs gets a share of the time that has passed. */
  refill() {
    if (!this.idle) return;
    const now = performance.now();
    this.left = Math.min(MOST_MS, this.left + ((now - this.idleSince) / 1000) * IDLE_MS);
    this.idleSince = now;
  },

  /**
   * A document that is written anew loses its listeners. The window of a frame that goes on from an empty document
   * stays and does not call again what it has, so there the document is given.
   *
   * @param {Window | Document} target
   */
  listen(target) {
    const add = EventTarget.prototype.addEventListener;
    for (const name of ["input", "change"]) add.call(target, name, onField, true);
    add.call(target, HERE, onFrame, true);
  },

  /** @param {MutationRecord[]} records */
  note(records) {
    if (!this.on) return;
    this.refill();
    for (const record of records) {
      const target = record.target;
      const element = nodeType.call(target) === FRAGMENT ? hostNow(target)
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
      for (const frame of framesOf(/** @type {Element} */ (node))) this.appeared(frame);
    }
  },

  /** @param {any} element @param {Element} parent @param {string} text */
  gone(element, parent, text) {
    if (this.idle) return;
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
    if (!this.idle && !this.listed(element, kind)) return;
    if (this.left <= 0 || textContent.call(element).length > 20 * MESSAGE) return;
    const text = this.read(element);
    if (!text || text.length > MESSAGE) return;
    const texts = this.seen.get(element) ?? new Set();
    if (this.idle) for (const tick of texts) if (timeless(tick) === timeless(text)) texts.delete(tick);
    if (texts.size < MOST_TEXTS) texts.add(text);
    this.seen.set(element, texts);
    if (!this.idle || this.seen.size <= MOST_IDLE) return;
    const [oldest] = this.seen.keys();
    this.seen.delete(oldest);
  },

  /** Put a place in the list; whether its text is of interest. @param {Element} element @param {string} kind */
  listed(element, kind) {
    const known = this.places.get(element);
    if (!known) {
      if (!this.room()) return false;
      this.places.set(element, { kind, path: pathOfNow(element), text: "", chars: 0 });
    } else if (known.kind === "value") {
      return false;
    } else if (known.kind === "attribute") {
      known.kind = kind;
    }
    if (kind !== "attribute") this.changedAt = performance.now();
    return true;
  },

  /** What a field holds changes without a mutation. @param {Event} event */
  field(event) {
    const element = event.composedPath()[0];
    if (!this.on || this.idle || !isElement(element) || !this.room()) return;
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
    this.left = MOST_MS;
    const now = visibleNow();
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
    this.rest();
    return { changed: listed, largest, more, transient, earlier: this.earlier };
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

if ((window === window.top || Object.hasOwn(globalThis, "__pagefoldFramed")) && !Object.hasOwn(globalThis, "__pagefoldChanges")) {
  Object.defineProperty(globalThis, "__pagefoldChanges", { value: Object.assign(changes, appearing) });
  changes.listen(window);
  if (stateNow.call(document) === "loading") onceParsed(() => changes.begin());
} else if (window !== window.top) {
  onceParsed(sayHere);
}
