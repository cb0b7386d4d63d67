/**
 * How much of each part of a very large page is read, where only so much is wanted: by the size of its text, by what
 * its element says of it, and by the words that the reader is after. Style and layout are asked for only where they
 * may change how much there is to read.
 */

/**
 * @typedef {object} Part a child of an element that is read in part
 * @property {Node} node
 * @property {number} chars of its text, white space collapsed
 * @property {number} size the same with what its elements will cost
 * @property {number} weight how much it is worth beside its siblings
 * @property {boolean} divides whether it can be read in part
 * @property {number} share `WHOLE`, 0 for nothing, or the room that it has
 */

const WHOLE = Infinity;
/** What an element costs beside its text, in characters. */
const TAG_COST = 3;
/** Less room than this is not worth being shared out: who comes first has it. */
const LEAST_ROOM = 600;
/** What is not larger is an item, a paragraph, a card: read whole or not at all. */
const ONE_PIECE = 2500;
/** From this size on it is worth knowing whether anything of a part can be seen. */
const ASKED = 200;
/** A text up to this size is measured; of a longer one the share of white space is that of the whole page. */
const MEASURED = 4000;
/** Of more children than this, those that are small and like the one before are not looked at closely. */
const MANY = 200;
/** Characters of a page on which that share is measured. */
const SAMPLED = 200_000;
const HUGE = 8;
/** Characters for each element past which most of a text is data, and no text. */
const WORDY = 40;
const ROUNDS = 6;

const INDIVISIBLE = new Set([...ATOMS, "a", "button", "label", "summary", "select", "svg", "math", "object", "embed",
  "picture", "slot", "h1", "h2", "h3", "h4", "h5", "h6", "caption", "colgroup", "ruby", "audio", "progress", "meter"]);
const ASIDES = new Set(["nav", "aside", "footer"]);
const ASIDE_ROLES = new Set(["navigation", "complementary", "contentinfo", "banner", "menu", "menubar", "search"]);
const MAINS = 'main, [role="main"], article, h1';
const ASIDE_NAMES = /(?:^|[\s_-])(?:nav|menu|sidebar|footer|header|breadcrumbs?|cookies?|consent|related|comments?|share|ads?)(?:$|[\s_-])/i;
const HEADS = /^(?:h[1-6]|caption|thead)$/;
const MUTE = "script, style, template, noscript";

const elementsIn = (/** @type {Element} */ element) => htmlCollectionLength.call(getElementsByTagName.call(element, "*"));
const { getElementsByTagName } = Element.prototype;
const renderedTextOf = getterOf(HTMLElement.prototype, "innerText");
const htmlCollectionLength = getterOf(HTMLCollection.prototype, "length");

/** Shares the room of an element out to its children. */
class Shares {
  /** @param {Element} body @param {Reach} reach */
  constructor(body, { room, query }) {
    /** a part with more text is too large in any case, however much of it nobody sees */
    this.huge = HUGE * room;
    const text = textContent.call(body).slice(0, SAMPLED);
    /** what white space leaves of a text */
    this.dense = text.length ? squeezed(text) / text.length : 1;
    this.shown = true;
    this.words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])].slice(0, 12);
  }

  /** @param {string} text @returns {number} */
  sizeOf(text) {
    return text.length <= MEASURED ? squeezed(text) : Math.round(text.length * this.dense);
  }

  /** @param {Element} element @returns {number} characters of its text that have a box, as far as it pays to ask */
  textOf(element) {
    let size = this.sizeOf(textContent.call(element));
    // So much text that it is too much in any case, or more than its elements could show?
    const pays = size < this.huge || size > WORDY * elementsIn(element);
    if (this.shown && size > ASKED && pays && namespaceURI.call(element) === XHTML) {
      return squeezed(renderedTextOf.call(element));
    }
    if (size > LEAST_ROOM) {
      for (const silent of querySelectorAll.call(element, MUTE)) size -= this.sizeOf(textContent.call(silent));
    }
    return Math.max(0, size);
  }

  /**
   * @param {Element} parent
   * @param {number} room
   * @returns {Part[]} its children, in order
   */
  among(parent, room) {
    const parts = [];
    // Inside of what is closed nothing has a box, and all of it is kept.
    this.shown = checkVisibility.call(parent);
    const many = childCountOf.call(parent) > MANY;
    let before = "";
    for (let child = firstChild.call(parent); child; child = nextSibling.call(child)) {
      const tag = many && nodeType.call(child) === ELEMENT_NODE ? localName.call(child) : "";
      parts.push((tag && tag === before && this.alike(child, tag)) || this.partOf(child));
      before = tag || before;
    }
    const total = parts.reduce((sum, { size }) => sum + size, 0);
    if (total > room) share(parts, room);
    return parts;
  }

  /** @param {Element} element @param {string} tag @returns {Part | null} one of many small ones; null if it is not */
  alike(element, tag) {
    const raw = textContent.call(element);
    if (raw.length > LEAST_ROOM || NEVER.has(tag) || this.words.length) return null;
    const chars = Math.round(raw.length * this.dense);
    const size = chars + TAG_COST * (1 + 2 * childCountOf.call(element));
    return { node: element, chars, size, weight: 1, divides: false, share: WHOLE };
  }

  /** @param {Node} node @returns {Part} that is read whole as far as is known */
  partOf(node) {
    const part = { node, chars: 0, size: 0, weight: 1, divides: false, share: WHOLE };
    const type = nodeType.call(node);
    if (type === TEXT_NODE) part.chars = part.size = squeezed(dataOf.call(node));
    if (type !== ELEMENT_NODE) return part;
    const element = /** @type {Element} */ (node);
    const tag = localName.call(element);
    if (NEVER.has(tag) || tag === "noscript") return part;
    part.chars = this.textOf(element);
    part.size = part.chars + TAG_COST * (1 + elementsIn(element));
    part.weight = this.worthOf(element, tag, part.size);
    part.divides = part.size > ONE_PIECE && !INDIVISIBLE.has(tag) && namespaceURI.call(element) === XHTML && !shadowOf(element);
    if (this.shown && part.size > ASKED && !checkVisibility.call(element, { visibilityProperty: true })) weighHidden(part, element);
    return part;
  }

  /** @param {Element} element @param {string} tag @param {number} size @returns {number} */
  worthOf(element, tag, size) {
    const role = getAttribute.call(element, "role") ?? "";
    let worth = 1;
    if (tag === "main" || tag === "article" || role === "main") worth = 4;
    else if (ASIDES.has(tag) || ASIDE_ROLES.has(role)) worth = 0.25;
    else if (size > LEAST_ROOM && querySelector.call(element, MAINS)) worth = 2;
    else if (ASIDE_NAMES.test(`${getAttribute.call(element, "class") ?? ""} ${getAttribute.call(element, "id") ?? ""}`)) worth = 0.5;
    else if (HEADS.test(tag)) worth = 4;
    return this.words.length ? worth * (1 + 4 * this.matching(element)) : worth;
  }

  /** @param {Element} element @returns {number} the share of the reader's words that stand in it */
  matching(element) {
    const text = textContent.call(element).toLowerCase();
    return this.words.filter((word) => text.includes(word)).length / this.words.length;
  }
}

/** What nobody sees takes no room: its text is not kept. What is closed takes little. */
function weighHidden(/** @type {Part} */ part, /** @type {Element} */ element) {
  if (getComputedStyle(element).display === "contents") return;
  if (checkVisibility.call(element) || collapsedKind(element)) part.weight *= 0.2;
  else part.size = 0;
}

/** @param {string} text @returns {number} its characters, white space collapsed */
const squeezed = (text) => text.replace(/\s+/g, " ").trim().length;

/**
 * Share the room out: small parts are read whole; of large ones each has more the larger it is and the more it is
 * worth; where that is too little to read anything, the most worthy come first, in their order.
 *
 * @param {Part[]} parts
 * @param {number} room
 */
function share(parts, room) {
  let open = parts.filter(({ size }) => size > 0);
  let left = room;
  for (let round = 0; round < ROUNDS && open.length; round++) {
    const total = open.reduce((sum, part) => sum + pull(part), 0);
    const rest = [];
    let taken = 0;
    for (const part of open) {
      part.share = (left * pull(part)) / total;
      if (part.share < part.size) rest.push(part);
      else {
        part.share = WHOLE;
        taken += part.size;
      }
    }
    if (rest.length === open.length) break;
    left = Math.max(0, left - taken);
    open = rest;
  }
  serve(open, left);
}

/** @param {Part} part */
const pull = ({ size, weight }) => weight * Math.sqrt(size);

/** @param {Part[]} parts that are larger than their shares @param {number} room of them all */
function serve(parts, room) {
  let left = room;
  const small = [];
  for (const part of parts) {
    if (part.divides && part.share >= LEAST_ROOM) left -= part.share;
    else small.push(part);
  }
  const some = small.length < parts.length;
  small.sort((a, b) => b.weight - a.weight);
  let any = some || room <= 0;
  for (const part of small) {
    const { size, divides } = part;
    part.share = 0;
    if (size <= left || (!any && !divides)) part.share = WHOLE;
    else if (divides && (left >= LEAST_ROOM || !any)) part.share = Math.max(left, 1);
    if (part.share) any = true;
    left -= Math.min(size, part.share);
  }
}
