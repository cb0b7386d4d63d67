/**
 * What the page's style sheets say of other states of an element: that ticking a box opens it, or that a script
 * shows it once it is scrolled to. Read only when something is hidden that this could show.
 */

const MOST_TICKED = 40;
const MOST_FADED = 300;
const MOST_TRIED = 20_000;
const TICKED = /:checked\b(?!\))/g;

/** @type {string[]} selectors of what shows when the box that they name is not ticked yet; filled by `readHints` */
const ticked = [];
let tried = 0;

/** @param {any} rule of which the selector asks for a ticked box */
function noteTicked({ selectorText, style }) {
  const shows = style.display !== "" && style.display !== "none";
  if (shows && /[~+]/.test(selectorText) && ticked.length < MOST_TICKED) {
    ticked.push(selectorText.replace(TICKED, ":not(:checked)"));
  }
}

/** @type {string[] | null} selectors of rules that give opacity back, once they were asked for */
let faded = null;

/** @returns {string[]} */
function fadedRules() {
  if (faded) return faded;
  faded = [];
  const lists = [];
  for (const sheet of Document.prototype.__lookupGetter__("styleSheets").call(document)) {
    try {
      lists.push(sheet.cssRules);
    } catch {
      continue; // another origin's
    }
  }
  let count = 0;
  for (let at = 0; at < lists.length; at++) {
    for (const rule of lists[at]) {
      if (++count > MOST_RULES || faded.length >= MOST_FADED) return faded;
      if (rule.selectorText !== undefined && Number(rule.style.opacity) > 0.5) faded.push(...rule.selectorText.split(","));
      if (rule.cssRules?.length) lists.push(rule.cssRules);
    }
  }
  return faded;
}

/** @param {Element} element without a box @returns {boolean} whether ticking a box gives it one */
function isTickedOpen(element) {
  tried += ticked.length;
  return tried < MOST_TRIED && ticked.some((selector) => matchesSafely(element, selector));
}

/**
 * Whether a script shows something of no opacity once it is scrolled to: it lies below what was seen, and the style
 * sheet has a rule that shows it with one class more.
 *
 * @param {Element} element
 * @returns {boolean}
 */
function isRevealed(element) {
  if (getBoundingClientRect.call(element).top + scrollY < innerHeight || !hasAttribute.call(element, "class")) return false;
  return fadedRules().some((selector) => isOfOneClassMore(element, selector.trim()));
}

/**
 * Whether an element that is faint at this moment is being faded in: by scrolling, or by an animation or
 * transition that runs on it, once, and at the end of which it shows.
 *
 * @param {Element} element
 */
function isAboutToShow(element) {
  return Element.prototype.getAnimations.call(element).some(({ timeline, effect, playState }) => {
    if (timeline === null) return false;
    if (!(timeline instanceof DocumentTimeline)) return true;
    if (playState !== "running" || !(effect instanceof KeyframeEffect)) return false;
    const { iterations, endTime } = effect.getComputedTiming();
    const last = effect.getKeyframes().filter(({ opacity }) => opacity !== undefined).at(-1);
    const isOnce = iterations === 1 && Number(endTime) <= LONGEST_FADE;
    return isOnce && last !== undefined && last.computedOffset === 1 && Number(last.opacity) >= SHOWN;
  });
}

/** Milliseconds from start to end, waiting included: what takes longer is a trick to hide text. */
const LONGEST_FADE = 10_000;
const SHOWN = 0.5;

/** @param {Element} element @param {string} selector @returns {boolean} whether it fails to match for want of a class */
function isOfOneClassMore(element, selector) {
  const compound = /[^\s>+~]*$/.exec(selector)?.[0] ?? "";
  const classes = compound.match(/\.[\w-]+/g) ?? [];
  const wanting = classes.filter((name) => !matchesSafely(element, name));
  if (wanting.length !== 1 || compound.length === wanting[0].length) return false;
  const rest = selector.slice(0, selector.length - compound.length) + compound.replace(wanting[0], "");
  return matchesSafely(element, rest);
}

/** @param {Element} element @param {string} selector @returns {boolean} */
function matchesSafely(element, selector) {
  try {
    return matches.call(element, selector);
  } catch {
    return false; // a selector of which a part is gone
  }
}
