/**
 * An original as it came, with the part that evidence stands in. The service compares the whole with its hash
 * before it sends any of it.
 */

import { json, worded } from "./api.js";
import { count, make, several } from "./dom.js";

const AROUND = 2_000, MOST = 40_000;

/**
 * @param {HTMLElement} holder
 * @param {{session: string, span: {artifact: string, start: number, end: number}}} wanted
 */
export async function showOriginal(holder, { session, span }) {
  const start = Math.max(0, span.start - AROUND);
  const long = span.end === -1 ? MOST : Math.min(MOST, span.end + AROUND - start);
  holder.replaceChildren(make("p.status.busy", {}, "Reading the original…"));
  try {
    const part = await json(`/v1/sessions/${session}/artifacts/${span.artifact}?start=${start}&count=${long}`);
    holder.replaceChildren(...shown(part, span));
    const text = holder.querySelector("pre"), mark = holder.querySelector("mark");
    if (text && mark) text.scrollTop = Math.max(0, mark.offsetTop - text.offsetTop - 60);
  } catch (error) {
    holder.replaceChildren(make("p.status.wrong", { role: "alert" }, `The original ${span.artifact} cannot be shown: ${worded(error)}`));
  }
}

/** @param {any} part @param {any} span */
function shown(part, span) {
  const { artifact } = part;
  // The service counts characters; a string of this language counts halves of some of them.
  const text = [...part.text];
  const end = span.end === -1 ? part.total : span.end;
  const from = span.start - part.start, to = Math.min(end - part.start, text.length);
  const before = part.start, after = part.total - part.start - part.count;
  const unit = part.bytes ? "byte" : "character";
  return [
    make("h4", { id: `known-original-title` }, `Original ${artifact.id}: ${artifact.text}`),
    make("p.note", {}, `${artifact.media_type}, ${several(part.total, unit)}, from turn ${artifact.turn}${artifact.source_version ? `, version ${artifact.source_version}` : ""}. ` +
      `Marked: ${unit}s ${count(span.start)} to ${count(end)}${to < end - part.start ? ", of which the start is shown" : ""}.`),
    make("p.note.hash", {}, make("b", {}, "Verified"), ` as it was read: SHA-256 `, make("span.mono", {}, artifact.sha256)),
    make("pre", { tabIndex: 0, role: "region", "aria-labelledby": "known-original-title" },
      text.slice(0, from).join(""), make("mark", {}, text.slice(from, to).join("")), text.slice(to).join("")),
    before || after ? make("p.note", {}, `Not shown: ${[before ? `${several(before, unit)} before this part` : "", after ? `${several(after, unit)} after it` : ""].filter(Boolean).join(", ")}.`) : null,
  ].filter(Boolean);
}
