/**
 * What a person can open with one click: told apart from what nobody is meant to see.
 */

const TABBED = /(?:^|[\s_-])(?:tabs?|tab-?pane|tab-?panel|tab-?content|tab-?item|swiper-slide|slide)(?:$|[\s_-])/i;
const ACCORDION = /(?:^|[\s_-])(?:accordion|collapse|collapsible|expandable|panel-collapse)(?:$|[\s_-])/i;
const MENU_PLACE = 'nav, [role="navigation"], [role="menubar"], [role="menu"], header';

const OPENERS = "[aria-controls], [data-target], [data-bs-target], [popovertarget], [commandfor]";

/** @type {Map<Node, Map<string, string>>} by root: ids that a control opens, with the kind */
const controlled = new Map();

/** @param {Node} root @returns {Map<string, string>} */
function controlledIn(root) {
  const known = controlled.get(root);
  if (known) return known;
  const kinds = new Map();
  const query = root instanceof ShadowRoot ? DocumentFragment.prototype : Document.prototype;
  for (const control of query.querySelectorAll.call(root, OPENERS)) {
    const kind = kindOfControl(control);
    const ids = ["aria-controls", "data-target", "data-bs-target", "popovertarget", "commandfor"]
      .map((name) => getAttribute.call(control, name) ?? "")
      .join(" ");
    for (const id of ids.split(/[\s#]+/)) if (id && kind) kinds.set(id, kind);
  }
  controlled.set(root, kinds);
  return kinds;
}

/** @param {Element} control @returns {string} */
function kindOfControl(control) {
  if (getAttribute.call(control, "role") === "tab") return "tab";
  if (hasAttribute.call(control, "popovertarget") || hasAttribute.call(control, "commandfor")) return "dialog";
  const popup = getAttribute.call(control, "aria-haspopup");
  if (popup && popup !== "false" && popup !== "dialog") return "menu";
  return getAttribute.call(control, "aria-expanded") === "false" ? "accordion" : "";
}

/**
 * @param {Element} element that is not shown
 * @returns {string} `details`, `tab`, `accordion`, `until_found`, `menu`, or "" when nothing opens it
 */
function collapsedKind(element) {
  if (getAttribute.call(element, "hidden") === "until-found") return "until_found";
  const role = getAttribute.call(element, "role") ?? "";
  if (role === "tabpanel") return "tab";
  const id = getAttribute.call(element, "id");
  const kind = id && controlledIn(getRootNode.call(element)).get(id);
  if (kind) return kind;
  const before = previousElementSibling.call(element);
  const opener = before && (kindOfControl(before) ||
    kindOfControl(querySelector.call(before, '[aria-expanded="false"]') ?? before));
  if (opener === "menu" || opener === "accordion") return opener;
  if (before && (isSwitchLabel(before) || isTickedOpen(element))) return "accordion";
  const named = getAttribute.call(element, "class") ?? "";
  if (ACCORDION.test(named)) return "accordion";
  if (hasShownTwin(element, named)) return "tab";
  const list = role === "menu" || /^(ul|ol|menu)$/.test(localName.call(element));
  const links = list || querySelector.call(element, "ul a, ol a, li a");
  return links && closest.call(element, MENU_PLACE) ? "menu" : "";
}

/** Whether an element is the label of a tick box beside it: style sheets open things with those. */
function isSwitchLabel(/** @type {Element} */ element) {
  const box = localName.call(element) === "label" ? previousElementSibling.call(element) : null;
  return box !== null && matches.call(box, 'input[type="checkbox"]:not(:checked), input[type="radio"]:not(:checked)');
}

/** Whether a sibling of the same make is shown where names speak of tabs. */
function hasShownTwin(/** @type {Element} */ element, /** @type {string} */ named) {
  const parent = parentNode.call(element);
  const around = parent && nodeType.call(parent) === ELEMENT_NODE ? getAttribute.call(parent, "class") : "";
  if (!TABBED.test(named) && !TABBED.test(around ?? "")) return false;
  const tag = localName.call(element);
  let sibling = parent && firstElementChild.call(parent);
  for (; sibling; sibling = nextElementSibling.call(sibling)) {
    if (sibling === element || localName.call(sibling) !== tag) continue;
    if (checkVisibility.call(sibling)) return true;
  }
  return false;
}

/** @type {WeakMap<Element, string>} */
const drawers = new WeakMap();

/** @param {Level} level text that lies out of sight @returns {string} kind of the moved box around that a control opens */
function drawerOf(level) {
  const passed = [];
  let kind = "";
  for (let at = /** @type {Level | null} */ (level); at && at.above; at = at.above) {
    const { original } = at;
    const known = drawers.get(original);
    const id = known === undefined ? getAttribute.call(original, "id") : null;
    kind = known ?? ((id && controlledIn(getRootNode.call(original)).get(id)) || "");
    if (kind || known !== undefined) break;
    passed.push(original);
  }
  for (const original of passed) drawers.set(original, kind);
  return kind;
}

const SLIDES = /carousel|slider|slick|swiper|splide|glide|flickity|embla|siema|slideshow|playlist/i;
const NEXT = /(?:^|[\s_-])(?:next|prev|previous|forward|dots?|bullets?|arrows?)(?:$|[\s_-])|(?:next|prev|arrow)(?:Button|Btn)/i;
const MORE = /^\W*(?:(?:show|read|see|view|load)\b.{0,12}\b(?:more|all|full)|more\b|expand|mehr|weiterlesen|(?:lire|voir|afficher) (?:la suite|plus)|(?:ver|leer|mostrar) (?:más|mais)|mostra|leggi|развернуть|показать|もっと|続き|更多|展开|더 ?보기)/i;

/** @type {WeakMap<Element, string>} by cutting element */
const opened = new WeakMap();

/**
 * @param {Level} level text that a box cuts off
 * @returns {string} `slide` or `more` when a control beside the box brings it into view
 */
function openedBy(level) {
  const cutter = level.paint.flow.clipper ?? level;
  const { original } = cutter;
  let kind = opened.get(original);
  if (kind === undefined) opened.set(original, (kind = kindOfCut(cutter)));
  // A pane that shows some of a row is no tab that was closed, whatever it is called.
  if (kind && (kind !== "tab" || !isInStrip(level, cutter))) return kind;
  return isInStrip(level, cutter) ? "slide" : "";
}

/** Rows of like things shorter than this may be columns of one thing. */
const LEAST_ITEMS = 3;

/** @type {WeakMap<Element, boolean>} by item */
const strips = new WeakMap();

/**
 * Whether text stands in a row of like things of which some are in view: what scrolls such a row is a script.
 *
 * @param {Level} level
 * @param {Level} cutter whose overflow is cut (not clipped: no script could scroll that)
 */
function isInStrip(level, cutter) {
  if (!CUTS.test(cutter.style.overflow) || /clip/.test(cutter.style.overflow) || !cutter.above) return false;
  for (let at = /** @type {Level | null} */ (level); at && at !== cutter; at = at.above) {
    let known = strips.get(at.original);
    if (known === undefined) strips.set(at.original, (known = isItem(at, cutter)));
    if (known) return true;
  }
  return false;
}

/** @param {Level} item @param {Level} cutter @returns {boolean} whether it has siblings alike beside it, some in view */
function isItem({ original }, cutter) {
  const parent = parentNode.call(original);
  if (!parent || nodeType.call(parent) !== ELEMENT_NODE || childCountOf.call(parent) < LEAST_ITEMS) return false;
  const pane = boxOf(cutter);
  const own = getBoundingClientRect.call(original);
  if (own.width < 2 || own.height < 2 || within(own, pane)) return false;
  let [alike, inView] = [1, 0];
  for (let other = firstElementChild.call(parent); other; other = nextElementSibling.call(other)) {
    if (other === original || localName.call(other) !== localName.call(original)) continue;
    const box = getBoundingClientRect.call(other);
    const row = Math.abs(box.top - own.top) < 2 || Math.abs(box.bottom - own.bottom) < 2;
    const column = Math.abs(box.left - own.left) < 2 && Math.abs(box.width - own.width) < 2;
    if (box.width < 2 || box.height < 2 || (!row && !column) || overlap(box, own)) continue;
    alike++;
    if (shows(box, pane)) inView++;
    if (alike >= LEAST_ITEMS && inView) return true;
  }
  return false;
}

/** @param {Level} cutter */
function kindOfCut(cutter) {
  const own = collapsedKind(cutter.original);
  if (own) return own;
  let at = /** @type {Level | null} */ (cutter);
  for (let i = 0; at && at.above && i < 4; i++, at = at.above) {
    if (i < 2 && hasMore(at.original)) return "more";
    const named = getAttribute.call(at.original, "class") ?? "";
    const role = getAttribute.call(at.original, "aria-roledescription") ?? "";
    if ((role === "carousel" || SLIDES.test(named)) && hasSteps(at)) return "slide";
  }
  return "";
}

/** Whether the next thing after a box offers more of it. @param {Element} element */
function hasMore(element) {
  const next = nextElementSibling.call(element);
  const control = next && (matches.call(next, CONTROL) ? next : querySelector.call(next, CONTROL));
  if (!control || !checkVisibility.call(control)) return false;
  return getAttribute.call(control, "aria-expanded") === "false" || MORE.test(textContent.call(control).trim());
}

const CONTROL = 'button, [role="button"], a, summary, label, input[type="button"]';

/** Whether a row of things has controls that step through it. @param {Level} level */
function hasSteps({ original, above }) {
  const around = above?.above ? above.original : original;
  for (const control of querySelectorAll.call(around, CONTROL)) {
    const words = ["class", "aria-label", "title"].map((name) => getAttribute.call(control, name) ?? "").join(" ");
    if (NEXT.test(words)) return true;
  }
  return false;
}
