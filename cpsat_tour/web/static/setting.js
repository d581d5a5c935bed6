// The setting: what is searched and how. It lives in the address bar, so that a link holds all of it.

export const MOST_SIDE = 50;

/** Events a second that the speeds stand for. */
export const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, Infinity];

export const DEFAULTS = Object.freeze({
  rows: 8, cols: 8, space: "", closed: true, start: null, end: null, holes: [], givens: [], leaper: [1, 2],
  symmetry: "none", backend: "dfs", order: "default", prune: "default", backtrack: true, seed: 0,
  play: false, race: false, order2: "pohl", prune2: "default", speed: 4, animate: true,
});

export function fileLetters(col) {
  let letters = "";
  for (col += 1; col; col = Math.floor((col - 1) / 26)) letters = String.fromCharCode(97 + ((col - 1) % 26)) + letters;
  return letters;
}

/** A square, [row, col] from the top left, as people write it: a1. */
export const squareName = ([row, col], rows) => fileLetters(col) + (rows - row);

function squareRead(text, rows, cols) {
  const match = /^([a-z]{1,2})(\d{1,2})$/.exec(text);
  if (!match) return null;
  const col = [...match[1]].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 96, 0) - 1;
  const row = rows - Number(match[2]);
  return row >= 0 && row < rows && col < cols ? [row, col] : null;
}

export const sameSquare = (one, other) => one !== null && other !== null && String(one) === String(other);

/** What stands behind the # of the address; only what differs from a new page. */
export function toHash(setting) {
  const parts = [setting.space ? `space=${encodeURIComponent(setting.space).replaceAll("%2C", ",").replaceAll("%3A", ":")}` : `board=${setting.rows}x${setting.cols}`];
  const name = (place) => (typeof place === "number" ? place : squareName(place, setting.rows));
  if (setting.play) parts.push("play=1");
  if (!setting.closed) parts.push("open=1");
  if (setting.start) parts.push(`start=${name(setting.start)}`);
  if (setting.end) parts.push(`end=${name(setting.end)}`);
  if (setting.holes.length) parts.push(`holes=${setting.holes.map(name).join(",")}`);
  if (setting.givens.length) parts.push(`at=${setting.givens.map(([place, number]) => `${name(place)}:${number}`).join(",")}`);
  if (setting.leaper.join() !== DEFAULTS.leaper.join()) parts.push(`leaper=${setting.leaper.join(",")}`);
  for (const key of ["symmetry", "backend", "order", "prune", "seed", "speed"])
    if (setting[key] !== DEFAULTS[key]) parts.push(`${key}=${encodeURIComponent(setting[key]).replaceAll("%2C", ",").replaceAll("%3A", ":")}`);
  if (!setting.backtrack) parts.push("backtrack=0");
  if (setting.animate !== DEFAULTS.animate) parts.push("animate=0");
  if (setting.race) parts.push(`race=${encodeURIComponent(`${setting.order2}/${setting.prune2}`).replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/")}`);
  return `#${parts.join("&")}`;
}

function sidesRead(text) {
  const sides = /^(\d{1,2})x(\d{1,2})$/.exec(text)?.slice(1).map(Number);
  return sides?.every((side) => side >= 1 && side <= MOST_SIDE) ? sides : null;
}

/** What to say of a board behind the # of an address that the page can't show; "" where it can. */
export function boardFault(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, "")), board = given.get("board");
  if (given.get("space") || board === null || sidesRead(board)) return "";
  return `The link asks for the board ${board.slice(0, 40)}, and this page shows boards from 1x1 to ${MOST_SIDE}x${MOST_SIDE}: here is one of ${DEFAULTS.rows}x${DEFAULTS.cols}.`;
}

/** The setting behind the # of an address; what can't be read is as in a new page. */
export function fromHash(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const setting = { ...DEFAULTS, holes: [], givens: [] };
  const sides = sidesRead(given.get("board") ?? "");
  if (sides) [setting.rows, setting.cols] = sides;
  const { rows, cols } = setting;
  setting.space = (given.get("space") ?? "").slice(0, 80);
  const read = setting.space ? (text) => (/^\d{1,3}$/.test(text) ? Number(text) : null) : (text) => squareRead(text, rows, cols);
  setting.closed = given.get("open") !== "1";
  setting.start = read(given.get("start") ?? "");
  setting.end = read(given.get("end") ?? "");
  setting.play = given.get("play") === "1";
  setting.holes = (given.get("holes") ?? "").split(",").map((text) => squareRead(text, rows, cols)).filter(Boolean);
  setting.givens = (given.get("at") ?? "").split(",").map((text) => text.split(":")).map(([place, number]) => [read(place), Number(number)])
    .filter(([place, number]) => place !== null && Number.isInteger(number) && number >= 1 && number <= MOST_SIDE ** 2);
  setting.leaper = leaperRead(given.get("leaper") ?? "") ?? DEFAULTS.leaper;
  if (["sat", "sat:lazy", "cpsat"].includes(given.get("backend"))) setting.backend = given.get("backend");
  for (const key of ["symmetry", "order", "prune"]) if (given.get(key)) setting[key] = given.get(key).slice(0, 80);
  const seed = Number(given.get("seed") ?? 0);
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31) setting.seed = seed;
  const speed = Number(given.get("speed") ?? DEFAULTS.speed);
  if (Number.isInteger(speed) && speed >= 0 && speed <= 12) setting.speed = speed;
  setting.backtrack = given.get("backtrack") !== "0";
  setting.animate = given.get("animate") !== "0";
  if (given.has("race")) {
    setting.race = true;
    const [order2, prune2] = given.get("race").split("/");
    if (order2) setting.order2 = order2.slice(0, 80);
    if (prune2) setting.prune2 = prune2.slice(0, 80);
  }
  return setting;
}

export function leaperRead(text) {
  const match = /^\s*(\d{1,2})\s*,\s*(\d{1,2})\s*$/.exec(text);
  if (!match) return null;
  const pair = [Number(match[1]), Number(match[2])].sort((one, other) => one - other);
  return pair[1] >= 1 && pair[1] <= MOST_SIDE ? pair : null;
}

/** The setting without what is off the board or contradicts itself; the native search looks for no symmetric tours. */
export function tidied(setting) {
  if (setting.symmetry !== "none" && setting.backend === "dfs") setting = { ...setting, backend: "sat:lazy" };
  if (setting.space) {
    const number = (place) => (typeof place === "number" ? place : null);
    const start = number(setting.start), givens = setting.givens.filter(([place]) => number(place) !== null);
    return { ...setting, holes: [], givens, start, end: setting.closed && start === null ? null : number(setting.end) };
  }
  const inside = ([row, col]) => row < setting.rows && col < setting.cols;
  const holes = setting.holes.filter(inside);
  const there = (square) => (Array.isArray(square) && inside(square) && !holes.some((hole) => sameSquare(hole, square)) ? square : null);
  const start = there(setting.start);
  const end = setting.closed && !start ? null : there(setting.end);
  const givens = setting.givens.filter(([place]) => there(place));
  return { ...setting, holes, givens, start, end: sameSquare(start, end) ? null : end };
}

/** What the server is asked: the rival's order and prunings for the second lane. */
export function asked(setting, rival = false) {
  const { rows, cols, space, closed, start, end, holes, leaper, symmetry, backend, order, prune, order2, prune2, backtrack, seed } = setting;
  return { rows, cols, space, closed, start, end, holes, leaper, symmetry, backend, backtrack, seed, order: rival ? order2 : order, prune: rival ? prune2 : prune };
}

/** What the server is asked of a walk or of the board alone: nothing about the search. */
export function question(setting) {
  const { rows, cols, space, closed, start, end, holes, givens, leaper, symmetry } = setting;
  return { rows, cols, space, closed, start, end, holes, givens: setting.play ? givens : [], leaper, symmetry: setting.play ? "none" : symmetry };
}

/** Where a race begins that no start is set for: both searches from one square, of the colour that there is more of. */
export function raceStart({ rows, cols, holes, space }) {
  if (space) return 0;
  const free = [];
  for (let row = rows - 1; row >= 0; row -= 1) for (let col = 0; col < cols; col += 1) if (!holes.some((hole) => sameSquare(hole, [row, col]))) free.push([row, col]);
  const dark = ([row, col]) => (rows - 1 - row + col) % 2 === 0, more = 2 * free.filter(dark).length >= free.length;
  return free.find((square) => dark(square) === more);
}
