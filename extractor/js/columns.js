/**
 * Columns of tables: the only boxes that paint behind cells, or take them away, without being around them.
 */

/** @typedef {{ground: string, gone: boolean}} Column */

/** @type {WeakMap<Element, Column[]>} columns of a table, where one of them changes what is seen */
const columnsOf = new WeakMap();
let hasColumns = false;
const cellIndexOf = getterOf(HTMLTableCellElement.prototype, "cellIndex");

/** @param {Level} table @param {Element} group a `colgroup` of it */
function noteColumns(table, group) {
  const columns = columnsOf.get(table.original) ?? [];
  const spanOf = (/** @type {Element} */ element) => Math.min(Math.max(1, parseInt(getAttribute.call(element, "span") ?? "1", 10) || 1), 100);
  const add = (/** @type {Element} */ element, /** @type {string} */ around) => {
    const { backgroundColor, visibility } = getComputedStyle(element);
    const ground = backgroundColor === CLEAR ? around : backgroundColor;
    for (let i = spanOf(element); i > 0; i--) columns.push({ ground, gone: visibility === "collapse" });
    return ground;
  };
  let column = firstElementChild.call(group);
  if (!column) add(group, CLEAR);
  const around = column ? getComputedStyle(group).backgroundColor : CLEAR;
  for (; column; column = nextElementSibling.call(column)) add(column, around);
  columnsOf.set(table.original, columns);
  hasColumns ||= columns.some(({ ground, gone }) => gone || ground !== CLEAR);
}

/** @param {Level} cell @returns {Column | undefined} the column that it stands in, where cells before it do not span */
function columnOf(cell) {
  let at = cell.above;
  while (at && TABLE_FRAME.has(at.tag) && at.tag !== "table") at = at.above;
  const columns = at && columnsOf.get(at.original);
  if (!columns || querySelector.call(at?.original, "[colspan], [rowspan]")) return undefined;
  return columns[cellIndexOf.call(cell.original)];
}

/** Lay a column's ground below a cell that has none. @param {Level} cell @param {string} ground */
function layColumn(cell, ground) {
  const { above } = cell;
  if (ground === CLEAR || cell.painter || above?.painter || above?.above?.painter) return;
  cell.paint = { ...cell.paint };
  layGround(cell.paint, cell, "none", ground);
}
