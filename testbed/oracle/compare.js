/**
 * The largest WCAG contrast ratio between pixels at the same place of two pictures.
 *
 * @param {[string, string]} pictures PNG, base64
 * @returns {Promise<{ratio: number, x: number, y: number}>} 1 where the pictures are alike
 */
async ([before, after]) => {
  /** @param {string} picture @returns {Promise<ImageData>} */
  const read = async (picture) => {
    const bytes = Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  };
  const light = (/** @type {Uint8ClampedArray} */ data, /** @type {number} */ at) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
      const s = data[at + i] / 255;
      return sum + weight * (s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4);
    }, 0.05);
  const [first, second] = await Promise.all([read(before), read(after)]);
  if (first.width !== second.width || first.height !== second.height) throw new Error("sizes differ");
  const [a, b] = [first.data, second.data];
  const best = { ratio: 1, x: -1, y: -1 };
  for (let at = 0; at < a.length; at += 4) {
    if (a[at] === b[at] && a[at + 1] === b[at + 1] && a[at + 2] === b[at + 2]) continue;
    const [one, other] = [light(a, at), light(b, at)];
    const ratio = Math.max(one, other) / Math.min(one, other);
    if (ratio <= best.ratio) continue;
    Object.assign(best, { ratio, x: (at / 4) % first.width, y: Math.floor(at / 4 / first.width) });
  }
  return best;
}
