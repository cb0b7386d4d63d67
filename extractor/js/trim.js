/**
 * The caps on nodes and attributes. A page past the first is cut before it is laid out and copied: both cost
 * time and memory for every node, read or not.
 */

const createTreeWalker = Document.prototype.createTreeWalker;
const nextNode = TreeWalker.prototype.nextNode;
const currentNode = getterOf(TreeWalker.prototype, "currentNode");

/** @param {Node} root @returns {number} the nodes below it */
function nodesIn(root) {
  const walker = createTreeWalker.call(document, root);
  let count = 0;
  while (nextNode.call(walker)) count++;
  return count;
}

/**
 * Leaves the first `most` nodes of the page and takes out the others, which stand behind them.
 *
 * @param {number} most
 * @returns {number} how many were taken out
 */
function trim(most) {
  const body = bodyOf.call(document) ?? pageRoot();
  if (!body) return 0;
  const walker = createTreeWalker.call(document, body);
  let count = 0;
  /** @type {Node | null} */
  let last = null;
  while (nextNode.call(walker)) if (++count === most) last = currentNode.call(walker);
  if (!last || count === most) return 0;
  const rest = new Range();
  if (nodeType.call(last) === ELEMENT_NODE) Range.prototype.setStart.call(rest, last, 0);
  else Range.prototype.setStartAfter.call(rest, last);
  Range.prototype.setEndAfter.call(rest, lastChild.call(body));
  Range.prototype.deleteContents.call(rest);
  return count - most;
}

/**
 * An element with some of the attributes of a copy, in its place and with its children.
 *
 * @param {Element} copy
 * @param {string[]} names
 * @returns {Element}
 */
function slimmed(copy, names) {
  const element = createElement.call(inert, localName.call(copy));
  for (const name of names) setAttribute.call(element, name, getAttribute.call(copy, name));
  for (let child = firstChild.call(copy); child; child = firstChild.call(copy)) appendChild.call(element, child);
  replace(copy, element);
  return element;
}
