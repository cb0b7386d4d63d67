/**
 * Which boxes lie near a place: a grid of cells, so that no text meets every box.
 */

const CELL_WIDTH = 256;
const CELL_HEIGHT = 128;
const MOST_CELLS = 64;
const MOST_MEETINGS = 2_000_000;

/** @param {Rect} rect @returns {number[]} first and last column, first and last row */
const cellsOf = (rect) => [
  Math.floor(rect.left / CELL_WIDTH), Math.floor(rect.right / CELL_WIDTH),
  Math.floor(rect.top / CELL_HEIGHT), Math.floor(rect.bottom / CELL_HEIGHT),
];

let rounds = 0;

class Grid {
  constructor() {
    /** @type {Map<number, Cover[]>} */
    this.cells = new Map();
    /** @type {Cover[]} boxes that fill too many cells */
    this.wide = [];
    /** @type {Cover[]} what stands before all of the viewport */
    this.layers = [];
    this.empty = true;
    this.meetings = 0;
  }

  /** @param {Cover} cover */
  add(cover) {
    const [left, right, top, bottom] = cellsOf(cover.box);
    if ((right - left + 1) * (bottom - top + 1) > MOST_CELLS) {
      this.wide.push(cover);
      return;
    }
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        const key = row * 4096 + column;
        const there = this.cells.get(key);
        if (there) there.push(cover);
        else this.cells.set(key, [cover]);
      }
    }
  }

  /** @param {Rect} rect @returns {Cover[]} what overlaps it; nothing more once too much was compared */
  near(rect) {
    const found = [];
    const round = ++rounds;
    const take = (/** @type {Cover[]} */ covers) => {
      this.meetings += covers.length;
      if (this.meetings > MOST_MEETINGS) return;
      for (const cover of covers) {
        if (cover.met === round || !overlap(cover.box, rect)) continue;
        cover.met = round;
        found.push(cover);
      }
    };
    take(this.wide);
    const [left, right, top, bottom] = cellsOf(rect);
    if ((right - left + 1) * (bottom - top + 1) > 4096) return found;
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        const covers = this.cells.get(row * 4096 + column);
        if (covers) take(covers);
      }
    }
    return found;
  }
}
