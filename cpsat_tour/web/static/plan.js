// Where the squares or vertices lie: of boards worked out here, of other spaces told by the server.
//
// A plan numbers places: the squares of a board row by row, holes too, or the vertices of a graph. The server counts vertices, which are the
// places that are no holes; `vertexOf` and `placeOf` translate.

import { fileLetters, squareName } from "./setting.js";

const UNIT = 100, HALF = 50;

/** The plan of a board, as the command line lays it out. */
export function boardPlan({ rows, cols, holes, leaper }) {
  const order = rows * cols, side = Math.max(rows, cols), label = Math.max(26, Math.round(1.4 * side)), margin = Math.round(2.6 * label);
  const hole = new Set(holes.map(([row, col]) => row * cols + col));
  const places = [...Array(order).keys()], placeOf = places.filter((place) => !hole.has(place));
  const vertexOf = Array(order).fill(-1);
  placeOf.forEach((place, vertex) => { vertexOf[place] = vertex; });
  const row = (place) => Math.floor(place / cols), col = (place) => place % cols;
  return {
    squares: true, rows, cols, order, side, label, hole, placeOf, vertexOf, called: `the ${rows}x${cols} board`, nouns: ["square", "squares"],
    box: [-margin, -margin, UNIT * cols + 2 * margin, UNIT * rows + 2 * margin],
    x: places.map((place) => UNIT * col(place) + HALF),
    y: places.map((place) => UNIT * row(place) + HALF),
    names: places.map((place) => squareName([row(place), col(place)], rows)),
    dark: places.map((place) => (rows - 1 - row(place) + col(place)) % 2 === 0),
    frames: [{ left: 0, top: 0, title: "", columns: [...Array(cols).keys()].map(fileLetters), rows: [...Array(rows).keys()].map((up) => String(rows - up)) }],
    neighbours: neighbours(rows, cols, leaper, hole),
    pieces: new Map(),
  };
}

function neighbours(rows, cols, [short, long], hole) {
  const steps = [];
  for (const [down, across] of [[short, long], [long, short]]) for (const up of [1, -1]) for (const left of [1, -1]) steps.push([up * down, left * across]);
  const to = (row, col) => (row >= 0 && col >= 0 && row < rows && col < cols && !hole.has(row * cols + col) ? row * cols + col : -1);
  return [...Array(rows * cols).keys()].map((place) => {
    if (hole.has(place)) return [];
    const found = new Set(steps.map(([down, across]) => to(Math.floor(place / cols) + down, (place % cols) + across)));
    found.delete(-1);
    return [...found];
  });
}

/** The plan that the server tells of another space. */
export function spacePlan(told) {
  const places = [...told.names.keys()];
  return {
    ...told, rows: 0, cols: 0, order: places.length, hole: new Set(), placeOf: places, vertexOf: places,
    pieces: new Map(told.pieces.map(([tail, head, pieces]) => [`${tail},${head}`, pieces])),
  };
}

/** The d of the line through some places; moves over a border are drawn in their pieces. */
export function lineOf(plan, places, closed = false) {
  const course = closed ? [...places, places[0]] : places;
  let d = "", broken = true;
  for (let at = 1; at < course.length; at += 1) {
    const [tail, head] = [course[at - 1], course[at]];
    const pieces = plan.pieces.get(`${tail},${head}`);
    if (pieces) d += pieces.map((piece) => `M${piece.map((point) => point.join(" ")).join("L")}`).join("");
    else d += `${broken ? `M${plan.x[tail]} ${plan.y[tail]}` : ""}L${plan.x[head]} ${plan.y[head]}`;
    broken = Boolean(pieces);
  }
  return d;
}

/** The d of what encloses a set of places: the boundary of their squares, or a ring round each. */
export function outlineOf(plan, places) {
  if (!plan.squares) return places.map((place) => `M${plan.x[place] - 40} ${plan.y[place]}a40 40 0 1 0 80 0a40 40 0 1 0-80 0Z`).join("");
  const at = (x, y) => `${x},${y}`, members = new Set(places.map((place) => at(plan.x[place], plan.y[place])));
  let d = "";
  for (const place of places) {
    const [x, y] = [plan.x[place], plan.y[place]], [left, top] = [x - HALF, y - HALF];
    if (!members.has(at(x, y - UNIT))) d += `M${left} ${top}h100`;
    if (!members.has(at(x, y + UNIT))) d += `M${left} ${top + UNIT}h100`;
    if (!members.has(at(x - UNIT, y))) d += `M${left} ${top}v100`;
    if (!members.has(at(x + UNIT, y))) d += `M${left + UNIT} ${top}v100`;
  }
  return d;
}

/** The place next to another in a direction, for the arrow keys; -1 where there is none. */
export function nextPlace(plan, from, [dx, dy]) {
  if (plan.rows) {
    const [col, row] = [(from % plan.cols) + dx, Math.floor(from / plan.cols) + dy];
    return col >= 0 && row >= 0 && col < plan.cols && row < plan.rows ? row * plan.cols + col : -1;
  }
  let best = -1, least = Infinity;
  for (let place = 0; place < plan.order; place += 1) {
    const x = plan.x[place] - plan.x[from], y = plan.y[place] - plan.y[from], ahead = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead > 0 && ahead >= aside && ahead + 2 * aside < least) [best, least] = [place, ahead + 2 * aside];
  }
  return best;
}
