/**
 * What the page holds that is not on it now: scrollers with more, lists that draw only the rows in view, and
 * rows that arrived after the page was ready. Read from geometry, since only a browser knows it.
 */

/** A person sees that there is more when about a line is cut off. */
const A_LINE = 24;
/** Rows that are looked at to learn how tall one is. */
const SAMPLE_ROWS = 100;
/** Rows that fill less of a scroller than this are a window on a longer list. */
const WINDOW_SHARE = 0.7;

const childCountOf = getterOf(Element.prototype, "childElementCount");

/**
 * @param {Element} element that clips what overflows it
 * @param {string} overflow computed
 * @returns {string} pixels beyond the box, and `rows/total` of a list that draws only some: "5700 10/200"; or ""
 */
function moreIn(element, overflow) {
  if (!/auto|scroll|overlay/.test(overflow)) return "";
  const client = clientHeightOf.call(element);
  const beyond = scrollHeightOf.call(element) - client;
  if (client < A_LINE || beyond <= A_LINE) return "";
  const rows = rowsOf(element);
  return rows ? `${beyond} ${rows[0]}/${rows[1]}` : `${beyond}`;
}

/** @param {Element} scroller @returns {[number, number] | null} rows drawn and rows there would be */
function rowsOf(scroller) {
  const list = listIn(scroller);
  if (!list) return null;
  let low = Infinity;
  let high = -Infinity;
  let rows = 0;
  for (let row = firstElementChild.call(list); row && rows < SAMPLE_ROWS; row = nextElementSibling.call(row)) {
    const box = getBoundingClientRect.call(row);
    if (!box.height || !WORD.test(textContent.call(row))) continue;
    low = Math.min(low, box.top);
    high = Math.max(high, box.bottom);
    rows++;
  }
  if (rows < 3 || rows === SAMPLE_ROWS) return null;
  const tall = scrollHeightOf.call(scroller);
  if (high - low >= WINDOW_SHARE * tall) return null;
  return [rows, Math.round((tall * rows) / (high - low))];
}

/** The element whose children are rows with text: down the fullest children. @param {Element} scroller */
function listIn(scroller) {
  let list = scroller;
  for (let depth = 0; depth < 6; depth++) {
    let texts = 0;
    let fullest = null;
    for (let child = firstElementChild.call(list); child; child = nextElementSibling.call(child)) {
      if (WORD.test(textContent.call(child)) && ++texts === 3) return list;
      if (!fullest || childCountOf.call(child) > childCountOf.call(fullest)) fullest = child;
    }
    if (!fullest) return null;
    list = fullest;
  }
  return null;
}

/** @param {Capture} capture @returns {{kind: string, label: string, count: number}[]} */
function unseenOnPage(capture) {
  const found = [];
  const state = /** @type {any} */ (globalThis).__pagefoldReady;
  if (state?.appended) {
    found.push({ kind: "growth", label: "rows came after the page was ready", count: state.appended });
  }
  if (capture.record.lazy) {
    found.push({ kind: "lazy_images", label: "images that load when they come into view", count: capture.record.lazy });
  }
  return found;
}
