/**
 * Occlusion: text that lies under something, and text that cannot be told from what it really lies on. Both
 * need every box of the page, so they are judged after the walk. Only text that meets a box which is not one
 * of its ancestors costs anything.
 */

const MOST_LEFT = 0.07;

/** @param {Capture} capture */
function judgeOverlaps({ runs, painters }) {
  const front = gridOf(painters.filter(canCover));
  let all = /** @type {Grid | null} */ (null);
  const covered = [];
  for (const run of runs) {
    const { doubtful } = run;
    const sunk = run.level.paint.sunk;
    if (!doubtful && !sunk && front.empty) continue;
    if (doubtful || sunk) all ??= gridOf(painters);
    const near = nearRun(run, doubtful || sunk ? /** @type {Grid} */ (all) : front);
    const others = sunk ? near : near.filter((cover) => !isAround(cover.level, run.level));
    if (!others.length && !doubtful) continue;
    // What a run lies on is asked for only once something meets it.
    const under = doubtful || sunk ? near : nearRun(run, (all ??= gridOf(painters)));
    judgeRun(run, under, under.filter((cover) => sunk || !isAround(cover.level, run.level)), covered);
  }
  settleCovered(covered);
}

/** @param {Level[]} painters @returns {Grid} */
function gridOf(painters) {
  const grid = new Grid();
  for (const level of painters) {
    const cover = (level.cover ??= coverOf(level));
    if (isEmpty(cover.box)) continue;
    grid.add(cover);
    grid.empty = false;
    if (fillsViewport(cover)) grid.layers.push(cover);
  }
  return grid;
}

/** A block in the flow paints before all text but what is sunk. @param {Level} level */
function canCover({ paint, display, style, tag, above }) {
  if (paint.raised || PICTURES.has(tag) || tag.startsWith("::") || display.startsWith("inline")) return true;
  const around = above?.display ?? "block";
  if ((around !== "block" && /flex|grid/.test(around)) || style.float !== "none") return true;
  return style.isolation !== "auto" || style.willChange !== "auto" || style.contain !== "none";
}

/** @param {Run} run @param {Grid} grid @returns {Cover[]} */
function nearRun(run, grid) {
  const near = grid.near(run.box);
  const { scroller, fixed } = run.level.paint.flow;
  if (scroller) for (const cover of grid.near(scroller.box)) if (!near.includes(cover)) near.push(cover);
  if (!fixed) for (const layer of grid.layers) if (!near.includes(layer)) near.push(layer);
  return near;
}

/** @param {Level} outer @param {Level} inner @returns {boolean} */
const isAround = (outer, inner) => outer.order <= inner.order && inner.order <= outer.last;

/** @param {Run} run @returns {Rect[]} */
const linesOf = (run) => (run.node ? lineBoxes(run.node) : [run.box]);

/** @param {Cover} cover @returns {number[]} */
const pathOf = (cover) => (cover.path ??= groundPath(cover.level));

/**
 * @param {Run} run
 * @param {Cover[]} near everything that may meet it
 * @param {Cover[]} others those of them that are not its ancestors
 * @param {{run: Run, over: Cover[], moves: boolean}[]} covered to add to
 */
function judgeRun(run, near, others, covered) {
  const path = textPath(run);
  const lines = linesOf(run);
  const over = others.filter((cover) => comparePaths(pathOf(cover), path) > 0);
  const hit = over.length ? coversOf(run, lines, over) : null;
  if (hit) {
    covered.push({ run, ...hit });
    return;
  }
  const under = near.filter((cover) => !over.includes(cover));
  const between = others.length > over.length;
  if ((run.doubtful || between) && run.node && isFaint(run, lines, under)) run.reason = "contrast";
}

/**
 * @param {Run} run
 * @param {Rect[]} lines
 * @param {Cover[]} over what is painted after the run
 * @returns {{over: Cover[], moves: boolean} | null} what hides all of it; null when some of it shows
 */
function coversOf(run, lines, over) {
  const meetings = [];
  for (const cover of over) {
    const meeting = meetingOf(cover, run);
    if (meeting && solidOf(cover) > 0.3) meetings.push({ cover, ...meeting });
  }
  const used = new Set();
  for (const point of pointsIn(lines)) {
    let left = 1;
    for (const meeting of meetings) {
      const inside = meeting.lines ? within(meeting.lines[0], meeting.box) : holds(point, meeting.box);
      if (!inside) continue;
      left *= 1 - meeting.cover.solid;
      used.add(meeting);
    }
    if (left > MOST_LEFT) return null;
  }
  if (!used.size) return null;
  const hits = [...used];
  return { over: hits.map((hit) => hit.cover), moves: hits.some((hit) => hit.moves) };
}

/** What is covered is hidden, unless a person can take the cover away or scroll the text out from under it. */
function settleCovered(/** @type {{run: Run, over: Cover[], moves: boolean}[]} */ covered) {
  const under = [];
  for (const { run, over, moves } of covered) {
    if (!moves && !over.some((cover) => canDismiss(cover.level))) run.reason = "covered";
    else if (!moves || over.some(({ level, box }) => isLarge(box) || canDismiss(level))) under.push(run);
  }
  if (under.length) labelUnder(under);
}

/** Whether a box fills half of the window: what passes under a smaller one is not worth a word. */
const isLarge = (/** @type {Rect} */ { left, right, top, bottom }) =>
  (Math.min(right, innerWidth) - Math.max(left, 0)) * (Math.min(bottom, innerHeight) - Math.max(top, 0)) >
  (innerWidth * innerHeight) / 2;

/** Say of elements with text that it lies under something. @param {Run[]} under */
function labelUnder(under) {
  const marked = new Set(under.map((run) => run.level));
  for (const level of marked) {
    const labels = getAttribute.call(level.copy, "data-pf-l");
    if (level.unwrapped) continue;
    setAttribute.call(level.copy, "data-pf-l", labels ? `${labels} under_overlay` : "under_overlay");
  }
}
