/**
 * Elements that become one thing in the snapshot: pictures, media, controls, frames, drawings and formulas.
 */

const ATOMS = new Set(["img", "iframe", "frame", "canvas", "video", "audio", "input", "textarea"]);
const FRAMES = new Set(["iframe", "frame"]);
/** What may have no size of its own though it is there: a picture that was not loaded. */
const UNSIZED = new Set(["img", "audio", "input", "canvas", "video"]);

/**
 * Put an atom in the place of a copy.
 *
 * @param {Level} level
 * @param {Element | null} atom null when nothing stands for it
 */
function putAtom({ copy, above, fold }, atom) {
  if (!atom) return remove(copy);
  if (fold) setAttribute.call(atom, "data-pf-c", fold);
  if (atom !== copy) replace(copy, atom);
  const name = above ? above.name : "";
  if (TABLE_FRAME.has(name)) wrapInCell(atom, name);
}

/** @param {Capture} capture @param {Level} level @returns {boolean} whether the element is an atom, now done */
function settleAtom(capture, level) {
  const { original, tag, mode } = level;
  if (!ATOMS.has(tag)) return false;
  let atom = atomOf(capture, original, level.copy, tag);
  if (atom && !mode) judgeAtom(capture, level, atom);
  if (atom && atom === level.copy) atom = level.copy = keepAttributes(capture, atom);
  if (tag === "textarea" && !mode && isBlank(level.style)) setAttribute.call(level.copy, "data-pf-t", "contrast");
  putAtom(level, atom);
  return true;
}

/** @returns {Element | null} the copy itself where it can stay */
function atomOf(capture, original, copy, tag) {
  if (tag === "img") {
    keepImage(original, copy, capture.record);
    return copy;
  }
  if (tag === "iframe" || tag === "frame") return frameOf(capture, original);
  if (tag === "canvas" || tag === "video" || tag === "audio") return mediaOf(original, tag);
  if (tag === "input") return keepInput(original, copy) ? copy : null;
  keepTextarea(original, copy);
  return copy;
}

/** @param {Capture} capture @param {Level} level @param {Element} atom */
function judgeAtom(capture, level, atom) {
  const { style, tag, paint } = level;
  const flow = flowAround(level);
  const box = boxOf(level);
  const flat = box.width < 2 || box.height < 2;
  let reason = style.visibility === "visible" ? "" : "visibility";
  if (!reason && flat) reason = UNSIZED.has(tag) && paint.scale > 0.001 ? "" : "zero_box";
  else if (!reason && FRAMES.has(tag) && paint.scale <= 0.1) reason = "transform";
  else if (!reason && !shows(box, flow)) reason = outsideReason({ ...level, paint: { ...paint, flow } }, box, false);
  if (reason) {
    setAttribute.call(atom, "data-pf-h", reason);
    return;
  }
  if (flat) return;
  if (capture.places && FRAMES.has(tag)) setAttribute.call(atom, "data-pf-at", insideBox(level));
  capture.runs.push({ node: null, copy: atom, level, box, doubtful: false, reason: "", rest: false });
  if (PICTURES.has(tag)) {
    level.painter = { colour: null, picture: tag };
    capture.painters.push(level);
  }
}

/** Whether what is written in a field cannot be told from the field. @param {CSSStyleDeclaration} style */
function isBlank(style) {
  const ground = colourOf(style.backgroundColor);
  const ink = colourOf(inkOf(style));
  return ground !== null && ground[3] > 0.99 && style.backgroundImage === "none" && style.textShadow === "none" &&
    ink !== null && contrastOf(blend(ink, ground), ground) < LEAST_CONTRAST;
}

/** @param {Capture} capture @param {Element} original @returns {Element} */
function frameOf(capture, original) {
  const key = `${capture.frameKey}${capture.frames.length}`;
  capture.frames.push(original);
  const attributes = { "data-pf-key": key };
  const title = getAttribute.call(original, "title");
  if (title) attributes.title = title;
  return make("pf-frame", attributes);
}

/** Elements of other vocabularies: drawings and formulas. @param {Capture} capture @param {Level} level */
function settleForeign(capture, level) {
  const { original, tag } = level;
  const shown = checkVisibility.call(original) || level.mode === "collapsed";
  if (tag === "svg") {
    if (shown && !level.mode) {
      level.painter = { colour: null, picture: tag };
      capture.painters.push(level);
    }
    return putAtom(level, shown ? drawingOf(level, (name, chars) => capture.drop(name, chars)) : hiddenDrawing(original, level.display));
  }
  if (tag === "math") return putAtom(level, shown ? formulaOf(original) : null);
  const text = composedText(original, capture);
  putAtom(level, text ? make("span", { "data-pf-tag": "span" }, text) : null);
}
