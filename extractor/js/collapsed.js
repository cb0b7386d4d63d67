/**
 * What a person can open with one click: told apart from what nobody is meant to see.
 */

const TABBED = /(?:^|[\s_-])(?:tabs?|tab-?pane|tab-?panel|tab-?content|tab-?item|swiper-slide|slide)(?:$|[\s_-])/i;
const ACCORDION = /(?:^|[\s_-])(?:accordion|collapse|collapsible|expandable|panel-collapse)(?:$|[\s_-])/i;
const MENU_PLACE = 'nav, [role="navigation"], [role="menubar"], [role="menu"], header';

/** @type {Map<Node, Map<string, string>>} by root: ids that a control opens, with the kind */
const controlled = new Map();

/** @param {Node} root @returns {Map<string, string>} */
function controlledIn(root) {
  const known = controlled.get(root);
  if (known) return known;
  const kinds = new Map();
  const query = root instanceof ShadowRoot ? DocumentFragment.prototype : Document.prototype;
  for (const control of query.querySelectorAll.call(root, "[aria-controls], [data-target], [data-bs-target]")) {
    const kind = kindOfControl(control);
    const ids = ["aria-controls", "data-target", "data-bs-target"]
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
  const named = getAttribute.call(element, "class") ?? "";
  if (ACCORDION.test(named)) return "accordion";
  if (hasShownTwin(element, named)) return "tab";
  const list = role === "menu" || /^(ul|ol|menu)$/.test(localName.call(element));
  const links = list || querySelector.call(element, "ul a, ol a, li a");
  return links && closest.call(element, MENU_PLACE) ? "menu" : "";
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
