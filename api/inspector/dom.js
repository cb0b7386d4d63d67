/**
 * Elements, numbers and time: what every view writes with. Text goes in as text, never as markup.
 */

/** @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);

/**
 * @param {string} tag with classes: `span.chip.kept`
 * @param {Record<string, any>} [props] `on…` are listeners; names with a hyphen and `role` are attributes
 * @param {...any} children
 * @returns {any}
 */
export function make(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(element.style, value);
    else if (key.includes("-") || key === "role" || key === "lang" || key === "dir") element.setAttribute(key, String(value));
    else element[key] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const plain = new Intl.NumberFormat("en");
/** @param {number} value */
export const count = (value) => plain.format(Math.round(value));
/** @param {number} value @param {string} one @param {string} [many] */
export const several = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;
/** @param {number} part @param {number} whole */
export const percent = (part, whole) => (whole ? `${Math.round((100 * part) / whole)} %` : "0 %");

/** @param {number} value @param {string} name */
export const number = (value, name) => make("div.number", {}, make("b", {}, count(value)), make("span", {}, name));

/**
 * @param {string} id of a status line
 * @param {string} text
 * @param {"" | "busy" | "wrong"} [kind]
 */
export function say(id, text, kind = "") {
  const line = at(id);
  line.textContent = text;
  line.className = `status ${kind}`.trim();
}

/** One call after a pause, however often it is asked for. @param {() => void} work @param {number} ms */
export function paused(work, ms) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}

/** Lets the browser draw and hear what was pressed meanwhile. @returns {Promise<void>} */
export const breath = () => new Promise((done) => { setTimeout(done); });

/** At most one call in so many milliseconds, the last one included. @param {() => void} work @param {number} ms */
export function spaced(work, ms) {
  let timer = 0;
  return () => {
    timer ||= setTimeout(() => { timer = 0; work(); }, ms);
  };
}

/**
 * One stop of the tab key for many buttons: arrows, Home and End go from one to the next.
 * @param {HTMLElement} holder @param {string} selector
 */
export function roam(holder, selector) {
  const visible = () => [...holder.querySelectorAll(selector)].filter((one) => one.offsetParent !== null);
  holder.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const target = /** @type {HTMLElement} */ (event.target);
    if (!target.matches(selector) || (step === undefined && event.key !== "Home" && event.key !== "End")) return;
    const all = visible();
    const now = all.indexOf(target);
    const next = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : now + /** @type {number} */ (step);
    event.preventDefault();
    if (!all[next]) return;
    target.tabIndex = -1;
    all[next].tabIndex = 0;
    all[next].focus();
  });
}
