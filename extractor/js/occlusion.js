/**
 * Occlusion: text that lies under something, and text that cannot be told from what it really lies on. Both
 * need every box of the page, so they are judged after the walk. Only text that meets a box which is not one
 * of its ancestors costs anything.
 */

const MOST_LEFT = 0.07;

/** @param {Capture} capture */
function judgeOverlaps({ runs, painters }) {
  const covers = painters.map(coverOf);
  const grid = new Grid();
  const layers = [];
  for (const cover of covers) {
    if (isEmpty(cover.box)) continue;
    grid.add(cover);
    if (fillsViewport(cover)) layers.push(cover);
  }
  const covered = [];
  for (const run of runs) {
    const near = grid.near(run.box);
    const { scroller } = run.level.paint.flow;
    if (scroller) near.push(...grid.near(scroller.box));
    if (!run.level.paint.flow.fixed) for (const layer of layers) if (!near.includes(layer)) near.push(layer);
    const others = near.filter((cover) => !isAround(cover.level, run.level) || run.level.paint.sunk);
    if (!others.length && !run.doubtful) continue;
    judgeRun(run, near, others, covered);
  }
  settleCovered(covered);
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
    const meeting = cover.solid > 0.3 ? meetingOf(cover, run) : null;
    if (meeting) meetings.push({ cover, ...meeting });
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

/** What is covered is hidden, unless a person can take the cover away. */
function settleCovered(/** @type {{run: Run, over: Cover[], moves: boolean}[]} */ covered) {
  const under = [];
  for (const { run, over, moves } of covered) {
    if (moves || over.some((cover) => canDismiss(cover.level))) under.push(run);
    else run.reason = "covered";
  }
  if (under.length) labelUnder(under);
}

/** Say of elements with text that it lies under something. @param {Run[]} under */
function labelUnder(under) {
  const marked = new Set(under.map((run) => run.level));
  for (const level of marked) {
    const labels = getAttribute.call(level.copy, "data-pf-l");
    if (level.unwrapped) continue;
    setAttribute.call(level.copy, "data-pf-l", labels ? `${labels} under_overlay` : "under_overlay");
  }
}
