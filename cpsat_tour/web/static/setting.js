// The setting: the problem, and how it is searched. The address bar holds it, so that a link has all of it.

export const MAX_SIDE = 50;

/** Events a second that the speeds stand for. */
export const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, Infinity];

export const DEFAULTS = Object.freeze({
  rows: 8, cols: 8, space: "", closed: true, start: null, end: null, holes: [], givens: [], leaper: "knight",
  symmetry: "none", backend: "dfs", order: "default", prune: "default", backtrack: true, seed: 0,
  play: false, speed: 4, animate: true,
});

/** The prunings that a word stands for. */
export const PRUNINGS = {
  none: [], default: ["applet-start", "degree", "colour", "reversal"], applet: ["applet-start", "applet-exits"],
  all: ["applet-start", "applet-exits", "degree", "colour", "connected", "reversal"],
};

/** How a link names the day of a puzzle. */
const DAY = /^(today|\d{4}-[01]\d-[0-3]\d)$/;

// What a link may say: of each key what its text means, null where it means nothing, and how a setting is written.

const name = (text) => (text && text.length <= 80 ? text : null);
const whole = (least, most) => (text) => (/^\d{1,10}$/.test(text) && least <= Number(text) && Number(text) <= most ? Number(text) : null);
const oneOf = (...known) => (text) => (known.includes(text) ? text : null);
const flag = (text) => ({ 1: true, 0: false })[text] ?? null;
const alone = (key, value) => (value === null ? null : { [key]: value });
const unkept = (form, meant = {}) => ({ read: (text) => (form.test(text) ? meant : null), write: () => null });
const plain = (key, read) => ({ read: (text) => alone(key, read(text)), write: (setting) => (String(setting[key]) === String(DEFAULTS[key]) ? null : setting[key]) });

const KEYS = {
  space: plain("space", (text) => (text[0] === "{" ? text : name(text))),
  board: { read: readSides, write: ({ space, rows, cols }) => (space ? null : `${rows}x${cols}`) },
  play: plain("play", flag),
  open: { read: (text) => (flag(text) === null ? null : { closed: !flag(text) }), write: ({ closed }) => (closed ? null : 1) },
  start: plain("start", name),
  end: plain("end", name),
  holes: plain("holes", (text) => text.split(",")),
  at: { read: (text) => { const givens = readPairs(text); return givens && { givens, play: true }; }, write: ({ givens, play }) => (play ? givens : []).map((given) => given.join(":")).join(",") || null },
  leaper: plain("leaper", readLeaper),
  symmetry: plain("symmetry", name),
  backend: plain("backend", oneOf("dfs", "sat:lazy", "sat", "cpsat")),
  order: plain("order", name),
  prune: plain("prune", name),
  seed: plain("seed", whole(0, 2 ** 31 - 1)),
  speed: plain("speed", whole(0, SPEEDS.length - 1)),
  backtrack: plain("backtrack", flag),
  animate: plain("animate", flag),
  go: unkept(/^1$/),
  walk: unkept(/^/, { play: true }),
  filled: unkept(/^/, { play: true }),
  notes: unkept(/^/, { play: true }),
  event: unkept(/^\d{1,7}$/),
  proof: unkept(/^1$/),
  day: unkept(DAY, { rows: 6, cols: 6, play: true }),
};

function readSides(text) {
  const [rows, cols] = /^(\d{1,2})x(\d{1,2})$/.exec(text)?.slice(1).map(Number) ?? [0, 0];
  return rows >= 1 && rows <= MAX_SIDE && cols >= 1 && cols <= MAX_SIDE ? { rows, cols } : null;
}

/** Squares with numbers, such as a1:3,b3:4, in pairs; null for another text. */
export function readPairs(text) {
  const pairs = text.split(",").map((pair) => [pair.replace(/:\d+$/, ""), whole(1, MAX_SIDE ** 2)(/:(\d+)$/.exec(pair)?.[1] ?? "")]);
  return pairs.some(([, number]) => number === null) ? null : pairs;
}

/** A leaper such as 1,2, or several with all their moves, such as 0,3+2,2, or the name of a piece; null for another text. */
export function readLeaper(text) {
  const leaper = text.replaceAll(/\s/g, "").toLowerCase();
  return /^([a-z]+|\d{1,2},\d{1,2}(\+\d{1,2},\d{1,2})*)$/.test(leaper) && /[a-z1-9]/.test(leaper) ? leaper : null;
}

/** What stands behind the # of the address; only what differs from a new page. `more` has what is not of the setting. */
export function toHash(setting, more = {}) {
  const written = (value) => encodeURIComponent(typeof value === "boolean" ? Number(value) : value).replaceAll("%2C", ",").replaceAll("%3A", ":");
  const parts = Object.entries(KEYS).map(([key, { write }]) => [key, write(setting)]).filter(([, text]) => text !== null);
  parts.push(...Object.entries(more).filter(([, text]) => text));
  return `#${parts.map(([key, text]) => `${key}=${written(text)}`).join("&")}`;
}

/** The setting behind the # of an address, and a sentence on what can't be read there, "" where all can. */
export function fromHash(hash) {
  let setting = { ...DEFAULTS }, fault = "";
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const read = Object.hasOwn(KEYS, key) ? KEYS[key].read(text) : null;
    if (read) setting = { ...setting, ...read };
    else if (key === "board") fault ||= `The link asks for the board ${text.slice(0, 40)}, and this page shows boards from 1x1 to ${MAX_SIDE}x${MAX_SIDE}: here is one of ${DEFAULTS.rows}x${DEFAULTS.cols}.`;
    else fault ||= `The link says ${key}=${text.slice(0, 40)}, which means nothing here: the page goes on without it.`;
  }
  return { setting, fault };
}

/** The setting without holes that are off the board and what contradicts itself; the native search looks for no symmetric tours. */
export function tidied(setting) {
  const { rows, cols, space, closed, start } = setting;
  const backend = setting.symmetry !== "none" && setting.backend === "dfs" ? "sat:lazy" : setting.backend;
  const holes = space ? [] : setting.holes.filter((hole) => isOnBoard(hole, rows, cols));
  const there = (place) => (holes.includes(place) || (!space && place !== null && !isOnBoard(place, rows, cols)) ? null : place);
  const kept = { start: there(start), end: there(setting.end), givens: setting.givens.filter(([place]) => there(place) !== null) };
  if (kept.end === kept.start || (closed && kept.start === null)) kept.end = null;
  return { ...setting, ...kept, holes, backend };
}

function isOnBoard(square, rows, cols) {
  const [, letters, row] = /^([a-z]{1,2})(\d{1,2})$/.exec(square) ?? ["", "", "0"];
  const col = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 96, 0);
  return col >= 1 && col <= cols && Number(row) >= 1 && Number(row) <= rows;
}

const pick = (setting, keys) => Object.fromEntries(keys.map((key) => [key, setting[key]]));
const BOARD = ["rows", "cols", "space", "holes", "leaper"], PROBLEM = [...BOARD, "closed", "start", "end", "symmetry"];

/** The setting of a search for the server. */
export const searchSetting = (setting) => pick(setting, [...PROBLEM, "backend", "order", "prune", "backtrack", "seed"]);

/** The setting of a walk or a board for the server, with nothing about the search. */
export const problemSetting = (setting) => ({ ...pick(setting, PROBLEM), ...(setting.play ? { givens: setting.givens, symmetry: "none" } : {}) });

/** The setting of a layout for the server. */
export const boardSetting = (setting) => pick(setting, BOARD);
