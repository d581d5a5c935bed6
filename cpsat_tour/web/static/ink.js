// The pen of all drawings: colours and measures, as the command line has them.

const NS = "http://www.w3.org/2000/svg";

/** The height of a digit as a part of the size of its font. */
const DIGIT = 0.72;

let drawing = null;

/** The knight's shape, the colours and the measures. */
export async function loadInk() {
  drawing = await (await fetch("drawing.json")).json();
}

/** A new element of a drawing, in its parent if that is named. */
export function make(name, attributes = {}, parent = null) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

export const knightOutline = () => drawing.knight;
export const disc = () => drawing.disc;
export const legible = () => drawing.legible;

/** Write a word round a point, its digits so many units high. */
export function write(element, word, x, y, high) {
  element.textContent = word;
  for (const [key, value] of Object.entries({ x, y: y + high / 2, "font-size": high / DIGIT })) element.setAttribute(key, value);
}

/** How high numbers of so many digits are on their discs. */
export const height = (digits) => Math.min(28, (drawing.disc - 2) / Math.hypot(0.39 * digits, 0.5));

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
