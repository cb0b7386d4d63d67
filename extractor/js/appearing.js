/**
 * Frames that come, or go to another document, while changes are noted: each says to the document around it that its
 * own has been parsed. Before `changes.js`, which notes what happens in them.
 */

/** Another one in each process, so that no page can listen for it. */
const HERE = "pagefold-frame";

/** Of one root. */
const MOST_WATCHED = 20000;

const stateNow = getterOf(Document.prototype, "readyState");

/** @param {() => void} then what is done once this document has been parsed */
function onceParsed(then) {
  if (stateNow.call(document) !== "loading") then();
  else addEventListener("DOMContentLoaded", then, { once: true });
}

/** Tell the document around this frame that it can be looked into; one of another origin hears nothing. */
function sayHere() {
  const frame = window.frameElement;
  if (frame) EventTarget.prototype.dispatchEvent.call(frame, new Event(HERE, { composed: true }));
}

/** A part of `changes`, whose `this` it has. @type {any} */
const appearing = {
  /** Roots of shadows and frames in it, and in these. @param {Node} root @param {boolean} news as of `enter` */
  watchWithin(root, news) {
    const type = nodeType.call(root);
    const all = type === DOCUMENT ? Document.prototype.querySelectorAll
      : type === FRAGMENT ? DocumentFragment.prototype.querySelectorAll : querySelectorAll;
    let left = MOST_WATCHED;
    for (const element of /** @type {any} */ (all).call(root, "*")) {
      if (left-- <= 0) return;
      if (isHtml(element, "iframe")) {
        this.enter(frameDocumentNow.call(element), news);
        continue;
      }
      const shadow = openShadowRoot.call(element);
      if (!shadow) continue;
      this.watch(shadow);
      this.watchWithin(shadow, news);
    }
  },

  /**
   * Note what happens in a frame's document from now on.
   *
   * @param {Document | null} inner nothing when it is of another origin
   * @param {boolean} news whether what it shows already is a change of the page
   */
  enter(inner, news) {
    if (!inner) return;
    this.watch(inner);
    this.watchWithin(inner, news);
    this.listen(inner);
    if (stateNow.call(inner) === "loading" || this.entered.has(inner)) return;
    this.entered.add(inner);
    const body = bodyOf.call(inner);
    // While the page itself loads, its frames are a part of it.
    if (news && body && stateNow.call(document) === "complete") this.place(body, "added");
  },

  /** @param {Element} frame that says so, or was put into the page */
  appeared(frame) {
    const inner = this.on && isHtml(frame, "iframe") ? frameDocumentNow.call(frame) : null;
    if (!this.entered.has(inner)) this.enter(inner, true);
  },
};

/** @param {Element} element @returns {Element[]} frames that it is or holds */
function framesOf(element) {
  return isHtml(element, "iframe") ? [element] : [...querySelectorAll.call(element, "iframe")];
}
