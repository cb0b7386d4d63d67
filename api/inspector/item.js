/**
 * One item of what a session knows: its words, every version with its reason, what it takes for granted, its
 * edges, and the originals behind it.
 */

import { make, several } from "./dom.js";
import { glyphSample, signOf, worded } from "./glyphs.js";
import { showOriginal } from "./original.js";
import { owner } from "./timeline.js";

const OUT = { supports: "Supports", contradicts: "Contradicts", depends_on: "Depends on" };
const INTO = { supports: "Supported by", contradicts: "Contradicted by", depends_on: "What depends on it" };

/**
 * @param {HTMLElement} holder
 * @param {any} item with `versions` and `links`
 * @param {{session: string, open: (id: string) => void, words: (id: string) => string}} given
 */
export function showItem(holder, item, given) {
  const original = make("div.original");
  const spans = item.rests_on ?? (item.kind === "artifact" ? [{ artifact: item.id, start: 0, end: -1 }] : []);
  const body = [
    make("h3", { id: "known-title", tabIndex: -1 }, `${item.id} · ${item.kind}`),
    make("p.states", {}, make("span.chip", {}, item.kind === "evidence" && item.status === "proposed" ? "proposed by the extractor" : worded(item.status)),
      item.marked ? make("span.chip.folded", {}, "needs revalidation") : null, make("span.note", {}, ` since turn ${item.versions.at(-1).turn}`)),
    make("p.said", { dir: "auto" }, item.text),
    facts(item),
    part(several(item.version, "version"), make("ol.versions", {}, [...item.versions].reverse().map((version) => versionOf(item, version, given)))),
    item.assumptions?.length ? part("Takes for granted", make("ul", {}, item.assumptions.map(condition))) : null,
    item.invalidation?.length ? part("Opens it again", make("ul", {}, item.invalidation.map(condition))) : null,
    ...edgesOf(item, given),
    spans.length ? part(spans.length > 1 ? "Originals" : "Original", spans.length > 1 ? choices(spans, original, given) : null, original)
      : item.kind === "evidence" ? part("Original", make("p.note", {}, "It names no original.")) : null,
  ];
  holder.replaceChildren(...body.flat().filter(Boolean));
  return spans.length ? showOriginal(original, { session: given.session, span: spans[0] }) : Promise.resolve();
}

/** @param {string} title @param {...any} children */
const part = (title, ...children) => [make("h4", {}, title), ...children];

/** @param {any} item */
function facts(item) {
  const measured = item.measurement;
  const told = [
    item.about && item.about !== "fact" ? `Read as: ${worded(item.about)}.` : "",
    measured ? `Measured: ${measured.subject} ${measured.measure} = ${measured.value}${measured.unit ? ` ${measured.unit}` : ""}.` : "",
    item.time_range ? `True from ${item.time_range[0]} to ${item.time_range[1]}.` : "",
    item.marked ? `Marked because ${item.marked}.` : "",
  ].filter(Boolean);
  return told.length ? make("p.note", {}, told.join(" ")) : null;
}

/** @param {any} item @param {any} version @param {any} given */
function versionOf(item, version, given) {
  const why = version.why === "written" ? "" : version.why;
  return make("li", { value: version.version }, glyphSample(signOf(item, version)), make("div", {},
    make("b", {}, `Turn ${version.turn}: ${worded(version.what)}`), why ? make("span.why", { dir: "auto" }, why) : null,
    version.by.length ? make("span.by", {}, "by ", version.by.map((/** @type {string} */ id) => link(id, given))) : null));
}

/** @param {any} one an assumption, or a condition of invalidation */
function condition(one) {
  const holds = one.holds;
  return make("li", {}, make("span.mono", {}, one.id), " ", make("bdi", {}, one.text), holds ? make("span.note", {}, " (", make("bdi", {}, `${holds.subject} ${holds.measure} ${holds.comparator} ${holds.value} ${holds.unit}`.trim()), ")") : null);
}

/** @param {any} item @param {any} given */
function edgesOf(item, given) {
  const groups = new Map();
  for (const { source, edge, target } of item.links) {
    const out = source === item.id, other = out ? owner(target) : source;
    if (other.startsWith("o")) continue;
    const name = (out ? OUT : INTO)[/** @type {keyof typeof OUT} */ (edge)];
    if (!groups.has(name)) groups.set(name, []);
    // An edge to an assumption says to which.
    groups.get(name).push(make("li", {}, link(other, given), " ", make("bdi", {}, given.words(other)), target.includes(".") ? make("span.note", {}, ` (${target})`) : null));
  }
  return [...groups].flatMap(([name, links]) => part(name, make("ul.links", {}, links)));
}

/** @param {string} id @param {any} given */
const link = (id, given) => make("button.quiet.id", { type: "button", "aria-label": `Open ${id}`, onclick: () => given.open(owner(id)) }, id);

/** @param {any[]} spans @param {HTMLElement} holder @param {any} given */
function choices(spans, holder, given) {
  return make("div.row.spans", {}, spans.map((span, index) => make("button.quiet", { type: "button", "aria-pressed": String(!index),
    onclick: (/** @type {Event} */ event) => {
      const pressed = /** @type {HTMLElement} */ (event.currentTarget);
      for (const one of /** @type {any} */ (pressed.parentElement).children) one.setAttribute("aria-pressed", String(one === pressed));
      showOriginal(holder, { session: given.session, span });
    } }, `${span.artifact}, ${span.start} to ${span.end === -1 ? "its end" : span.end}`)));
}
