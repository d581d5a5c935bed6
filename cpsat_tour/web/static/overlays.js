// What is drawn over the squares of a board: the cycles of a 2-factor, the shores of cut sets, and a proof.

import { make, write } from "./ink.js";
import { lineOf, outlineOf } from "./plan.js";

const OUTLINES = ["#1b7837", "#762a83", "#b2182b", "#01665e", "#8c510a", "#4d4d4d"];

function tile(board, place, attributes, layer) {
  const { x, y } = board.middle(place);
  if (board.plan.squares) make("rect", { ...attributes, x: x - 50, y: y - 50, width: 100, height: 100 }, layer);
  else make("circle", { ...attributes, cx: x, cy: y, r: 30 }, layer);
}

/** Cycles as {squares, hue, closed}. */
export function drawCycles(board, cycles) {
  const layer = board.cyclesLayer;
  layer.replaceChildren();
  for (const { squares, hue, closed } of cycles ?? []) {
    const colour = `hsl(${hue} 62% 46%)`;
    for (const place of squares) tile(board, place, { fill: colour }, layer);
    make("path", { d: lineOf(board.plan, squares, closed), stroke: colour }, layer);
  }
}

/** Shores as {squares, hue}. */
export function drawShores(board, shores) {
  board.shoresLayer.replaceChildren();
  for (const { squares, hue } of shores ?? []) make("path", { d: outlineOf(board.plan, squares), stroke: `hsl(${hue} 70% 38%)` }, board.shoresLayer);
}

/** A certificate: multipliers on the squares, bounded edges, shores; null for none. */
export function drawProof(board, certificate) {
  const layer = board.proofLayer;
  layer.replaceChildren();
  board.svg.classList.toggle("proving", Boolean(certificate));
  if (!certificate) return;
  const { multipliers, bounds, cut_sets: shores } = certificate;
  for (const [vertex, value] of multipliers) tile(board, vertex, { class: value.startsWith("-") ? "minus" : "plus" }, layer);
  for (const ends of bounds) make("path", { class: "bound", d: lineOf(board.plan, ends) }, layer);
  shores.forEach((shore, number) => {
    const width = Math.min(20, 4 + 5 * (shores.length - number));
    make("path", { class: "shore", d: outlineOf(board.plan, shore), stroke: OUTLINES[number % OUTLINES.length], "stroke-width": width }, layer);
  });
  for (const [vertex, value] of multipliers) {
    const { x, y } = board.middle(vertex);
    write(make("text", { class: "digits" }, layer), value.replace("1/2", "½").replace("-", "−"), x, y, 24);
  }
}
