// The pen of all drawings: colours and measures, as the command line has them.

const NS = "http://www.w3.org/2000/svg";

/** The height of a digit as a part of the size of its font. */
const DIGIT = 0.72;

/** The knight's shape, the colours and the measures. */
export const drawing = await (await fetch("drawing.json")).json();

/** A new element of a drawing, in its parent if that is named. */
export function make(name, attributes = {}, parent = null) {
  const element = document.createElementNS(NS, name);
  set(element, attributes);
  parent?.append(element);
  return element;
}

/** Set the attributes that differ. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** The element, with a word round a point, its digits so many units high. */
export function write(element, word, x, y, high) {
  element.textContent = word;
  set(element, { x, y: y + high / 2, "font-size": high / DIGIT });
  return element;
}

/** How high numbers of so many digits are on their discs. */
export const digitHeight = (digits) => Math.min(28, (drawing.disc - 2) / Math.hypot(0.39 * digits, 0.5));

const DARK_RAMP = [[126, 166, 255], [190, 140, 255], [255, 122, 190], [255, 158, 84]];

/** How many colours a line of so many moves has. */
export const shadeCount = (moves) => Math.max(1, Math.min(drawing.shades, moves));

/** The colour of the line at a place from 0, the first move, to 1, the last: one for light ground and one for dark. */
export function rampColour(along, back) {
  const place = back ? 1 - Math.abs(2 * along - 1) : along;
  return `light-dark(${mixColours(drawing.ramp, place)}, ${mixColours(DARK_RAMP, place)})`;
}

function mixColours(colours, along) {
  const place = along * (colours.length - 1), leg = Math.min(Math.floor(place), colours.length - 2);
  return `rgb(${colours[leg].map((low, band) => Math.round(low + (colours[leg + 1][band] - low) * (place - leg))).join(" ")})`;
}
