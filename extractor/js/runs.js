/**
 * Runs of text: judged where they stand, marked in the copy once every box of the page is known.
 */

/** Elements whose text shows only where they themselves cannot. */
const FALLBACK = new Set(["meter", "progress", "object"]);

/**
 * @param {Capture} capture
 * @param {Level} level
 * @param {Node} node
 * @param {Node} copy
 */
function judgeText(capture, level, node, copy) {
  level.own ??= ownReason(level);
  if (!level.own && rare.replaced && level.style.content.startsWith("url(")) level.own = "display";
  if (!level.own && FALLBACK.has(level.tag) && !textBox(node).width) level.own = "display";
  const run = { node, copy, level, box: NOTHING, doubtful: false, reason: level.own, rest: false };
  if (level.own) return keepRun(capture, level, run);
  const { reason, box, cut } = placeReason(level, node);
  run.reason = reason;
  run.box = box;
  if (cut) {
    const [shown, rest] = splitCopy(copy, cut);
    keepRun(capture, level, { ...run, copy: rest, rest: true });
    keepRun(capture, level, { ...run, copy: shown, reason: "" });
    return;
  }
  run.doubtful = !reason && isDoubtful(level, node, box);
  keepRun(capture, level, run);
}

/** @param {Capture} capture @param {Level} level @param {Run} run */
function keepRun(capture, level, run) {
  if (!level.runs.length) capture.holders.push(level);
  level.runs.push(run);
  if (!run.reason) capture.runs.push(run);
}

/**
 * @param {Node} copy a text node
 * @param {number} cut where its first part ends; negative when it is the second that shows
 * @returns {[Node, Node]} the part that shows and the rest
 */
function splitCopy(copy, cut) {
  const data = dataOf.call(copy);
  const front = createTextNode.call(inert, data.slice(0, Math.abs(cut)));
  const back = createTextNode.call(inert, data.slice(Math.abs(cut)));
  const parent = parentNode.call(copy);
  insertBefore.call(parent, front, copy);
  replaceChild.call(parent, back, copy);
  return cut > 0 ? [front, back] : [back, front];
}

/** Write the verdicts down. @param {Capture} capture */
function markRuns({ holders, runs }) {
  for (const level of holders) {
    const hidden = level.runs.filter((run) => run.reason);
    if (hidden.length) markLevel(level, hidden);
  }
  for (const run of runs) if (!run.node && run.reason) setAttribute.call(run.copy, "data-pf-h", run.reason);
}

/** @param {Level} level @param {Run[]} hidden */
function markLevel(level, hidden) {
  const { copy, runs, unwrapped } = level;
  const alike = hidden.length === runs.length && hidden.every((run) => run.reason === hidden[0].reason);
  const kind = collapsedKind(level.original) || (isCut(hidden[0]) ? openedBy(level) : isAway(hidden[0]) ? drawerOf(level) : "") ||
    // An ellipsis stands for the rest of a text that begins in view.
    (hidden[0].rest && hidden.length === 1 && hasEllipsis(level) ? "more" : "");
  if (alike && !unwrapped && level.above && (!kind || !firstElementChild.call(copy))) {
    setAttribute.call(copy, kind ? "data-pf-c" : "data-pf-t", kind || hidden[0].reason);
    return;
  }
  for (const run of hidden) {
    const shell = make("span", { [kind ? "data-pf-c" : "data-pf-t"]: kind || run.reason });
    replace(run.copy, shell);
    appendChild.call(shell, run.copy);
  }
}

/** @param {Run} run @returns {boolean} whether it was moved out of sight: a control may bring it in */
const isAway = ({ reason }) => reason === "transform" || reason === "offscreen";

/** @param {Run} run @returns {boolean} whether a box cuts it off or another lies on it: a control may show it */
const isCut = ({ reason }) => reason === "clip" || reason === "zero_box" || reason === "covered";
