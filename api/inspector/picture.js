/**
 * The page's picture with its parts over it: kept, folded, closed and hidden.
 */

import { at, count, make, percent, roam, several } from "./dom.js";

const NAMES = { kept: "Kept", folded: "Folded", collapsed: "Closed", hidden: "Hidden" };
const WHY = {
  budget: "it does not fit the budget", main_only: "it is not main content", excluded: "it was excluded",
  not_included: "it was not asked for", not_read: "the page is very large, and it was not read",
};

/** @param {any} part */
function because(part) {
  if (part.state === "kept") return "In the result.";
  if (part.state === "collapsed") return "Closed on the page, and a click away.";
  if (part.state === "hidden") return `People cannot see it: ${part.reason.replaceAll("_", " ")}.`;
  return `Folded because ${WHY[/** @type {keyof WHY} */ (part.reason)] ?? part.reason}. Press to unfold it in the result.`;
}

export class Picture {
  /** @param {(ref: string) => void} unfold */
  constructor(unfold) {
    this.unfold = unfold;
    this.holder = at("picture");
    this.tip = make("div.tip", { id: "tip", hidden: true });
    /** @type {any[]} */
    this.parts = [];
    this.address = "";
    roam(this.holder, ".part");
    const over = (/** @type {Event} */ event) => this.tell(/** @type {HTMLElement} */ (event.target));
    this.holder.addEventListener("pointerover", over);
    this.holder.addEventListener("focusin", over);
    this.holder.addEventListener("pointerleave", () => this.tell(this.holder));
    this.holder.addEventListener("focusout", () => { this.tip.hidden = true; });
    this.holder.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") this.tip.hidden = true; });
    this.holder.addEventListener("click", (/** @type {Event} */ event) => {
      const part = this.partOf(/** @type {HTMLElement} */ (event.target));
      if (part?.ref) this.unfold(part.ref);
    });
  }

  /** @param {Blob | null} picture a new page's, or null where there is none */
  load(picture) {
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = picture ? URL.createObjectURL(picture) : "";
    if (!picture) {
      this.sheet = null;
      this.holder.replaceChildren(make("p.empty", {}, "There is no picture of this page."));
      return Promise.resolve();
    }
    this.image = make("img", { src: this.address, alt: "" });
    this.layer = make("div");
    this.sheet = make("div.sheet", {}, this.image, this.layer, this.tip);
    this.holder.replaceChildren(this.sheet);
    this.holder.scrollTop = 0;
    return this.image.decode().catch(() => undefined);
  }

  /** @param {any[]} parts @param {number} leftOut */
  show(parts, leftOut) {
    this.parts = parts;
    this.legend(parts);
    if (!this.sheet) {
      at("detail").textContent = "";
      return;
    }
    const { naturalWidth: width, naturalHeight: height } = this.image;
    if (!width) return;
    // Large ones first: what lies on top can be pointed at.
    const order = parts.map((_, index) => index).sort((a, b) => area(parts[b]) - area(parts[a]));
    const buttons = new Map();
    for (const index of order) {
      const part = parts[index];
      const [x, y, wide, high] = part.box;
      if (x >= width || y >= height || x + wide <= 0 || y + high <= 0) continue;
      const left = Math.max(0, x), top = Math.max(0, y);
      buttons.set(index, make(`button.part.${part.state}`, {
        type: "button", tabIndex: -1, "data-part": index, "aria-label": this.label(part),
        style: {
          left: `${(100 * left) / width}%`, top: `${(100 * top) / height}%`,
          width: `${(100 * (Math.min(width, x + wide) - left)) / width}%`, height: `${(100 * (Math.min(height, y + high) - top)) / height}%`,
          zIndex: String(1),
        },
      }));
    }
    this.tip.hidden = true;
    // In the tree they stand in reading order, so arrows go that way; what is small is drawn above.
    const drawn = order.filter((index) => buttons.has(index));
    drawn.forEach((index, level) => { buttons.get(index).style.zIndex = String(Math.min(3, 1 + Math.floor((3 * level) / drawn.length))); });
    const reading = [...buttons.keys()].sort((a, b) => a - b).map((index) => buttons.get(index));
    if (reading[0]) reading[0].tabIndex = 0;
    this.layer.replaceChildren(...reading);
    const outside = parts.length - reading.length;
    at("detail").textContent = ["Point at a part, or go through them with Tab and the arrow keys.",
      leftOut ? `${several(leftOut, "smaller part")} not drawn.` : "",
      outside ? `${several(outside, "part")} outside the picture.` : ""].filter(Boolean).join(" ");
  }

  /** @param {any} part */
  label(part) {
    return `${NAMES[/** @type {keyof NAMES} */ (part.state)]}, ${part.region}, ${several(part.chars, "character")}. ${because(part)}`;
  }

  /** @param {HTMLElement} element */
  partOf(element) {
    const index = element.closest?.(".part")?.getAttribute("data-part");
    return index ? this.parts[Number(index)] : undefined;
  }

  /** Of a part, or else of the one that has the focus: keys scroll the picture under a pointer that rests. @param {HTMLElement} pointed */
  tell(pointed) {
    const focused = /** @type {HTMLElement | null} */ (this.holder.querySelector(".part:focus-visible"));
    const element = this.partOf(pointed) ? pointed : focused ?? pointed;
    const part = this.partOf(element);
    this.tip.hidden = !part;
    if (!part) return;
    this.tip.replaceChildren(make("b", {}, `${NAMES[/** @type {keyof NAMES} */ (part.state)]} · ${part.region} · ${count(part.chars)} characters`), because(part));
    at("detail").textContent = this.label(part);
    const box = /** @type {HTMLElement} */ (element.closest(".part"));
    const room = this.sheet.clientWidth;
    const [wide, high] = [this.tip.offsetWidth, this.tip.offsetHeight];
    const above = box.offsetTop - high - 8;
    const top = above > this.holder.scrollTop ? above : Math.max(this.holder.scrollTop + 8, Math.min(box.offsetTop + box.offsetHeight + 8, this.holder.scrollTop + this.holder.clientHeight - high - 8));
    Object.assign(this.tip.style, { left: `${Math.max(6, Math.min(box.offsetLeft, room - wide - 6))}px`, top: `${top}px` });
  }

  /** @param {any[]} parts */
  legend(parts) {
    const sums = { kept: 0, folded: 0, collapsed: 0, hidden: 0 };
    let all = 0;
    for (const part of parts) {
      sums[/** @type {keyof typeof sums} */ (part.state)] += part.chars;
      all += part.chars;
    }
    const buttons = Object.entries(NAMES).map(([state, name]) => {
      const off = this.holder.classList.contains(`without-${state}`);
      return make("button", { type: "button", "aria-pressed": String(!off), title: `Show or leave out what is ${name.toLowerCase()}`,
        onclick: (/** @type {Event} */ event) => {
          const shown = !this.holder.classList.toggle(`without-${state}`);
          /** @type {HTMLElement} */ (event.currentTarget).setAttribute("aria-pressed", String(shown));
        } }, make(`span.swatch.${state}`), `${name} ${percent(sums[/** @type {keyof typeof sums} */ (state)], all)}`);
    });
    at("legend").replaceChildren(...buttons);
  }
}

/** @param {any} part */
const area = (part) => part.box[2] * part.box[3];
