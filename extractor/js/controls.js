/**
 * What can be acted on in a tab's page, with refs. Stands in the isolated world under one name, behind `dom.js`;
 * a ref stays with its element from one scan to the next, and no two elements of a tab ever have the same.
 */

const MOST_LOOKED_AT = 20000;
const NAME_CHARS = 120;
const MOST_OPTIONS = 50;
const CONTEXT_CHARS = 80;
/** What a thing of a list, with its name and its buttons, is in. */
const AROUND = "li, tr, article, dd, fieldset, figure, [role=listitem i], [role=row i], [role=article i], [role=group i], section, form";
const ROLES = ["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "combobox", "listbox", "textbox", "searchbox", "slider", "spinbutton", "treeitem"];
const SELECTOR = ["a[href]", "area[href]", "button", "input:not([type=hidden i])", "select", "textarea", "summary",
  "[contenteditable='']", "[contenteditable=true i]", "[contenteditable=plaintext-only i]", "[onclick]",
  "[tabindex]:not([tabindex^='-'])", ...ROLES.map((role) => `[role=${role} i]`)].join(",");
const TYPES = new Map([["checkbox", "checkbox"], ["radio", "radio"], ["range", "slider"], ["number", "spinbutton"],
  ["search", "searchbox"], ["button", "button"], ["submit", "button"], ["reset", "button"], ["image", "button"],
  ["file", "file"]]);
const TAGS = new Map([["a", "link"], ["area", "link"], ["button", "button"], ["select", "combobox"],
  ["textarea", "textbox"], ["summary", "button"]]);
const STATES = ["expanded", "selected", "checked", "pressed", "disabled", "invalid", "current"];
const UNSEEN_VALUES = new Set(["password", "file", "hidden"]);

const innerTextOf = getterOf(HTMLElement.prototype, "innerText");
const inputTypeLive = getterOf(HTMLInputElement.prototype, "type");
const inputValueLive = getterOf(HTMLInputElement.prototype, "value");
const inputCheckedLive = getterOf(HTMLInputElement.prototype, "checked");
const inputLabels = getterOf(HTMLInputElement.prototype, "labels");
const selectLabels = getterOf(HTMLSelectElement.prototype, "labels");
const areaLabels = getterOf(HTMLTextAreaElement.prototype, "labels");
const areaValueLive = getterOf(HTMLTextAreaElement.prototype, "value");
const optionsOf = getterOf(HTMLSelectElement.prototype, "options");
const multipleOf = getterOf(HTMLSelectElement.prototype, "multiple");
const optionText = getterOf(HTMLOptionElement.prototype, "text");
const optionValue = getterOf(HTMLOptionElement.prototype, "value");
const optionSelectedLive = getterOf(HTMLOptionElement.prototype, "selected");
const anchorHref = getterOf(HTMLAnchorElement.prototype, "href");
const connected = getterOf(Node.prototype, "isConnected");
const frameDocumentLive = getterOf(HTMLIFrameElement.prototype, "contentDocument");
const hostOf = getterOf(ShadowRoot.prototype, "host");

const isEditable = getterOf(HTMLElement.prototype, "isContentEditable");
const DOCUMENT_NODE = 9;
const FRAGMENT_NODE = 11;

/** By name, since elements of a frame are of another realm's classes. @param {any} element @param {string} tag */
const isA = (element, tag) => localName.call(element) === tag && namespaceURI.call(element) === XHTML;

/** @param {Node} node @returns {any} its parent; of a shadow root's child the host */
function aboveOf(node) {
  const above = parentNode.call(node);
  return above && nodeType.call(above) === FRAGMENT_NODE ? hostOf.call(above) : above;
}

/** @param {string | null | undefined} text @param {number} [most] */
const line = (text, most = NAME_CHARS) => {
  const plain = (text ?? "").replace(/\s+/g, " ").trim();
  return (plain.length > most ? `${plain.slice(0, most - 1)}…` : plain).toWellFormed();
};

/** @param {Element} element */
const textIn = (element) => (namespaceURI.call(element) === XHTML ? innerTextOf.call(element) : textContent.call(element));

/** @param {Element} element @returns {string} */
function typeOf(element) {
  return isA(element, "input") ? inputTypeLive.call(element) : "";
}

/** @param {Element} element @returns {string} */
function roleOf(element) {
  const given = (getAttribute.call(element, "role") ?? "").trim().split(/\s+/)[0].toLowerCase();
  if (given && given !== "presentation" && given !== "none") return given;
  const tag = localName.call(element);
  if (tag === "input") return TYPES.get(typeOf(element)) ?? "textbox";
  if (tag === "select" && multipleOf.call(element)) return "listbox";
  if (TAGS.has(tag)) return TAGS.get(tag) ?? "";
  return hasAttribute.call(element, "contenteditable") ? "textbox" : "button";
}

/** @param {Element} element @returns {any} its labels */
function labelsFor(element) {
  if (isA(element, "input")) return inputLabels.call(element) ?? [];
  if (isA(element, "select")) return selectLabels.call(element) ?? [];
  return isA(element, "textarea") ? areaLabels.call(element) ?? [] : [];
}

/** @param {Element} element @returns {string} what a person would call it */
function nameForLive(element) {
  const ids = (getAttribute.call(element, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  const root = getRootNode.call(element);
  const by = ids.map((id) => (root.getElementById ? root.getElementById(id) : null)).filter(Boolean);
  const tag = localName.call(element);
  const type = typeOf(element);
  const field = ["input", "select", "textarea"].includes(tag);
  const found = [
    () => by.map((each) => textContent.call(each)).join(" "),
    () => getAttribute.call(element, "aria-label"),
    () => [...labelsFor(element)].map((label) => ownText(label, element)).join(" "),
    () => (["button", "submit", "reset"].includes(type) ? inputValueLive.call(element) : ""),
    () => getAttribute.call(element, "alt"),
    () => (field || hasAttribute.call(element, "contenteditable") ? "" : textIn(element)),
    () => [...querySelectorAll.call(element, "img[alt], [aria-label], svg title")]
      .map((part) => getAttribute.call(part, "alt") ?? getAttribute.call(part, "aria-label") ?? textContent.call(part))
      .join(" "),
    () => getAttribute.call(element, "title"),
    () => getAttribute.call(element, "placeholder"),
    () => getAttribute.call(element, "name"),
    () => (type === "submit" || type === "reset" ? type : ""),
  ];
  for (const each of found) {
    const text = line(each());
    if (text) return text;
  }
  return "";
}

/** Text of a label without that of the field in it. @param {Element} label @param {Element} field */
function ownText(label, field) {
  const text = textIn(label);
  const inside = contains.call(label, field) && isA(field, "select") ? textIn(field) : "";
  return inside ? text.replace(inside, " ") : text;
}

/** @param {Element} element @returns {string} */
function valueFor(element) {
  if (isA(element, "select")) return line(chosenIn(element).map((option) => optionText.call(option)).join(", "));
  if (isA(element, "textarea")) return line(areaValueLive.call(element));
  if (hasAttribute.call(element, "contenteditable")) return line(textIn(element));
  const type = typeOf(element);
  if (!type || UNSEEN_VALUES.has(type) || TYPES.get(type) === "button") return "";
  return type === "checkbox" || type === "radio" ? "" : line(inputValueLive.call(element));
}

/** @param {HTMLSelectElement} select */
const chosenIn = (select) => [...optionsOf.call(select)].filter((option) => optionSelectedLive.call(option));

/** @param {Element} element @returns {string[]} */
function statesOf(element) {
  const states = [];
  const type = typeOf(element);
  if ((type === "checkbox" || type === "radio") && inputCheckedLive.call(element)) states.push("checked");
  if (matches.call(element, ":disabled")) states.push("disabled");
  if (hasAttribute.call(element, "required")) states.push("required");
  if (hasAttribute.call(element, "readonly")) states.push("readonly");
  if (type === "password") states.push("password");
  for (const name of STATES) {
    const value = getAttribute.call(element, `aria-${name}`);
    if (value === null || states.includes(name)) continue;
    if (value === "false") { if (name === "expanded") states.push("collapsed"); } else states.push(name);
  }
  return states;
}

/** @param {Element} element */
function isThere(element) {
  if (!checkVisibility.call(element, { visibilityProperty: true, contentVisibilityAuto: true })) return false;
  const box = getBoundingClientRect.call(element);
  return box.width > 0 && box.height > 0;
}

/** All roots of the page: the document, open and known closed shadow roots, frames of its own origin. */
function allRoots() {
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
    x += box.left + clientLeftOf.call(frame);
    y += box.top + clientTopOf.call(frame);
  }
  return [x, y];
}

/** @param {Element} element @returns {any} */
const viewOf = (element) => getterOf(Node.prototype, "ownerDocument").call(element)?.defaultView;

const controls = {
  /** @type {Map<string, Element>} those of the last scan */
  listed: new Map(),
  /** @type {WeakMap<Element, string>} */
  refs: new WeakMap(),

  /** @param {{next: number, most: number}} options */
  list({ next, most }) {
    this.listed.clear();
    const out = [];
    let more = 0;
    for (const root of allRoots()) {
      const all = /** @type {any} */ (nodeType.call(root) === DOCUMENT_NODE ? Document.prototype : DocumentFragment.prototype)
        .querySelectorAll.call(root, SELECTOR);
      for (const element of all) {
        if (!isThere(element)) continue;
        if (out.length >= most) { more++; continue; }
        let ref = this.refs.get(element);
        if (!ref) this.refs.set(element, (ref = `c${next++}`));
        this.listed.set(ref, element);
        out.push(this.describe(ref, element));
      }
    }
    this.tellApart(out);
    return { controls: out, more, next };
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
    const box = getBoundingClientRect.call(element);
    const [x, y] = shiftOf(element);
    const options = isA(element, "select")
      ? [...optionsOf.call(element)].slice(0, MOST_OPTIONS).map((option) => line(optionText.call(option))) : [];
    return {
      ref, role: roleOf(element), name: nameForLive(element), tag: localName.call(element), value: valueFor(element),
      states: statesOf(element), options,
      context: "",
      url: isA(element, "a") ? line(anchorHref.call(element), 500) : "",
      in_view: box.bottom + y > 0 && box.top + y < innerHeight && box.right + x > 0 && box.left + x < innerWidth,
    };
  },

  /** @param {string} ref @returns {any} the element, or nothing when it is gone */
  find(ref) {
    const element = this.listed.get(ref);
    return element && connected.call(element) && viewOf(element) ? element : undefined;
  },

  /** Bring it in view, and say where it can be hit. @param {string} ref @param {boolean} fresh */
  aim(ref, fresh) {
    const element = this.find(ref);
    if (!element) return { state: "stale" };
    const facts = { tag: localName.call(element), type: typeOf(element), role: roleOf(element) };
    if (matches.call(element, ":disabled")) return { ...facts, state: "disabled" };
    if (!isThere(element)) return { ...facts, state: "hidden" };
    if (fresh) scrollIntoView.call(element, { block: "center", inline: "center", behavior: "instant" });
    const [shiftX, shiftY] = shiftOf(element);
    let cover = "";
    for (const box of getClientRects.call(element)) {
      const left = Math.max(box.left, -shiftX), right = Math.min(box.right, innerWidth - shiftX);
      const top = Math.max(box.top, -shiftY), bottom = Math.min(box.bottom, innerHeight - shiftY);
      if (right - left < 1 || bottom - top < 1) continue;
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const hit = getRootNode.call(element).elementFromPoint(x, y);
      if (isHit(element, hit)) return { ...facts, state: "ok", x: x + shiftX, y: y + shiftY };
      cover ||= hit ? `${localName.call(hit)} "${line(textIn(hit), 60)}"` : "";
    }
    return { ...facts, state: cover ? "covered" : "hidden", cover };
  },

  /** @param {string} ref @param {boolean} all whether to choose what is in it, so that typing replaces it */
  focus(ref, all) {
    const element = this.find(ref);
    if (!element) return false;
    focusOn.call(element, { preventScroll: true });
    if (!all) return true;
    if (isA(element, "input")) HTMLInputElement.prototype.select.call(element);
    else if (isA(element, "textarea")) HTMLTextAreaElement.prototype.select.call(element);
    else getSelection()?.selectAllChildren(element);
    return true;
  },

  /** @param {string} ref */
  kind(ref) {
    const element = this.find(ref);
    if (!element) return { state: "stale" };
    const tag = localName.call(element);
    const type = typeOf(element);
    const editable = namespaceURI.call(element) === XHTML && isEditable.call(element);
    const typed = tag === "textarea" || editable ||
      (tag === "input" && !["checkbox", "radio", "file"].includes(type) && TYPES.get(type) !== "button");
    return {
      state: matches.call(element, ":disabled") ? "disabled" : "ok", tag, type, typed,
      readonly: hasAttribute.call(element, "readonly"),
      set: ["date", "time", "datetime-local", "month", "week", "color", "range"].includes(type),
    };
  },

  /** Give a field that takes no keys its value. @param {string} ref @param {string} text */
  put(ref, text) {
    const element = this.find(ref);
    if (!element) return "";
    /** @type {any} */ (Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")).set.call(element, text);
    announce(element);
    return inputValueLive.call(element);
  },

  /** @param {string} ref @param {string[]} wanted @returns {any} */
  select(ref, wanted) {
    const element = this.find(ref);
    if (!element) return { state: "stale" };
    if (!isA(element, "select")) return { state: "kind", tag: localName.call(element) };
    if (matches.call(element, ":disabled")) return { state: "disabled" };
    const options = [...optionsOf.call(element)];
    const chosen = wanted.map((want) =>
      options.find((option) => optionValue.call(option) === want) ??
      options.find((option) => line(optionText.call(option)) === line(want)));
    if (chosen.includes(undefined) || (wanted.length > 1 && !multipleOf.call(element))) {
      return { state: "option", options: options.slice(0, MOST_OPTIONS).map((option) => line(optionText.call(option))) };
    }
    const set = /** @type {any} */ (Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, "selected")).set;
    focusOn.call(element, { preventScroll: true });
    if (multipleOf.call(element)) for (const option of options) set.call(option, chosen.includes(option));
    else set.call(chosen[0], true);
    announce(element);
    return { state: "ok" };
  },

  /** @param {string} ref or nothing for the page @param {string} to */
  scroll(ref, to) {
    const start = ref ? this.find(ref) : scrollingElementOf.call(document);
    if (!start) return { state: ref ? "stale" : "ok" };
    if (to === "view") {
      scrollIntoView.call(start, { block: "center", inline: "nearest", behavior: "instant" });
      return { state: "ok", top: Math.round(scrollY) };
    }
    const box = ref ? scrollerOf(start) : start;
    const page = 0.8 * clientHeightOf.call(box);
    const top = { down: scrollTopOf.call(box) + page, up: scrollTopOf.call(box) - page, start: 0,
      end: scrollHeightOf.call(box) }[to];
    Element.prototype.scrollTo.call(box, { top, behavior: "instant" });
    return { state: "ok", top: Math.round(scrollTopOf.call(box)) };
  },
};

const { scrollIntoView, getClientRects } = Element.prototype;
const focusOn = HTMLElement.prototype.focus;

/** @param {any} element the next thing around it that scrolls */
function scrollerOf(element) {
  for (let at = element; at; at = aboveOf(at)) {
    if (nodeType.call(at) !== ELEMENT_NODE) break;
    if (scrollHeightOf.call(at) > clientHeightOf.call(at) + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return scrollingElementOf.call(document);
}

/** @param {Element} element */
function announce(element) {
  const dispatch = EventTarget.prototype.dispatchEvent;
  dispatch.call(element, new Event("input", { bubbles: true, composed: true }));
  dispatch.call(element, new Event("change", { bubbles: true }));
}

/** Whether a click there goes to the element. @param {Element} element @param {any} hit */
function isHit(element, hit) {
  for (let at = hit; at; at = aboveOf(at)) {
    if (at === element) return true;
    if (nodeType.call(at) === ELEMENT_NODE && localName.call(at) === "label" && [...labelsFor(element)].includes(at)) return true;
  }
  return false;
}

if (!Object.hasOwn(globalThis, "__pagefoldControls")) {
  Object.defineProperty(globalThis, "__pagefoldControls", { value: controls });
}
