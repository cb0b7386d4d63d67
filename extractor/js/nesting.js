/**
 * Names under which elements can stand in HTML. A parser moves or closes what it does not expect, so
 * whatever cannot be nested gets a neutral name here, before the first serialisation.
 * The table is `nesting.json`, shared with the Python normaliser.
 */

const IN_A = 1;
const IN_BUTTON = 2;
const IN_FORM = 4;
const IN_HEADING = 8;
const IN_LI = 16;
const IN_DEFINITION = 32;
const IN_SELECT = 64;
const IN_P = 128;

const PLAIN_NAME = /^[a-z][a-z0-9._-]*$/;
const CELLS = new Set(["td", "th"]);
const ROW_GROUPS = new Set(["thead", "tbody", "tfoot"]);
const TABLE_FRAME = new Set(["table", "thead", "tbody", "tfoot", "tr"]);

/** @param {Record<string, any>} raw the parsed `nesting.json` */
function rulesOf(raw) {
  const set = (/** @type {string} */ name) => new Set(raw[name]);
  return {
    empty: set("void"),
    rename: new Map(Object.entries(raw.rename)),
    headings: set("headings"),
    closers: set("p_closers"),
    lists: set("list_scope"),
    definitions: set("definition_scope"),
    definitionItems: set("definition_items"),
    tableParts: set("table_parts"),
    selectParts: set("select_parts"),
    rubyParts: set("ruby_parts"),
    depth: raw.max_depth - 12,
  };
}

/**
 * @param {string} name
 * @param {string} above name of the parent in the copy
 */
function isLegalPart(name, above) {
  if (name === "tr") return above === "table" || ROW_GROUPS.has(above);
  if (CELLS.has(name)) return above === "tr";
  return above === "table";
}

/**
 * @param {ReturnType<typeof rulesOf>} rules
 * @param {Element} element the original
 * @param {string} tag its local name
 * @param {number} bits what is open above it
 * @param {string} above name of the parent in the copy
 * @returns {string}
 */
function nameFor(rules, element, tag, bits, above) {
  if (tag.startsWith("pf-")) return PLAIN_NAME.test(tag) ? `x-${tag}` : "span";
  const name = rules.rename.get(tag) ?? tag;
  if (!PLAIN_NAME.test(name)) return "span";
  if (rules.headings.has(name)) return bits & IN_HEADING ? "div" : name;
  if (rules.tableParts.has(name)) return isLegalPart(name, above) ? name : "div";
  if (rules.selectParts.has(name)) return above === "select" || above === "optgroup" ? name : "span";
  if (rules.rubyParts.has(name)) return above === "ruby" ? name : "span";
  if (name === "select") return bits & IN_SELECT || !isPlainSelect(element) ? "span" : name;
  if ((name === "a" && bits & IN_A) || (name === "button" && bits & IN_BUTTON)) return "span";
  if (name === "form" && bits & IN_FORM) return "div";
  if (name === "li" && bits & IN_LI) return "div";
  if (rules.definitionItems.has(name) && bits & IN_DEFINITION) return "div";
  if (rules.empty.has(name) && firstChild.call(element)) {
    return /\S/.test(textContent.call(element)) ? "span" : name;
  }
  return name;
}

/** @param {Element} select whether it holds options and groups of options with text, nothing else */
function isPlainSelect(select) {
  const strange = ":not(option, optgroup), option *, optgroup optgroup";
  if (querySelector.call(select, strange)) return false;
  const groups = [select, ...querySelectorAll.call(select, "optgroup")];
  return !groups.some((group) => {
    for (let child = firstChild.call(group); child; child = nextSibling.call(child)) {
      if (nodeType.call(child) === TEXT_NODE && /\S/.test(dataOf.call(child))) return true;
    }
    return false;
  });
}

/**
 * @param {ReturnType<typeof rulesOf>} rules
 * @param {number} bits
 * @param {string} name
 * @param {string} tag
 * @returns {number} what is open inside the element
 */
function bitsInside(rules, bits, name, tag) {
  if (name === "a") return bits | IN_A;
  if (name === "p") return bits | IN_P;
  if (name === "button") return bits | IN_BUTTON;
  if (name === "form") return bits | IN_FORM;
  if (rules.headings.has(name)) return bits | IN_HEADING;
  if (name === "li") return bits | IN_LI;
  if (rules.lists.has(name)) return bits & ~IN_LI;
  if (rules.definitionItems.has(name)) return bits | IN_DEFINITION;
  if (rules.definitions.has(name)) return bits & ~IN_DEFINITION;
  return tag === "select" ? bits | IN_SELECT : bits;
}

/**
 * Put a copy that cannot stand in a table, row group or row into the cell that a parser would not invent.
 *
 * @param {Node} copy
 * @param {string} above
 */
function wrapInCell(copy, above) {
  const chain = above === "table" ? ["tbody", "tr", "td"] : above === "tr" ? ["td"] : ["tr", "td"];
  const [outer, ...inner] = chain.map((name) => make(name, { "data-pf-tag": "-" }));
  replace(copy, outer);
  let last = outer;
  for (const element of inner) {
    appendChild.call(last, element);
    last = element;
  }
  appendChild.call(last, copy);
}
