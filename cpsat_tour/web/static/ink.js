// The pen of all drawings: glyphs as strokes, colours and measures, as the command line has them.

const NS = "http://www.w3.org/2000/svg";

let drawing = null;
let knight = "";
const words = new Map();

/** The knight's shape, the glyphs and the colours, of the files that have them. */
export async function loadInk() {
  const [picture, data] = await Promise.all([fetch("knight.svg"), fetch("drawing.json")]);
  knight = new DOMParser().parseFromString(await picture.text(), "image/svg+xml").getElementById("knight").getAttribute("d");
  drawing = await data.json();
}

/** A new element of a drawing, in its parent if that is named. */
export function make(name, attributes = {}, parent = null) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

export const knightOutline = () => knight;
export const disc = () => drawing.disc;
export const legible = () => drawing.legible;

/** A word round the origin, its digits 100 high, as the d of a path; null where a character has no glyph. */
export function strokes(word) {
  if (!words.has(word)) words.set(word, written(word));
  return words.get(word);
}

function written(word) {
  const glyphs = [...word].map((character) => drawing.glyphs[character]);
  if (glyphs.includes(undefined)) return "";
  let left = -width(word) * 50, d = "";
  for (const glyph of glyphs) {
    const shift = left;
    d += glyph.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_, x, y) => `${+(Number(x) + shift).toFixed(1)} ${Number(y) - 50}`);
    left += across(glyph) + drawing.gap;
  }
  return d;
}

const across = (glyph) => Math.max(...[...glyph.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x]) => Number(x)));

/** The width of a word between its outermost lines, as a part of its height. */
function width(word) {
  const glyphs = [...word].map((character) => drawing.glyphs[character]);
  return (glyphs.reduce((sum, glyph) => sum + across(glyph), 0) + drawing.gap * (word.length - 1)) / 100;
}

/** How high numbers of so many digits are on their discs. */
export function height(digits) {
  const half = [(width("0".repeat(digits)) + drawing.pen) / 2, (1 + drawing.pen) / 2];
  return Math.min(28, (drawing.disc - 2) / Math.hypot(...half));
}

export const pen = () => 100 * drawing.pen;

const DARK_RAMP = [[126, 166, 255], [190, 140, 255], [255, 122, 190], [255, 158, 84]];

/** How many colours a line of so many moves has. */
export const shades = (moves) => Math.max(1, Math.min(drawing.shades, moves));

/** The colour of the line at a place from 0, the first move, to 1, the last. */
export function ramp(along, back) {
  const colours = document.documentElement.dataset.theme === "dark" ? DARK_RAMP : drawing.ramp;
  const place = (back ? 1 - Math.abs(2 * along - 1) : along) * (colours.length - 1);
  const leg = Math.min(Math.floor(place), colours.length - 2), part = place - leg;
  return `rgb(${colours[leg].map((low, band) => Math.round(low + (colours[leg + 1][band] - low) * part)).join(" ")})`;
}
