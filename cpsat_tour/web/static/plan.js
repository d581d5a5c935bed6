// Where the squares or vertices lie, as the server lays them out.
//
// A plan numbers places: the vertices as the server counts them, and after them the holes of a board.

const HALF = 50, SIDES = [[0, -100, "h"], [0, 100, "h"], [-100, 0, "v"], [100, 0, "v"]];

/** The plan in an event of the server. */
export function planOf(event) {
  return {
    ...event, hole: (place) => place >= event.order, noun: (number) => event.nouns[number === 1 ? 0 : 1],
    placeOf: new Map(event.names.map((name, place) => [name, place])),
    pieces: new Map(event.pieces.map(([tail, head, pieces]) => [`${tail},${head}`, pieces])),
  };
}

/** Nothing yet. */
export const NO_PLAN = planOf({
  order: 0, names: [], x: [], y: [], box: [0, 0, 1000, 1000], side: 1, dark: null, squares: true, outline: "", labels: [], label: 26, neighbours: [], pieces: [], titles: [],
  called: "no board yet", nouns: ["square", "squares"],
});

/** The d of the line through some places, broken where one is null; moves over a border are drawn in their pieces. */
export function lineOf(plan, places, closed = false) {
  const course = closed ? [...places, places[0]] : places;
  let d = "", broken = true;
  for (let at = 1; at < course.length; at += 1) {
    const [tail, head] = [course[at - 1], course[at]];
    if (tail === null || head === null) {
      broken = true;
      continue;
    }
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
    const x = plan.x[place], y = plan.y[place];
    for (const [right, down, along] of SIDES)
      if (!members.has(at(x + right, y + down))) d += `M${x + Math.max(right, 0) - HALF} ${y + Math.max(down, 0) - HALF}${along}100`;
  }
  return d;
}

/** The place next to another in a direction, for the arrow keys; -1 where there is none. */
export function nextPlace(plan, from, [dx, dy]) {
  let best = -1, least = Infinity;
  plan.names.forEach((_, place) => {
    const x = plan.x[place] - plan.x[from], y = plan.y[place] - plan.y[from], ahead = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead > 0 && ahead >= aside && ahead + 2 * aside < least) [best, least] = [place, ahead + 2 * aside];
  });
  return best;
}
