/**
 * What is left out: elements that are never text, and subtrees of which nothing can be seen, kept as their
 * text alone.
 */

const NEVER = new Set(["script", "style", "template", "link", "base", "noembed", "noframes", "param", "source",
  "track", "col", "colgroup"]);
const BLOCKS = new Set(("address article aside blockquote body center dd details dialog dir div dl dt fieldset " +
  "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu " +
  "nav ol optgroup option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp caption")
  .split(" "));
const PRESERVED = new Set(["pre", "textarea", "listing", "xmp", "plaintext"]);
const KEEPS_SPACE = /^(?:preserve|break-spaces)$/;
const WORD = /\S/;

/** Composed text of what is hidden. @param {Node} root @param {Capture} capture @returns {string} */
function composedText(root, capture) {
  const parts = [];
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    if (typeof node === "string") {
      parts.push(node);
      continue;
    }
    const type = nodeType.call(node);
    if (type === TEXT_NODE) parts.push(dataOf.call(node));
    if (type !== ELEMENT_NODE) continue;
    const tag = localName.call(node);
    if (NEVER.has(tag) || (tag === "noscript" && capture.scripts)) {
      capture.drop(tag, pointsOf(textContent.call(node)));
      continue;
    }
    if (tag === "textarea" || tag === "input") continue;
    if (tag === "iframe") {
      const inside = frameDocument.call(node);
      if (inside && bodyOf.call(inside)) stack.push(bodyOf.call(inside));
      continue;
    }
    const children = [];
    const assigned = tag === "slot" ? assignedNodes.call(node) : [];
    const from = shadowOf(node) ?? node;
    if (assigned.length) children.push(...assigned);
    else for (let c = firstChild.call(from); c; c = nextSibling.call(c)) children.push(c);
    for (const child of children) capture.slotted.add(child);
    if (BLOCKS.has(tag)) stack.push("\n");
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
    if (BLOCKS.has(tag)) stack.push("\n");
  }
  return parts.join("").replace(/\s+/g, " ").trim();
}

const PLAIN_PLACE = new Set(["p", "div", "span", "li", "td", "main", "section", "article", "body", "b", "i", "em"]);
const templateContent = getterOf(HTMLTemplateElement.prototype, "content");

/** @param {Element} template @returns {number} */
const templateChars = (template) => pointsOf(textContent.call(templateContent.call(template)) ?? "");

/**
 * An element that never holds text to read.
 *
 * @param {Capture} capture
 * @param {Element} original
 * @param {Element} copy
 * @param {string} tag
 */
function leaveOut(capture, original, copy, tag) {
  const type = tag === "script" ? (getAttribute.call(original, "type") ?? "") : "";
  const text = textContent.call(original);
  if (/^math\/tex/.test(type) && PLAIN_PLACE.has(localName.call(parentNode.call(copy)))) {
    const tex = text.trim();
    return replace(copy, make("span", { "data-pf-tag": "math", "data-pf-tex": tex }, tex));
  }
  if (tag === "template") capture.drop(tag, templateChars(original));
  else if (text || tag === "noscript") capture.drop(tag, pointsOf(text));
  remove(copy);
}

/**
 * Nothing inside is visible: only its text is kept.
 *
 * @param {Capture} capture
 * @param {Level} level
 * @param {string} reason
 */
function hide(capture, level, reason) {
  const { original, copy, tag } = level;
  const above = /** @type {Level} */ (level.above);
  const text = composedText(original, capture);
  if (!text) return remove(copy);
  const { rules } = capture;
  let name = nameFor(rules, original, tag, above.bits, above.name);
  if (TABLE_FRAME.has(name) || name === "select") name = "div";
  if (!BLOCKS.has(name) || rules.closers.has(name)) name = "span";
  const kept = make(name, { "data-pf-h": reason }, text);
  if (capture.places && level.shown) setAttribute.call(kept, "data-pf-at", documentBox(level));
  replace(copy, kept);
  if (TABLE_FRAME.has(above.name) && !CELLS.has(name) && name !== "caption") wrapInCell(kept, above.name);
}
