/**
 * Where things stand on the graph: turns from left to right, a lane for each kind, and in a lane as many rows
 * as keep its items apart. Numbers in, numbers out.
 */

export const LANES = { hypothesis: "Hypotheses", decision: "Decisions", sentence: "Sentences of summaries", evidence: "Evidence" };
export const LEFT = 30, HEAD = 26;
const RIGHT = 46, LEAST = 8, MOST = 12_000, APART = 15, AROUND = 12, LANE_HEAD = 26, LANE_FOOT = 10;
const LABELLED = 44, BARE = 26, END = 10, CROWD = 40, TAIL = 34, MOST_SIGNS = 40, MOST_EDGES = 3_000;
const OPEN = ["proposed", "active", "reopened"];

/** How much of its words an item shows where there are so many in its lane; 0 is its id alone, -1 nothing. @param {number} items */
const words = (items) => (items <= 14 ? 46 : items <= CROWD ? 24 : items <= 100 ? 0 : -1);

/**
 * @param {any[]} nodes
 * @param {{room: number, last: number, measure: (text: string) => number}} given `room` in pixels, the `last` turn
 */
export function arrange(nodes, { room, last, measure }) {
  const turns = Math.max(1, last);
  const per = Math.max((room - LEFT - RIGHT) / turns, Math.min(LEAST, MOST / turns));
  const x = (/** @type {number} */ turn) => LEFT + turn * per;
  /** @type {Map<string, any>} */
  const places = new Map();
  const lanes = [];
  let top = HEAD;
  for (const [kind, name] of Object.entries(LANES)) {
    const all = nodes.filter((node) => node.kind === kind);
    if (!all.length) continue;
    // Where there are many, what goes on does so for a short way only: rows are shared, and stay few.
    const reach = all.length <= CROWD ? Infinity : TAIL;
    const own = all.map((node) => track(node, x, last, { per, reach }));
    own.sort((one, other) => one.x - other.x);
    const most = words(own.length), high = most < 0 ? BARE : LABELLED;
    /** @type {number[]} */
    const rows = [];
    for (const place of own) {
      [place.label, place.wide] = most < 0 ? ["", 0] : fitted(place, most, x(turns) + RIGHT - place.x, measure);
      const from = place.x - AROUND;
      let row = rows.findIndex((end) => end <= from);
      if (row < 0) row = rows.length;
      rows[row] = Math.max(place.end + AROUND, from + place.wide + 8);
      place.y = top + LANE_HEAD + row * high + (most < 0 ? BARE / 2 : LABELLED - BARE / 2);
      places.set(place.id, place);
    }
    const height = LANE_HEAD + rows.length * high + LANE_FOOT;
    lanes.push({ kind, name, top, height, count: own.length });
    top += height;
  }
  const width = Math.max(x(turns) + RIGHT, ...[...places.values()].map((place) => place.end + RIGHT / 2));
  return { places, lanes, width, height: top, x, per, last };
}

/** @param {any} node @param {(turn: number) => number} x @param {number} last @param {{per: number, reach: number}} scale */
function track(node, x, last, { per, reach }) {
  /** @type {{x: number, versions: any[]}[]} */
  const steps = [];
  let beside = 0, turn = -1;
  for (const version of drawnOf(node.versions)) {
    beside = version.turn === turn ? beside + 1 : 0;
    turn = version.turn;
    const at = x(turn) + beside * APART;
    const before = steps.at(-1);
    // Too close to be told apart: one sign for them, that of the newest.
    if (before && (at - before.x < APART || (beside && beside * APART + APART > per))) before.versions.push(version);
    else steps.push({ x: at, versions: [version] });
  }
  const skipped = node.versions.length - steps.reduce((sum, step) => sum + step.versions.length, 0);
  const stays = node.marked || (node.kind === "hypothesis" && OPEN.includes(node.status));
  const end = /** @type {any} */ (steps.at(-1)).x;
  return { id: node.id, node, steps, x: steps[0].x, end: stays ? Math.max(end, Math.min(x(last), end + reach)) : end, y: 0, label: "", wide: 0, skipped };
}

/** The first version and the newest; the number beside the first says how many there are between. @param {any[]} versions */
const drawnOf = (versions) => (versions.length > MOST_SIGNS ? [versions[0], ...versions.slice(1 - MOST_SIGNS)] : versions);

/** Fewer words where the end of the drawing is near. @param {any} place @param {number} most @param {number} room @param {(text: string) => number} measure @returns {[string, number]} */
function fitted({ node }, most, room, measure) {
  let label = short(node, most), wide = measure(label) + 6;
  if (wide > room && most) {
    label = short(node, Math.max(0, Math.floor((most * room) / wide) - 4));
    wide = measure(label) + 6;
  }
  return [label, Math.min(wide, 420)];
}

/** @param {any} node @param {number} most */
function short(node, most) {
  const said = [...oneLine(node.text.slice(0, 200))];
  const part = said.length > most ? `${said.slice(0, most).join("").trimEnd()}…` : said.join("");
  return most ? `${node.id} ${part}` : node.id;
}

/** Without breaks, and without what would turn around the words behind it. @param {string} text */
export const oneLine = (text) => text.replace(/[\p{Cc}\s\u2028\u2029]+/gu, " ").replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "").trim();

/**
 * Edges between what is drawn, and from each cause to the version that it brought about.
 * @param {any[]} edges @param {Map<string, any>} places
 */
export function wires(edges, places) {
  const found = [];
  const told = new Set();
  for (const { source, edge, target } of edges) {
    const from = places.get(source), to = places.get(owner(target));
    if (!from || !to || from === to) continue;
    const step = to.steps.find((/** @type {any} */ one) => one.versions.some((/** @type {any} */ v) => v.version > 1 && v.by.includes(source)));
    if (step) told.add(`${source} ${to.id} ${step.x}`);
    found.push(wire(edge, from, to, from.x, step ? step.x : within(from.x, to)));
  }
  for (const to of places.values()) {
    for (const step of to.steps) {
      for (const cause of new Set(step.versions.flatMap((/** @type {any} */ v) => (v.version > 1 ? v.by.map(owner) : [])))) {
        const from = places.get(cause);
        if (!from || from === to || told.has(`${cause} ${to.id} ${step.x}`)) continue;
        found.push(wire("led_to", from, to, within(step.x, from), step.x));
      }
    }
  }
  return { drawn: found.slice(0, MOST_EDGES), more: Math.max(0, found.length - MOST_EDGES) };
}

/** @param {string} id of an item, or of one of its assumptions */
export const owner = (id) => id.split(".")[0];
/** @param {number} x @param {any} place */
const within = (x, place) => Math.min(Math.max(x, place.x), place.end);

/** @param {string} edge @param {any} from @param {any} to @param {number} fromX @param {number} toX */
function wire(edge, from, to, fromX, toX) {
  const down = to.y > from.y, end = to.y + (down ? -END : END);
  const middle = from.y === to.y ? from.y + 26 : (from.y + end) / 2;
  // Straight ones stand a little aside, for what they pass.
  const bend = Math.abs(toX - fromX) < 8 && Math.abs(to.y - from.y) > 60 ? 14 : 0;
  const path = `M${fromX} ${from.y}C${fromX + bend} ${middle} ${toX + bend} ${middle} ${toX} ${end + (down ? -4 : 4)}`;
  return { edge, source: from.id, target: to.id, path, x: toX, y: end + (down ? 2 : -2), down };
}
