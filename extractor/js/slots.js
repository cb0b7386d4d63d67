/**
 * Which children of an element are rendered: those of its shadow root, what a slot was given, or its own.
 */

/**
 * @param {Capture} capture
 * @param {Level} level
 */
function fill(capture, level) {
  const { original, copy, tag } = level;
  const inShadow = level.above !== null && level.above.shadow;
  const shadow = shadowOf(original);
  level.shadow = inShadow || shadow !== null;
  if (capture.fills(level)) return flatten(capture, level);
  if (shadow) fillHost(level, shadow);
  else if (!(tag === "slot" && inShadow && fillSlot(capture, level))) {
    level.next = firstChild.call(original);
    level.nextCopy = firstChild.call(copy);
    if (tag === "pre" || tag === "listing") guardLineFeed(level);
  }
  flatten(capture, level);
}

/** A parser drops the first line feed in a `pre`: an empty comment stands before it. */
function guardLineFeed(/** @type {Level} */ level) {
  const first = level.nextCopy;
  if (first && nodeType.call(first) === TEXT_NODE && /^[\r\n]/.test(dataOf.call(first))) {
    insertBefore.call(level.copy, createComment.call(inert, ""), first);
  }
}

/** @param {Level} level @param {ShadowRoot} shadow */
function fillHost(level, shadow) {
  level.light = new Map();
  let copy = firstChild.call(level.copy);
  for (let child = firstChild.call(level.original); child; child = nextSibling.call(child)) {
    const next = copy && nextSibling.call(copy);
    if (copy) level.light.set(child, copy);
    copy = next;
  }
  for (const child of level.light.values()) remove(child);
  level.pairs = [];
  for (let child = firstChild.call(shadow); child; child = nextSibling.call(child)) {
    const imported = importNode.call(inert, child, true);
    appendChild.call(level.copy, imported);
    level.pairs.push([child, imported]);
  }
  setAttribute.call(level.copy, "data-pf-shadow", closedRoots.has(level.original) ? "closed" : "open");
}

/** @param {Capture} capture @param {Level} level @returns {boolean} whether something is assigned to the slot */
function fillSlot(capture, level) {
  const assigned = assignedNodes.call(level.original);
  if (!assigned.length) return false;
  clear(level.copy);
  level.pairs = [];
  for (const node of assigned) {
    const copy = takeLight(capture.stack, node);
    if (!copy) continue;
    appendChild.call(level.copy, copy);
    level.pairs.push([node, copy]);
  }
  return true;
}

/** @param {Level[]} stack @param {Node} node @returns {Node | undefined} */
function takeLight(stack, node) {
  for (let i = stack.length - 1; i >= 0; i--) {
    const copy = stack[i].light?.get(node);
    if (copy) {
      stack[i].light?.delete(node);
      return copy;
    }
  }
  return undefined;
}

/** @param {Capture} capture @param {Level} level a host of which some children were given to no slot */
function reportUnslotted(capture, level) {
  const left = [...(level.light?.keys() ?? [])].filter((node) => !capture.slotted.has(node));
  const text = left.map((node) => composedText(node, capture)).filter(Boolean).join(" ");
  if (text) appendChild.call(level.copy, make("span", { "data-pf-h": "not_slotted" }, text));
}

/** Past the deepest level, children move up beside their parent. @param {Capture} capture @param {Level} level */
function flatten(capture, level) {
  if (level.depth < capture.rules.depth) return;
  capture.deep++;
  const parent = parentNode.call(level.copy);
  insertBefore.call(parent, createTextNode.call(inert, "\n"), level.copy);
  for (let child = firstChild.call(level.copy); child; child = firstChild.call(level.copy)) {
    insertBefore.call(parent, child, level.copy);
  }
  removeChild.call(parent, level.copy);
  const above = capture.stack[capture.stack.length - 1];
  level.copy = parent;
  level.unwrapped = true;
  level.name = above.name;
  level.rename = "";
  level.bits = above.bits;
}
