/**
 * What a control is called, what it is, what it holds and what state it is in, as a person would say it. Behind
 * `dom.js`, for `controls.js` and what is done with them.
 */

const NAME_CHARS = 120;
const STATES = ["expanded", "selected", "checked", "pressed", "disabled", "invalid", "current"];
const UNSEEN_VALUES = new Set(["password", "file", "hidden"]);
const TYPES = new Map([["checkbox", "checkbox"], ["radio", "radio"], ["range", "slider"], ["number", "spinbutton"],
  ["search", "searchbox"], ["button", "button"], ["submit", "button"], ["reset", "button"], ["image", "button"],
  ["file", "file"]]);
const TAGS = new Map([["a", "link"], ["area", "link"], ["button", "button"], ["select", "combobox"],
  ["textarea", "textbox"], ["summary", "button"]]);

const innerTextOf = getterOf(HTMLElement.prototype, "innerText");
const inputTypeLive = getterOf(HTMLInputElement.prototype, "type");
const inputValueLive = getterOf(HTMLInputElement.prototype, "value");
const inputCheckedLive = getterOf(HTMLInputElement.prototype, "checked");
const inputLabels = getterOf(HTMLInputElement.prototype, "labels");
const selectLabels = getterOf(HTMLSelectElement.prototype, "labels");
const areaLabels = getterOf(HTMLTextAreaElement.prototype, "labels");
const areaValueLive = getterOf(HTMLTextAreaElement.prototype, "value");
const optionsOf = getterOf(HTMLSelectElement.prototype, "options");
const multipleOf = getterOf(HTMLSelectElement.prototype, "multiple");
const optionText = getterOf(HTMLOptionElement.prototype, "text");
const optionSelectedLive = getterOf(HTMLOptionElement.prototype, "selected");

/** By name, since elements of a frame are of another realm's classes. @param {any} element @param {string} tag */
const isA = (element, tag) => localName.call(element) === tag && namespaceURI.call(element) === XHTML;

/** @param {string | null | undefined} text @param {number} [most] */
const line = (text, most = NAME_CHARS) => {
  const plain = (text ?? "").replace(/\s+/g, " ").trim();
  return (plain.length > most ? `${plain.slice(0, most - 1)}…` : plain).toWellFormed();
};

/** @param {Element} element */
const textIn = (element) => (namespaceURI.call(element) === XHTML ? innerTextOf.call(element) : textContent.call(element));

/** @param {Element} element @returns {string} */
function typeOf(element) {
  return isA(element, "input") ? inputTypeLive.call(element) : "";
}

/** @param {Element} element @returns {string} */
function roleOf(element) {
  const given = (getAttribute.call(element, "role") ?? "").trim().split(/\s+/)[0].toLowerCase();
  if (given && given !== "presentation" && given !== "none") return given;
  const tag = localName.call(element);
  if (tag === "input") return TYPES.get(typeOf(element)) ?? "textbox";
  if (tag === "select" && multipleOf.call(element)) return "listbox";
  if (TAGS.has(tag)) return TAGS.get(tag) ?? "";
  return hasAttribute.call(element, "contenteditable") ? "textbox" : "button";
}

/** @param {Element} element @returns {any} its labels */
function labelsFor(element) {
  if (isA(element, "input")) return inputLabels.call(element) ?? [];
  if (isA(element, "select")) return selectLabels.call(element) ?? [];
  return isA(element, "textarea") ? areaLabels.call(element) ?? [] : [];
}

/** @param {Element} element @returns {string} what a person would call it */
function nameForLive(element) {
  const ids = (getAttribute.call(element, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  const root = getRootNode.call(element);
  const by = ids.map((id) => (root.getElementById ? root.getElementById(id) : null)).filter(Boolean);
  const tag = localName.call(element);
  const type = typeOf(element);
  const field = ["input", "select", "textarea"].includes(tag);
  const found = [
    () => by.map((each) => textContent.call(each)).join(" "),
    () => getAttribute.call(element, "aria-label"),
    () => [...labelsFor(element)].map((label) => ownText(label, element)).join(" "),
    () => (["button", "submit", "reset"].includes(type) ? inputValueLive.call(element) : ""),
    () => getAttribute.call(element, "alt"),
    () => (field || hasAttribute.call(element, "contenteditable") ? "" : textIn(element)),
    () => [...querySelectorAll.call(element, "img[alt], [aria-label], svg title")]
      .map((part) => getAttribute.call(part, "alt") ?? getAttribute.call(part, "aria-label") ?? textContent.call(part))
      .join(" "),
    () => getAttribute.call(element, "title"),
    () => getAttribute.call(element, "placeholder"),
    () => getAttribute.call(element, "name"),
    () => (type === "submit" || type === "reset" ? type : ""),
  ];
  for (const each of found) {
    const text = line(each());
    if (text) return text;
  }
  return "";
}

/** Text of a label without that of the field in it. @param {Element} label @param {Element} field */
function ownText(label, field) {
  const text = textIn(label);
  const inside = contains.call(label, field) && isA(field, "select") ? textIn(field) : "";
  return inside ? text.replace(inside, " ") : text;
}

/** @param {Element} element @returns {string} */
function valueFor(element) {
  if (isA(element, "select")) return line(chosenIn(element).map((option) => optionText.call(option)).join(", "));
  if (isA(element, "textarea")) return line(areaValueLive.call(element));
  if (hasAttribute.call(element, "contenteditable")) return line(textIn(element));
  const type = typeOf(element);
  if (!type || UNSEEN_VALUES.has(type) || TYPES.get(type) === "button") return "";
  return type === "checkbox" || type === "radio" ? "" : line(inputValueLive.call(element));
}

/** @param {HTMLSelectElement} select */
const chosenIn = (select) => [...optionsOf.call(select)].filter((option) => optionSelectedLive.call(option));

/** @param {Element} element @returns {string[]} */
function statesOf(element) {
  const states = [];
  const type = typeOf(element);
  if ((type === "checkbox" || type === "radio") && inputCheckedLive.call(element)) states.push("checked");
  if (matches.call(element, ":disabled")) states.push("disabled");
  if (hasAttribute.call(element, "required")) states.push("required");
  if (hasAttribute.call(element, "readonly")) states.push("readonly");
  if (type === "password") states.push("password");
  for (const name of STATES) {
    const value = getAttribute.call(element, `aria-${name}`);
    if (value === null || states.includes(name)) continue;
    if (value === "false") { if (name === "expanded") states.push("collapsed"); } else states.push(name);
  }
  return states;
}
