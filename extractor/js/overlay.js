/**
 * What a person can take away: dialogs, consent bars, open menus. Text below one is kept, with a label.
 */

const OVERLAY = 'dialog, [role="dialog"], [role="alertdialog"], [aria-modal="true"], [popover], [role="menu"], ' +
  '[role="listbox"], [role="tooltip"]';
const CONTROLS = 'button, [role="button"], input[type="button"], input[type="submit"], a[href^="#"], a:not([href])';
const DISMISS = new RegExp(
  "^\\s*(?:[×✕✖⨯x]\\s*$|close|dismiss|accept|agree|allow|got it|ok\\b|okay|no,? thanks|not now|reject|decline|" +
    "schlie|akzept|zustimm|alle |verstanden|ablehn|fermer|accepter|tout |refuser|cerrar|acept|" +
    "rechaz|chiudi|accett|rifiut|fechar|aceit|sluit|accept|stäng|luk\\b|zamknij|akcept|закрыт|принят|соглас|" +
    "閉じる|同意|关闭|關閉|接受|닫기|동의|إغلاق|موافق|סגור)",
  "iu",
);
/** A box that holds one of these is the page itself, whatever can be closed in it. */
const WHOLE_PAGE = 'main, [role="main"], nav, article';
const CLOSER = /(?:^|[\s_-])(?:close|dismiss|accept|reject|agree)(?:$|[\s_-])/i;

/** @type {WeakMap<Element, boolean>} */
const dismissible = new WeakMap();

/**
 * @param {Level} level something that covers text
 * @returns {boolean} whether it belongs to a box that a person can close
 */
function canDismiss(level) {
  for (let at = /** @type {Level | null} */ (level); at; at = at.above) {
    const known = dismissible.get(at.original);
    if (known ?? isOverlay(at)) {
      dismissible.set(at.original, true);
      return true;
    }
    dismissible.set(at.original, false);
  }
  return false;
}

/** @param {Level} level */
function isOverlay({ original, position, above }) {
  if (!above) return false;
  if (matches.call(original, OVERLAY)) return true;
  if (position !== "fixed" && position !== "absolute") return false;
  if (querySelector.call(original, WHOLE_PAGE)) return false;
  const controls = querySelectorAll.call(original, CONTROLS);
  const limit = Math.min(controls.length, 30);
  for (let i = 0; i < limit; i++) {
    const control = controls[i];
    if (!checkVisibility.call(control, { visibilityProperty: true, opacityProperty: true })) continue;
    const text = getAttribute.call(control, "aria-label") || textContent.call(control).trim() ||
      getAttribute.call(control, "value") || getAttribute.call(control, "title") || "";
    if (text.length < 60 && DISMISS.test(text)) return true;
    if (CLOSER.test(getAttribute.call(control, "class") ?? "")) return true;
  }
  return false;
}
