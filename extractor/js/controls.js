/**
 * What can be acted on in a tab's page, with refs. Stands in the isolated world under one name, behind `naming.js`;
 * a ref stays with its element from one scan to the next, and no two elements of a tab ever have the same.
 */

const MOST_LOOKED_AT = 300000;
const MOST_OPTIONS = 50;
const CONTEXT_CHARS = 80;
/** What a thing of a list, with its name and its buttons, is in. */
const AROUND = "li, tr, article, dd, fieldset, figure, [role=listitem i], [role=row i], [role=article i], [role=group i], section, form";
const ASIDE = "nav, footer, aside, [role=navigation i], [role=contentinfo i], [role=complementary i]";
const MAIN = "main, [role=main i]";
const ROW = "li, tr, article, [role=listitem i], [role=row i], [role=article i]";
const MARK_CHARS = 20;
const ROLES = ["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "combobox", "listbox", "textbox", "searchbox", "slider", "spinbutton", "treeitem"];
const SELECTOR = ["a[href]", "area[href]", "button", "input:not([type=hidden i])", "select", "textarea", "summary",
  "[contenteditable='']", "[contenteditable=true i]", "[contenteditable=plaintext-only i]", "[onclick]",
  "[tabindex]:not([tabindex^='-'])", ...ROLES.map((role) => `[role=${role} i]`)].join(",");

const optionValue = getterOf(HTMLOptionElement.prototype, "value");
const anchorHref = getterOf(HTMLAnchorElement.prototype, "href");
const connected = getterOf(Node.prototype, "isConnected");
const frameDocumentLive = getterOf(HTMLIFrameElement.prototype, "contentDocument");
const hostOf = getterOf(ShadowRoot.prototype, "host");

const isEditable = getterOf(HTMLElement.prototype, "isContentEditable");
const DOCUMENT_NODE = 9;
const FRAGMENT_NODE = 11;

/** @param {Node} node @returns {any} its parent; of a shadow root's child the host */
function aboveOf(node) {
  const above = parentNode.call(node);
  return above && nodeType.call(above) === FRAGMENT_NODE ? hostOf.call(above) : above;
}

/** @param {Element} element */
function isThere(element) {
  if (!checkVisibility.call(element, { visibilityProperty: true, contentVisibilityAuto: true })) return false;
  const box = getBoundingClientRect.call(element);
  return box.width > 0 && box.height > 0;
}

/**
 * All roots of the page: the document, open and known closed shadow roots, frames of its own origin. Frames of
 * other origins are put into `foreign`: each lists its own.
 *
 * @param {Element[]} foreign
 */
function allRoots(foreign) {
  const roots = [document];
  for (let at = 0, left = MOST_LOOKED_AT; at < roots.length; at++) {
    const all = /** @type {any} */ (nodeType.call(roots[at]) === DOCUMENT_NODE ? Document.prototype : DocumentFragment.prototype)
      .querySelectorAll.call(roots[at], "*");
    for (const element of all) {
      if (left-- <= 0) return roots;
      const shadow = shadowOf(element);
      if (shadow) roots.push(/** @type {any} */ (shadow));
      if (isA(element, "iframe")) {
        const inner = frameDocumentLive.call(element);
        if (inner) roots.push(inner);
        else if (isThere(element)) foreign.push(element);
      }
    }
  }
  return roots;
}

/** Where a node stands in the window: what the frames around it add. @param {Element} element */
function shiftOf(element) {
  let [x, y] = [0, 0];
  for (let view = viewOf(element); view && view !== window; view = view.parent) {
    const frame = view.frameElement;
    if (!frame) break;
    const box = getBoundingClientRect.call(frame);
    x += box.left + insetOf(frame)[0];
    y += box.top + insetOf(frame)[1];
  }
  return [x, y];
}

/** From the edge of a frame's box to its document. @param {Element} frame */
function insetOf(frame) {
  const style = getComputedStyle(frame);
  return [clientLeftOf.call(frame) + (parseFloat(style.paddingLeft) || 0),
    clientTopOf.call(frame) + (parseFloat(style.paddingTop) || 0)];
}

/** @param {Element} element @returns {any} */
const viewOf = (element) => getterOf(Node.prototype, "ownerDocument").call(element)?.defaultView;

/**
 * Lists recycle their rows: the same button then stands in another one. How a row begins tells them apart,
 * numbers and the control's own text left out, and where a link leads.
 *
 * @param {Element} element
 */
function markOf(element) {
  const row = closest.call(element, ROW);
  const own = line(textContent.call(element), MARK_CHARS);
  const text = row && row !== element ? line(textContent.call(row), MARK_CHARS + own.length) : "";
  const begins = own && text.startsWith(own) ? "" : text.replace(/\d+/g, "0").slice(0, MARK_CHARS);
  const leads = isA(element, "a") ? anchorHref.call(element).split(/[?#]/)[0] : "";
  return `${begins}|${leads}`;
}

const controls = {
  /** @type {Map<string, Element>} those of the last scan */
  listed: new Map(),
  /** @type {WeakMap<Element, string>} */
  refs: new WeakMap(),
  /** @type {Map<string, string>} what each of them stood for */
  marks: new Map(),

  /** @type {Element[]} frames of other origins, as of the last scan */
  foreign: [],
  /** What of the window shows this document: left, top, right, bottom. */
  view: [0, 0, 0, 0],

  /** @param {{next: number, most: number, view?: number[]}} options */
  list({ next, most, view }) {
    this.view = view ?? [0, 0, innerWidth, innerHeight];
    this.listed.clear();
    this.marks.clear();
    this.foreign = [];
    const found = [];
    for (const root of allRoots(this.foreign)) {
      const all = /** @type {any} */ (nodeType.call(root) === DOCUMENT_NODE ? Document.prototype : DocumentFragment.prototype)
        .querySelectorAll.call(root, SELECTOR);
      for (const element of all) if (isThere(element)) found.push(element);
    }
    const out = [];
    for (const element of this.chosen(found, most)) {
      let ref = this.refs.get(element);
      if (!ref) this.refs.set(element, (ref = `c${next++}`));
      this.listed.set(ref, element);
      this.marks.set(ref, markOf(element));
      out.push(this.describe(ref, element));
    }
    this.tellApart(out);
    return { controls: out, more: found.length - out.length, next, foreign: this.foreign.length };
  },

  /** In their order; of too many those in view, then those of the main part. @param {Element[]} found @param {number} most */
  chosen(found, most) {
    if (found.length <= most) return found;
    const within = querySelector.call(pageRoot(), MAIN) ? MAIN : "*";
    const ranks = found.map((element) => this.inView(element) ? 0
      : closest.call(element, ASIDE) || !closest.call(element, within) ? 2 : 1);
    const kept = new Set();
    for (const rank of [0, 1, 2]) {
      for (let at = 0; at < found.length && kept.size < most; at++) if (ranks[at] === rank) kept.add(found[at]);
    }
    return found.filter((element) => kept.has(element));
  },

  /** @param {Element} element */
  inView(element) {
    const box = getBoundingClientRect.call(element);
    const [x, y] = shiftOf(element);
    const [left, top, right, bottom] = this.view;
    return box.bottom + y > top && box.top + y < bottom && box.right + x > left && box.left + x < right;
  },

  /** Of those that are called the same, say in what they stand. @param {any[]} found */
  tellApart(found) {
    const counts = new Map();
    const called = (/** @type {any} */ each) => `${each.role} ${each.name}`;
    for (const each of found) counts.set(called(each), (counts.get(called(each)) ?? 0) + 1);
    for (const each of found) {
      if ((counts.get(called(each)) ?? 0) < 2) continue;
      const element = this.listed.get(each.ref);
      const around = element && parentNode.call(element) && closest.call(element, AROUND);
      if (around && around !== element) each.context = line(textIn(around), CONTEXT_CHARS);
    }
  },

  /** @param {string} ref @param {Element} element */
  describe(ref, element) {
    const options = isA(element, "select")
      ? [...optionsOf.call(element)].slice(0, MOST_OPTIONS).map((option) => line(optionText.call(option))) : [];
    return {
      ref, role: roleOf(element), name: nameForLive(element), tag: localName.call(element), value: valueFor(element),
      states: statesOf(element), options,
      context: "",
      frame: window === window.top ? "" : line(location.href, 500),
      url: isA(element, "a") ? line(anchorHref.call(element), 500) : "",
      in_view: this.inView(element),
    };
  },

  /** @param {string} ref @returns {any} the element, or nothing when it is gone or stands for something else now */
  find(ref) {
    const element = this.listed.get(ref);
    if (!element || !connected.call(element) || !viewOf(element)) return undefined;
    return markOf(element) === this.marks.get(ref) ? element : undefined;
  },
};
