/**
 * Open what is closed: details by their attribute, tabs and accordions by a click on their own control. Nothing
 * that leads elsewhere, sends a form, opens a menu or dialog, or answers a consent banner is ever clicked.
 */

const TO_OPEN = '[role="tab"]:not([aria-selected="true"]), [aria-expanded="false"], ' +
  '[data-bs-toggle="collapse"], [data-toggle="collapse"]';
const NOT_HERE = 'nav, [role="navigation"], [role="menubar"], [role="menu"], [role="listbox"], [role="tree"], ' +
  'dialog, [role="dialog"], [role="alertdialog"], [role="toolbar"], ' +
  '[id*="cookie" i], [class*="cookie" i], [id*="consent" i], [class*="consent" i], [id*="gdpr" i], ' +
  '[class*="gdpr" i], [id*="onetrust" i], [aria-label*="cookie" i], [aria-label*="consent" i]';
const NOT_A_PART = new Set(["combobox", "menuitem", "treeitem", "option", "link", "switch", "checkbox", "searchbox"]);
const NOT_OPENED = new Set(["menu", "listbox", "dialog", "alertdialog", "tree", "grid"]);
const CONSENT = /cookie|consent|accept|agree|allow all|akzeptier|zustimm|accepter|aceptar|同意|принять/i;
const HOLDERS = new Set("div section main article li td body form aside header footer dd blockquote".split(" "));

const formOf = getterOf(HTMLButtonElement.prototype, "form");
const buttonType = getterOf(HTMLButtonElement.prototype, "type");

/** @param {Element} element @returns {boolean} whether a click on it can do nothing but open a part */
function mayClick(element) {
  const role = getAttribute.call(element, "role") ?? "";
  const popup = getAttribute.call(element, "aria-haspopup");
  if (NOT_A_PART.has(role) || (popup && popup !== "false")) return false;
  if (hasAttribute.call(element, "disabled") || getAttribute.call(element, "aria-disabled") === "true") return false;
  if (closest.call(element, NOT_HERE) || CONSENT.test(plainText(element).slice(0, 80))) return false;
  const link = closest.call(element, "a[href], area[href]");
  if (link && !/^\s*#/.test(getAttribute.call(link, "href") ?? "")) return false;
  if (element instanceof HTMLButtonElement && formOf.call(element) && buttonType.call(element) !== "button") return false;
  if (/^(?:input|select|textarea|form|label)$/.test(localName.call(element))) return false;
  return checkVisibility.call(element) && !NOT_OPENED.has(roleOfPart(element));
}

/** @param {Element} control */
function roleOfPart(control) {
  const part = partOf(control);
  return part ? (getAttribute.call(part, "role") ?? localName.call(part)) : "";
}

/** @param {Element} control @returns {Element | null} what it opens, as far as the page says */
function partOf(control) {
  const root = getRootNode.call(control);
  const query = root instanceof ShadowRoot ? DocumentFragment.prototype : Document.prototype;
  const byId = (/** @type {string} */ id) => query.querySelector.call(root, `[id="${CSS.escape(id)}"]`);
  for (const name of ["aria-controls", "data-bs-target", "data-target", "href"]) {
    const id = (getAttribute.call(control, name) ?? "").trim().split(/\s+/)[0].replace(/^#/, "");
    const part = id && byId(id);
    if (part) return part;
  }
  const own = getAttribute.call(control, "id");
  const labelled = own && query.querySelector.call(root, `[aria-labelledby~="${CSS.escape(own)}"]`);
  if (labelled) return labelled;
  if (getAttribute.call(control, "role") !== "tab") return null;
  // One panel for all tabs: the nearest one after their list.
  let around = closest.call(control, '[role="tablist"]');
  for (let depth = 0; around && depth < 3; depth++, around = parentNode.call(around)) {
    if (nodeType.call(around) !== ELEMENT_NODE) return null;
    const panel = querySelector.call(around, '[role="tabpanel"]');
    if (panel) return panel;
    const after = nextElementSibling.call(around);
    if (after && depth === 0) return after;
  }
  return null;
}

/** The block beside which a part may stand. @param {Element} element @returns {Element} */
function blockAround(element) {
  let at = element;
  for (let above = parentNode.call(at); above && nodeType.call(above) === ELEMENT_NODE; above = parentNode.call(at)) {
    if (HOLDERS.has(localName.call(above))) return at;
    at = above;
  }
  return at;
}

const opening = {
  /** @type {Element[]} found and not yet opened */
  controls: [],
  seen: new Set(),
  /** @type {Map<Element, Element>} tab lists with the tab that was selected at first */
  selected: new Map(),
  /** @type {string[]} */
  labels: [],

  /** Open closed details, all at once: nothing is clicked. @param {number} most @returns {Promise<number>} */
  async details(most) {
    let opened = 0;
    for (const element of Document.prototype.querySelectorAll.call(document, "details:not([open])")) {
      if (opened >= most || this.seen.has(element) || closest.call(element, NOT_HERE)) continue;
      this.seen.add(element);
      this.labels.push(labelOfControl(element));
      setAttribute.call(element, "open", "");
      opened++;
    }
    if (opened) await quiet(60, 1500);
    return opened;
  },

  /** @returns {number} how many controls are new */
  find() {
    this.controls = [];
    for (const element of Document.prototype.querySelectorAll.call(document, TO_OPEN)) {
      if (this.seen.has(element) || getAttribute.call(element, "aria-expanded") === "true") continue;
      if (!mayClick(element)) continue;
      this.seen.add(element);
      this.controls.push(element);
    }
    return this.controls.length;
  },

  /** @param {number} number @param {Options} options @returns {Promise<boolean>} whether it was still there */
  async open(number, options) {
    const control = this.controls[number];
    if (!isConnectedOf.call(control)) return false;
    if (!mayClick(control)) return false;
    this.labels.push(labelOfControl(control));
    const tabs = closest.call(control, '[role="tablist"]');
    if (tabs && getAttribute.call(control, "role") === "tab" && !this.selected.has(tabs)) {
      const first = querySelector.call(tabs, '[role="tab"][aria-selected="true"]');
      if (first) this.selected.set(tabs, first);
      if (first) this.keep(first, options);
    }
    click(control);
    await quiet(60, 1500);
    return true;
  },

  /** Remember what the control opened: opening the next may close or remove it. */
  kept(/** @type {number} */ number, /** @type {Options} */ options) {
    const control = this.controls[number];
    if (isConnectedOf.call(control)) this.keep(control, options);
  },

  /** @param {Element} control @param {Options} options */
  keep(control, options) {
    const panel = partOf(control);
    const text = panel ? plainText(panel) : "";
    if (!panel || !text || panel === bodyOf.call(document)) return;
    const copy = marked(new PartCapture(options, new Map([[panel, "panel"]]), new Set([panel])).run()).get("panel");
    const kind = getAttribute.call(control, "role") === "tab" ? "tab" : "accordion";
    const tabs = closest.call(control, '[role="tablist"]');
    const anchor = blockAround(tabs && kind === "tab" ? tabs : control);
    if (copy) memory.panels.push({ panel, anchor, copy, text, kind });
  },

  /** Back to the tabs that were open at first. */
  async rest() {
    for (const tab of this.selected.values()) if (isConnectedOf.call(tab)) click(tab);
    if (this.selected.size) await quiet(60, 1500);
    removeEventListener.call(globalThis.navigation, "navigate", stay);
    return this.labels;
  },
};

/** @param {Element} control */
const labelOfControl = (control) => {
  const summary = localName.call(control) === "details" ? querySelector.call(control, "summary") : control;
  return (summary ? plainText(summary) : "").slice(0, 60) || getAttribute.call(control, "aria-label") || "";
};

const { addEventListener, removeEventListener, dispatchEvent } = EventTarget.prototype;

/** As a person's mouse would: some controls listen for the press alone. @param {Element} control */
function click(control) {
  const at = { bubbles: true, cancelable: true, composed: true, button: 0, buttons: 1 };
  dispatchEvent.call(control, new PointerEvent("pointerdown", at));
  dispatchEvent.call(control, new MouseEvent("mousedown", at));
  HTMLElement.prototype.focus.call(control, { preventScroll: true });
  dispatchEvent.call(control, new PointerEvent("pointerup", { ...at, buttons: 0 }));
  dispatchEvent.call(control, new MouseEvent("mouseup", { ...at, buttons: 0 }));
  HTMLElement.prototype.click.call(control);
}

/** A click that would lead to another document is undone. @param {any} event */
const stay = (event) => {
  if (event.cancelable && !event.destination.sameDocument) event.preventDefault();
};
addEventListener.call(globalThis.navigation, "navigate", stay);

Object.defineProperty(globalThis, "__pagefoldSteer", { value: { scrolling, opening }, configurable: true });
return true;
