/**
 * What is done with a control: brought in view and aimed at, focused, given a value, scrolled. Behind `controls.js`,
 * which finds them.
 */

const hands = {
  /** Bring it in view, and say where it can be hit. @param {string} ref @param {boolean} fresh */
  aim(ref, fresh) {
    const element = controls.find(ref);
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
    const element = controls.find(ref);
    if (!element) return false;
    focusOn.call(element, { preventScroll: true });
    if (!all) return true;
    if (isA(element, "input")) HTMLInputElement.prototype.select.call(element);
    else if (isA(element, "textarea")) HTMLTextAreaElement.prototype.select.call(element);
    else viewOf(element).getSelection()?.selectAllChildren(element);
    return true;
  },

  /** @param {string} ref */
  kind(ref) {
    const element = controls.find(ref);
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
    const element = controls.find(ref);
    if (!element) return "";
    /** @type {any} */ (Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")).set.call(element, text);
    announce(element);
    return inputValueLive.call(element);
  },

  /** @param {string} ref @param {string[]} wanted @returns {any} */
  select(ref, wanted) {
    const element = controls.find(ref);
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
    const start = ref ? controls.find(ref) : scrollingElementOf.call(document);
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
  Object.defineProperty(globalThis, "__pagefoldControls", { value: Object.assign(controls, framed, hands) });
}
