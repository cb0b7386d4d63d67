/**
 * A table of any length: only the rows in view are elements.
 */

import { make } from "./dom.js";

const AHEAD = 6, HEIGHT = 38, TALL = 62;

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {string} width as in `grid-template-columns`
 * @property {string} [tight] the same where there is little room
 * @property {(row: any) => any} cell text or a node
 * @property {boolean} [end] numbers stand at the end
 * @property {boolean} [small] left out where there is little room
 * @property {boolean} [below] on a line of its own where there is little room
 */

export class Rows {
  /** @param {HTMLElement} holder @param {string} label @param {Column[]} columns @param {string} none */
  constructor(holder, label, columns, none) {
    Object.assign(this, { holder, label, columns, none, height: HEIGHT });
    /** @type {any[]} */
    this.rows = [];
    this.narrow = matchMedia("(max-width: 620px)");
    this.narrow.addEventListener("change", () => this.show(this.rows));
  }

  /** @param {any[]} rows */
  show(rows) {
    this.rows = rows;
    const narrow = this.narrow.matches;
    const beside = this.columns.filter((column) => !narrow || !column.small && !column.below);
    this.below = narrow ? this.columns.filter((column) => column.below) : [];
    this.shown = [...beside, ...this.below];
    this.height = this.below.length ? TALL : HEIGHT;
    this.grid = beside.map((column) => (narrow && column.tight) || column.width).join(" ");
    if (!rows.length) {
      this.holder.replaceChildren(make("p.empty", {}, this.none));
      return;
    }
    const head = this.line(this.shown.map((column) => make(this.kind(column), { role: "columnheader" }, column.name)), 0, "head");
    this.body = make("div.body", { role: "rowgroup", style: { height: `${rows.length * this.height}px` } });
    const top = this.scroller?.scrollTop ?? 0;
    this.scroller = make("div.rows", { role: "table", "aria-label": this.label, "aria-rowcount": rows.length + 1, tabIndex: 0,
      onscroll: () => this.draw() }, make("div", { role: "rowgroup", style: { position: "sticky", top: "0", zIndex: "1" } }, head), this.body);
    this.holder.replaceChildren(this.scroller);
    this.scroller.scrollTop = Math.min(top, rows.length * this.height);
    this.from = this.to = -1;
    this.draw();
  }

  /** @param {Column} column */
  kind(column) {
    return `div${column.end ? ".end" : ""}${this.below.includes(column) ? ".below" : ""}`;
  }

  draw() {
    const from = Math.max(0, Math.floor(this.scroller.scrollTop / this.height) - AHEAD);
    const seen = Math.ceil((this.scroller.clientHeight || 440) / this.height);
    const to = Math.min(this.rows.length, from + seen + 2 * AHEAD);
    if (from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const lines = [];
    for (let at = from; at < to; at++) {
      const cells = this.shown.map((/** @type {Column} */ column) =>
        make(this.kind(column), { role: "cell" }, column.cell(this.rows[at])));
      const line = this.line(cells, at + 1, "");
      line.style.top = `${at * this.height}px`;
      line.style.height = `${this.height}px`;
      lines.push(line);
    }
    this.body.replaceChildren(...lines);
  }

  /** @param {any[]} cells @param {number} index @param {string} kind */
  line(cells, index, kind) {
    const tall = this.below.length ? ".tall" : "";
    return make(`div${tall}${kind ? `.${kind}` : ""}`, { role: "row", "aria-rowindex": index + 1,
      style: { gridTemplateColumns: this.grid } }, cells);
  }
}
