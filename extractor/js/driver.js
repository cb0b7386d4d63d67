/**
 * What the driver outside may ask for. Kept in the isolated world under one name.
 */

const HEAD = 'title, meta[name], meta[property], meta[http-equiv], meta[itemprop], link[rel]';
const LINKS = new Set(["canonical", "alternate", "icon", "next", "prev"]);
const HOSTS = new Set("article aside blockquote div footer header main nav p section span".split(" "));
const MOST_SUSPECTS = 200;
const SAMPLES = 2;

/** @type {Map<string, number>} tags of custom elements that were probed, by count */
const probed = new Map();
const suspected = new Set();

/**
 * Elements that may hold a closed shadow root: custom elements (a few of each name; all of a name once one
 * had a root) and boxes that show something though they have no children.
 *
 * @param {Node} root
 * @returns {Element[]}
 */
function suspectsIn(root) {
  const found = [];
  const roots = [root];
  for (let at = 0; at < roots.length && found.length < MOST_SUSPECTS; at++) {
    if (roots[at] !== document || mayBeSkipped()) layOutAll(roots[at]);
    const all = /** @type {any} */ (roots[at] === document
      ? Document.prototype : DocumentFragment.prototype).querySelectorAll.call(roots[at], "*");
    const { length } = all;
    for (let i = 0; i < length; i++) {
      const element = all[i];
      const shadow = openShadowRoot.call(element) ?? (closedRoots.size ? closedRoots.get(element) : null);
      if (shadow) {
        roots.push(shadow);
        hosts.add(element);
      } else if (!(suspected.size && suspected.has(element)) && isSuspect(element) && found.length < MOST_SUSPECTS) {
        suspected.add(element);
        found.push(element);
      }
    }
  }
  return found;
}

/** What a browser lays out only once it is asked for. */
const SKIPPED = 'details:not([open]), [hidden="until-found" i], [style*="content-visibility" i]';

/** Whether the browser may have left something of the document without layout, as far as its sheets can be read. */
function mayBeSkipped() {
  if (Document.prototype.querySelector.call(document, SKIPPED)) return true;
  const queue = [...Document.prototype.__lookupGetter__("styleSheets").call(document),
    ...Document.prototype.__lookupGetter__("adoptedStyleSheets").call(document)];
  let rules = 0;
  for (let at = 0; at < queue.length; at++) {
    try {
      for (const rule of queue[at].cssRules ?? []) {
        if (++rules > MOST_RULES || rule.style?.contentVisibility) return true;
        if (rule.styleSheet || rule.cssRules?.length) queue.push(rule.styleSheet ?? rule);
      }
    } catch {
      return true; // another origin's
    }
  }
  return false;
}

/** @param {Element} element */
function isSuspect(element) {
  const tag = localName.call(element);
  if (tag.includes("-")) {
    const count = probed.get(tag) ?? 0;
    if (count >= SAMPLES) return false;
    probed.set(tag, count + 1);
    return true;
  }
  if (!HOSTS.has(tag) || firstElementChild.call(element)) return false;
  if (WORD.test(textContent.call(element))) return false;
  const box = getBoundingClientRect.call(element);
  return box.height >= 8 && box.width >= 8 && checkVisibility.call(element);
}

/** @param {any[]} pairs hosts and their roots, in turn @returns {Element[]} more suspects */
function addRoots(pairs) {
  const more = [];
  for (let i = 0; i < pairs.length; i += 2) {
    closedRoots.set(pairs[i], pairs[i + 1]);
    hosts.add(pairs[i]);
    probed.set(localName.call(pairs[i]), -Infinity);
  }
  for (let i = 0; i < pairs.length; i += 2) more.push(...suspectsIn(pairs[i + 1]));
  return [...more, ...suspectsIn(document)];
}

/** @param {Capture} capture @returns {string} the document, in one string */
function write(capture) {
  const body = capture.run();
  putBack(body);
  const root = pageRoot();
  const page = rootOf.call(inert);
  const head = getterOf(Document.prototype, "head").call(inert);
  clear(head);
  for (const element of headElements()) appendChild.call(head, element);
  replace(bodyOf.call(inert), body);
  for (const name of ["lang", "dir", "class"]) {
    const value = getAttribute.call(root, name);
    if (value) setAttribute.call(page, name, value);
  }
  const draft = outerHTML.call(page);
  const surrogates = draft.isWellFormed() ? 0 : (draft.match(/\p{Surrogate}/gu)?.length ?? 0);
  setAttribute.call(page, "data-pf-meta", JSON.stringify(metaOf(capture, surrogates, draft.length)).toWellFormed());
  const start = /** @type {string} */ (outerHTML.call(cloneShallow(page))).replace(/<\/html>$/, "");
  const text = start + draft.slice(draft.indexOf("<head>"));
  return `<!DOCTYPE html>${clean(text)}`;
}

/** @param {Element} element */
const cloneShallow = (element) => importNode.call(inert, element, false);

/** @param {string} text @returns {string} */
function clean(text) {
  let out = text;
  if (out.includes("\r")) out = out.replace(/\r\n?/g, "\n");
  if (out.includes("\0")) out = out.replaceAll("\0", "\uFFFD");
  return out.isWellFormed() ? out : out.toWellFormed();
}

/** @returns {Element[]} */
function headElements() {
  const out = [];
  for (const element of Document.prototype.querySelectorAll.call(document, HEAD)) {
    const tag = localName.call(element);
    if (namespaceURI.call(element) !== XHTML) continue;
    if (tag === "title") {
      if (!out.some((other) => localName.call(other) === "title")) {
        out.push(make("title", {}, textContent.call(element)));
      }
      continue;
    }
    if (hasAttribute.call(element, "itemprop") && bodyOf.call(document) !== null &&
        contains.call(bodyOf.call(document), element)) continue;
    if (tag === "link" && !relOf(element)) continue;
    const copy = cloneShallow(element);
    for (const name of getAttributeNames.call(copy)) {
      if (!HEAD_ATTRIBUTES.has(name)) removeAttribute.call(copy, name);
    }
    resolveAddress(element, copy, tag);
    out.push(copy);
  }
  return out;
}

const HEAD_ATTRIBUTES = new Set(["name", "property", "content", "http-equiv", "itemprop", "rel", "href", "type",
  "hreflang", "title", "sizes", "lang"]);

/** @param {Element} link */
const relOf = (link) =>
  (getAttribute.call(link, "rel") ?? "").toLowerCase().split(/\s+/).some((rel) => LINKS.has(rel));

/** @param {Capture} capture @returns {Record<string, number>} characters left out by tag, those of the head too */
function droppedInHead(capture) {
  const dropped = { ...capture.dropped };
  const head = getterOf(Document.prototype, "head").call(document);
  const notes = head && capture.scripts ? querySelectorAll.call(head, "noscript") : [];
  for (const note of notes) {
    dropped.noscript = (dropped.noscript ?? 0) + pointsOf(textContent.call(note));
  }
  return dropped;
}

/** @param {Capture} capture @param {number} surrogates @param {number} written */
function metaOf(capture, surrogates, written) {
  const root = pageRoot();
  const notices = [];
  if (capture.truncated) {
    const text = `max_nodes: nodes past the first ${capture.maxNodes} were not read`;
    notices.push({ code: "truncated_nodes", text, count: capture.truncated });
  }
  if (capture.attributes) {
    const text = `attributes past the first ${capture.maxAttributes} of an element were not read`;
    notices.push({ code: "truncated_attributes", text, count: capture.attributes });
  }
  if (capture.deep) {
    notices.push({ code: "depth", text: "nesting past the deepest level was flattened", count: capture.deep });
  }
  const left = capture instanceof BoundedCapture ? capture.left() : { chars: 0, count: 0 };
  if (left.count) {
    const text = `a very large page, read as far as the budget reaches: elements with about ${left.chars} characters were not ` +
      "read, nor asked whether people can see them";
    notices.push({ code: "budget_first", text, count: left.count });
  }
  const { prints = 0 } = /** @type {any} */ (globalThis).__pagefoldReady ?? {};
  if (prints) notices.push({ code: "dialog", text: "print", count: prints });
  const dropped = Object.values(droppedInHead(capture)).reduce((sum, chars) => sum + chars, 0);
  return {
    title: getterOf(Document.prototype, "title").call(document).toWellFormed(),
    lang: getAttribute.call(root, "lang") ?? "",
    charset: getterOf(Document.prototype, "characterSet").call(document),
    base: baseURI.call(document),
    url: getterOf(Document.prototype, "URL").call(document),
    viewport: [innerWidth, innerHeight],
    doc: capture.size,
    raw_chars: written + dropped,
    nodes: capture.nodes - (capture instanceof BoundedCapture ? capture.passed : 0),
    dropped: droppedInHead(capture),
    json_ld: [...Document.prototype.querySelectorAll.call(document, 'script[type="application/ld+json"]')]
      .map((script) => textContent.call(script)),
    surrogates,
    notices,
    unseen: unseenOnPage(capture),
    scroll: [Math.round(scrollX), Math.round(scrollY)],
    frames: capture.frames.length,
    cut: capture.truncated ? "max_nodes" : capture.attributes ? "max_attributes" : left.count ? "budget_first" : "",
  };
}

const pagefold = {
  /** @type {Element[]} */
  suspects: [],
  /** @type {Element[]} */
  frames: [],
  /** nodes that were taken out of the page */
  trimmed: 0,
  /** @param {Options} options @returns {string} the document, or "" when `suspects` must be probed first */
  begin(options) {
    this.trimmed += trim(options.maxNodes);
    this.suspects = suspectsIn(document);
    return this.suspects.length ? "" : this.capture(options);
  },
  /** @param {...any} pairs hosts and roots in turn @returns {number} how many suspects are left to probe */
  adopt(...pairs) {
    this.suspects = addRoots(pairs);
    return this.suspects.length;
  },
  /** @param {Options} options @returns {string} */
  capture(options) {
    const capture = captureOf(options);
    capture.truncated = this.trimmed;
    const text = write(capture);
    this.frames = capture.frames;
    if (text.length > options.maxChars) throw new RangeError("__pagefoldTooLong");
    return text;
  },
};
Object.defineProperty(globalThis, "__pagefold", { value: pagefold, configurable: true });
return pagefold;
